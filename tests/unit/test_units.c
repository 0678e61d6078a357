/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>

#include "unrealcv/unrealcv.h"

static uint64_t random_state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003): the same values in every run. */
static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static double random_value(double limit)
{
	return ((double)(random_bits() >> 11) * 0x1p-52 - 1.0) * limit;
}

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g", value, expected);
}

static struct ph__unreal_pose there_and_back(const struct ph__unreal_pose *pose)
{
	ph_pose inside = ph__pose_from_unreal(pose);
	return ph__pose_to_unreal(&inside);
}

/* As the server prints a pose. */
static void print_pose(char text[256], const struct ph__unreal_pose *pose)
{
	snprintf(text, 256, "%.3f %.3f %.3f %.3f %.3f %.3f", pose->x_cm, pose->y_cm, pose->z_cm,
		 pose->pitch_deg, pose->yaw_deg, pose->roll_deg);
}

static void assert_prints_the_same(const struct ph__unreal_pose *pose)
{
	struct ph__unreal_pose back = there_and_back(pose);
	char set[256], got[256];

	print_pose(set, pose);
	print_pose(got, &back);
	if (strcmp(set, got) != 0)
		fail_msg("%.17g %.17g %.17g %.17g %.17g %.17g: set %s, got %s", pose->x_cm,
			 pose->y_cm, pose->z_cm, pose->pitch_deg, pose->yaw_deg, pose->roll_deg,
			 set, got);
}

static struct ph__unreal_pose random_pose(double cm, double deg)
{
	return (struct ph__unreal_pose){random_value(cm),  random_value(cm),  random_value(cm),
					random_value(deg), random_value(deg), random_value(deg)};
}

TEST(the_axes_y_and_z_change_places_and_centimetres_become_metres)
{
	struct ph__unreal_pose pose = {100, 200, -300, 0, 0, 0};
	ph_pose inside = ph__pose_from_unreal(&pose);

	assert_near(inside.position_m[0], 1, 0);
	assert_near(inside.position_m[1], -3, 0);
	assert_near(inside.position_m[2], 2, 0);
}

TEST(angles_keep_their_sign_and_become_radians)
{
	struct ph__unreal_pose pose = {0, 0, 0, 90, -180, 45};
	ph_pose inside = ph__pose_from_unreal(&pose);

	assert_near(inside.pitch_rad, M_PI / 2, 1e-15);
	assert_near(inside.yaw_rad, -M_PI, 1e-15);
	assert_near(inside.roll_rad, M_PI / 4, 1e-15);
}

/* The axes that Unreal documents for a rotator, computed there, must be those that <frame.h>
 * documents for the converted pose, with Y and Z exchanged. */
TEST(the_axes_of_a_converted_pose_are_those_of_unreal)
{
	struct ph__unreal_pose pose = {0, 0, 0, 25, -70, 140};
	ph_pose inside = ph__pose_from_unreal(&pose);
	double rad = M_PI / 180;
	double cp = cos(pose.pitch_deg * rad), sp = sin(pose.pitch_deg * rad);
	double cy = cos(pose.yaw_deg * rad), sy = sin(pose.yaw_deg * rad);
	double cr = cos(pose.roll_deg * rad), sr = sin(pose.roll_deg * rad);
	double forward[3] = {cp * cy, cp * sy, sp};
	double right[3] = {sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp};

	double p = inside.pitch_rad, y = inside.yaw_rad, r = inside.roll_rad;
	double our_forward[3] = {cos(p) * cos(y), sin(p), cos(p) * sin(y)};
	double our_right[3] = {sin(r) * sin(p) * cos(y) - cos(r) * sin(y), -sin(r) * cos(p),
			       sin(r) * sin(p) * sin(y) + cos(r) * cos(y)};
	static const int exchanged[3] = {0, 2, 1};
	for (int i = 0; i < 3; i++) {
		assert_near(our_forward[i], forward[exchanged[i]], 1e-12);
		assert_near(our_right[i], right[exchanged[i]], 1e-12);
	}
}

TEST(what_is_set_is_printed_the_same_for_a_million_random_values)
{
	for (int i = 0; i < 1000000 / 6; i++) {
		double scale = pow(10, (double)(i % 16) - 9); /* 1e-9 to 1e6 */
		struct ph__unreal_pose pose = random_pose(scale, scale * 0.36);
		assert_prints_the_same(&pose);
	}
}

TEST(a_value_halfway_between_two_printed_ones_is_printed_the_same)
{
	for (int i = -20000; i < 20000; i++) {
		double halfway = (double)(i * 10 + 5) / 10000;
		double large = halfway + i;
		struct ph__unreal_pose pose = {halfway, large, halfway, halfway, large, large};
		assert_prints_the_same(&pose);
	}
}

TEST(a_value_with_seven_decimals_comes_back_exactly)
{
	for (int i = 0; i < 100000; i++) {
		double value = nearbyint(random_value(5e7) * 1e7) / 1e7;
		struct ph__unreal_pose pose = {value, value, value, value, value, value};
		struct ph__unreal_pose back = there_and_back(&pose);
		assert_memory_equal(&pose, &back, sizeof(pose));
	}
}

TEST(any_finite_value_comes_back_within_rounding)
{
	static const double values[] = {1e-300, 1e-12, 1e-9, 4e-10, 1e7, 1e15, 1e300, 0x1p53};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		double value = values[i];
		struct ph__unreal_pose pose = {value, -value, value, -value, value, -value};
		struct ph__unreal_pose back = there_and_back(&pose);
		assert_true(fabs(back.x_cm - value) <= 1e-15 * value);
		assert_true(fabs(back.y_cm + value) <= 1e-15 * value);
		assert_true(fabs(back.yaw_deg - value) <= 1e-15 * value);
		assert_true(fabs(back.roll_deg + value) <= 1e-15 * value);
	}
}

TEST(a_minus_before_zero_comes_only_from_one_that_was_set)
{
	struct ph__unreal_pose zero = {0, 0, 0, 0, 0, 0};
	struct ph__unreal_pose mixed = {-0.0, 0, -0.0004, 0.0004, -1e-30, 1e-30};
	struct ph__unreal_pose back = there_and_back(&zero);
	char text[256];

	print_pose(text, &back);
	assert_string_equal(text, "0.000 0.000 0.000 0.000 0.000 0.000");
	back = there_and_back(&mixed);
	print_pose(text, &back);
	assert_string_equal(text, "-0.000 0.000 -0.000 0.000 -0.000 0.000");
}

TEST(a_field_of_view_is_printed_as_it_was_set)
{
	for (int i = 1; i < 1800000; i += 7) {
		double degrees = i / 10000.0;
		char set[32], got[32];
		snprintf(set, sizeof(set), "%f", degrees);
		snprintf(got, sizeof(got), "%f",
			 ph__degrees_from_radians(ph__radians_from_degrees(degrees)));
		assert_string_equal(set, got);
	}
	assert_near(ph__radians_from_degrees(90), M_PI / 2, 0);
}
