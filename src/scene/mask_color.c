/* SPDX-License-Identifier: MIT */
#include "scene/scene.h"

enum { LEVEL_COUNT = 32, COLOR_COUNT = 32768 };

/* Each line halves the gaps that the lines before it leave. */
static const uint8_t levels[LEVEL_COUNT] = {
	0,   255, 127, 63,  191, 31,  95,  159, 223, 15,  47,  79,  111, 143, 175, 207,
	239, 7,   23,  39,  55,  71,  87,  103, 119, 135, 151, 167, 183, 199, 215, 231,
};

/* The colours come in shells: shell m holds those whose highest level is m, (m+1)^3 - m^3 of them.
 * A shell has seven runs, one for each way to fix at least one channel at its highest level (bit 2
 * is R, bit 0 is B); within a run the free channels count through the levels below, B fastest. */
static void color_in_shell(uint32_t m, uint32_t rest, uint8_t rgb[3])
{
	for (uint32_t fixed = 1; fixed < 8; fixed++) {
		uint32_t size = 1;
		for (uint32_t channel = 0; channel < 3; channel++)
			if (!(fixed >> channel & 1))
				size *= m;
		if (rest >= size) {
			rest -= size;
			continue;
		}
		for (uint32_t channel = 0; channel < 3; channel++) {
			bool is_fixed = fixed >> channel & 1;
			rgb[2 - channel] = levels[is_fixed ? m : rest % m];
			if (!is_fixed)
				rest /= m;
		}
		return;
	}
}

void ph__mask_color(uint32_t index, uint8_t rgb[3])
{
	uint32_t m = 0;

	if (index >= COLOR_COUNT)
		index = (index - 1) % (COLOR_COUNT - 1) + 1;
	rgb[0] = rgb[1] = rgb[2] = levels[0];
	if (index == 0)
		return;
	while ((m + 1) * (m + 1) * (m + 1) <= index)
		m++;
	color_in_shell(m, index - m * m * m, rgb);
}

const char *ph__label_name(enum ph__label label)
{
	static const char *const names[PH__LABEL_COUNT] = {
		[PH__LABEL_NONE] = "none",           [PH__LABEL_GROUND] = "ground",
		[PH__LABEL_WALL] = "wall",           [PH__LABEL_STRUCTURE] = "structure",
		[PH__LABEL_FURNITURE] = "furniture", [PH__LABEL_TABLEWARE] = "tableware",
		[PH__LABEL_BALL] = "ball",           [PH__LABEL_BLOCK] = "block",
		[PH__LABEL_SCULPTURE] = "sculpture", [PH__LABEL_TOY] = "toy",
		[PH__LABEL_CONE] = "cone",           [PH__LABEL_LAMP] = "lamp",
	};
	return names[label];
}
