/* SPDX-License-Identifier: MIT */
/* Where the points of an object were, from where they are. */
#include "render/draw_list.h"

#include <string.h>

static double invert(double m[3][3], double inverse[3][3])
{
	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++) {
			int r1 = (column + 1) % 3, r2 = (column + 2) % 3;
			int c1 = (row + 1) % 3, c2 = (row + 2) % 3;
			inverse[row][column] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
		}
	return m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
}

/* What turns and scales an object from its present axes to those before. A flat object has no
 * inverse, and nothing of it is seen that could tell. */
static void turn_of(const float *now, const float *before, double turn[3][3])
{
	double m[3][3], inverse[3][3];

	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++)
			m[row][column] = now[4 * column + row];
	double determinant = invert(m, inverse);
	for (int row = 0; row < 3; row++)
		for (int column = 0; column < 3; column++) {
			turn[row][column] = row == column;
			if (determinant == 0)
				continue;
			turn[row][column] = 0;
			for (int k = 0; k < 3; k++)
				turn[row][column] +=
					before[4 * k + row] * inverse[k][column] / determinant;
		}
}

/* The instances are in the order of their ids. */
static const struct ph__instance *find(const struct ph__snapshot *snapshot, uint64_t id)
{
	uint32_t low = 0, high = snapshot->instance_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (snapshot->instances[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	bool is_there = low < snapshot->instance_count && snapshot->instances[low].id == id;
	return is_there ? &snapshot->instances[low] : NULL;
}

/* before = turn (relative + origin - place now) + place before - origin before */
void ph__motion_of(const struct ph__instance *now, const struct ph__record_source *source,
		   float motion[3][4])
{
	const struct ph__instance *before = find(source->before->snapshot, now->id);
	const double *origin_before_m = source->before->camera->origin_m;
	double turn[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	bool moved = before && memcmp(before->model, now->model, sizeof(now->model)) != 0;

	if (moved)
		turn_of(now->model, before->model, turn);
	for (int row = 0; row < 3; row++) {
		double rest = moved ? before->model[12 + row] - origin_before_m[row]
				    : source->origin_m[row] - origin_before_m[row];
		for (int i = 0; i < 3; i++) {
			motion[row][i] = (float)turn[row][i];
			if (moved)
				rest += turn[row][i] *
					(source->origin_m[i] - (double)now->model[12 + i]);
		}
		motion[row][3] = (float)rest;
	}
}
