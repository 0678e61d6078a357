/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/alive.h"
#include "shm/futex.h"
#include "shm/name.h"
#include "test.h"

static bool is_gone(uint64_t pid)
{
	struct ph__watch watch = {0};
	ph__watch_start(&watch, pid);
	return ph__watch_is_gone(&watch);
}

TEST(this_process_and_the_first_one_are_alive)
{
	assert_false(is_gone((uint64_t)getpid()));
	assert_false(is_gone(1)); /* somebody else's, perhaps */
	assert_false(is_gone(0)); /* nobody */
}

TEST(a_pid_that_no_kernel_hands_out_is_gone)
{
	assert_true(is_gone(UINT64_MAX));
	assert_true(is_gone((uint64_t)INT32_MAX + 1));
}

TEST(a_zombie_is_gone_before_it_is_reaped)
{
	siginfo_t info;
	struct ph__watch watch = {0};
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	ph__watch_start(&watch, (uint64_t)child);
	assert_false(ph__watch_is_gone(&watch));
	kill(child, SIGKILL);
	waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	assert_true(ph__watch_is_gone(&watch));
	assert_true(is_gone((uint64_t)child));
	waitpid(child, NULL, 0);
	assert_true(ph__watch_is_gone(&watch));
}

TEST(a_reused_pid_is_not_the_process_that_was_watched)
{
	struct ph__watch watch = {0};
	ph__watch_start(&watch, (uint64_t)getpid());
	watch.start_time -= 1; /* as if the one first seen had started earlier */
	assert_true(ph__watch_is_gone(&watch));
}

static void *live_on(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

TEST(a_process_whose_first_thread_has_exited_is_alive)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, live_on, NULL);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		pthread_exit(NULL);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	usleep(20000);
	assert_false(is_gone((uint64_t)child));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

TEST(a_lease_excludes_and_ends_with_its_process)
{
	struct ph__lease lease, second;
	char path[128];
	snprintf(path, sizeof(path), "%s/lease", test_folder());
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	int other = open(path, O_RDWR | O_CLOEXEC);
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(ph__lease_take(&lease, fd, 56), PH_OK);
	assert_int_equal(ph__lease_take(&second, other, 56), PH_EEXIST);
	assert_int_equal(ph__lease_take(&second, other, 64), PH_OK);
	assert_true(ph__lease_is_held(&second, 56));
	assert_true(ph__lease_is_held(&lease, 64));
	assert_false(ph__lease_is_held(&lease, 72));
	ph__lease_drop(&second);
	assert_false(ph__lease_is_held(&lease, 64));

	pid_t child = fork();
	if (child == 0) {
		struct ph__lease mine;
		int again = open(path, O_RDWR | O_CLOEXEC);
		/* What was inherited is closed: dropping it does nothing to the parent's. */
		ph__lease_drop(&lease);
		if (ph__lease_take(&mine, again, 72) != PH_OK || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(ph__lease_is_held(&lease, 72));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(ph__lease_is_held(&lease, 72));
	other = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(ph__lease_take(&second, other, 56), PH_EEXIST);
	close(other);
	ph__lease_drop(&lease);
	close(ready[0]);
	close(ready[1]);
}

/* In a new PID namespace: takes the lease as PID 1, says so, and stays. */
static void live_in_another_namespace(const char *path, int pid_to, int ready_to)
{
	struct ph__lease lease;
	pid_t inner = unshare(CLONE_NEWPID) == 0 ? fork() : -1;

	if (inner == 0) {
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (ph__lease_take(&lease, fd, 24) != PH_OK || write(ready_to, "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (write(pid_to, &inner, sizeof(inner)) != sizeof(inner))
		_exit(1);
	waitpid(inner, NULL, 0);
	_exit(0);
}

TEST(a_lease_is_seen_across_pid_namespaces)
{
	struct ph__lease lease;
	int pids[2], ready[2];
	char path[128], byte;
	pid_t inner;

	snprintf(path, sizeof(path), "%s/lease", test_folder());
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	assert_int_equal(pipe(pids) + pipe(ready), 0);
	pid_t child = fork();
	if (child == 0)
		live_in_another_namespace(path, pids[1], ready[1]);
	assert_int_equal(read(pids[0], &inner, sizeof(inner)), sizeof(inner));
	if (inner < 0) {
		waitpid(child, NULL, 0);
		skip_test("this user may not make a PID namespace");
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(ph__lease_take(&lease, fd, 32), PH_OK);
	assert_true(ph__lease_is_held(&lease, 24));
	kill(inner, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(ph__lease_is_held(&lease, 24));
	ph__lease_drop(&lease);
	for (int i = 0; i < 2; i++) {
		close(pids[i]);
		close(ready[i]);
	}
}

TEST(a_lease_whose_holder_is_dying_says_so)
{
	struct ph__lease lease, other = {.fd = -1};
	char path[128];

	snprintf(path, sizeof(path), "%s/lease", test_folder());
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	other.fd = open(path, O_RDWR | O_CLOEXEC);
	pid_t child = fork();
	if (child == 0) {
		if (ph__lease_take(&lease, open(path, O_RDWR | O_CLOEXEC), 8) != PH_OK)
			_exit(1);
		for (;;)
			pause();
	}
	while (!ph__lease_is_held(&other, 8))
		usleep(1000);
	assert_false(ph__lease_is_ending(&other, 8));
	assert_false(ph__lease_is_ending(&other, 16)); /* nobody's */
	kill(child, SIGKILL);
	while (ph__lease_is_held(&other, 8) && !ph__lease_is_ending(&other, 8))
		usleep(1000);
	waitpid(child, NULL, 0);
	close(fd);
	close(other.fd);
}

TEST(a_name_loses_one_leading_slash)
{
	char bare[PH__NAME_BYTES];
	assert_int_equal(ph__name_check("/cam 0:\xc3\xbc", 245, bare), PH_OK);
	assert_string_equal(bare, "cam 0:\xc3\xbc");
	assert_int_equal(ph__name_check("//x", 245, bare), PH_EINVAL);
	assert_int_equal(ph__name_check("abc", 2, bare), PH_ETOOBIG);
	assert_string_equal(bare, "");
}

/* True: woken, or the word is something else. */
static bool sleep_on(const _Atomic uint32_t *word, uint32_t expected, int64_t deadline_ns)
{
	const struct ph__futex_word words[] = {{.at = word, .expected = expected}};

	return ph__futex_wait_any(words, 1, deadline_ns) != PH_ETIMEDOUT;
}

TEST(a_futex_sleeper_is_woken_and_its_deadline_is_kept)
{
	_Atomic uint32_t *word =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(sleep_on(word, 1, PH__FOREVER_NS)); /* the word is something else already */
	int64_t before_ns = ph_now_ns();
	assert_false(sleep_on(word, 0, before_ns + 20000000));
	assert_true(ph_now_ns() - before_ns >= 20000000);
	pid_t child = fork();
	if (child == 0) {
		usleep(20000);
		atomic_store(word, 1);
		_exit(ph__futex_wake(word, 1, false) == 1 ? 0 : 1);
	}
	while (atomic_load(word) == 0)
		sleep_on(word, 0, PH__FOREVER_NS);
	waitpid(child, NULL, 0);
	munmap((void *)word, 4096);
}
