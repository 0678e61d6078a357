/* SPDX-License-Identifier: MIT */
#include "server/region_table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/sys.h"

#define NAME_PREFIX "UnrealCV_"

/* UnrealCV_<digits>_c<digits>_camera_...: what this server, and no other program, names so. */
static int is_ours(const char *name)
{
	int end = 0;

	sscanf(name, NAME_PREFIX "%*[0-9]_c%*[0-9]_camera_%n", &end);
	return end > 0;
}

void ph__region_table_sweep(void)
{
	uint32_t removed = ph__region_sweep(is_ours);

	if (removed > 0)
		ph__log(PH_LOG_WARNING,
			"removed %u regions that dead servers left in shared memory", removed);
}

static void release(struct ph__region_table *regions, struct ph__region *region)
{
	atomic_fetch_sub(&regions->budget->used_bytes, region->capacity_bytes);
	ph__region_close(region);
}

static struct ph__region_entry *find_or_add(struct ph__region_table *regions, const char *key)
{
	for (uint32_t i = 0; i < regions->count; i++)
		if (strcmp(regions->entries[i].key, key) == 0)
			return &regions->entries[i];
	if (regions->count == PH__REGIONS_PER_CONNECTION) {
		ph__fail(PH_ETOOBIG,
			 "this connection has %d regions already; use another connection",
			 PH__REGIONS_PER_CONNECTION);
		return NULL;
	}
	if (regions->count == regions->capacity) {
		uint32_t capacity = regions->capacity ? regions->capacity * 2 : 4;
		void *entries =
			ph__sys->realloc(regions->entries, capacity * sizeof(*regions->entries));
		if (!entries) {
			ph__fail(PH_ENOSPC, "no memory for %u regions", capacity);
			return NULL;
		}
		regions->entries = entries;
		regions->capacity = capacity;
	}
	struct ph__region_entry *entry = &regions->entries[regions->count++];
	*entry = (struct ph__region_entry){.region.fd = -1, .former.fd = -1};
	snprintf(entry->key, sizeof(entry->key), "%s", key);
	return entry;
}

static ph_status reserve_budget(struct ph__shared_budget *budget, const char *key, uint64_t bytes)
{
	uint64_t used = atomic_fetch_add(&budget->used_bytes, bytes);

	if (used <= budget->limit_bytes && bytes <= budget->limit_bytes - used)
		return PH_OK;
	atomic_fetch_sub(&budget->used_bytes, bytes);
	return ph__fail(PH_ENOSPC,
			"%s needs %llu bytes of shared memory; %llu of the %llu that "
			"--max-shared-bytes allows "
			"are in use",
			key, (unsigned long long)bytes, (unsigned long long)used,
			(unsigned long long)budget->limit_bytes);
}

static uint64_t round_to_pages(uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

static ph_status make(struct ph__region_table *regions, struct ph__region_entry *entry,
		      uint64_t length_bytes)
{
	char name[PH__REGION_NAME_BYTES];

	ph_status status = reserve_budget(regions->budget, entry->key, length_bytes);
	if (status < 0)
		return status;
	entry->version++;
	snprintf(name, sizeof(name), NAME_PREFIX "%d_c%llu_%s_v%u", (int)getpid(),
		 (unsigned long long)regions->connection_number, entry->key, entry->version);
	status = ph__region_create(&entry->region, name, length_bytes);
	if (status < 0)
		atomic_fetch_sub(&regions->budget->used_bytes, length_bytes);
	return status;
}

/* The version before keeps its name until the reply that announces the new one has been read, which
 * the next request shows; where there is no room for both it goes first. */
static ph_status make_anew(struct ph__region_table *regions, struct ph__region_entry *entry,
			   uint64_t length_bytes)
{
	entry->former = entry->region;
	entry->region = (struct ph__region){.fd = -1};
	ph_status status = make(regions, entry, length_bytes);
	if (status != PH_ENOSPC || !entry->former.bytes)
		return status;
	release(regions, &entry->former);
	return make(regions, entry, length_bytes);
}

ph_status ph__region_table_get(struct ph__region_table *regions, const char *key,
			       uint64_t length_bytes, struct ph__region_entry **entry)
{
	*entry = NULL;
	struct ph__region_entry *found = find_or_add(regions, key);
	if (!found)
		return PH_ENOSPC;
	release(regions, &found->former);
	if (found->region.capacity_bytes < length_bytes || !ph__region_is_whole(&found->region)) {
		ph_status status = make_anew(regions, found, round_to_pages(length_bytes));
		if (status < 0)
			return status;
	}
	*entry = found;
	return PH_OK;
}

void ph__region_table_finish(struct ph__region_table *regions)
{
	for (uint32_t i = 0; i < regions->count; i++) {
		release(regions, &regions->entries[i].former);
		release(regions, &regions->entries[i].region);
	}
	ph__sys->free(regions->entries);
	regions->entries = NULL;
	regions->count = regions->capacity = 0;
}
