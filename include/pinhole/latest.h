/* SPDX-License-Identifier: MIT */
/* The newest frame of one writer, for up to 64 readers: nobody waits for anybody. Frames that a
 * reader had no time for are gone; take a queue where every frame matters.
 *
 *     writer                                    reader
 *     ph_latest_create                          ph_latest_open
 *     ph_latest_claim    -> memory to fill      ph_latest_acquire -> a frame in place, read-only
 *     (draw into it)                            (look at it for as long as you like)
 *     ph_latest_publish                         ph_latest_release
 *     ph_latest_close                           ph_latest_close
 *
 * What holds whatever the other side does, a kill -9 at any instruction included:
 *
 *  - Claim and publish never wait and never fail for want of a slot. A reader that is slow,
 *    stopped, dead or hostile holds at most the frames it was granted, in memory set aside.
 *  - A frame in a reader's hands is never written. The kernel refuses it any way to write to it.
 *  - A reader that comes late gets the newest frame at once, and stays able to get it after the
 *    writer's end (but not across a resize that it has not followed by then).
 *  - All memory is reserved when the channel is made: a full machine is PH_ENOSPC there, never a
 *    SIGBUS later.
 *
 * Threads: claim, publish and resize by one thread at a time, and acquire by one; release from any.
 * close may come from any thread, also while another sleeps in acquire, which then gives
 * PH_ECLOSED; no call may start after it. Signals: waits go on after a handler has run. Clock
 * steps do not matter: all times are CLOCK_MONOTONIC. fork: the channel stays the parent's; in the
 * child every call but close gives PH_EINVAL, and the descriptors are closed.
 */
#ifndef PINHOLE_LATEST_H
#define PINHOLE_LATEST_H

#include <pinhole/base.h>
#include <pinhole/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A channel, in the hands of its writer or of one reader. */
typedef struct ph_latest ph_latest;

enum {
	PH_LATEST_READERS_MAX = 64,
	PH_LATEST_HELD_MAX = 16,
	PH_LATEST_USER_BYTES_MAX = 256
};

/* Bits of ph_latest_options.flags. */
enum {
	/* create, resize: back the frames with 2 MiB pages where the kernel can (6.1; else it is as
	 * without); slots become multiples of 2 MiB. Making them takes 3 to 4 times as long. */
	PH_LATEST_HUGE_PAGES = 1,
	/* open: ph_latest_fd() will be used. */
	PH_LATEST_POLLABLE = 2
};

typedef struct ph_latest_options {
	size_t size;          /* sizeof(ph_latest_options), as the caller compiled it */
	uint64_t frame_bytes; /* create: room for the largest frame, required */
	uint64_t max_bytes;   /* create: all memory of the channel; 0: no limit but the machine's.
			       * Old memory that readers hold after a resize is not counted. */
	uint32_t max_readers; /* create, resize: 1..64; default 8 */
	uint32_t held_frames; /* create: frames that each reader may hold at once, 1..16, default 2;
			       * open: as many for this reader, default what the writer set */
	uint32_t flags;
	uint32_t mode;        /* create: permissions of the socket file; default 0600 */
	int64_t timeout_ns;   /* open: how long the writer may take to answer; default 5 s */
	int64_t spin_ns;      /* open: longest spin before sleep; default 20,000, adapted to what it
			       * brings; negative: never */
} ph_latest_options;

/* The options of a call, C only: PH_LATEST_OPTIONS(.frame_bytes = 1 << 20, .max_readers = 2) */
#define PH_LATEST_OPTIONS(...) \
	(&(const ph_latest_options){.size = sizeof(ph_latest_options), __VA_ARGS__})

/* A frame that a reader holds. */
typedef struct ph_latest_frame {
	ph_frame frame;      /* frame.bytes: in place, read-only, until release or close */
	uint64_t missed;     /* frames published since this reader's last one; 0 for its first */
	uint64_t user_bytes; /* in use in `user` */
	unsigned char user[PH_LATEST_USER_BYTES_MAX];
	uint32_t hold;       /* which of the reader's holds this is: leave alone */
} ph_latest_frame;

typedef struct ph_latest_info {
	size_t size;             /* set by the caller: sizeof(ph_latest_info) */
	uint64_t writer_pid;     /* as the writer sees itself: may be of another PID namespace */
	uint64_t reader_count;
	uint64_t sequence;       /* of the newest frame; 0: none yet */
	uint64_t frame_bytes;    /* room in a slot */
	uint64_t slot_count;
	uint64_t reserved_bytes; /* memory of the channel */
	uint64_t held_frames;    /* reader: granted; writer: of all readers together */
	uint64_t missed;         /* reader: frames missed since open */
} ph_latest_info;

/* Makes the channel with the caller as its only writer, and a thread that admits readers.
 * `name` is 1..64 of A-Z a-z 0-9 . _ - (not first a dot), found by readers of the same user, or the
 * path of a socket, starting with '/'.
 * Memory: (max_readers * held_frames + 2) slots of frame_bytes rounded up to 4096 (or 2 MiB).
 * Errors: PH_EINVAL; PH_EEXIST (a living writer has the name); PH_EPERM (the folder of sockets is
 * not this user's alone); PH_ETOOBIG (above max_bytes); PH_ENOSPC (with the bytes needed and
 * available); PH_ETIMEDOUT (somebody keeps the folder of the socket locked); PH_ESYS.
 * Blocking: while it reserves the memory; 0.8 ms per MiB were measured. And while another process
 * holds the lock of the folder, a second at most; so may ph_latest_close(). */
PH_API ph_status ph_latest_create(const char *name, const ph_latest_options *options,
				  ph_latest **channel);

/* Lends the writer memory for the next frame: *bytes, *room_bytes long, until publish. A claim that
 * was not published is lent again. Errors: PH_EINVAL (not the writer's handle). Blocking: no. */
PH_API ph_status ph_latest_claim(ph_latest *channel, void **bytes, uint64_t *room_bytes);

/* Makes the claimed memory the newest frame, as `frame` describes it: bytes, sequence and
 * publish_time_ns are ignored, they are the channel's; pixel may be PH_PIXEL_NONE with length_bytes
 * alone. `user` is NULL or user_bytes that travel with it.
 * Errors: PH_EINVAL (nothing claimed, or a description that ph_frame_check() refuses), PH_ETOOBIG
 * (more than was lent). After an error the claim stands. Blocking: no. */
PH_API ph_status ph_latest_publish(ph_latest *channel, const ph_frame *frame, const void *user,
				   uint64_t user_bytes);

/* Gives the channel other memory: frame_bytes, max_readers, held_frames and flags as in create,
 * a zero leaves a number as it is. A claim is withdrawn; the frames that readers hold and the
 * newest one stay where they are; readers follow with the next frame. Until then the old memory
 * stays.
 * Errors: as create, and PH_EINVAL when the readers that are there hold more than would be allowed,
 * PH_ETOOBIG after 4,094 resizes. After an error nothing has changed. */
PH_API ph_status ph_latest_resize(ph_latest *channel, const ph_latest_options *options);

/* Opens a channel as a reader.
 * Errors: PH_EINVAL; PH_ENOENT (no writer of that name); PH_EPERM; PH_ENOSPC (the writer has no
 * room for another reader: the message has the bytes it would take); PH_ETIMEDOUT; PH_EVERSION;
 * PH_EFORMAT or PH_EPEER (what answers is no writer of ours); PH_ESYS.
 * Blocking: until the writer answers, at most timeout_ns. */
PH_API ph_status ph_latest_open(const char *name, const ph_latest_options *options,
				ph_latest **channel);

/* Lends the reader the newest frame if it is newer than its last one, else waits for one.
 * Errors: PH_EAGAIN (timeout 0) or PH_ETIMEDOUT: none yet; PH_ECLOSED: the writer has closed and
 * its last frame was seen; PH_EPEER: the writer is dead or dying, as before; PH_ENOSPC: this reader
 * holds all the frames it may; PH_EFORMAT: the writer published nonsense.
 * Blocking: at most timeout_ns. A frame that is there already, and PH_EAGAIN, take no system call
 * (but for PH_EAGAIN with PH_LATEST_POLLABLE, and for the first frame after a resize). */
PH_API ph_status ph_latest_acquire(ph_latest *channel, int64_t timeout_ns, ph_latest_frame *frame);

/* Gives the frame back and sets frame->frame.bytes to NULL.
 * Errors: PH_EINVAL (not held). Blocking: no. Threads: any, also while another acquires. */
PH_API ph_status ph_latest_release(ph_latest *channel, ph_latest_frame *frame);

/* A descriptor for poll(), epoll or an event loop: readable when there is a newer frame or the
 * writer is gone. Acquire with timeout 0 until it gives PH_EAGAIN, then poll; nothing else may be
 * done with it. Of a killed writer it learns when the kernel has freed that process's memory, later
 * than a reader that waits in acquire (a gigabyte: tenths of a second). Owned by the channel.
 * -1 unless opened with PH_LATEST_POLLABLE. */
PH_API int ph_latest_fd(const ph_latest *channel);

/* Errors: PH_EINVAL. Threads: any, before close. Blocking: no. */
PH_API ph_status ph_latest_get_info(const ph_latest *channel, ph_latest_info *info);

/* Closes and sets *channel to NULL. Frames still held become invalid. A writer's last frame can
 * still be acquired by the readers that are there, unless it was the first after a resize. */
PH_API void ph_latest_close(ph_latest **channel);

#ifdef __cplusplus
}
#endif
#endif
