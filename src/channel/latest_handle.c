/* SPDX-License-Identifier: MIT */
#include "channel/latest_handle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "shm/futex.h"

#define CLOSING UINT32_C(0x80000000)

void ph__latest_handle_init(ph_latest *channel, enum latest_role role, const char *name)
{
	channel->role = role;
	snprintf(channel->name, sizeof(channel->name), "%s", name);
	ph__forkguard_enter(&channel->guard);
}

ph_status ph__latest_enter(ph_latest *channel, enum latest_role role)
{
	if (!channel)
		return ph__fail(PH_EINVAL, "no channel: NULL");
	if (channel->role != role)
		return ph__fail(PH_EINVAL, "%s: this is the handle of a %s", channel->name,
				role == LATEST_WRITER ? "reader" : "writer");
	if (channel->guard.is_child)
		return ph__fail(PH_EINVAL, "%s: the handle stayed with the parent of this process",
				channel->name);
	if (!(atomic_fetch_add(&channel->calls, 1) & CLOSING))
		return PH_OK;
	ph__latest_leave(channel);
	return ph__fail(PH_ECLOSED, "the channel is being closed");
}

void ph__latest_leave(ph_latest *channel)
{
	/* After the last one has left the handle may be gone: only its address is used. */
	if (atomic_fetch_sub(&channel->calls, 1) == (CLOSING | 1))
		ph__futex_wake(&channel->calls, INT_MAX, true);
}

static void end_calls(ph_latest *channel)
{
	uint32_t calls = atomic_fetch_or(&channel->calls, CLOSING) | CLOSING;

	atomic_store(&channel->stop, 1);
	ph__futex_wake(&channel->stop, INT_MAX, true);
	for (; calls != CLOSING; calls = atomic_load(&channel->calls)) {
		const struct ph__futex_word word = {&channel->calls, calls, true};
		ph__futex_wait_any(&word, 1, PH__FOREVER_NS);
	}
}

void ph_latest_close(ph_latest **channel)
{
	if (!channel || !*channel)
		return;
	ph_latest *closed = *channel;
	*channel = NULL;
	if (!closed->guard.is_child)
		end_calls(closed);
	if (closed->role == LATEST_WRITER)
		ph__latest_writer_close(closed);
	else
		ph__latest_reader_close(closed);
	ph__forkguard_leave(&closed->guard);
	ph__sys->free(closed);
}

ph_status ph_latest_get_info(const ph_latest *channel, ph_latest_info *info)
{
	ph_latest_info known = {0};

	if (!channel || !info || info->size < sizeof(info->size) || channel->guard.is_child)
		return ph__fail(PH_EINVAL,
				"ph_latest_get_info needs a channel and an info with its size");
	if (channel->role == LATEST_WRITER)
		ph__latest_writer_info(channel, &known);
	else
		ph__latest_reader_info(channel, &known);
	known.size = info->size;
	memset(info, 0, info->size);
	memcpy(info, &known, known.size < sizeof(known) ? known.size : sizeof(known));
	return PH_OK;
}
