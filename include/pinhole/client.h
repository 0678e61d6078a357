/* SPDX-License-Identifier: MIT */
/* A client of a camera server: commands out, texts and frames back.
 *
 *     ph_client *client;
 *     ph_client_connect("127.0.0.1:9000", NULL, &client);
 *     ph_reply reply;
 *     ph_client_request(client, "vget /camera/0/lit_shared", &reply);
 *     ... reply.frame.bytes: BGRA rows in the server's own shared memory ...
 *     ph_client_close(&client);
 *
 * Any UnrealCV server can be spoken to; `*_shared` commands need one that answers with
 * "posix_shared_memory" (pinhole serve does) on the same machine and IPC namespace.
 *
 * A region of shared memory is opened once and stays mapped while its name stays the same: after
 * the first frame of a route, a request costs one round trip and no copy.
 */
#ifndef PINHOLE_CLIENT_H
#define PINHOLE_CLIENT_H

#include <pinhole/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_client ph_client;

typedef struct ph_client_options {
	size_t size;                /* sizeof(ph_client_options), as the caller compiled it */
	int64_t timeout_ns;         /* to connect, and of each request; default 60 s, < 0: none */
	uint64_t reply_bytes_limit; /* larger replies are refused; default 1 GiB */
} ph_client_options;

#define PH_CLIENT_OPTIONS(...) \
	(&(const ph_client_options){.size = sizeof(ph_client_options), __VA_ARGS__})

typedef enum ph_reply_kind {
	PH_REPLY_TEXT = 0,  /* `text` */
	PH_REPLY_BYTES = 1, /* `bytes`: binary that is no such picture (a PNG file, say) */
	PH_REPLY_FRAME = 2  /* `frame`: a picture, from shared memory, a BMP or an NPY file */
} ph_reply_kind;

/* What the server answered. Everything it points to belongs to the client handle.
 *  - text, bytes and frames that came over the socket stay valid until the next request;
 *  - a frame in shared memory stays mapped, and keeps its pixels, until the next request on the
 *    same route (same camera, same modality) or until the client is closed. Its memory cannot
 *    vanish under a reader: the server reserves a region before it names it and never shrinks it,
 *    also when the server dies. Only another process of the same user that shrinks the file could
 *    make a reader die of SIGBUS. */
typedef struct ph_reply {
	ph_reply_kind kind;
	const char *text;     /* ends with NUL; the descriptor for a frame in shared memory */
	const void *bytes;    /* the reply as it came */
	uint64_t bytes_length;
	ph_frame frame;       /* BGRA8 or F32 pixels; depth is in centimetres, as UnrealCV sends it;
			       * pose and times only with a frame in shared memory */
	int frame_is_shared;  /* 1: frame.bytes is the server's own memory, mapped read-only */
} ph_reply;

/* Connects to "HOST:PORT", ":PORT" (the loopback address), "unix:PATH" or a path with a slash.
 * HOST may be an IPv6 address in brackets. Waits for the server's greeting. `options` may be NULL.
 * Blocking: up to the timeout, and for the name service if HOST is a name.
 * Errors: PH_EINVAL (an address that is none), PH_ENOENT (nobody listens there), PH_ETIMEDOUT (no
 * greeting), PH_ECLOSED (it may serve one client at a time), PH_EPEER, PH_EPERM, PH_EFORMAT (it
 * does not speak UnrealCV), PH_ENOSPC, PH_ESYS. */
PH_API ph_status ph_client_connect(const char *address, const ph_client_options *options,
				   ph_client **client);

/* The text after "connected to " in the greeting: the name of the scene. Owned by the client. */
PH_API const char *ph_client_scene(const ph_client *client);

/* Sends one command and waits for its reply. A reply that starts with "error" is PH_EINVAL with
 * the server's own text in ph_last_error() and in reply->text; the connection stays usable.
 * When a reply was lost (PH_ETIMEDOUT, PH_ECLOSED, PH_EPEER, PH_ETOOBIG, PH_EFORMAT in the framing)
 * the following ones could no longer be told apart: every further request is PH_EPEER at once;
 * close the client and connect anew. A descriptor that is refused leaves the connection usable.
 * A warm request costs one send, one receive and no allocation.
 * Blocking: up to the timeout.
 * Errors: PH_EINVAL (a line break in the command, or the server's own "error ..."), PH_ETIMEDOUT,
 * PH_ECLOSED, PH_EPEER, PH_ETOOBIG, PH_ENOENT (the region is not on this machine), PH_EPERM,
 * PH_EFORMAT (a descriptor that contradicts itself or its region, or shares memory in another
 * system's way), PH_ENOSPC, PH_ESYS. */
PH_API ph_status ph_client_request(ph_client *client, const char *command, ph_reply *reply);

/* Closes the connection and unmaps its regions; frames in shared memory become invalid. */
PH_API void ph_client_close(ph_client **client);

#ifdef __cplusplus
}
#endif
#endif
