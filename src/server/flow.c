/* SPDX-License-Identifier: MIT */
#include "server/internal.h"

#include <string.h>

#include "base/sys.h"

static struct ph__flow_memory *find(const struct ph__capture *capture, const struct ph__shot *shot)
{
	for (uint32_t i = 0; i < capture->flow_count; i++) {
		struct ph__flow_memory *memory = &capture->flows[i];
		if (memory->modality == shot->modality && strcmp(memory->cid, shot->cid) == 0)
			return memory;
	}
	return NULL;
}

struct ph__before ph__flow_recall(const struct ph__capture *capture, const struct ph__shot *shot)
{
	const struct ph__flow_memory *memory = find(capture, shot);

	if (!memory)
		return (struct ph__before){NULL, NULL};
	return (struct ph__before){&memory->snapshot, &memory->view};
}

/* A new one, or the one used longest ago. */
static struct ph__flow_memory *make_room(struct ph__capture *capture)
{
	struct ph__flow_memory *oldest = capture->flows;

	if (!oldest) {
		oldest = ph__sys->calloc(PH__FLOW_MEMORIES_MAX, sizeof(oldest[0]));
		capture->flows = oldest;
	}
	if (!oldest)
		return NULL;
	if (capture->flow_count < PH__FLOW_MEMORIES_MAX)
		return &capture->flows[capture->flow_count++];
	for (uint32_t i = 1; i < capture->flow_count; i++)
		if (capture->flows[i].last_use < oldest->last_use)
			oldest = &capture->flows[i];
	return oldest;
}

ph_status ph__flow_keep(struct ph__capture *capture, const struct ph__shot *shot)
{
	struct ph__flow_memory *memory = find(capture, shot);

	if (!memory)
		memory = make_room(capture);
	if (!memory)
		return ph__fail(PH_ENOSPC, "no memory for what flow is relative to");
	memcpy(memory->cid, shot->cid, sizeof(memory->cid));
	memory->modality = shot->modality;
	memory->last_use = ++capture->flow_use_count;
	memory->view = shot->view;
	memory->view.before = (struct ph__before){NULL, NULL};
	return ph__snapshot_copy(&memory->snapshot, &capture->snapshot);
}

void ph__flow_finish(struct ph__capture *capture)
{
	for (uint32_t i = 0; i < capture->flow_count; i++)
		ph__snapshot_finish(&capture->flows[i].snapshot);
	ph__sys->free(capture->flows);
	capture->flows = NULL;
	capture->flow_count = 0;
}
