/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <locale.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIPPED = 77, EXIT_LEFTOVERS = 78, TAIL_BYTES = 8192 };

extern const struct ph_test __start_ph_tests[], __stop_ph_tests[];

#ifdef __SANITIZE_THREAD__
/* Mesa's rasteriser runs code that it has compiled itself: its locks are not seen. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:_dri.so\ncalled_from_lib:_dri.so\nthread:_dri.so\ndeadlock:_dri.so\n";
}
#endif

static char skip_reason_path[64];

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* Drivers stay loaded: a sanitizer can tell what is theirs only as long. */
int dlclose(void *handle)
{
	(void)handle;
	return 0;
}
#endif

#ifdef __SANITIZE_ADDRESS__
/* Mesa keeps a few small blocks per process. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:_dri.so\nleak:libEGL_mesa\nleak:libLLVM\nleak:libglapi\n";
}
#endif

const char *test_name(void)
{
	static char name[32];
	snprintf(name, sizeof(name), "/ph-test-%d", (int)getpid());
	return name;
}

static void folder_of(pid_t pid, char path[64])
{
	snprintf(path, 64, "/tmp/ph-test-%d", (int)pid);
}

const char *test_folder(void)
{
	static char path[64];
	folder_of(getpid(), path);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		fail_msg("cannot make %s: %s", path, strerror(errno));
	return path;
}

bool test_full(void)
{
	return getenv("PH_TEST_FULL") != NULL;
}

void use_decimal_comma(void)
{
	char command[256];

	/* In a session of its own: localedef leaves its gzip behind for init to reap. */
	snprintf(command, sizeof(command),
		 "setsid -w localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", test_folder());
	if (system(command) != 0)
		skip_test("localedef cannot build de_DE.UTF-8 (package locales)");
	setenv("LOCPATH", test_folder(), 1);
	assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
	assert_string_equal(localeconv()->decimal_point, ",");
}

void skip_test(const char *format, ...)
{
	FILE *file = fopen(skip_reason_path, "w");
	va_list args;
	va_start(args, format);
	if (file) {
		vfprintf(file, format, args);
		fclose(file);
	}
	va_end(args);
	fflush(NULL);
	_exit(EXIT_SKIPPED);
}

static int count_descriptors(void)
{
	int count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

/* In the child: exits with the number of failures, so that exit handlers (LeakSanitizer) run. */
static _Noreturn void run_in_child(const struct ph_test *test, int output)
{
	const struct CMUnitTest one = {test->name, test->run, NULL, NULL, NULL};

	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(output);
	int before = count_descriptors();
	int failures = _cmocka_run_group_tests(test->name, &one, 1, NULL, NULL);
	if (failures == 0 && count_descriptors() != before) {
		fprintf(stderr, "%s: left %d descriptors open\n", test->name,
			count_descriptors() - before);
		failures = EXIT_LEFTOVERS;
	}
	exit(failures);
}

/* Waits for the child or for the deadline, then for nobody: the whole group is killed. */
static int wait_for(pid_t child, int timeout_s, bool *timed_out)
{
	int status = 0;
	*timed_out = false;
	for (int waited_ms = 0;; waited_ms += 2) {
		if (waitpid(child, &status, WNOHANG) == child)
			break;
		if (waited_ms > timeout_s * 1000) {
			*timed_out = true;
			kill(-child, SIGKILL);
			waitpid(child, &status, 0);
			break;
		}
		nanosleep(&(struct timespec){0, 2000000}, NULL);
	}
	return status;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* Shared memory that the test made and left: removes it and counts it. */
static int sweep_shared_memory(pid_t child)
{
	char ours[2][64];
	int count = 0;

	snprintf(ours[0], sizeof(ours[0]), "ph-test-%d", (int)child);
	snprintf(ours[1], sizeof(ours[1]), "UnrealCV_%d_", (int)child);
	DIR *folder = opendir("/dev/shm");
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		for (int i = 0; i < 2; i++)
			if (strncmp(entry->d_name, ours[i], strlen(ours[i])) == 0) {
				printf("# left behind: /dev/shm/%s\n", entry->d_name);
				count += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
			}
	if (folder)
		closedir(folder);
	return count;
}

static int sweep(pid_t child)
{
	char path[64];
	int count = sweep_shared_memory(child);

	if (kill(-child, SIGKILL) == 0) {
		printf("# left behind: a process of group %d\n", (int)child);
		count++;
	}
	folder_of(child, path);
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return count;
}

static void print_output(int output)
{
	char bytes[TAIL_BYTES + 1];
	off_t size = lseek(output, 0, SEEK_END);
	ssize_t length =
		pread(output, bytes, TAIL_BYTES, size > TAIL_BYTES ? size - TAIL_BYTES : 0);

	bytes[length > 0 ? length : 0] = '\0';
	for (char *rest = bytes, *line; (line = strsep(&rest, "\n"));)
		if (*line)
			printf("#   %s\n", line);
}

static bool read_skip_reason(char reason[256])
{
	FILE *file = fopen(skip_reason_path, "r");
	reason[0] = '\0';
	if (!file)
		return false;
	if (!fgets(reason, 256, file))
		reason[0] = '\0';
	fclose(file);
	unlink(skip_reason_path);
	return true;
}

static bool run_one(const struct ph_test *test, int number)
{
	int output = memfd_create("test-output", MFD_CLOEXEC);
	bool timed_out;
	char reason[256];

	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		run_in_child(test, output);
	int status = wait_for(child, test->timeout_s, &timed_out);
	int leftovers = sweep(child);
	bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED;
	bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && leftovers == 0;
	bool ok = skipped || good != (bool)test->must_fail;

	bool has_reason = read_skip_reason(reason);
	printf("%s %d - %s%s%s\n", ok ? "ok" : "not ok", number, test->name,
	       skipped ? " # SKIP " : "", skipped && has_reason ? reason : "");
	if (!ok) {
		if (timed_out)
			printf("# no end within %d s\n", test->timeout_s);
		else if (WIFSIGNALED(status))
			printf("# died of signal %d\n", WTERMSIG(status));
		print_output(output);
		printf("# again: %s '%s'\n", program_invocation_name, test->name);
	}
	close(output);
	return ok;
}

static int run_unforked(const struct ph_test *test)
{
	const struct CMUnitTest one = {test->name, test->run, NULL, NULL, NULL};
	return _cmocka_run_group_tests(test->name, &one, 1, NULL, NULL);
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && strcmp(argv[1], "-l") == 0;
	bool unforked = argc > 1 && strcmp(argv[1], "-n") == 0;
	const char *filter = argc > 1 + (list || unforked) ? argv[argc - 1] : "*";
	int number = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(skip_reason_path, sizeof(skip_reason_path), "/tmp/ph-skip-%d", (int)getpid());
	for (const struct ph_test *test = __start_ph_tests; test < __stop_ph_tests; test++) {
		if (fnmatch(filter, test->name, 0) != 0)
			continue;
		number++;
		if (list)
			puts(test->name);
		else if (unforked)
			failed += run_unforked(test) != 0;
		else
			failed += !run_one(test, number);
	}
	if (!list)
		printf("1..%d\n", number);
	if (number == 0)
		fprintf(stderr, "no test matches '%s'\n", filter);
	return failed != 0 || number == 0;
}
