/* SPDX-License-Identifier: MIT */
/* A recording: pictures of one camera at a steady rate into files, and at its end one JSON file
 * with what is known of each. A picture that comes late makes the recording longer; none is left
 * out. */
#ifndef SERVER_RECORDING_H
#define SERVER_RECORDING_H

#include "server/internal.h"

enum { PH__RECORDING_MODALITIES_MAX = 8, PH__RECORDINGS_MAX = 64 };

struct ph__recording_plan {
	const struct ph__camera *camera;
	struct ph__span camera_text; /* as it goes into the files' names */
	struct ph__span folder;      /* below the output folder */
	double frames_per_s;
	uint32_t frame_count;
	enum ph__modality modalities[PH__RECORDING_MODALITIES_MAX];
	uint32_t modality_count;
};

/* Starts a recording, in place of one of this camera that has ended. The first picture is taken
 * before anything else happens.
 * Errors: PH_EEXIST (one is going on), PH_ETOOBIG (too many, the folder's name), PH_ENOSPC,
 * PH_ESYS. */
ph_status ph__recording_start(struct ph_server *server, const struct ph__recording_plan *plan);

/* The last recording of a camera: going on, or ended. NULL: there was none. */
struct ph__recording *ph__recording_of(struct ph_server *server, const struct ph__camera *camera);

bool ph__recording_goes_on(const struct ph__recording *recording);

/* Why it ended early; "": it did not. */
const char *ph__recording_error(const struct ph__recording *recording);

/* Ends it after the picture that is being taken. */
void ph__recording_stop(struct ph__recording *recording);

bool ph__recording_is_paused(const struct ph__recording *recording);
void ph__recording_pause(struct ph__recording *recording, bool paused);

/* Ends all and frees them; no capture may be on its way. */
void ph__recordings_close(struct ph_server *server);

#endif
