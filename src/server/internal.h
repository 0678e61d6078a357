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
#include "server/sim_clock.h"
#include "server/region_table.h"
#include "server/worker.h"
#include "unrealcv/unrealcv.h"

/* --- capture.c: pictures on their way ------------------------------------------------------- */

/* The side of a panorama's faces where nobody has chosen one. */
enum { PH__FACE_PX = 512 };

enum ph__delivery { PH__DELIVER_BMP, PH__DELIVER_NPY, PH__DELIVER_PNG, PH__DELIVER_SHARED };

enum {
	PH__PREFIX_BYTES = 256, /* before the pixels: packet header, id, picture header */
	PH__FILE_NAME_BYTES = 1024,
	PH__CAMERA_TEXT_BYTES = PH__CID_BYTES, /* an id as it was written in a request */
	PH__SHOTS_MAX = 256, /* of one capture: as many as a connection has regions */
};

/* Private memory for a picture that is sent or written: prefix, then pixels. Grows, never shrinks:
 * warm captures neither map nor fault. */
struct ph__pixel_memory {
	unsigned char *bytes;
	uint64_t capacity_bytes;
};

/* One picture of a capture: what it shall be, and what came of it. */
struct ph__shot {
	struct ph__view view;
	enum ph__modality modality;
	enum ph__delivery delivery;
	char camera[PH__CAMERA_TEXT_BYTES]; /* as the request has it */
	char cid[PH__CID_BYTES];
	char file[PH__FILE_NAME_BYTES]; /* "": the picture goes into the reply */

	ph_frame frame; /* describes the pixels */
	struct ph__draw_times times;
	uint64_t memory_offset; /* of its pixels in the capture's private memory */
	uint32_t region;        /* of a shared one: its place in the table */
	uint64_t number;        /* the descriptor's "frame" */
};

/* What the last flow of a camera was drawn from, for the next one. */
struct ph__flow_memory {
	char cid[PH__CID_BYTES];
	enum ph__modality modality;
	uint64_t last_use;
	struct ph__view view;
	struct ph__snapshot snapshot;
};

enum { PH__FLOW_MEMORIES_MAX = 64 }; /* of a connection; the one used longest ago goes first */

/* Pictures of one frozen state of the scene. */
struct ph__capture {
	struct ph__job job; /* first: a job is its capture */
	struct ph_server *server;
	void *owner; /* who takes it back: */
	void (*returned)(void *owner); /* on the network thread */
	struct ph__snapshot snapshot;
	int64_t sim_time_ns;
	struct ph__shot *shots;
	uint32_t shot_count, shot_capacity;
	bool is_list;       /* its reply is a list of descriptors */
	_Atomic bool is_abandoned; /* nobody waits for it: it need not be drawn any more */
	struct ph__flow_memory *flows;
	uint32_t flow_count;
	uint64_t flow_use_count;
	struct ph__region_table regions;
	struct ph__pixel_memory memory;
	struct ph__buffer png;

	ph_status status;
	char error[512];
};

/* Empties a capture and freezes the scene for it. Errors: PH_ENOSPC. */
ph_status ph__capture_begin(struct ph__capture *capture);

/* Adds a picture of a camera. The shot stays where it is until the next is added.
 * Errors: PH_ETOOBIG (more than PH__SHOTS_MAX), PH_ENOSPC. */
ph_status ph__capture_add(struct ph__capture *capture, const struct ph__camera *camera,
			  struct ph__span camera_text, enum ph__modality modality,
			  enum ph__delivery delivery, struct ph__shot **shot);

/* What a camera's depth/... settings say of the coloured preview of depth: settings.c. */
struct ph__preview ph__camera_preview(const struct ph__camera *camera);

/* How a panorama of a camera is drawn: faces of that side, or as the camera has it set for 0; of a
 * size of 4 x 2 faces, or of the one given. */
void ph__shot_set_panorama(struct ph__shot *shot, uint32_t face_px, uint32_t width_px,
			   uint32_t height_px);

/* Hands the capture to the render thread. */
void ph__capture_start(struct ph__capture *capture);
void ph__capture_finish(struct ph__capture *capture);

/* The picture of a capture whose one shot is in private memory: a BMP, NPY or PNG file in one
 * piece. */
struct ph__span ph__capture_picture(struct ph__capture *capture);

/* The descriptor of a shot that has succeeded, as JSON: protocol/unrealcv.md. */
void ph__capture_describe(const struct ph__capture *capture, const struct ph__shot *shot,
			  struct ph__buffer *json);

/* A part of that: "pose":{...},"intrinsics":{...} */
void ph__shot_describe_view(const struct ph__shot *shot, struct ph__buffer *json);

/* --- flow.c: what flow is relative to --------------------------------------------------------- */

/* What the last flow of the shot's camera and modality was drawn from; nothing at first. On the
 * render thread, as the next. */
struct ph__before ph__flow_recall(const struct ph__capture *capture, const struct ph__shot *shot);

/* Remembers the shot's flow for the next one. Errors: PH_ENOSPC. */
ph_status ph__flow_keep(struct ph__capture *capture, const struct ph__shot *shot);
void ph__flow_finish(struct ph__capture *capture);

/* --- peer.c: a connected client --------------------------------------------------------------- */

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
	bool is_trusted;    /* has given the token, or needs none */
	char reply_id[12];  /* of the capture's reply */
	size_t reply_start; /* where the reply that is being written starts in io.out */
	uint32_t batch_left;  /* requests that belong to a vbatch and are not executed */
	uint32_t batch_found; /* of these, how many have come whole while it is being collected */
	size_t batch_bytes;   /* how long those are */
	struct ph__capture capture;
	struct ph__buffer last_capture; /* its descriptor; empty: none yet */
};

void ph__peer_open(struct ph_server *server, int fd, bool over_tcp);
void ph__peer_close(struct ph__peer *peer);
void ph__peer_free(struct ph__peer *peer);

/* Executes what has come, one turn's worth, and sends what there is to send. */
void ph__peer_serve(struct ph__peer *peer);

/* --- batch.c: vbatch -------------------------------------------------------------------------- */

/* Whether this peer's next command may be executed now. */
bool ph__batch_may_go_on(struct ph__peer *peer);

/* One command of the peer's batch is executed next. */
void ph__batch_count(struct ph__peer *peer);
void ph__batch_end_if_done(struct ph__peer *peer);
void ph__batch_drop(struct ph__peer *peer);

/* Lets the others go on when the one that executes a batch does not read. */
void ph__batch_check(struct ph_server *server);

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
	uint64_t shared_count[PH__MODALITY_ALL_COUNT]; /* captures by each shared route, ever */
	uint64_t list_count;                       /* captures of many views, ever */
	struct ph__peer *batching; /* executes a vbatch: nobody else does anything meanwhile */
	int64_t batching_since_ns; /* when it last got on */
	bool has_held_back;        /* peers that came meanwhile are to be served after it */
	struct ph__buffer token;   /* empty: none is needed */
	struct ph__recording *recordings;
	struct ph__sim_clock clock;
	struct ph__stored stored;
	const char *viewmode;
	double sun_intensity, sky_intensity; /* shares of what they were at first */
	struct ph__sun first_sun;
	struct ph__sky first_sky;
	char description[512];
};

#endif
