/* SPDX-License-Identifier: MIT */
#include "channel/latest_writer.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/point.h"
#include "base/sys.h"
#include "shm/futex.h"

enum { READERS_DEFAULT = 8, HELD_DEFAULT = 2 };

static struct latest_writer *writer_of(ph_latest *channel)
{
	return (struct latest_writer *)channel;
}

static ph_status check_options(const ph_latest_options *options)
{
	if (options->frame_bytes == 0)
		return ph__fail(PH_EINVAL,
				"frame_bytes is 0: set it to the size of the largest frame");
	if (options->max_readers > PH_LATEST_READERS_MAX)
		return ph__fail(PH_EINVAL, "max_readers %u is above %d", options->max_readers,
				PH_LATEST_READERS_MAX);
	if (options->held_frames > PH_LATEST_HELD_MAX)
		return ph__fail(PH_EINVAL, "held_frames %u is above %d", options->held_frames,
				PH_LATEST_HELD_MAX);
	if (options->flags & ~(uint32_t)(PH_LATEST_HUGE_PAGES | PH_LATEST_POLLABLE))
		return ph__fail(PH_EINVAL, "flags 0x%x are unknown", options->flags);
	if (options->mode & ~0777u)
		return ph__fail(PH_EINVAL, "mode 0%o is no permission of a file", options->mode);
	return PH_OK;
}

static ph_status read_options(ph_latest_options *options, const ph_latest_options *given)
{
	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL,
				"options of a newer library, or without PH_LATEST_OPTIONS");
	if (options->max_readers == 0)
		options->max_readers = READERS_DEFAULT;
	if (options->held_frames == 0)
		options->held_frames = HELD_DEFAULT;
	if (options->mode == 0)
		options->mode = 0600;
	return check_options(options);
}

static ph_status check_limit(const char *name, const ph_latest_options *options, uint64_t bytes)
{
	if (options->max_bytes == 0 || bytes <= options->max_bytes)
		return PH_OK;
	return ph__fail(PH_ETOOBIG,
			"%s: %u readers that hold %u frames of %" PRIu64 " bytes need %" PRIu64
			" bytes, max_bytes is %" PRIu64,
			name, options->max_readers, options->held_frames, options->frame_bytes,
			bytes, options->max_bytes);
}

/* All memory of a channel: the payload, the board and the pages of the readers. */
static uint64_t reserved_bytes(const struct latest_geometry *geometry,
			       const ph_latest_options *options)
{
	return ph__latest_payload_bytes(geometry) +
	       (uint64_t)LATEST_PAGE_BYTES * (1 + options->max_readers);
}

static ph_status make_payload(struct latest_writer *writer, const ph_latest_options *options,
			      uint32_t epoch, struct latest_payload **made)
{
	bool huge = options->flags & PH_LATEST_HUGE_PAGES;
	const char *name = writer->handle.name;
	struct latest_payload *payload = ph__sys->calloc(1, sizeof(*payload));

	*made = NULL;
	if (!payload)
		return ph__fail(PH_ENOSPC, "%s: no memory for a payload", name);
	payload->geometry.epoch = epoch;
	ph_status status =
	    ph__latest_geometry_make(&payload->geometry, options->frame_bytes,
				     options->max_readers * options->held_frames, huge);
	if (status == PH_OK)
		status = check_limit(name, options, reserved_bytes(&payload->geometry, options));
	if (status < 0)
		goto free_payload;
	status = ph__memfd_create(&payload->memory, "pinhole-latest",
				  ph__latest_payload_bytes(&payload->geometry), huge);
	if (status < 0)
		goto free_payload;
	status = ph__memfd_seal(&payload->memory, true);
	if (status < 0)
		goto drop_memory;
	ph__forkguard_adopt(&writer->handle.guard, payload->memory.fd);
	*made = payload;
	return PH_OK;

drop_memory:
	ph__memfd_drop(&payload->memory);
free_payload:
	ph__sys->free(payload);
	return status;
}

static void drop_memory(struct latest_writer *writer, struct ph__memfd *memory)
{
	if (memory->fd >= 0)
		ph__forkguard_close(&writer->handle.guard, memory->fd);
	memory->fd = -1;
	if (writer->handle.guard.is_child)
		memory->base = NULL; /* the mapping stayed with the parent */
	ph__memfd_drop(memory);
}

void ph__latest_payload_drop(struct latest_writer *writer, struct latest_payload *payload)
{
	if (!payload)
		return;
	drop_memory(writer, &payload->memory);
	ph__sys->free(payload);
}

static ph_status make_board(struct latest_writer *writer)
{
	ph_status status = ph__memfd_create(&writer->board_memory, "pinhole-latest-board",
					    LATEST_PAGE_BYTES, false);
	if (status < 0)
		return status;
	ph__forkguard_adopt(&writer->handle.guard, writer->board_memory.fd);
	writer->board = writer->board_memory.base;
	writer->board->magic = LATEST_MAGIC;
	writer->board->version = LATEST_VERSION;
	writer->board->owner_offset = LATEST_NO_OWNER;
	writer->board->writer_pid = (uint64_t)getpid();
	return ph__memfd_seal(&writer->board_memory, true);
}

/* Claims go to the payload from now on. */
static void use_payload(struct latest_writer *writer, struct latest_payload *payload,
			const ph_latest_options *options)
{
	writer->newest = payload;
	writer->held_total = options->max_readers * options->held_frames;
	writer->options = *options;
	atomic_store(&writer->board->reserved_bytes, reserved_bytes(&payload->geometry, options));
	ph__latest_pool_use(&writer->pool, &payload->geometry, payload->memory.base);
}

static ph_status set_up(struct latest_writer *writer, const char *name,
			const ph_latest_options *options)
{
	struct latest_payload *payload = NULL;
	/* The name first: who loses it has reserved no memory. Nobody is admitted before the thread
	 * runs. */
	ph_status status = ph__rendezvous_listen(&writer->place, name, "latest", options->mode,
						 &writer->handle.guard);
	if (status == PH_OK)
		status = make_board(writer);
	if (status == PH_OK)
		status = make_payload(writer, options, 1, &payload);
	if (status < 0 || !payload)
		return status;
	PH_POINT("create:memory-made");
	writer->pool.board = writer->board;
	writer->pool.roster = &writer->roster;
	use_payload(writer, payload, options);
	writer->shown = payload;
	return ph__latest_service_start(writer);
}

static void tear_down(struct latest_writer *writer)
{
	ph__rendezvous_close(&writer->place, &writer->handle.guard);
	if (writer->shown != writer->newest)
		ph__latest_payload_drop(writer, writer->shown);
	ph__latest_payload_drop(writer, writer->newest);
	while (writer->retired) {
		struct latest_payload *payload = writer->retired;
		writer->retired = payload->next;
		ph__latest_payload_drop(writer, payload);
	}
	drop_memory(writer, &writer->board_memory);
	pthread_mutex_destroy(&writer->lock);
}

static void init(struct latest_writer *writer, const char *name)
{
	ph__latest_handle_init(&writer->handle, LATEST_WRITER, name);
	writer->place.fd = -1;
	writer->board_memory = PH__MEMFD_NONE;
	writer->epoll = writer->kick = writer->spare = -1;
	for (int i = 0; i < LATEST_CONNECTIONS_MAX; i++)
		writer->connections[i].fd = -1;
	pthread_mutex_init(&writer->lock, NULL);
	ph__latest_roster_init(&writer->roster);
}

ph_status ph_latest_create(const char *name, const ph_latest_options *options, ph_latest **channel)
{
	ph_latest_options known;

	if (!channel)
		return ph__fail(PH_EINVAL, "ph_latest_create needs a place for the channel");
	*channel = NULL;
	if (!name)
		return ph__fail(PH_EINVAL, "a latest channel needs a name");
	ph_status status = read_options(&known, options);
	if (status < 0)
		return status;
	struct latest_writer *writer = ph__sys->calloc(1, sizeof(*writer));
	if (!writer)
		return ph__fail(PH_ENOSPC, "%s: no memory for a channel", name);
	init(writer, name);
	status = set_up(writer, name, &known);
	if (status < 0) {
		tear_down(writer);
		ph__forkguard_leave(&writer->handle.guard);
		ph__sys->free(writer);
		return status;
	}
	*channel = &writer->handle;
	return PH_OK;
}

void ph__latest_writer_close(ph_latest *channel)
{
	struct latest_writer *writer = writer_of(channel);

	/* In the child of a fork there are no threads of ours and no mappings. */
	if (!channel->guard.is_child) {
		PH_POINT("close:before-state");
		atomic_store(&writer->board->state, LATEST_CLOSED);
		ph__latest_service_stop(writer);
	} else {
		writer->place.fd = -1;
	}
	tear_down(writer);
}

ph_status ph_latest_claim(ph_latest *channel, void **bytes, uint64_t *room_bytes)
{
	if (!bytes || !room_bytes)
		return ph__fail(PH_EINVAL, "ph_latest_claim needs places for its results");
	*bytes = NULL;
	*room_bytes = 0;
	ph_status status = ph__latest_enter(channel, LATEST_WRITER);
	if (status < 0)
		return status;
	struct latest_writer *writer = writer_of(channel);
	*bytes = ph__latest_pool_claim(&writer->pool);
	*room_bytes = writer->pool.geometry.frame_bytes;
	ph__latest_leave(channel);
	return PH_OK;
}

static ph_status check_frame(const struct latest_writer *writer, const ph_frame *frame,
			     const void *user, uint64_t user_bytes)
{
	if (!writer->pool.is_claimed)
		return ph__fail(PH_EINVAL, "%s: publish without a claim", writer->handle.name);
	if (frame->length_bytes > writer->pool.geometry.frame_bytes)
		return ph__fail(PH_ETOOBIG,
				"%s: a frame of %" PRIu64 " bytes; the slot has %" PRIu64
				": ph_latest_resize() gives more",
				writer->handle.name, frame->length_bytes,
				writer->pool.geometry.frame_bytes);
	if (user_bytes > PH_LATEST_USER_BYTES_MAX || (user_bytes > 0 && !user))
		return ph__fail(PH_EINVAL, "%s: %" PRIu64 " user bytes; at most %d, and not NULL",
				writer->handle.name, user_bytes, PH_LATEST_USER_BYTES_MAX);
	if (latest_sequence_of(writer->pool.latest) == LATEST_SEQUENCE_MAX)
		return ph__fail(PH_ETOOBIG, "%s: the sequences are used up: create it anew",
				writer->handle.name);
	if (frame->pixel == PH_PIXEL_NONE)
		return frame->plane_count <= PH_PLANES_MAX
			   ? PH_OK
			   : ph__fail(PH_EINVAL, "%u planes; at most %d", frame->plane_count,
				      PH_PLANES_MAX);
	return ph_frame_check(frame) < 0 ? PH_EINVAL : PH_OK;
}

/* Readers that poll a descriptor are answered by the service thread. */
static void serve_armed(struct latest_writer *writer)
{
	const struct latest_roster *roster = ph__latest_roster_take(&writer->roster);
	bool any = false;

	for (uint32_t i = 0; i < roster->count && !any; i++) {
		const struct latest_roster_entry *reader = &roster->readers[i];
		any = reader->served &&
		      atomic_load(&reader->control->armed) != atomic_load(reader->served);
	}
	ph__latest_roster_done(&writer->roster);
	if (any)
		ph__latest_service_kick(writer);
}

/* A wake-up costs microseconds, so the caller does few of them whatever the number of sleepers. One
 * more than it may is tried, to learn whether there are more. */
static void wake_readers(struct latest_writer *writer)
{
	uint32_t woken = 0;

	if (atomic_load(&writer->board->reader_count) == 0)
		return;
	if (atomic_load(&writer->polled) > 0)
		serve_armed(writer);
	if (atomic_load_explicit(&writer->sleepers, memory_order_relaxed) <= LATEST_DIRECT_WAKES) {
		woken = (uint32_t)ph__futex_wake(latest_futex(writer->board),
						 LATEST_DIRECT_WAKES + 1, false);
		atomic_store_explicit(&writer->sleepers, woken, memory_order_relaxed);
		if (woken <= LATEST_DIRECT_WAKES)
			return;
	}
	atomic_store_explicit(&writer->woken, woken, memory_order_relaxed);
	ph__latest_waker_kick(writer);
}

/* The first frame of a new payload has been published: the old one is nobody's any more. */
static void retire_shown(struct latest_writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	writer->shown->next = writer->retired;
	writer->retired = writer->shown;
	writer->shown = writer->newest;
	pthread_mutex_unlock(&writer->lock);
	ph__latest_service_kick(writer);
}

ph_status ph_latest_publish(ph_latest *channel, const ph_frame *frame, const void *user,
			    uint64_t user_bytes)
{
	if (!frame)
		return ph__fail(PH_EINVAL, "ph_latest_publish needs a description");
	ph_status status = ph__latest_enter(channel, LATEST_WRITER);
	if (status < 0)
		return status;
	struct latest_writer *writer = writer_of(channel);
	status = check_frame(writer, frame, user, user_bytes);
	if (status == PH_OK) {
		ph__latest_pool_publish(&writer->pool, frame, user, user_bytes);
		wake_readers(writer);
		if (writer->shown != writer->newest)
			retire_shown(writer);
	}
	ph__latest_leave(channel);
	return status;
}

static ph_status merge_options(const struct latest_writer *writer, const ph_latest_options *given,
			       ph_latest_options *options)
{
	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL,
				"options of a newer library, or without PH_LATEST_OPTIONS");
	if (options->frame_bytes == 0)
		options->frame_bytes = writer->options.frame_bytes;
	if (options->max_bytes == 0)
		options->max_bytes = writer->options.max_bytes;
	if (options->max_readers == 0)
		options->max_readers = writer->options.max_readers;
	if (options->held_frames == 0)
		options->held_frames = writer->options.held_frames;
	return check_options(options);
}

/* Either the readers that are there fit, and nothing more changes until we are done, or not. */
static ph_status install_payload(struct latest_writer *writer, struct latest_payload *payload,
				 const ph_latest_options *options)
{
	struct latest_payload *unseen = NULL;
	uint32_t held_total = options->max_readers * options->held_frames;

	pthread_mutex_lock(&writer->lock);
	uint32_t held_used = writer->held_used;
	if (held_used <= held_total) {
		unseen = writer->newest;
		if (writer->pool.latest == 0)
			writer->shown = payload;
		else if (writer->newest == writer->shown)
			unseen = NULL; /* the newest frame lies there */
		use_payload(writer, payload, options);
	}
	pthread_mutex_unlock(&writer->lock);
	if (held_used > held_total)
		return ph__fail(PH_EINVAL, "%s: its readers may hold %u frames, more than %u x %u",
				writer->handle.name, held_used, options->max_readers,
				options->held_frames);
	ph__latest_payload_drop(writer, unseen);
	return PH_OK;
}

static ph_status resize(struct latest_writer *writer, const ph_latest_options *given)
{
	ph_latest_options options;
	struct latest_payload *payload;
	uint32_t epoch = writer->newest->geometry.epoch;
	ph_status status = merge_options(writer, given, &options);
	if (status < 0)
		return status;
	if (epoch == LATEST_EPOCH_MAX)
		return ph__fail(PH_ETOOBIG, "%s: after %d resizes create it anew",
				writer->handle.name, LATEST_EPOCH_MAX - 1);
	status = make_payload(writer, &options, epoch + 1, &payload);
	if (status < 0)
		return status;
	PH_POINT("resize:memory-made");
	status = install_payload(writer, payload, &options);
	if (status < 0)
		ph__latest_payload_drop(writer, payload);
	return status;
}

ph_status ph_latest_resize(ph_latest *channel, const ph_latest_options *options)
{
	ph_status status = ph__latest_enter(channel, LATEST_WRITER);
	if (status < 0)
		return status;
	status = resize(writer_of(channel), options);
	ph__latest_leave(channel);
	return status;
}

void ph__latest_writer_info(const ph_latest *channel, ph_latest_info *info)
{
	const struct latest_writer *writer = (const struct latest_writer *)channel;

	info->writer_pid = writer->board->writer_pid;
	info->reader_count = atomic_load(&writer->board->reader_count);
	info->sequence = latest_sequence_of(atomic_load(&writer->board->latest));
	info->reserved_bytes = atomic_load(&writer->board->reserved_bytes);
	pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&writer->lock);
	info->frame_bytes = writer->newest->geometry.frame_bytes;
	info->slot_count = writer->newest->geometry.slot_count;
	info->held_frames = writer->held_total;
	pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&writer->lock);
}
