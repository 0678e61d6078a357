/* SPDX-License-Identifier: MIT */
/* The built-in scene: a yard with a wall, and things of many shapes and materials in it. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "scene/builtin_shapes.h"
#include "scene/paint.h"
#include "scene/scene.h"

enum texture { TILES, WOOD, BRICKS, MARBLE, BEACH_BALL, CHECKERS, TEXTURE_COUNT, PLAIN };

static const struct {
	uint32_t width_px, height_px;
	ph__painter *painter;
} paintings[TEXTURE_COUNT] = {
	[TILES]      = {512, 512, ph__paint_tiles},
	[WOOD]       = {512, 256, ph__paint_wood},
	[BRICKS]     = {256, 256, ph__paint_bricks},
	[MARBLE]     = {256, 256, ph__paint_marble},
	[BEACH_BALL] = {256, 128, ph__paint_beach_ball},
	[CHECKERS]   = {128, 128, ph__paint_checkers},
};

enum material {
	STONE_FLOOR, BRICKWORK, SANDSTONE, CONCRETE, OAK, DARK_STEEL, CHROME, GOLD, COPPER, STEEL,
	RED, BLUE, GREEN, YELLOW, ORANGE, PURPLE, PINK, TEAL, WHITE, IVORY, BLACK, MARBLED, CANDY,
	CHECKERED, CLAY, GLAZE, LAMPLIGHT, GRAY, MATERIAL_COUNT
};

/* Colours as in sRGB, 0xRRGGBB. */
static const struct {
	uint32_t srgb;
	float metallic, roughness;
	enum texture texture;
	float glow; /* of the same colour */
} paints[MATERIAL_COUNT] = {
	[STONE_FLOOR] = {0xFFFFFF, 0, 0.75f, TILES, 0},
	[BRICKWORK]   = {0xFFFFFF, 0, 0.90f, BRICKS, 0},
	[SANDSTONE]   = {0xDCC39A, 0, 0.85f, PLAIN, 0},
	[CONCRETE]    = {0xB9B6AF, 0, 0.80f, PLAIN, 0},
	[OAK]         = {0xFFFFFF, 0, 0.50f, WOOD, 0},
	[DARK_STEEL]  = {0x4A4E55, 1, 0.45f, PLAIN, 0},
	[CHROME]      = {0xEDEDEC, 1, 0.06f, PLAIN, 0},
	[GOLD]        = {0xFFBE55, 1, 0.30f, PLAIN, 0},
	[COPPER]      = {0xF0A184, 1, 0.30f, PLAIN, 0},
	[STEEL]       = {0xD2D4D6, 1, 0.42f, PLAIN, 0},
	[RED]         = {0xD93A32, 0, 0.28f, PLAIN, 0},
	[BLUE]        = {0x2B6BC9, 0, 0.35f, PLAIN, 0},
	[GREEN]       = {0x3F9E4F, 0, 0.45f, PLAIN, 0},
	[YELLOW]      = {0xF4C430, 0, 0.35f, PLAIN, 0},
	[ORANGE]      = {0xF0792B, 0, 0.45f, PLAIN, 0},
	[PURPLE]      = {0x7B4FB5, 0, 0.30f, PLAIN, 0},
	[PINK]        = {0xE5679A, 0, 0.25f, PLAIN, 0},
	[TEAL]        = {0x1FA79C, 0, 0.15f, PLAIN, 0},
	[WHITE]       = {0xEFEDE8, 0, 0.40f, PLAIN, 0},
	[IVORY]       = {0xE9DDC0, 0, 0.30f, PLAIN, 0},
	[BLACK]       = {0x26282C, 0, 0.35f, PLAIN, 0},
	[MARBLED]     = {0xFFFFFF, 0, 0.20f, MARBLE, 0},
	[CANDY]       = {0xFFFFFF, 0, 0.35f, BEACH_BALL, 0},
	[CHECKERED]   = {0xFFFFFF, 0, 0.30f, CHECKERS, 0},
	[CLAY]        = {0xB5573A, 0, 0.75f, PLAIN, 0},
	[GLAZE]       = {0x3C7EA6, 0, 0.12f, PLAIN, 0},
	[LAMPLIGHT]   = {0xFFF0CC, 0, 0.50f, PLAIN, 1.0f},
	[GRAY]        = {0xC8C8C8, 0, 0.60f, PLAIN, 0},
};

/* A row without a name is one more part of the object above it. */
static const struct item {
	const char *name;
	ph__shape_maker *shape;
	enum material material;
	double x, y, z; /* metres */
	double yaw_deg, pitch_deg, roll_deg;
	double scale;
	enum ph__label label;
} items[] = {
	{"Ground", ph__make_ground, STONE_FLOOR, 0, 0, 0, 0, 0, 0, 1, PH__LABEL_GROUND},
	{"BackWall", ph__make_wall, BRICKWORK, 3.6, 0, 0, 0, 0, 0, 1, PH__LABEL_WALL},
	{"Arch", ph__make_arch, SANDSTONE, 1.9, 0, -1.3, 90, 0, 0, 1, PH__LABEL_STRUCTURE},
	{"Steps", ph__make_steps, CONCRETE, 2.7, 0, 2.9, 0, 0, 0, 1, PH__LABEL_STRUCTURE},
	{"Pedestal", ph__make_pedestal, MARBLED, 0.4, 0, 0.15, 0, 0, 0, 1, PH__LABEL_STRUCTURE},
	{"Knot", ph__make_knot, PINK, 0.4, 1.29, 0.15, 20, 0, 0, 1, PH__LABEL_SCULPTURE},
	{"Table", ph__make_table_top, OAK, 0.2, 0, 2.35, -8, 0, 0, 1, PH__LABEL_FURNITURE},
	{NULL, ph__make_table_legs, DARK_STEEL, 0, 0, 0, 0, 0, 0, 0, 0},
	{"Vase", ph__make_vase, GLAZE, 0.25, 0.8, 1.75, 0, 0, 0, 1, PH__LABEL_TABLEWARE},
	{"Bowl", ph__make_bowl, CLAY, 0.1, 0.8, 2.35, 0, 0, 0, 1, PH__LABEL_TABLEWARE},
	{"Mug", ph__make_mug, WHITE, -0.1, 0.8, 2.85, 40, 0, 0, 1, PH__LABEL_TABLEWARE},
	{"ChromeSphere", ph__make_sphere, CHROME, -1.0, 0.42, -1.35, 0, 0, 0, 0.84, PH__LABEL_BALL},
	{"RedSphere", ph__make_sphere, RED, -1.7, 0.36, 0.85, 0, 0, 0, 0.72, PH__LABEL_BALL},
	{"MarbleSphere", ph__make_sphere, MARBLED, 2.7, 1.18, 2.9, 0, 0, 0, 0.6, PH__LABEL_BALL},
	{"BeachBall", ph__make_sphere, CANDY, -2.0, 0.24, 2.1, 30, 25, 30, 0.48, PH__LABEL_BALL},
	{"BlueCube", ph__make_cube, BLUE, -1.35, 0.4, -0.25, 32, 0, 0, 1, PH__LABEL_BLOCK},
	{"Crate", ph__make_crate, OAK, 0.5, 0.42, -2.9, 14, 0, 0, 1, PH__LABEL_BLOCK},
	{"GoldTorus", ph__make_torus, GOLD, -2.15, 0.125, -0.95, 0, 0, 0, 0.9, PH__LABEL_SCULPTURE},
	{"OrangeCylinder", ph__make_cylinder, ORANGE, 0.25, 0, 0.98, 0, 0, 0, 1, PH__LABEL_BLOCK},
	{"GreenCone", ph__make_cone, GREEN, -0.3, 0, -2.1, 0, 0, 0, 1, PH__LABEL_BLOCK},
	{"PurpleCapsule", ph__make_capsule, PURPLE, -1.9, 0.22, -2.2, 65, 0, 90, 1, PH__LABEL_BLOCK},
	{"TealGem", ph__make_gem, TEAL, 0.5, 1.16, -2.9, 15, 0, 20, 1, PH__LABEL_SCULPTURE},
	{"CopperSpring", ph__make_spring, COPPER, -0.55, 0, 0.55, 0, 0, 0, 1, PH__LABEL_SCULPTURE},
	{"SteelGear", ph__make_gear, STEEL, -0.75, 0.49, 1.75, 62, 0, 8, 1, PH__LABEL_SCULPTURE},
	{"GoldStar", ph__make_star, YELLOW, 1.9, 2.86, -1.3, 90, 0, 0, 0.85, PH__LABEL_SCULPTURE},
	{"WhitePawn", ph__make_pawn, IVORY, -2.55, 0, 0.15, 0, 0, 0, 0.62, PH__LABEL_TOY},
	{"CheckeredBlock", ph__make_cube, CHECKERED, -1.1, 0.24, 3.25, 25, 0, 0, 0.6, PH__LABEL_BLOCK},
	{"Pyramid", ph__make_pyramid, SANDSTONE, -0.5, 0, -3.6, 30, 0, 0, 1.1, PH__LABEL_STRUCTURE},
	{"TrafficCone", ph__make_traffic_cone_body, ORANGE, -2.3, 0, 1.4, 20, 0, 0, 0.8, PH__LABEL_CONE},
	{NULL, ph__make_traffic_cone_bands, WHITE, 0, 0, 0, 0, 0, 0, 0, 0},
	{NULL, ph__make_traffic_cone_foot, BLACK, 0, 0, 0, 0, 0, 0, 0, 0},
	{"Lamp", ph__make_lamp_post, DARK_STEEL, 2.6, 0, 0.6, 0, 0, 0, 1, PH__LABEL_LAMP},
	{NULL, ph__make_lamp_globe, LAMPLIGHT, 0, 0, 0, 0, 0, 0, 0, 0},
	{"Domino1", ph__make_domino, BLACK, -2.9, 0, -1.75, -20, 0, 0, 0.8, PH__LABEL_TOY},
	{"Domino2", ph__make_domino, WHITE, -2.75, 0, -1.78, -12, 0, 0, 0.8, PH__LABEL_TOY},
	{"Domino3", ph__make_domino, BLACK, -2.6, 0, -1.8, -6, 0, 0, 0.8, PH__LABEL_TOY},
};
enum { ITEM_COUNT = sizeof(items) / sizeof(items[0]) };

/* What clients spawn; matt and light grey, as Unreal's basic shapes. */
static ph__shape_maker *const primitives[PH__PRIMITIVE_COUNT] = {
	[PH__CUBE] = ph__make_unit_cube,
	[PH__SPHERE] = ph__make_sphere,
	[PH__CYLINDER] = ph__make_unit_cylinder,
	[PH__PLANE] = ph__make_unit_plane,
};
enum { MESH_COUNT_MAX = ITEM_COUNT + PH__PRIMITIVE_COUNT };

static float linear_of(uint32_t srgb_byte)
{
	float value = (float)srgb_byte / 255;
	return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static struct ph__material material_of(enum material material)
{
	struct ph__material made = {
		.metallic = paints[material].metallic,
		.roughness = paints[material].roughness,
		.texture = paints[material].texture == PLAIN ? PH__NO_TEXTURE
							     : (int32_t)paints[material].texture,
	};
	for (int i = 0; i < 3; i++) {
		made.base_color[i] = linear_of(paints[material].srgb >> (16 - 8 * i) & 255);
		made.emissive[i] = paints[material].glow * made.base_color[i];
	}
	return made;
}

static ph_status allocate(struct ph__assets *assets)
{
	assets->meshes = ph__sys->calloc(MESH_COUNT_MAX, sizeof(assets->meshes[0]));
	assets->materials = ph__sys->calloc(MATERIAL_COUNT, sizeof(assets->materials[0]));
	assets->textures = ph__sys->calloc(TEXTURE_COUNT, sizeof(assets->textures[0]));
	assets->parts = ph__sys->calloc(MESH_COUNT_MAX, sizeof(assets->parts[0]));
	if (!assets->meshes || !assets->materials || !assets->textures || !assets->parts)
		return ph__fail(PH_ENOSPC, "no memory for the built-in scene");
	return PH_OK;
}

static ph_status copy_name(const char *name, char **copy)
{
	size_t size_bytes = strlen(name) + 1;

	*copy = ph__sys->realloc(NULL, size_bytes);
	if (!*copy)
		return ph__fail(PH_ENOSPC, "no memory for the name %s", name);
	memcpy(*copy, name, size_bytes);
	return PH_OK;
}

static ph_status paint_textures(struct ph__assets *assets)
{
	for (uint32_t i = 0; i < TEXTURE_COUNT; i++) {
		ph_status status = ph__texture_paint(&assets->textures[i], paintings[i].width_px,
						     paintings[i].height_px, paintings[i].painter);
		if (status < 0)
			return status;
		assets->texture_count++;
	}
	return PH_OK;
}

static ph_status make_mesh(struct ph__assets *assets, ph__shape_maker *maker, uint32_t *made)
{
	struct ph__shape shape = {.vertex_count = 0};

	maker(&shape);
	*made = assets->mesh_count;
	ph_status status = ph__shape_take(&shape, &assets->meshes[assets->mesh_count]);
	if (status == PH_OK)
		assets->mesh_count++;
	return status;
}

/* Items of the same shape share a mesh: `made` is which of the meshes is item i's. */
static ph_status find_or_make_mesh(struct ph__assets *assets, uint32_t item,
				   uint32_t made[ITEM_COUNT])
{
	for (uint32_t before = 0; before < item; before++)
		if (items[before].shape == items[item].shape) {
			made[item] = made[before];
			return PH_OK;
		}
	return make_mesh(assets, items[item].shape, &made[item]);
}

static ph_status add_object(struct ph__scene *scene, const struct item *item, uint32_t first_part)
{
	static const double deg = M_PI / 180;
	struct ph__object *added;
	struct ph__object object = {
		.class_name = "StaticMeshActor",
		.first_part = first_part,
		.pose = {.position_m = {item->x, item->y, item->z},
			 .pitch_rad = item->pitch_deg * deg,
			 .yaw_rad = item->yaw_deg * deg,
			 .roll_rad = item->roll_deg * deg},
		.scale = {item->scale, item->scale, item->scale},
		.casts_no_shadow = item->shape == ph__make_ground,
		.label = item->label,
		.mobility = PH__MOVABLE,
	};
	return ph__scene_add_object(scene, &object, item->name, strlen(item->name), &added);
}

static ph_status add_items(struct ph__scene *scene)
{
	uint32_t meshes[ITEM_COUNT];
	ph_status status;

	for (uint32_t i = 0; i < ITEM_COUNT; i++) {
		if ((status = find_or_make_mesh(&scene->assets, i, meshes)) < 0)
			return status;
		if (items[i].name && (status = add_object(scene, &items[i], i)) < 0)
			return status;
		scene->assets.parts[i] = (struct ph__part){meshes[i], items[i].material};
		scene->assets.part_count++;
		scene->objects[scene->object_count - 1].part_count++;
	}
	return PH_OK;
}

static ph_status add_primitives(struct ph__assets *assets)
{
	for (uint32_t i = 0; i < PH__PRIMITIVE_COUNT; i++) {
		uint32_t mesh;
		ph_status status = make_mesh(assets, primitives[i], &mesh);
		if (status < 0)
			return status;
		assets->primitives[i] = assets->part_count;
		assets->parts[assets->part_count++] = (struct ph__part){mesh, GRAY};
	}
	return PH_OK;
}

/* The one who looks: it has no body, and holds camera 0. */
static ph_status add_pawn(struct ph__scene *scene)
{
	static const struct ph__object pawn = {
		.class_name = "Pawn",
		.pose = {.position_m = {-4.9, 1.65, 0.1}, .pitch_rad = -11 * M_PI / 180},
		.scale = {1, 1, 1},
		.mobility = PH__MOVABLE,
	};
	struct ph__object *added;
	uint32_t index;

	ph_status status = ph__scene_add_object(scene, &pawn, "Pawn", 4, &added);
	if (status < 0)
		return status;
	scene->pawn = added->id;
	return ph__scene_add_camera(scene, added, "PawnSensor", 0, &index);
}

/* A clear afternoon: the sun stands behind the camera's left shoulder. */
static void light(struct ph__scene *scene)
{
	scene->sun = (struct ph__sun){
		.direction = {0.4558f, -0.6837f, 0.5698f},
		.radiance = {1.02f, 0.93f, 0.78f},
		.radius_rad = 0.00467f, /* the sun's */
	};
	scene->sky = (struct ph__sky){
		.zenith = {0.15f, 0.30f, 0.58f},
		.horizon = {0.64f, 0.71f, 0.77f},
		.ground = {0.38f, 0.36f, 0.33f},
	};
}

static ph_status fill(struct ph__scene *scene)
{
	ph_status status;

	if ((status = allocate(&scene->assets)) < 0 ||
	    (status = copy_name("Pinhole", &scene->name)) < 0 ||
	    (status = copy_name("BuiltIn", &scene->level)) < 0 ||
	    (status = paint_textures(&scene->assets)) < 0 || (status = add_items(scene)) < 0 ||
	    (status = add_primitives(&scene->assets)) < 0)
		return status;
	for (uint32_t i = 0; i < MATERIAL_COUNT; i++)
		scene->assets.materials[i] = material_of(i);
	scene->assets.material_count = MATERIAL_COUNT;
	light(scene);
	return add_pawn(scene);
}

ph_status ph__scene_create_builtin(uint32_t width_px, uint32_t height_px, double fov_rad,
				   struct ph__scene **scene)
{
	*scene = ph__sys->calloc(1, sizeof(**scene));
	if (!*scene)
		return ph__fail(PH_ENOSPC, "no memory for the built-in scene");
	(*scene)->new_camera = (struct ph__camera){
		.fov_rad = fov_rad,
		.width_px = width_px,
		.height_px = height_px,
		.ortho_width_m = PH__ORTHO_WIDTH_M,
	};
	ph_status status = fill(*scene);
	if (status < 0)
		ph__scene_close(scene);
	return status;
}
