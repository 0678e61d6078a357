/* SPDX-License-Identifier: MIT */
#include "server/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "base/sys.h"

ph_status ph__output_open(struct ph__output *output, const char *folder)
{
	char absolute[PATH_MAX];

	*output = (struct ph__output){.fd = -1};
	if (!realpath(folder ? folder : ".", absolute))
		return ph__fail_errno("cannot find the output folder '%s'", folder ? folder : ".");
	output->fd = open(absolute, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (output->fd < 0)
		return ph__fail_errno("cannot open the output folder '%s'", absolute);
	output->folder = ph__sys->calloc(1, strlen(absolute) + 1);
	if (!output->folder) {
		ph__output_close(output);
		return ph__fail(PH_ENOSPC, "no memory for the path of the output folder");
	}
	memcpy(output->folder, absolute, strlen(absolute));
	return PH_OK;
}

void ph__output_close(struct ph__output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	ph__sys->free(output->folder);
	*output = (struct ph__output){.fd = -1};
}

/* The part of a path below the folder, or NULL for an absolute path elsewhere. */
static const char *below(const struct ph__output *output, const char *path)
{
	size_t length = strlen(output->folder);

	if (path[0] != '/')
		return path;
	if (strcmp(output->folder, "/") == 0)
		return path + 1;
	return strncmp(path, output->folder, length) == 0 && path[length] == '/' ? path + length + 1
										 : NULL;
}

static bool is_plain(const char *component)
{
	return component[0] != '\0' && strcmp(component, ".") != 0 && strcmp(component, "..") != 0;
}

static int enter(int parent, const char *component)
{
	if (mkdirat(parent, component, 0777) != 0 && errno != EEXIST)
		return -1;
	return openat(parent, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens the folder of `path`, making what is missing, and gives the last component in `name`.
 * `path` is taken apart in place. */
static int open_parent(int root, char *path, const char **name)
{
	int folder = dup(root);

	for (char *slash; folder >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		*slash = '\0';
		if (path[0] == '\0' || strcmp(path, ".") == 0)
			continue;
		int next = is_plain(path) ? enter(folder, path) : (errno = EPERM, -1);
		int kept = errno;
		close(folder);
		errno = kept;
		folder = next;
	}
	if (folder >= 0 && !is_plain(path)) {
		close(folder);
		errno = EPERM;
		return -1;
	}
	*name = path;
	return folder;
}

static bool write_all(int fd, const struct iovec *pieces, int piece_count)
{
	for (int i = 0; i < piece_count; i++)
		for (size_t done = 0; done < pieces[i].iov_len;) {
			ssize_t length = write(fd, (const char *)pieces[i].iov_base + done,
					       pieces[i].iov_len - done);
			if (length < 0 && errno == EINTR)
				continue;
			if (length < 0)
				return false;
			done += (size_t)length;
		}
	return true;
}

static bool write_and_rename(int folder, const char *name, const struct iovec *pieces,
			     int piece_count)
{
	char part[64];

	snprintf(part, sizeof(part), ".pinhole-%d-%llx.part", (int)getpid(),
		 (unsigned long long)ph_now_ns());
	int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	bool good = write_all(fd, pieces, piece_count);
	good = close(fd) == 0 && good;
	good = good && renameat(folder, part, folder, name) == 0;
	if (!good) {
		int kept = errno;
		unlinkat(folder, part, 0);
		errno = kept;
	}
	return good;
}

ph_status ph__output_write(const struct ph__output *output, const char *path,
			   const struct iovec *pieces, int piece_count)
{
	char copy[PATH_MAX];
	const char *name, *inside = below(output, path);

	if (!inside || strlen(inside) >= sizeof(copy))
		return ph__fail(PH_EPERM,
				"'%s' is not below the output folder '%s'; start the server with "
				"another --output DIR",
				path, output->folder);
	memcpy(copy, inside, strlen(inside) + 1);
	int folder = open_parent(output->fd, copy, &name);
	if (folder < 0)
		return ph__fail_errno(
			"cannot write '%s' below '%s' (neither '..' nor links are followed)", path,
			output->folder);
	bool good = write_and_rename(folder, name, pieces, piece_count);
	ph_status status =
		good ? PH_OK : ph__fail_errno("cannot write '%s' below '%s'", path, output->folder);
	close(folder);
	return status;
}
