/* SPDX-License-Identifier: MIT */
/* Requests and their answers over two queues: NAME_request, which the server creates, and
 * NAME_response, which the client creates. Either end may be any implementation of ZeroBuffer's
 * duplex channel 1.0.0. Requests and answers are frames of any size, both in place.
 *
 *     ph_duplex_server *server;
 *     ph_duplex_server_create("depth", NULL, &server);
 *     ph_frame request;
 *     while (ph_duplex_server_receive(server, -1, &request) == PH_OK) {
 *             void *bytes;
 *             if (ph_duplex_server_claim(server, 1024, -1, &bytes) < 0)
 *                     continue;                        (the client is gone: on to the next)
 *             ... compute from request.bytes into bytes ...
 *             ph_duplex_server_publish(server, 1024);
 *     }
 *     ph_duplex_server_close(&server);
 *
 *     ph_duplex_client *client;
 *     ph_duplex_client_connect("depth", PH_DUPLEX_CLIENT_OPTIONS(.timeout_ns = -1), &client);
 *     ph_duplex_answer answer;
 *     ph_duplex_client_call(client, "what?", 5, -1, &answer);
 *     ... answer.frame.bytes, answer.frame.length_bytes ...
 *     ph_duplex_client_release(client, &answer);
 *     ph_duplex_client_close(&client);
 *
 * Every request gets exactly one answer, in the order of the requests: what the server publishes,
 * or an error. When the handler fails or says nothing, the server sends the error by itself, so no
 * client ever takes the answer to its next request for the answer to this one. Between two
 * Pinholes each answer carries the number of its request. The wire of the stock implementations
 * has no place for that: with one of them on the other side, answers are matched by counting, and
 * - a stock client sees an error as a frame of text that starts with "PINHOLE-ERROR ";
 * - a stock server whose handler throws sends nothing, and all later answers are one off: make a
 *   new client after an answer that did not come.
 *
 * One client at a time. When it goes, in good order or killed, the server waits for the next one,
 * and what it asked is not answered to anybody else.
 *
 * Blocking, death of the other side, threads, signals, fork: as in <pinhole/queue.h>. The client
 * learns of the server's death while it waits for an answer, the server of the client's when it
 * claims room for one. */
#ifndef PINHOLE_DUPLEX_H
#define PINHOLE_DUPLEX_H

#include <pinhole/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_duplex_client ph_duplex_client;
typedef struct ph_duplex_server ph_duplex_server;

typedef struct ph_duplex_server_options {
	size_t size; /* sizeof(ph_duplex_server_options), as the caller compiled it */
	int64_t connect_timeout_ns; /* for the client's queue of answers to appear; default 5 s */
	int64_t spin_ns;            /* as in ph_queue_writer_options, while answers find no room */
	ph_queue_reader_options requests; /* of the queue of requests; its own `size` may stay 0 */
} ph_duplex_server_options;

typedef struct ph_duplex_client_options {
	size_t size; /* sizeof(ph_duplex_client_options), as the caller compiled it */
	int64_t timeout_ns; /* how long to wait for a server; default 0: not */
	int64_t spin_ns;    /* while requests find no room */
	ph_queue_reader_options answers; /* of the queue of answers; its own `size` may stay 0 */
} ph_duplex_client_options;

#define PH_DUPLEX_SERVER_OPTIONS(...) \
	(&(const ph_duplex_server_options){.size = sizeof(ph_duplex_server_options), __VA_ARGS__})
#define PH_DUPLEX_CLIENT_OPTIONS(...) \
	(&(const ph_duplex_client_options){.size = sizeof(ph_duplex_client_options), __VA_ARGS__})

/* ---- The server ---- */

/* Creates the channel NAME (up to 236 bytes). `options` may be NULL.
 * Errors: those of ph_queue_reader_create(). */
PH_API ph_status ph_duplex_server_create(const char *name, const ph_duplex_server_options *options,
					 ph_duplex_server **server);

/* Waits for the next request and gives it in place: *request stays valid until it is answered. A
 * request that was not answered is refused first. Clients may come and go meanwhile.
 * Errors: PH_EAGAIN (timeout 0), PH_ETIMEDOUT, PH_ECLOSED (interrupted), PH_EFORMAT (the client
 * broke the protocol: only closing is left), PH_EINVAL. */
PH_API ph_status ph_duplex_server_receive(ph_duplex_server *server, int64_t timeout_ns,
					  ph_frame *request);

/* Lends room for the answer to the request received last. The first answer to a client also
 * attaches to its queue of answers, for up to connect_timeout_ns. Blocking: while that is full.
 * Errors: those of ph_queue_claim(). After PH_EPEER and PH_ECLOSED the request is over: its client
 * is gone. */
PH_API ph_status ph_duplex_server_claim(ph_duplex_server *server, uint64_t length_bytes,
					int64_t timeout_ns, void **bytes);

/* Sends the answer and gives the request back. Errors: PH_EINVAL. Blocking: no. */
PH_API ph_status ph_duplex_server_publish(ph_duplex_server *server, uint64_t length_bytes);

/* Claims, copies and publishes. Errors: those of ph_duplex_server_claim(). */
PH_API ph_status ph_duplex_server_answer(ph_duplex_server *server, const void *bytes,
					 uint64_t length_bytes, int64_t timeout_ns);

/* Sends an error instead of an answer: a negative status and a sentence. A claim is abandoned.
 * Errors: those of ph_duplex_server_claim(). */
PH_API ph_status ph_duplex_server_refuse(ph_duplex_server *server, ph_status why, const char *text,
					 int64_t timeout_ns);

/* Answers one request: with ph_duplex_server_claim() and _publish(), or _answer(), or _refuse(). A
 * handler that returns a negative status, or has not answered, is refused: with that status and the
 * thread's ph_last_error(), or PH_EINVAL. */
typedef ph_status (*ph_duplex_handler)(void *context, ph_duplex_server *server,
				       const ph_frame *request);

/* Receives and handles requests until ph_duplex_server_interrupt(): PH_OK then.
 * Errors: those of ph_duplex_server_receive() that only closing cures. */
PH_API ph_status ph_duplex_server_serve(ph_duplex_server *server, ph_duplex_handler handler,
					void *context);

/* As ph_queue_read_metadata(), of the client's. */
PH_API ph_status ph_duplex_server_read_metadata(ph_duplex_server *server, void *buffer,
						uint64_t capacity_bytes, uint64_t *length_bytes);

/* Makes the wait in progress, and every later one, end with PH_ECLOSED: for requests at once, for
 * room within 100 ms. Threads: any, and signal handlers. */
PH_API void ph_duplex_server_interrupt(ph_duplex_server *server);

PH_API void ph_duplex_server_close(ph_duplex_server **server);

/* ---- The client ---- */

typedef struct ph_duplex_answer {
	ph_frame frame;   /* the answer in place; of a refusal, the sentence (no NUL at its end) */
	uint64_t request; /* the number that ph_duplex_client_publish() gave */
	ph_status status; /* PH_OK, or why the server refused */
} ph_duplex_answer;

/* Connects to the channel NAME. `options` may be NULL.
 * Blocking: up to options->timeout_ns, until a server is there.
 * Errors: those of ph_queue_reader_create() and ph_queue_writer_open(); PH_EEXIST: the channel has
 * a client. */
PH_API ph_status ph_duplex_client_connect(const char *name, const ph_duplex_client_options *options,
					  ph_duplex_client **client);

/* As ph_queue_claim(), for a request. Several may be under way at once. */
PH_API ph_status ph_duplex_client_claim(ph_duplex_client *client, uint64_t length_bytes,
					int64_t timeout_ns, void **bytes);

/* Sends the claimed request; *request (may be NULL) is the number that its answer will carry. */
PH_API ph_status ph_duplex_client_publish(ph_duplex_client *client, uint64_t length_bytes,
					  uint64_t *request);

/* Gives the claimed room back. */
PH_API ph_status ph_duplex_client_abandon(ph_duplex_client *client);

/* Claims, copies and publishes. */
PH_API ph_status ph_duplex_client_send(ph_duplex_client *client, const void *bytes,
				       uint64_t length_bytes, int64_t timeout_ns,
				       uint64_t *request);

/* Waits for the next answer, in the order of the requests. PH_OK also when it is a refusal.
 * Errors: PH_EAGAIN (timeout 0), PH_ETIMEDOUT, PH_ECLOSED (the server closed, or interrupted),
 * PH_EPEER (it died), PH_ENOSPC (too many answers are held), PH_EFORMAT, PH_EINVAL. */
PH_API ph_status ph_duplex_client_receive(ph_duplex_client *client, int64_t timeout_ns,
					  ph_duplex_answer *answer);

/* Lets go of an answer. Errors: PH_EINVAL (it is not held). */
PH_API ph_status ph_duplex_client_release(ph_duplex_client *client, ph_duplex_answer *answer);

/* Sends a request and waits for its own answer; answers to earlier requests are thrown away. A
 * refusal is returned as its status, with the server's sentence in ph_last_error(); answer->request
 * tells it from a failure of the channel, after which that is 0. Either way nothing is held unless
 * PH_OK is returned. */
PH_API ph_status ph_duplex_client_call(ph_duplex_client *client, const void *bytes,
				       uint64_t length_bytes, int64_t timeout_ns,
				       ph_duplex_answer *answer);

/* As ph_queue_write_metadata(). */
PH_API ph_status ph_duplex_client_write_metadata(ph_duplex_client *client, const void *bytes,
						 uint64_t length_bytes);

/* Ends the wait in progress and all later ones with PH_ECLOSED. Threads: any, and signal
 * handlers. */
PH_API void ph_duplex_client_interrupt(ph_duplex_client *client);

PH_API void ph_duplex_client_close(ph_duplex_client **client);

#ifdef __cplusplus
}
#endif
#endif
