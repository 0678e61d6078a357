/* SPDX-License-Identifier: MIT */
/* The queue: every frame, in order, once, from one writer to one reader; when it is full, the
 * writer waits. On the wire it is ZeroBuffer 1.0.0 (protocol/queue.md), so either end may be any
 * implementation of that.
 *
 * The reader creates the queue, the writer attaches to it:
 *
 *     ph_queue_reader *reader;
 *     ph_queue_reader_create("cam0", PH_QUEUE_READER_OPTIONS(.ring_bytes = 64 << 20), &reader);
 *     ph_frame frame;
 *     while (ph_queue_acquire(reader, -1, &frame) == PH_OK) {
 *             ... frame.bytes, frame.length_bytes, frame.sequence ...
 *             ph_queue_release(reader, &frame);
 *     }
 *     ph_queue_reader_close(&reader);
 *
 *     ph_queue_writer *writer;
 *     ph_queue_writer_open("cam0", PH_QUEUE_WRITER_OPTIONS(.timeout_ns = -1), &writer);
 *     void *bytes;
 *     ph_queue_claim(writer, 3110416, -1, &bytes);
 *     ... draw into bytes ...
 *     ph_queue_publish(writer, 3110416, NULL);
 *     ph_queue_writer_close(&writer);
 *
 * Nothing is copied between the two; ph_queue_write() and ph_queue_read() are the copying forms.
 *
 * The other side. A wait ends at once when the other side closes (PH_ECLOSED) or breaks the
 * protocol, and within 100 ms of its death (PH_EPEER; a stock ZeroBuffer peer: within 150 ms after
 * its PID is gone). Frames that were published before are delivered first. A reader outlives its
 * writers: after PH_ECLOSED or PH_EPEER it goes on as soon as the next writer attaches. A writer
 * does not outlive its reader: close it and open it anew.
 *
 * Death. A process may be killed between any two instructions: no frame is ever seen torn, the
 * other side is told, and a new process can take the place at once. What a killed reader leaves in
 * /dev/shm is removed by the next reader of the same name and by nobody else.
 *
 * Threads. A handle is for one thread at a time, but for the two _interrupt() functions. Closing a
 * handle while another thread is inside a call on it is an error of the program: interrupt, join,
 * then close. Reader and writer of one queue may be in one process.
 *
 * Signals do not end a wait (interrupt it from the handler). Steps of the wall clock do not matter.
 *
 * fork. A handle stays with the process that made it. In a forked child every call on it fails
 * with PH_EINVAL, its memory is not mapped, and _close() only frees the child's copy; the child
 * keeps neither the name nor the parent's lock. (A child of a bare clone system call must exec.)
 *
 * Trust. Nothing in shared memory is used without a check, and what was checked is a copy. But who
 * may open the segment may also cut the file short, which raises SIGBUS in whoever touches it: the
 * mode (0600 unless asked otherwise) is the border of trust.
 */
#ifndef PINHOLE_QUEUE_H
#define PINHOLE_QUEUE_H

#include <pinhole/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_queue_reader ph_queue_reader;
typedef struct ph_queue_writer ph_queue_writer;

typedef struct ph_queue_reader_options {
	size_t size;             /* sizeof(ph_queue_reader_options), as the caller compiled it */
	uint64_t ring_bytes;     /* room for frames, each with 16 bytes of header; default 32 MiB;
				  * rounded up to 64; the largest frame has ring_bytes - 16 bytes */
	uint64_t metadata_bytes; /* room for metadata and its 8 bytes of length; default 4096 */
	uint32_t mode;           /* permissions of the segment and its semaphores; default 0600 */
	uint32_t held_frames;    /* how many frames may be acquired at once; default 64. One
				  * that was released counts until all before it are, too */
	int64_t spin_ns;         /* look this long, yielding the CPU, before sleeping; default 0.
				  * Pays only for a peer that answers within some microseconds */
	int no_metadata;         /* 1: make no room for metadata at all */
	int prefault;            /* 1: map every page now, so that no first use costs a fault */
	/* 1: the peer is a stock one in another PID namespace: its PID means nothing here, so do
	 * not conclude from it that the peer is dead. */
	int peer_is_foreign;
} ph_queue_reader_options;

typedef struct ph_queue_writer_options {
	size_t size;         /* sizeof(ph_queue_writer_options), as the caller compiled it */
	int64_t timeout_ns;  /* how long to wait for a reader to create the queue; default 0: not */
	int64_t spin_ns;     /* as above */
	int prefault;        /* as above */
	int peer_is_foreign; /* as above */
} ph_queue_writer_options;

#define PH_QUEUE_READER_OPTIONS(...) \
	(&(const ph_queue_reader_options){.size = sizeof(ph_queue_reader_options), __VA_ARGS__})
#define PH_QUEUE_WRITER_OPTIONS(...) \
	(&(const ph_queue_writer_options){.size = sizeof(ph_queue_writer_options), __VA_ARGS__})

/* ---- The reader ---- */

/* Creates the queue NAME: up to 245 bytes of any UTF-8 without a slash (one in front is ignored)
 * or control character. All its memory is reserved now. What a dead reader of that name left is
 * removed first. `options` may be NULL.
 * Blocking: no, but reserving 256 MiB takes tens of milliseconds, and a reader of that name that is
 * just being killed is waited for, half a second at most.
 * Errors: PH_EINVAL, PH_ETOOBIG, PH_EEXIST (a reader of that name lives, or something that is no
 * queue has the name), PH_ENOSPC (with the bytes needed and available), PH_EPERM, PH_ESYS. */
PH_API ph_status ph_queue_reader_create(const char *name, const ph_queue_reader_options *options,
					ph_queue_reader **reader);

/* Waits until a writer is attached: PH_OK at once while one is, or while frames are waiting.
 * Errors: PH_EAGAIN (timeout 0), PH_ETIMEDOUT, PH_ECLOSED (interrupted), PH_EINVAL. */
PH_API ph_status ph_queue_await_writer(ph_queue_reader *reader, int64_t timeout_ns);

/* Gives the next frame in place. frame->bytes is the payload in shared memory: do not write to it.
 * It stays valid and unchanged until it is released or the reader is closed. Several frames may be
 * held, and released in any order; room for the writer is freed in the order of the frames.
 *
 * Of a described queue (ph_queue_describe) all fields of *frame are set; of any other, bytes,
 * length_bytes and sequence, and the rest is 0. Sequence numbers grow by one from 1; they start at
 * 1 again when a stock writer takes over.
 * Errors: PH_EAGAIN (timeout 0), PH_ETIMEDOUT, PH_ECLOSED (the writer closed and all its frames
 * were given, or interrupted), PH_EPEER (the writer died, likewise), PH_ENOSPC (held_frames are
 * held already), PH_EFORMAT (the writer broke the protocol: only closing is left; or, with a frame
 * whose description contradicts itself, that frame is skipped), PH_EINVAL. */
PH_API ph_status ph_queue_acquire(ph_queue_reader *reader, int64_t timeout_ns, ph_frame *frame);

/* Lets go of a held frame, known by frame->bytes, and sets that to NULL.
 * Errors: PH_EINVAL (it is not held: never acquired, or released already). Blocking: no. */
PH_API ph_status ph_queue_release(ph_queue_reader *reader, ph_frame *frame);

/* Copies the next frame to `buffer`; frame->bytes is then `buffer`. A frame larger than
 * capacity_bytes is PH_ETOOBIG: it stays the next one, and frame->length_bytes says its size.
 * Errors: those of ph_queue_acquire(), PH_ETOOBIG. */
PH_API ph_status ph_queue_read(ph_queue_reader *reader, void *buffer, uint64_t capacity_bytes,
			       int64_t timeout_ns, ph_frame *frame);

/* Copies the metadata to `buffer`; *length_bytes says how many they are, also with PH_ETOOBIG.
 * Errors: PH_EAGAIN (none was written yet), PH_ETOOBIG, PH_EFORMAT, PH_EINVAL. Blocking: no. */
PH_API ph_status ph_queue_read_metadata(ph_queue_reader *reader, void *buffer,
					uint64_t capacity_bytes, uint64_t *length_bytes);

/* Makes the wait in progress, and every later one, end with PH_ECLOSED. Frames that are there
 * already can still be acquired. Threads: any, and signal handlers. */
PH_API void ph_queue_reader_interrupt(ph_queue_reader *reader);

/* Closes the queue and removes its name; frames still held become invalid. A waiting writer is
 * woken. */
PH_API void ph_queue_reader_close(ph_queue_reader **reader);

/* ---- The writer ---- */

/* Attaches to the queue NAME. `options` may be NULL.
 * Blocking: up to options->timeout_ns, until a reader is there.
 * Errors: PH_EINVAL, PH_ETOOBIG, PH_ENOENT (no such queue, within the timeout), PH_EPEER (likewise:
 * only what a dead reader left, or the last writer is just being killed), PH_EEXIST (another writer
 * is attached), PH_EFORMAT (no ZeroBuffer segment), PH_EVERSION, PH_EPERM, PH_ENOSPC, PH_ESYS. */
PH_API ph_status ph_queue_writer_open(const char *name, const ph_queue_writer_options *options,
				      ph_queue_writer **writer);

/* Lends room for a frame of length_bytes (1 up to the ring's size less 16) in shared memory, valid
 * until it is published or abandoned; there is one claim at a time. Its first contents are
 * whatever was there. The start may lie at any byte, not even a multiple of 2.
 * Blocking: while the queue is full.
 * Errors: PH_EINVAL, PH_ETOOBIG (it can never fit), PH_EAGAIN (timeout 0 and full), PH_ETIMEDOUT,
 * PH_ECLOSED (the reader closed, or interrupted), PH_EPEER (the reader died or broke the protocol).
 */
PH_API ph_status ph_queue_claim(ph_queue_writer *writer, uint64_t length_bytes, int64_t timeout_ns,
				void **bytes);

/* Publishes the claimed frame, of which length_bytes (at least 1) were used. In a described queue
 * the times and the pose of *description travel with it, and its format where that differs from
 * what was announced; NULL: none of these. Its planes do not: rows lie as announced, or without
 * padding in another format or size. In other queues `description` is not used.
 * Blocking: no. Errors: PH_EINVAL (nothing claimed, not that much, or planes that lie otherwise);
 * the claim stands. */
PH_API ph_status ph_queue_publish(ph_queue_writer *writer, uint64_t length_bytes,
				  const ph_frame *description);

/* Gives the claimed room back, as if it had not been claimed. Errors: PH_EINVAL (none claimed). */
PH_API ph_status ph_queue_abandon(ph_queue_writer *writer);

/* Claims, copies and publishes. `description` as above. Errors: those of ph_queue_claim() and
 * ph_queue_publish(). */
PH_API ph_status ph_queue_write(ph_queue_writer *writer, const void *bytes, uint64_t length_bytes,
				int64_t timeout_ns, const ph_frame *description);

/* Writes the metadata, once in the life of a queue.
 * Errors: PH_EINVAL (no bytes), PH_ETOOBIG, PH_EEXIST (there are some already). Blocking: no. */
PH_API ph_status ph_queue_write_metadata(ph_queue_writer *writer, const void *bytes,
					 uint64_t length_bytes);

/* Makes this a described queue: pixel format, size, planes and intrinsics of *shape go into the
 * metadata, and from now on each payload starts with 128 bytes for what changes from frame to
 * frame. Both ends do this on their own: lengths in this interface never count the 128 bytes. A
 * stock reader sees them. Only before the first frame; shape->pixel may be PH_PIXEL_NONE.
 * Errors: those of ph_queue_write_metadata() and of ph_frame_check(). */
PH_API ph_status ph_queue_describe(ph_queue_writer *writer, const ph_frame *shape);

/* As ph_queue_reader_interrupt(), for a claim that waits. Threads: any, and signal handlers. */
PH_API void ph_queue_writer_interrupt(ph_queue_writer *writer);

/* Detaches; a claimed frame is abandoned. The reader is told at once. */
PH_API void ph_queue_writer_close(ph_queue_writer **writer);

/* ---- Either ---- */

/* What has happened on this handle since it was made, and how full the queue is now. */
typedef struct ph_queue_stats {
	size_t size;             /* in: sizeof(ph_queue_stats), as the caller compiled it */
	uint64_t frame_count;    /* published or acquired */
	uint64_t payload_bytes;  /* in them */
	uint64_t wait_count;     /* how often it had to sleep */
	uint64_t wait_ns;        /* how long in all */
	uint64_t restart_count;  /* writer: times the ring was empty and begun anew at its start */
	uint64_t wrap_count;     /* times it went on at the start while not empty */
	uint64_t held_count;     /* reader: frames held, or released behind one that is */
	uint64_t ring_bytes;
	uint64_t free_bytes;     /* as shared memory says it, at most ring_bytes */
	uint64_t peer_pid;       /* 0: no other side */
} ph_queue_stats;

/* Errors: PH_EINVAL. Blocking: no. */
PH_API ph_status ph_queue_reader_stats(const ph_queue_reader *reader, ph_queue_stats *stats);
PH_API ph_status ph_queue_writer_stats(const ph_queue_writer *writer, ph_queue_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
