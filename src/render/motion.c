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

/* Rows: from a point relative to the present camera to one relative to the camera before:
 *     turn (relative + origin - place now) + place before - origin before
 * False: it is where it was. */
static bool moved_by(const struct ph__instance *now, const struct ph__record_before *before,
		     double moved[3][4])
{
	const struct ph__instance *then = now ? find(before->snapshot, now->id) : NULL;
	const double *origin_m = before->camera_now->origin_m;
	double turn[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	bool has_moved = then && memcmp(then->model, now->model, sizeof(now->model)) != 0;

	if (has_moved)
		turn_of(now->model, then->model, turn);
	for (int row = 0; row < 3; row++) {
		double from = has_moved ? then->model[12 + row] : origin_m[row];
		moved[row][3] = from - before->camera->origin_m[row];
		for (int i = 0; i < 3; i++) {
			moved[row][i] = turn[row][i];
			if (has_moved)
				moved[row][3] +=
					turn[row][i] * (origin_m[i] - (double)now->model[12 + i]);
		}
	}
	return has_moved;
}

/* Rows: from a point relative to a camera to x, y and 1 in its picture, times a distance. */
static void project(const struct ph__camera_frame *camera, const double half_px[2],
		    double rows[3][4])
{
	bool is_flat = camera->is_orthographic;

	for (int i = 0; i < 4; i++) {
		rows[0][i] = i < 3 ? half_px[0] / camera->tan_x * camera->axes.right[i] : 0;
		rows[1][i] = i < 3 ? -half_px[1] / camera->tan_y * camera->axes.up[i] : 0;
		rows[2][i] = i < 3 ? (is_flat ? 0 : camera->axes.forward[i]) : is_flat;
	}
}

/* Columns: what a step of one pixel to the right, one down, and one metre of depth add to a point
 * relative to the camera. */
static void unproject(const struct ph__camera_frame *camera, const double half_px[2],
		      double columns[3][3])
{
	for (int i = 0; i < 3; i++) {
		columns[i][0] = camera->tan_x / half_px[0] * camera->axes.right[i];
		columns[i][1] = -camera->tan_y / half_px[1] * camera->axes.up[i];
		columns[i][2] = camera->axes.forward[i];
	}
}

static bool is_same_camera(const struct ph__record_before *before)
{
	const struct ph__camera_frame *a = before->camera, *b = before->camera_now;

	return memcmp(a->origin_m, b->origin_m, sizeof(a->origin_m)) == 0 &&
	       memcmp(&a->axes, &b->axes, sizeof(a->axes)) == 0 && a->tan_x == b->tan_x &&
	       a->tan_y == b->tan_y && a->is_orthographic == b->is_orthographic;
}

void ph__motion_of(const struct ph__instance *instance, const struct ph__record_before *before,
		   float motion[3][4])
{
	double moved[3][4], onto[3][4], columns[3][3], whole[3][4];
	bool has_moved = moved_by(instance, before, moved);

	memset(motion, 0, 3 * sizeof(motion[0]));
	if (!has_moved && is_same_camera(before))
		return;
	project(before->camera, before->half_px, onto);
	unproject(before->camera_now, before->half_px, columns);
	for (int row = 0; row < 3; row++) {
		for (int i = 0; i < 4; i++) {
			whole[row][i] = i == 3 ? onto[row][3] : 0;
			for (int k = 0; k < 3; k++)
				whole[row][i] += onto[row][k] * moved[k][i];
		}
		motion[row][3] = (float)whole[row][3];
		for (int column = 0; column < 3; column++) {
			double sum = 0;
			for (int k = 0; k < 3; k++)
				sum += whole[row][k] * columns[k][column];
			motion[row][column] = (float)sum;
		}
	}
}
