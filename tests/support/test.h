/* SPDX-License-Identifier: MIT */
/* cmocka's assertions inside a thin runner: each TEST runs in a process of its own, with a timeout,
 * and must leave no descriptor, no shared memory and no process behind.
 *
 *     TEST(a_name_that_is_a_true_sentence)
 *     {
 *             assert_int_equal(1 + 1, 2);
 *     }
 *
 * `./build-test/tests/test-span 'a_number*'` runs the ones that match; -l lists them, -n does not
 * fork (for a debugger). The output is TAP. A test that cannot run here says skip_test("why"). */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef NDEBUG
#error "tests need their asserts: do not define NDEBUG"
#endif

struct ph_test {
	const char *name;
	void (*run)(void **state);
	int must_fail;
	int timeout_s;
} __attribute__((aligned(32)));

#define TEST_(name, must_fail, timeout_s)                                                          \
	static void name(void **state);                                                            \
	static const struct ph_test test_##name                                                    \
		__attribute__((used, section("ph_tests"), aligned(32))) = {#name, name, must_fail, \
									   timeout_s};             \
	static void name(void **state __attribute__((unused)))

#define TEST(name)              TEST_(name, 0, 30)
#define SLOW_TEST(name, within) TEST_(name, 0, within)
#define FAIL_TEST(name)         TEST_(name, 1, 5) /* the runner itself is tested with these */

/* cmocka's own compares floats. */
#define assert_within(value, expected, within)                                                   \
	do {                                                                             \
		double near_value = (value), near_expected = (expected);                 \
		if (!(near_value >= near_expected - (within) &&                          \
		      near_value <= near_expected + (within)))                           \
			fail_msg("%s is %.9g, not %.9g", #value, near_value, near_expected); \
	} while (0)

/* Ends the test without a verdict; the reason is in the runner's output. */
_Noreturn void skip_test(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A shared memory name that no other test uses ("/ph-test-<pid>"). */
const char *test_name(void);

/* A fresh folder of this test's own, removed with all that is in it when the test has ended. */
const char *test_folder(void);

/* true when PH_TEST_FULL is set: run the long form of a test instead of the one for each commit. */
bool test_full(void);

/* Sets a locale whose decimal point is a comma, which it builds first; skips where it cannot. */
void use_decimal_comma(void);

#endif
