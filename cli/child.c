/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENT_LIMIT = 32, START_LIMIT_S = 60, PATH_BYTES = 128 };

static void path_of(const struct child *child, const char *name, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/%s", child->folder, name);
}

static _Noreturn void become_server(const struct child *child, const char *const *more)
{
	char ready_file[PATH_BYTES], socket_path[PATH_BYTES];
	const char *arguments[ARGUMENT_LIMIT] = {
		"pinhole",  "serve",       "--port", "0",         "--log",        "warning",
		"--output", child->folder, "--unix", socket_path, "--ready-file", ready_file};
	int count = 12;

	path_of(child, "ready", ready_file);
	path_of(child, "socket", socket_path);
	for (; more && *more && count < ARGUMENT_LIMIT - 1; more++)
		arguments[count++] = *more;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!freopen("/dev/null", "w", stdout))
		_exit(127);
	execv("/proc/self/exe", (char *const *)arguments);
	_exit(127);
}

static int read_port(const struct child *child)
{
	char path[PATH_BYTES];
	int port = 0;

	path_of(child, "ready", path);
	FILE *file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &port) != 1)
		port = 0;
	fclose(file);
	return port;
}

/* The port, or 0 when the server has ended or takes too long. */
static int wait_until_ready(const struct child *child)
{
	for (int waited_ms = 0; waited_ms < START_LIMIT_S * 1000; waited_ms += 5) {
		int port = read_port(child);
		if (port > 0)
			return port;
		if (waitpid(child->process, NULL, WNOHANG) != 0)
			return 0;
		nanosleep(&(struct timespec){0, 5000000}, NULL);
	}
	return 0;
}

int child_start(struct child *child, const char *const *arguments)
{
	*child = (struct child){.folder = "/tmp/pinhole-demo-XXXXXX"};
	if (!mkdtemp(child->folder)) {
		fprintf(stderr, "cannot make a folder in /tmp: %s\n", strerror(errno));
		return -1;
	}
	fflush(NULL);
	child->process = fork();
	if (child->process == 0)
		become_server(child, arguments);
	int port = child->process > 0 ? wait_until_ready(child) : 0;
	if (port == 0) {
		fprintf(stderr, "the camera server did not start\n");
		child_stop(child);
		return -1;
	}
	snprintf(child->address, sizeof(child->address), "127.0.0.1:%d", port);
	return 0;
}

/* How many regions of the server are still in shared memory. */
static int count_regions(pid_t process)
{
	char prefix[32];
	int count = 0;
	DIR *folder = opendir("/dev/shm");

	snprintf(prefix, sizeof(prefix), "UnrealCV_%d_", (int)process);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	if (folder)
		closedir(folder);
	return count;
}

int child_stop(struct child *child)
{
	int status = 0;

	if (child->process > 0) {
		kill(child->process, SIGTERM);
		if (waitpid(child->process, &status, 0) < 0)
			status = 0; /* it had ended before, and was waited for */
	}
	int left = child->process > 0 ? count_regions(child->process) : 0;
	if (left > 0)
		fprintf(stderr, "the camera server left %d regions in /dev/shm\n", left);
	if (rmdir(child->folder) != 0) {
		fprintf(stderr, "the camera server left files in %s\n", child->folder);
		left++;
	}
	child->process = 0;
	return status == 0 && left == 0 ? 0 : -1;
}
