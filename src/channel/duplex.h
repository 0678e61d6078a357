/* SPDX-License-Identifier: MIT */
/* What client and server of a duplex channel share. */
#ifndef CHANNEL_DUPLEX_H
#define CHANNEL_DUPLEX_H

#include <pinhole/duplex.h>

#include <stdio.h>

#include "channel/queue.h"

enum { DUPLEX_NAME_LIMIT = QUEUE_NAME_LIMIT - 9 }; /* less "_response" */

/* Before each answer between two Pinholes (writer_flags has QUEUE_ANSWERS). */
struct duplex_answer_header {
	uint64_t request; /* the sequence number of the request */
	int32_t status;   /* 0, or the ph_status of a refusal */
	uint32_t zero;
};
static_assert(sizeof(struct duplex_answer_header) == QUEUE_ANSWER_BYTES, "queue v1");

static inline ph_status ph__duplex_names(const char *name, char requests[PH__NAME_BYTES],
					 char answers[PH__NAME_BYTES])
{
	char bare[PH__NAME_BYTES];
	ph_status status = ph__name_check(name, DUPLEX_NAME_LIMIT, bare);

	if (status < 0)
		return status;
	snprintf(requests, PH__NAME_BYTES, "%.*s_request", DUPLEX_NAME_LIMIT, bare);
	snprintf(answers, PH__NAME_BYTES, "%.*s_response", DUPLEX_NAME_LIMIT, bare);
	return PH_OK;
}

/* What is left of the caller's time. Once that has been used up it is the shortest wait there is,
 * not 0: a poll would say PH_EAGAIN. */
static inline int64_t ph__duplex_time_left_ns(int64_t timeout_ns, int64_t begun_ns)
{
	int64_t left_ns = timeout_ns - (ph_now_ns() - begun_ns);

	if (timeout_ns <= 0)
		return timeout_ns;
	return left_ns > 0 ? left_ns : 1;
}

#endif
