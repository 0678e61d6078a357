/* SPDX-License-Identifier: MIT */
/* The parts of a server, and who owns what.
 *
 *     network thread (ph_server_run)             render thread         file thread
 *     ──────────────────────────────             ─────────────         ───────────
 *     connections, commands, the scene  ──job──▶ the GL context ─job─▶ PNG, files
 *              ▲                                       │                   │
 *              └──────────────── mailbox ◀─────────────┴───────────────────┘
 *
 * A connection has one capture, which is in one thread's hands at a time: while it is away, its
 * connection executes nothing and the network thread touches neither the capture nor the
 * connection's regions. The scene belongs to the network thread; a capture carries a snapshot.
 */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include <pinhole/server.h>

#include "net/listener.h"
#include "net/poller.h"
#include "net/io.h"
#include "render/render.h"
#include "scene/scene.h"
#include "server/output.h"
#include "server/region_table.h"
#include "server/worker.h"
#include "unrealcv/unrealcv.h"

/* --- capture.c: a picture on its way -------------------------------------------------------- */

enum ph__delivery { PH__DELIVER_BMP, PH__DELIVER_NPY, PH__DELIVER_PNG, PH__DELIVER_SHARED };

enum {
	PH__PREFIX_BYTES = 256, /* before the pixels: packet header, id, picture header */
	PH__FILE_NAME_BYTES = 1024,
	PH__CAMERA_TEXT_BYTES = 20 /* an id as it was written in a request: 1 to 19 digits */
};

/* Private memory for a picture that is sent or written: prefix, then pixels. Grows, never shrinks:
 * warm captures neither map nor fault. */
struct ph__pixel_memory {
	unsigned char *bytes;
	uint64_t capacity_bytes;
};

struct ph__capture {
	struct ph__job job; /* first: a job is its capture */
	struct ph_server *server;
	struct ph__peer *peer; /* who has asked, and owns it */
	struct ph__snapshot snapshot;
	struct ph__view view;
	enum ph__modality modality;
	enum ph__delivery delivery;
	char camera[PH__CAMERA_TEXT_BYTES];
	char file[PH__FILE_NAME_BYTES]; /* "": the picture goes into the reply */
	struct ph__region_table regions;
	struct ph__pixel_memory memory;
	struct ph__buffer png;

	/* what came of it */
	ph_status status;
	char error[512];
	ph_frame frame; /* describes the pixels */
	struct ph__draw_times times;
	struct ph__region_entry *region; /* of a shared one */
	uint64_t number;                 /* the descriptor's "frame" */
};

/* Hands a capture whose fields are set to the render thread. */
void ph__capture_start(struct ph__capture *capture);
void ph__capture_finish(struct ph__capture *capture);

/* The picture of a capture whose memory is private: a BMP, NPY or PNG file in one piece. */
struct ph__span ph__capture_picture(struct ph__capture *capture);

/* The descriptor of a capture that has succeeded, as JSON: protocol/unrealcv.md. */
void ph__capture_describe(const struct ph__capture *capture, struct ph__buffer *json);

/* --- peer.c: a connected client -----------------------------------------------------------------
 */

struct ph__peer {
	struct ph__watch watch; /* first */
	struct ph_server *server;
	struct ph__peer *previous, *next; /* of the server's list */
	struct ph__io io;
	uint32_t events; /* watched for now */
	bool over_tcp;
	bool capturing;     /* its capture is in another thread's hands */
	bool has_work;      /* commands are waiting that its turn left over */
	bool closed;        /* to be freed when its capture is back and the round is over */
	char reply_id[12];  /* of the capture's reply */
	size_t reply_start; /* where the reply that is being written starts in io.out */
	struct ph__capture capture;
	struct ph__buffer last_capture; /* its descriptor; empty: none yet */
};

void ph__peer_open(struct ph_server *server, int fd, bool over_tcp);
void ph__peer_close(struct ph__peer *peer);
void ph__peer_free(struct ph__peer *peer);

/* Executes what has come, one turn's worth, and sends what there is to send. */
void ph__peer_serve(struct ph__peer *peer);

/* Takes a capture back and answers it. */
void ph__peer_captured(struct ph__peer *peer);

/* --- commands.c and images.c: what the commands do ------------------------------------------ */

/* One command in execution. Handlers print the reply's body to `out`; nothing printed means "ok".
 */
struct ph__call {
	struct ph_server *server;
	struct ph__peer *peer;
	const struct ph__command *command;
	struct ph__buffer *out;
};

/* Executes one command: after it there is a reply in `out`, or the connection is capturing. */
void ph__command_execute(struct ph__call *call);

/* Prints "error <message>". */
void ph__call_error(struct ph__call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The camera that an argument names, or NULL. */
struct ph__camera *ph__call_camera(const struct ph__call *call, const struct ph__arg *arg);

void ph__call_image(struct ph__call *call);
void ph__call_image_to_file(struct ph__call *call);
void ph__call_image_shared(struct ph__call *call);
void ph__call_last_capture(struct ph__call *call);

/* --- server.c ------------------------------------------------------------------------------- */

struct ph__door {               /* a listener and its watch */
	struct ph__watch watch; /* first */
	struct ph_server *server;
	struct ph__listener listener;
	bool is_tcp;
};

struct ph__bell {               /* a descriptor that rings: an eventfd and its watch */
	struct ph__watch watch; /* first */
	struct ph_server *server;
};

struct ph_server {
	/* With the defaults filled in. The strings are the caller's: of use in create() only. */
	struct ph_server_options options;
	struct ph__poller poller;
	struct ph__door tcp, local;
	struct ph__bell mail_bell, stop_bell;
	int stop_fd;
	bool stopping;

	struct ph__scene *scene;
	struct ph__worker render_worker, file_worker;
	struct ph__mailbox mailbox;
	struct ph__device *device; /* these two: the render thread's */
	struct ph__renderer *renderer;
	uint32_t side_limit_px;
	bool recreate_local; /* a client has deleted the socket file */

	struct ph__peer *peers;
	uint64_t connection_count; /* ever; numbers them */
	uint32_t away_count;       /* captures in another thread's hands */
	uint32_t work_count;       /* peers that have work */
	struct ph__shared_budget budget;
	struct ph__output output;
	uint64_t shared_count[PH__MODALITY_COUNT]; /* captures by each shared route, ever */
	char description[512];
};

#endif
