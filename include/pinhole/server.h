/* SPDX-License-Identifier: MIT */
/* The camera server: a 3-D scene, rendered without a display, that speaks the UnrealCV protocol
 * over TCP and a Unix socket and lends its pixels through shared memory. In libpinhole-server.
 *
 *     ph_server *server;
 *     if (ph_server_create(PH_SERVER_OPTIONS(.port = 9000), &server) == PH_OK)
 *             ph_server_run(server);      // until ph_server_stop()
 *     ph_server_close(&server);
 *
 * One process may hold several servers. Each has one thread of its own that renders, one that
 * encodes and writes files, and the caller's, in ph_server_run(), that speaks with the clients.
 */
#ifndef PINHOLE_SERVER_H
#define PINHOLE_SERVER_H

#include <pinhole/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_server ph_server;

typedef enum ph_renderer_kind {
	PH_RENDERER_AUTO = 0,    /* the first GPU that gives OpenGL 4.5, or else software */
	PH_RENDERER_GPU = 1,     /* a GPU or an error */
	PH_RENDERER_SOFTWARE = 2 /* Mesa's llvmpipe */
} ph_renderer_kind;

typedef struct ph_server_options {
	size_t size;                /* sizeof(ph_server_options), as the caller compiled it */
	const char *scene;          /* NULL: the built-in one; files are PH_ENOTBUILT for now */
	const char *bind_address;   /* numeric IPv4 or IPv6; default "127.0.0.1" */
	int32_t port;               /* 0: any free port, see ph_server_port() */
	const char *unix_path;      /* default "/tmp/unrealcv_<port>.socket"; "none": none */
	int unix_recreate;          /* 1: make the file again when a client has deleted it */
	const char *output_folder;  /* image files go there only; default: the working folder */
	uint64_t shared_bytes_limit; /* all regions together; default 4 GiB */
	uint32_t width_px, height_px; /* of every camera at first; default 640 x 480 */
	double fov_rad;             /* horizontal; default 90 degrees */
	ph_renderer_kind renderer;
	int advertise_shared;       /* 1: list the *_shared commands among the advertised ones */
	const char *token;          /* a word that clients must send first; NULL: none */
	int insecure;               /* 1: another bind_address than loopback needs no token */
} ph_server_options;

#define PH_SERVER_OPTIONS(...) \
	(&(const ph_server_options){.size = sizeof(ph_server_options), __VA_ARGS__})

/* Removes what dead servers left in /dev/shm (only regions whose lock nobody holds), starts the
 * renderer, loads the scene and listens: clients can connect when this returns, and are answered
 * once ph_server_run() runs. Blocking: for the start of the renderer, up to seconds.
 * Errors: PH_EINVAL, PH_EEXIST (the port or the socket is in use), PH_EPERM (also: an address that
 * is not loopback, with neither a token nor `insecure`), PH_ENOENT (the output folder),
 * PH_ENOTBUILT, PH_ENOSPC, PH_ESYS (no renderer: the message lists what was tried). */
PH_API ph_status ph_server_create(const ph_server_options *options, ph_server **server);

/* The TCP port that it listens on. */
PH_API int ph_server_port(const ph_server *server);

/* The path of the Unix socket; NULL when there is none. Owned by the server. */
PH_API const char *ph_server_unix_path(const ph_server *server);

/* One line: the renderer, its GL version and the addresses. Owned by the server. */
PH_API const char *ph_server_description(const ph_server *server);

/* Serves clients until ph_server_stop(). Blocking: yes. Errors: PH_ESYS. */
PH_API ph_status ph_server_run(ph_server *server);

/* Makes ph_server_run() return; a capture that is being drawn is finished first.
 * Threads: any, and from a signal handler. */
PH_API void ph_server_stop(ph_server *server);

/* Closes every connection, removes every region and the socket, frees the renderer. Not while
 * ph_server_run() runs. */
PH_API void ph_server_close(ph_server **server);

/* Writes a frame as a picture: PNG for BGRA8, RGBA8, RGB8 and GRAY8 frames. An F32 frame becomes a
 * grey ramp, near is bright, over the logarithm of its finite range; values of `far_value` and
 * above are black (0: none are).
 * Errors: PH_EINVAL (the pixel format, the frame), PH_ENOTBUILT, PH_ENOSPC, PH_EPERM, PH_ESYS. */
PH_API ph_status ph_frame_write_png(const ph_frame *frame, const char *path, double far_value);

#ifdef __cplusplus
}
#endif
#endif
