/* SPDX-License-Identifier: MIT */
/* One connection to a server: a command goes out in a frame, its reply comes back in one.
 *
 *     magic (4 bytes)   length (4 bytes, little endian)   "<id>:" and the command or the reply
 *
 * Ids count from 0 and come back in order. The reply stays in one buffer that only grows, placed so
 * that its body starts at a multiple of 16: pictures inside it are used where they were received.
 */
#ifndef CLIENT_CONNECTION_H
#define CLIENT_CONNECTION_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/span.h"
#include "client/address.h"

struct ph__connection {
	int fd;
	bool broken; /* a reply was lost: the following ones cannot be told apart */
	uint32_t next_id;
	int64_t timeout_ns; /* negative: none */
	int64_t deadline_ns;
	int64_t send_armed_ns, receive_armed_ns; /* the socket's own timeouts; 0: none set yet */
	uint64_t limit_bytes;
	struct ph__buffer out, in;
};

/* Connects and waits for the greeting. `scene` is the text behind "connected to " and is valid
 * until the next ask. Needs a close, also after a failure. */
ph_status ph__connection_open(struct ph__connection *connection, const struct ph__address *address,
			      int64_t timeout_ns, uint64_t limit_bytes, struct ph__span *scene);

/* `reply` is valid until the next ask; a NUL follows it. */
ph_status ph__connection_ask(struct ph__connection *connection, const char *command,
			     struct ph__span *reply);

void ph__connection_close(struct ph__connection *connection);

#endif
