/* SPDX-License-Identifier: MIT */
#include "shm/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"

/* Newer than the headers of Debian 12 or of the oldest kernel that we name. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { HUGE_BYTES = 2 << 20, RESERVE_STEP_BYTES = 64 << 20 };

static uint64_t read_number_after(const char *path, const char *key)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 &&
		    sscanf(line + strlen(key), "%" SCNu64, &value) == 1)
			break;
	if (file)
		fclose(file);
	return value;
}

/* cgroup v2: what the limit leaves beside memory that cannot be given back. */
static uint64_t group_available_bytes(void)
{
	char line[256] = "", path[400];
	FILE *file = fopen("/proc/self/cgroup", "re");

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::/", 4) == 0)
			break;
	if (file)
		fclose(file);
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "0::/", 4) != 0)
		return UINT64_MAX;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", line + 3);
	uint64_t limit = read_number_after(path, "");
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.stat", line + 3);
	uint64_t anon = read_number_after(path, "anon "),
		 shared = read_number_after(path, "shmem ");
	if (limit == UINT64_MAX || anon == UINT64_MAX || shared == UINT64_MAX)
		return UINT64_MAX;
	return limit > anon + shared ? limit - anon - shared : 0;
}

uint64_t ph__memory_available_bytes(void)
{
	uint64_t machine = read_number_after("/proc/meminfo", "MemAvailable:");
	uint64_t group = group_available_bytes();

	machine = machine > UINT64_MAX / 1024 ? UINT64_MAX : machine * 1024;
	return machine < group ? machine : group;
}

static ph_status fail_reserve(const char *label, size_t length, uint64_t available_bytes)
{
	return ph__fail(PH_ENOSPC,
			"%s: it needs %zu bytes of memory and %" PRIu64
			" are available; take fewer or smaller slots",
			label, length, available_bytes);
}

/* A memfd counts against no size of /dev/shm, and the kernel would rather kill somebody than
 * refuse: so we ask first. */
static ph_status reserve(int fd, const char *label, size_t length)
{
	uint64_t available_bytes = ph__memory_available_bytes();

	if (length > available_bytes)
		return fail_reserve(label, length, available_bytes);
	if (ph__sys->ftruncate(fd, (off_t)length) != 0)
		return ph__fail_errno("%s: ftruncate to %zu bytes", label, length);
	for (size_t at = 0; at < length;) {
		size_t step = length - at < RESERVE_STEP_BYTES ? length - at : RESERVE_STEP_BYTES;
		if (ph__sys->fallocate(fd, 0, (off_t)at, (off_t)step) == 0)
			at += step;
		else if (errno == ENOSPC || errno == ENOMEM)
			return fail_reserve(label, length, ph__memory_available_bytes());
		else if (errno != EINTR) /* a step that a signal broke off is done again */
			return ph__fail_errno("%s: reserve %zu bytes", label, length);
	}
	return PH_OK;
}

/* A mapping at a multiple of 2 MiB: room for one page more, then what is too much goes. */
static void *map_aligned(int fd, size_t length)
{
	unsigned char *room = ph__sys->mmap(NULL, length + HUGE_BYTES, PROT_NONE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return MAP_FAILED;
	size_t before = HUGE_BYTES - (uintptr_t)room % HUGE_BYTES;
	void *base = ph__sys->mmap(room + before, length, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0);
	int kept = errno;
	if (base == MAP_FAILED) {
		ph__sys->munmap(room, length + HUGE_BYTES);
	} else {
		ph__sys->munmap(room, before);
		if (before < HUGE_BYTES)
			ph__sys->munmap(room + before + length, HUGE_BYTES - before);
	}
	errno = kept;
	return base;
}

static ph_status map(struct ph__memfd *memory, int fd, size_t length, int prot, bool huge)
{
	void *base =
	    huge ? map_aligned(fd, length) : ph__sys->mmap(NULL, length, prot, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return ph__fail_errno("map %zu bytes of shared memory", length);
	memory->base = base;
	memory->length = length;
	/* A child of fork() has no business here, and could outlive us. */
	madvise(base, length, MADV_DONTFORK);
	return PH_OK;
}

static int create_descriptor(const char *label)
{
	int fd = ph__sys->memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL) /* before 6.3 */
		fd = ph__sys->memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

ph_status ph__memfd_create(struct ph__memfd *memory, const char *label, size_t length, bool huge)
{
	*memory = PH__MEMFD_NONE;
	memory->fd = create_descriptor(label);
	if (memory->fd < 0)
		return ph__fail_errno("%s: memfd_create", label);
	ph_status status = reserve(memory->fd, label, length);
	if (status == PH_OK)
		status = map(memory, memory->fd, length, PROT_READ | PROT_WRITE, huge);
	if (status < 0) {
		ph__memfd_drop(memory);
		return status;
	}
	/* Both are about speed: the pages are reserved already. */
	if (huge)
		madvise(memory->base, length, MADV_COLLAPSE);
	madvise(memory->base, length, MADV_POPULATE_WRITE);
	return PH_OK;
}

static int seals_of(bool read_only)
{
	return F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (read_only ? F_SEAL_FUTURE_WRITE : 0);
}

ph_status ph__memfd_seal(const struct ph__memfd *memory, bool read_only)
{
	if (ph__sys->add_seals(memory->fd, seals_of(read_only)) != 0)
		return ph__fail_errno("seal %zu bytes of shared memory", memory->length);
	return PH_OK;
}

ph_status ph__memfd_map(struct ph__memfd *memory, int fd, size_t length, bool read_only)
{
	struct stat st;
	int wanted = seals_of(read_only), seals = fcntl(fd, F_GET_SEALS);

	*memory = PH__MEMFD_NONE;
	if (seals < 0 || (seals & wanted) != wanted)
		return ph__fail(
		    PH_EFORMAT,
		    "shared memory with seals 0x%x: without 0x%x it could change under us",
		    (unsigned)seals, (unsigned)wanted);
	if (fstat(fd, &st) != 0 || st.st_size < 0 || (uint64_t)st.st_size < length)
		return ph__fail(PH_EFORMAT, "shared memory of %lld bytes, not %zu as announced",
				(long long)st.st_size, length);
	ph_status status = map(memory, fd, length, PROT_READ | (read_only ? 0 : PROT_WRITE), false);
	if (status == PH_OK)
		madvise(memory->base, length, MADV_POPULATE_READ);
	return status;
}

ph_status ph__memfd_protect(struct ph__memfd *memory)
{
	if (mprotect(memory->base, memory->length, PROT_READ) != 0)
		return ph__fail_errno("make %zu bytes of shared memory read-only", memory->length);
	return PH_OK;
}

void ph__memfd_drop(struct ph__memfd *memory)
{
	if (memory->base)
		ph__sys->munmap(memory->base, memory->length);
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = PH__MEMFD_NONE;
}
