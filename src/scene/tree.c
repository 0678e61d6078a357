/* SPDX-License-Identifier: MIT */
#include "scene/tree.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"

/* A level halves the triangles: 2^32 of them are in fewer levels than this. */
enum { LEAF_MAX = 4, LEVELS_MAX = 40 };

static const float *corner(const struct ph__mesh *mesh, uint32_t triangle, uint32_t which)
{
	return mesh->vertices[mesh->indices[3 * triangle + which]].position_m;
}

static void fit(struct ph__tree_node *node, const struct ph__tree *tree,
		const struct ph__mesh *mesh, uint32_t first, uint32_t count)
{
	for (int i = 0; i < 3; i++) {
		node->lower_m[i] = INFINITY;
		node->upper_m[i] = -INFINITY;
	}
	for (uint32_t at = 3 * first; at < 3 * (first + count); at++) {
		const float *point = corner(mesh, tree->triangles[at / 3], at % 3);
		for (int i = 0; i < 3; i++) {
			node->lower_m[i] = fminf(node->lower_m[i], point[i]);
			node->upper_m[i] = fmaxf(node->upper_m[i], point[i]);
		}
	}
}

static int longest_axis(const struct ph__tree_node *node)
{
	int longest = 0;

	for (int i = 1; i < 3; i++)
		if (node->upper_m[i] - node->lower_m[i] >
		    node->upper_m[longest] - node->lower_m[longest])
			longest = i;
	return longest;
}

static float middle(const struct ph__mesh *mesh, uint32_t triangle, int axis)
{
	return corner(mesh, triangle, 0)[axis] + corner(mesh, triangle, 1)[axis] +
	       corner(mesh, triangle, 2)[axis];
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;
	*a = *b;
	*b = kept;
}

/* Hoare's selection: the lower half by its middle along the axis comes first. */
static void halve(uint32_t *triangles, uint32_t count, const struct ph__mesh *mesh, int axis)
{
	uint32_t low = 0, high = count - 1, half = count / 2;

	while (low < high) {
		float pivot = middle(mesh, triangles[low + (high - low) / 2], axis);
		int64_t i = low, j = high;
		while (i <= j) {
			while (middle(mesh, triangles[i], axis) < pivot)
				i++;
			while (middle(mesh, triangles[j], axis) > pivot)
				j--;
			if (i <= j)
				swap(&triangles[i++], &triangles[j--]);
		}
		if (half <= j)
			high = (uint32_t)j;
		else if (half >= i)
			low = (uint32_t)i;
		else
			return;
	}
}

struct range {
	uint32_t node, first, count;
};

/* The second half of a range; the range becomes the first. */
static struct range split(struct ph__tree *tree, const struct ph__mesh *mesh, struct range *range)
{
	struct ph__tree_node *node = &tree->nodes[range->node];
	uint32_t half = range->count / 2;

	halve(tree->triangles + range->first, range->count, mesh, longest_axis(node));
	node->first = tree->node_count;
	node->count = 0;
	tree->node_count += 2;
	struct range second = {node->first + 1, range->first + half, range->count - half};
	*range = (struct range){node->first, range->first, half};
	return second;
}

static void grow(struct ph__tree *tree, const struct ph__mesh *mesh, uint32_t count)
{
	struct range waiting[LEVELS_MAX], range = {0, 0, count};
	uint32_t waiting_count = 0;

	tree->node_count = 1;
	for (;;) {
		struct ph__tree_node *node = &tree->nodes[range.node];
		fit(node, tree, mesh, range.first, range.count);
		if (range.count > LEAF_MAX) {
			waiting[waiting_count++] = split(tree, mesh, &range);
			continue;
		}
		node->first = range.first;
		node->count = range.count;
		if (waiting_count == 0)
			return;
		range = waiting[--waiting_count];
	}
}

ph_status ph__tree_build(struct ph__tree *tree, const struct ph__mesh *mesh)
{
	uint32_t count = mesh->index_count / 3;

	memset(tree, 0, sizeof(*tree));
	if (count == 0)
		return PH_OK;
	tree->triangles = ph__sys->calloc(count, sizeof(tree->triangles[0]));
	tree->nodes = ph__sys->calloc(2 * (size_t)count, sizeof(tree->nodes[0]));
	if (!tree->triangles || !tree->nodes) {
		ph__tree_finish(tree);
		return ph__fail(PH_ENOSPC, "no memory for a tree of %u triangles", count);
	}
	for (uint32_t i = 0; i < count; i++)
		tree->triangles[i] = i;
	grow(tree, mesh, count);
	return PH_OK;
}

void ph__tree_finish(struct ph__tree *tree)
{
	ph__sys->free(tree->nodes);
	ph__sys->free(tree->triangles);
	memset(tree, 0, sizeof(*tree));
}

/* --- rays ------------------------------------------------------------------------------------- */

bool ph__box_meet(const float lower_m[3], const float upper_m[3], const struct ph__tree_ray *ray,
		  double farthest)
{
	double enter = ray->nearest, leave = farthest;

	for (int i = 0; i < 3; i++) {
		double a = (lower_m[i] - ray->from_m[i]) * ray->per_direction[i];
		double b = (upper_m[i] - ray->from_m[i]) * ray->per_direction[i];
		if (isnan(a) || isnan(b)) /* along a side of the box, and in its plane */
			continue;
		enter = fmax(enter, a < b ? a : b);
		leave = fmin(leave, a < b ? b : a);
	}
	return enter <= leave * (1 + 1e-12) + 1e-12;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double product[3])
{
	for (int i = 0; i < 3; i++)
		product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* After Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997. */
static void try_triangle(const struct ph__mesh *mesh, uint32_t triangle,
			 const struct ph__tree_ray *ray, struct ph__tree_hit *hit)
{
	const float *a = corner(mesh, triangle, 0), *b = corner(mesh, triangle, 1),
		    *c = corner(mesh, triangle, 2);
	double edge1[3], edge2[3], from_a[3], p[3], q[3];

	for (int i = 0; i < 3; i++) {
		edge1[i] = (double)b[i] - a[i];
		edge2[i] = (double)c[i] - a[i];
		from_a[i] = ray->from_m[i] - a[i];
	}
	cross(ray->direction, edge2, p);
	double determinant = dot(edge1, p);
	if (determinant <= 0)
		return;
	double u = dot(from_a, p) / determinant;
	cross(from_a, edge1, q);
	double v = dot(ray->direction, q) / determinant;
	double distance = dot(edge2, q) / determinant;
	if (u < 0 || v < 0 || u + v > 1 || distance < ray->nearest || distance >= hit->distance)
		return;
	*hit = (struct ph__tree_hit){distance, u, v, triangle};
}

bool ph__tree_meet(const struct ph__tree *tree, const struct ph__mesh *mesh,
		   const struct ph__tree_ray *ray, struct ph__tree_hit *hit)
{
	uint32_t waiting[2 * LEVELS_MAX], waiting_count = 0;

	hit->distance = ray->farthest;
	if (tree->node_count > 0)
		waiting[waiting_count++] = 0;
	while (waiting_count > 0) {
		const struct ph__tree_node *node = &tree->nodes[waiting[--waiting_count]];
		if (!ph__box_meet(node->lower_m, node->upper_m, ray, hit->distance))
			continue;
		for (uint32_t i = 0; i < node->count; i++)
			try_triangle(mesh, tree->triangles[node->first + i], ray, hit);
		if (node->count == 0) {
			waiting[waiting_count++] = node->first;
			waiting[waiting_count++] = node->first + 1;
		}
	}
	return hit->distance < ray->farthest;
}
