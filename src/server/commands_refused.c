/* SPDX-License-Identifier: MIT */
/* Commands of UnrealCV that act on what only Unreal has. They are answered as unknown ones are, and
 * stand here so that the documentation can say so. */
#include "server/routes.h"

#define REFUSE(template_text, text) {template_text, ph__call_refuse, text, PH__ROUTE_REFUSED, NULL}

static const struct ph__route routes[] = {
	REFUSE("vget /persistent_level/level_script_actor/id", "There are no level scripts"),
	REFUSE("vget /object/[str]/label", "An editor's label; objects have one name"),
	REFUSE("vset /object/[str]/label [str]", "An editor's label; objects have one name"),
	REFUSE("vget /object/[str]/material [uint]", "An editor's command"),
	REFUSE("vset /object/[str]/material [uint] [str]", "An editor's command"),
	REFUSE("vget /object/[str]/bones", "There are no skeletons"),
	REFUSE("vget /object/[str]/bones [str]", "There are no skeletons"),
	REFUSE("vget /object/[str]/bones [str] [str]", "There are no skeletons"),
	REFUSE("vget /object/[str]/class_metadata", "Unreal's assets"),
	REFUSE("vget /object/[str]/materials_metadata", "Unreal's assets"),
	REFUSE("vget /scene/perception", "Unreal's navigation and traces"),
	REFUSE("vget /scene/perception [float] [uint] [uint]", "Unreal's navigation and traces"),
	REFUSE("vget /camera/[uint]/vis_depth [str]", "A coloured preview: take depth"),
	REFUSE("vget /camera/[uint]/dual_depth [str] [str]", "Two layers of depth: take depth"),
	REFUSE("vget /camera/[uint]/mvrc/lit [str]", "There is no viewport: take lit"),
	REFUSE("vget /camera/[uint]/mvrc/enabled", "There is no viewport"),
	REFUSE("vset /camera/[uint]/cine/filmback [float] [float] [float] [float]",
	       "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/lens [float] [float]", "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/lens_settings [float] [float] [float] [float] [float] "
	       "[float] [uint]", "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/focus [float]", "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/focus_mode [str] [uint] [float] [float]",
	       "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/focus_tracking [str] [float] [float] [float]",
	       "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/crop [float] [float] [uint] [uint]",
	       "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/near_clip [uint] [float]", "There is no physical camera"),
	REFUSE("vset /camera/[uint]/cine/exposure [float] [float] [uint]",
	       "There is no physical camera"),
	REFUSE("vset /mqrc/capture_multi_offscreen_orbit [str] [str] [uint] [uint] [float]",
	       "Unreal's movie renderer"),
	REFUSE("vset /mqrc/reset_multi_offscreen_state [str]", "Unreal's movie renderer"),
	REFUSE("vget /actor/location", "UnrealCV before 1.0"),
	REFUSE("vreflect [Anything]", "Unreal's reflection"),
	REFUSE("vget /agent/[str]/nav/status", "There is no navigation"),
	REFUSE("vset /agent/[str]/nav/goto [float] [float] [float]", "There is no navigation"),
	REFUSE("vset /agent/[str]/nav/start [float]", "There is no navigation"),
	REFUSE("vset /agent/[str]/nav/stop", "There is no navigation"),
	REFUSE("vset /editor/start_standalone_pie", "There is no editor"),
};

const struct ph__route_table ph__refused_routes = PH__ROUTE_TABLE("Without a counterpart", routes);
