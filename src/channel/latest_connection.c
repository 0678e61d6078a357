/* SPDX-License-Identifier: MIT */
/* One reader, as the writer's service thread sees it. What it sends is copied out and checked
 * before anything is done; whatever is wrong with it ends its connection and nothing else.
 *
 *     free ──accept──▶ pending ──HELLO──▶ admitted ──hang-up──▶ free
 *                         └──────any fault──────┘ */
#include "channel/latest_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/point.h"
#include "base/sys.h"
#include "channel/latest_message.h"
#include "shm/fdpass.h"

static uint32_t index_of(const struct latest_writer *writer,
			 const struct latest_connection *connection)
{
	return (uint32_t)(connection - writer->connections);
}

static void reset(struct latest_connection *connection)
{
	connection->fd = -1;
	connection->is_admitted = false;
	connection->wants_wake = false;
	connection->held = 0;
	connection->epoch = 0;
	connection->control = PH__MEMFD_NONE;
	atomic_store(&connection->served, 0);
}

static void leave_roster(struct latest_writer *writer, const struct latest_connection *connection)
{
	struct latest_roster *roster = ph__latest_roster_draft(&writer->roster);

	for (uint32_t i = 0; i < roster->count; i++)
		if (roster->readers[i].control == connection->control.base) {
			roster->readers[i] = roster->readers[--roster->count];
			break;
		}
	ph__latest_roster_install(&writer->roster, roster);
}

/* The hang-up was seen, so nothing of that reader runs any more: its claims end. The page goes only
 * when no scan can be looking at it, and its share only after that. */
void ph__latest_connection_drop(struct latest_writer *writer, struct latest_connection *connection)
{
	if (connection->is_admitted) {
		PH_POINT("service:before-drop");
		leave_roster(writer, connection);
		pthread_mutex_lock(&writer->lock);
		writer->held_used -= connection->held;
		pthread_mutex_unlock(&writer->lock);
		atomic_fetch_sub(&writer->board->reader_count, 1);
		atomic_fetch_sub(&writer->polled, connection->wants_wake);
	}
	ph__memfd_drop(&connection->control);
	ph__forkguard_close(&writer->handle.guard, connection->fd);
	reset(connection);
}

/* A duplicate of the payload that holds the newest frame, or would. The copy lives on when the
 * payload is retired meanwhile. */
static int dup_payload(struct latest_writer *writer, struct latest_geometry *geometry)
{
	pthread_mutex_lock(&writer->lock);
	uint32_t epoch = latest_epoch_of(atomic_load(&writer->board->latest));
	const struct latest_payload *payload =
	    epoch == writer->newest->geometry.epoch ? writer->newest : writer->shown;
	*geometry = payload->geometry;
	int fd = fcntl(payload->memory.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&writer->lock);
	return fd;
}

/* Takes `held` frames out of what all readers together may hold. */
static bool take_share(struct latest_writer *writer, uint32_t *held, struct latest_message *refusal)
{
	pthread_mutex_lock(&writer->lock);
	uint32_t left = writer->held_total - writer->held_used;
	if (*held == 0)
		*held = writer->options.held_frames;
	refusal->held = left;
	refusal->needed_bytes = writer->newest->geometry.slot_stride * *held;
	bool fits =
	    *held <= left && atomic_load(&writer->board->reader_count) < PH_LATEST_READERS_MAX;
	if (fits)
		writer->held_used += *held;
	pthread_mutex_unlock(&writer->lock);
	return fits;
}

static void give_share_back(struct latest_writer *writer, uint32_t held)
{
	pthread_mutex_lock(&writer->lock);
	writer->held_used -= held;
	pthread_mutex_unlock(&writer->lock);
}

static void refuse(struct latest_connection *connection, struct latest_message *refusal,
		   enum latest_refusal why)
{
	refusal->flags = why;
	ph__fdpass_send(connection->fd, refusal, sizeof(*refusal), NULL, 0);
}

/* The reader's own page, fresh: what an earlier reader left could be anything. */
static ph_status make_control(struct latest_connection *connection)
{
	ph_status status = ph__memfd_create(&connection->control, "pinhole-latest-reader",
					    LATEST_PAGE_BYTES, false);
	if (status == PH_OK)
		status = ph__memfd_seal(&connection->control, false);
	if (status == PH_OK)
		status = ph__memfd_protect(&connection->control);
	if (status < 0)
		ph__memfd_drop(&connection->control);
	return status;
}

static void enter_roster(struct latest_writer *writer, struct latest_connection *connection)
{
	struct latest_roster *roster = ph__latest_roster_draft(&writer->roster);

	roster->readers[roster->count++] = (struct latest_roster_entry){
	    .control = connection->control.base,
	    .held = connection->held,
	    .served = connection->wants_wake ? &connection->served : NULL,
	};
	ph__latest_roster_install(&writer->roster, roster);
	connection->is_admitted = true;
	/* Before WELCOME: whoever could sleep is counted. */
	atomic_fetch_add(&writer->polled, connection->wants_wake);
	atomic_fetch_add(&writer->board->reader_count, 1);
}

/* false: the connection is of no more use. */
static bool welcome(struct latest_writer *writer, struct latest_connection *connection)
{
	struct latest_message message = ph__latest_message(LATEST_WELCOME);
	struct latest_geometry geometry;
	int payload_fd = dup_payload(writer, &geometry);
	int fds[] = {writer->board_memory.fd, payload_fd, connection->control.fd};

	if (payload_fd < 0)
		return false;
	ph__latest_message_put_geometry(&message, &geometry);
	message.held = connection->held;
	connection->epoch = geometry.epoch;
	PH_POINT("service:before-welcome");
	ph_status status = ph__fdpass_send(connection->fd, &message, sizeof(message), fds, 3);
	PH_POINT("service:after-welcome");
	close(payload_fd);
	close(connection->control.fd); /* our mapping stays */
	connection->control.fd = -1;
	return status == PH_OK;
}

static bool admit(struct latest_writer *writer, struct latest_connection *connection,
		  const struct latest_message *hello)
{
	struct latest_message refusal = ph__latest_message(LATEST_REFUSED);
	uint32_t held = hello->held;

	if (!take_share(writer, &held, &refusal)) {
		refuse(connection, &refusal, LATEST_REFUSED_FULL);
		return false;
	}
	if (make_control(connection) < 0) {
		give_share_back(writer, held);
		refuse(connection, &refusal, LATEST_REFUSED_MEMORY);
		return false;
	}
	connection->held = held;
	connection->wants_wake = hello->flags & LATEST_WANTS_WAKE;
	PH_POINT("service:before-roster");
	enter_roster(writer, connection);
	return welcome(writer, connection);
}

/* It asks for the payload of the newest frame. Asking again for what it was sent is no honest
 * mistake. */
static bool send_payload(struct latest_writer *writer, struct latest_connection *connection)
{
	struct latest_message message = ph__latest_message(LATEST_PAYLOAD);
	struct latest_geometry geometry;
	int fd = dup_payload(writer, &geometry);
	bool sent = false;

	if (fd >= 0 && geometry.epoch != connection->epoch) {
		ph__latest_message_put_geometry(&message, &geometry);
		PH_POINT("service:before-payload");
		sent = ph__fdpass_send(connection->fd, &message, sizeof(message), &fd, 1) == PH_OK;
		connection->epoch = geometry.epoch;
	}
	if (fd >= 0)
		close(fd);
	return sent;
}

static bool handle(struct latest_writer *writer, struct latest_connection *connection,
		   const void *bytes, size_t length)
{
	struct latest_message message, refusal = ph__latest_message(LATEST_REFUSED);
	ph_status status = ph__latest_message_from_reader(&message, bytes, length);

	if (status == PH_EVERSION && !connection->is_admitted)
		refuse(connection, &refusal, LATEST_REFUSED_VERSION);
	if (status < 0)
		return false;
	if (message.type == LATEST_HELLO && !connection->is_admitted)
		return admit(writer, connection, &message);
	return message.type == LATEST_FOLLOW && connection->is_admitted &&
	       send_payload(writer, connection);
}

void ph__latest_connection_serve(struct latest_writer *writer, struct latest_connection *connection)
{
	struct latest_message message;
	size_t length;
	/* One packet at a time: nobody keeps the thread for himself. Descriptors sent to us are
	 * closed. */
	ph_status status =
	    ph__fdpass_receive(connection->fd, &message, sizeof(message), &length, NULL, 0, NULL);

	if (status == PH_EAGAIN)
		return;
	if (status < 0 || !handle(writer, connection, &message, length))
		ph__latest_connection_drop(writer, connection);
}

void ph__latest_connection_wake(struct latest_writer *writer, struct latest_connection *connection)
{
	const struct latest_control *control = connection->control.base;
	const struct latest_message message = ph__latest_message(LATEST_WAKE);
	uint64_t armed = atomic_load(&control->armed);

	if (armed == atomic_load(&connection->served))
		return;
	atomic_store(&connection->served, armed);
	ph_status status = ph__fdpass_send(connection->fd, &message, sizeof(message), NULL, 0);
	if (status < 0 && status != PH_EAGAIN) /* full is as good as sent: it is readable */
		ph__latest_connection_drop(writer, connection);
}

/* A free place; when too many have not said HELLO, that of the oldest of them. */
static struct latest_connection *find_place(struct latest_writer *writer)
{
	struct latest_connection *place = NULL, *oldest = NULL;
	int pending = 0;

	for (int i = 0; i < LATEST_CONNECTIONS_MAX; i++) {
		struct latest_connection *connection = &writer->connections[i];
		if (connection->fd < 0) {
			place = connection;
		} else if (!connection->is_admitted) {
			pending++;
			if (!oldest || connection->number < oldest->number)
				oldest = connection;
		}
	}
	if (pending < LATEST_PENDING_MAX && place)
		return place;
	ph__latest_connection_drop(writer, oldest);
	return oldest;
}

/* Out of descriptors: give up the one kept for this, hang up on who waits, take it back. */
static void turn_away(struct latest_writer *writer)
{
	struct ph__forkguard *guard = &writer->handle.guard;

	if (writer->spare >= 0)
		ph__forkguard_close(guard, writer->spare);
	int fd = ph__sys->accept4(writer->place.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	writer->spare = ph__sys->eventfd(0, EFD_CLOEXEC);
	if (writer->spare >= 0)
		ph__forkguard_adopt(guard, writer->spare);
	ph__log(PH_LOG_WARNING, "%s: out of descriptors, a reader was turned away",
		writer->handle.name);
}

void ph__latest_connection_accept(struct latest_writer *writer)
{
	struct latest_connection *connection = find_place(writer);

	ph__forkguard_pause();
	int fd = ph__sys->accept4(writer->place.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	bool is_full = fd < 0 && (errno == EMFILE || errno == ENFILE);
	if (fd >= 0)
		ph__forkguard_add(&writer->handle.guard, fd);
	ph__forkguard_resume();
	if (is_full)
		turn_away(writer);
	if (fd < 0)
		return;
	reset(connection);
	connection->fd = fd;
	connection->number = writer->arrivals++;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = index_of(writer, connection)};
	if (epoll_ctl(writer->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		ph__latest_connection_drop(writer, connection);
}
