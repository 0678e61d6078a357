/* SPDX-License-Identifier: MIT */
#include "client/regions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "client/descriptor.h"

enum { FIRST_ROOM = 16, REGIONS_MAX = 4096 }; /* a hostile server cannot make us map for ever */

struct ph__region {
	size_t route_length; /* of the name without "_v<digits>" */
	size_t name_length;
	const void *bytes;
	size_t length_bytes;
	char name[PH__REGION_NAME_BYTES_MAX + 1];
};

static size_t route_length(struct ph__span name)
{
	size_t at = name.length;

	while (at > 0 && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
		at--;
	bool versioned = at < name.length && at > 2 && memcmp(name.at + at - 2, "_v", 2) == 0;
	return versioned ? at - 2 : name.length;
}

static bool is_same_route(const struct ph__region *region, struct ph__span name, size_t length)
{
	return region->route_length == length && memcmp(region->name, name.at, length) == 0;
}

static struct ph__region *find_route(const struct ph__regions *regions, struct ph__span name)
{
	size_t length = route_length(name);

	for (uint32_t i = 0; i < regions->count; i++)
		if (is_same_route(&regions->all[i], name, length))
			return &regions->all[i];
	return NULL;
}

static bool holds(const struct ph__region *region, struct ph__span name, uint64_t needed_bytes)
{
	return region->name_length == name.length && region->length_bytes >= needed_bytes &&
	       memcmp(region->name, name.at, name.length) == 0;
}

static ph_status make_room(struct ph__regions *regions)
{
	if (regions->count < regions->room)
		return PH_OK;
	if (regions->room == REGIONS_MAX)
		return ph__fail(PH_ETOOBIG, "a client maps %d regions at most: use several clients",
				REGIONS_MAX);
	uint32_t room = regions->room ? regions->room * 2 : FIRST_ROOM;
	void *all = ph__sys->realloc(regions->all, room * sizeof(struct ph__region));
	if (!all)
		return ph__fail(PH_ENOSPC, "no memory for a table of %u regions", room);
	regions->all = all;
	regions->room = room;
	return PH_OK;
}

static ph_status check_file(int fd, const char *name, uint64_t needed_bytes, size_t *length_bytes)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return ph__fail_errno("cannot look at the shared memory '%s'", name);
	if (!S_ISREG(st.st_mode))
		return ph__fail(PH_EFORMAT, "'%s' is no shared memory but something else", name);
	if ((uint64_t)st.st_size < needed_bytes)
		return ph__fail(PH_EFORMAT,
				"the shared memory '%s' has %lld bytes, the frame needs %llu", name,
				(long long)st.st_size, (unsigned long long)needed_bytes);
	*length_bytes = (size_t)st.st_size;
	return PH_OK;
}

static int open_file(const char *name)
{
	char path[PH__REGION_NAME_BYTES_MAX + 2];

	snprintf(path, sizeof(path), "/%s", name);
	/* shm_open() adds O_CLOEXEC and O_NOFOLLOW; O_NONBLOCK: a FIFO must not hold us up. */
	return ph__sys->shm_open(path, O_RDONLY | O_NONBLOCK, 0);
}

/* Maps all of the file: a later, larger frame under the same name is then there already. */
static ph_status map(struct ph__region *region, uint64_t needed_bytes)
{
	int fd = open_file(region->name);
	if (fd < 0)
		return ph__fail_errno("cannot open the shared memory '%s'%s", region->name,
				      errno == ENOENT
					      ? " (the server must run on this machine and in this "
						"IPC namespace: containers need --ipc=host)"
					      : "");
	ph_status status = check_file(fd, region->name, needed_bytes, &region->length_bytes);
	void *bytes = MAP_FAILED;
	if (status == PH_OK) {
		bytes = ph__sys->mmap(NULL, region->length_bytes, PROT_READ,
				      MAP_SHARED | MAP_POPULATE, fd, 0);
		if (bytes == MAP_FAILED)
			status = ph__fail_errno("cannot map %zu bytes of the shared memory '%s'",
						region->length_bytes, region->name);
	}
	close(fd);
	region->bytes = bytes == MAP_FAILED ? NULL : bytes;
	return status;
}

static void unmap(const struct ph__region *region)
{
	ph__sys->munmap((void *)region->bytes, region->length_bytes);
}

static ph_status open_region(struct ph__regions *regions, struct ph__span name,
			     uint64_t needed_bytes, struct ph__region *place)
{
	struct ph__region region = {.route_length = route_length(name), .name_length = name.length};

	ph_status status = place ? PH_OK : make_room(regions);
	if (status < 0)
		return status;
	memcpy(region.name, name.at, name.length);
	status = map(&region, needed_bytes);
	if (status < 0)
		return status;
	if (place)
		unmap(place);
	else
		place = &regions->all[regions->count++];
	*place = region;
	return PH_OK;
}

ph_status ph__regions_find(struct ph__regions *regions, struct ph__span name, uint64_t needed_bytes,
			   const void **bytes)
{
	struct ph__region *region = find_route(regions, name);

	*bytes = NULL;
	if (!region || !holds(region, name, needed_bytes)) {
		ph_status status = open_region(regions, name, needed_bytes, region);
		if (status < 0)
			return status;
		region = find_route(regions, name);
	}
	*bytes = region->bytes;
	return PH_OK;
}

void ph__regions_finish(struct ph__regions *regions)
{
	for (uint32_t i = 0; i < regions->count; i++)
		unmap(&regions->all[i]);
	ph__sys->free(regions->all);
	*regions = (struct ph__regions){0};
}
