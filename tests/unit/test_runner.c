/* SPDX-License-Identifier: MIT */
/* The runner is tested with tests that must fail: a runner that cannot fail proves nothing. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

FAIL_TEST(the_runner_sees_a_failed_assertion)
{
	assert_int_equal(1, 2);
}

FAIL_TEST(the_runner_sees_a_crash)
{
	raise(SIGSEGV);
}

FAIL_TEST(the_runner_sees_an_endless_test)
{
	for (;;)
		pause();
}

FAIL_TEST(the_runner_sees_a_leaked_descriptor)
{
	assert_true(dup(STDOUT_FILENO) >= 0);
}

FAIL_TEST(the_runner_sees_shared_memory_left_behind)
{
	close(shm_open(test_name(), O_CREAT | O_RDWR, 0600));
}

FAIL_TEST(the_runner_sees_a_process_left_behind)
{
	if (fork() == 0)
		for (;;)
			pause();
}

TEST(a_test_has_a_folder_of_its_own)
{
	assert_int_equal(access(test_folder(), W_OK), 0);
}
