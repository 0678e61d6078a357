/* SPDX-License-Identifier: MIT */
/* The server of a duplex channel: it owns the queue of requests, follows its clients as they come
 * and go, and sees to it that every request gets one answer and only its own client gets it. */
#include "channel/duplex.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/copy.h"
#include "base/options.h"
#include "base/point.h"
#include "base/status.h"
#include "base/sys.h"

struct ph_duplex_server {
	char answers_name[PH__NAME_BYTES];
	ph_queue_reader *requests;
	ph_queue_writer *answers; /* NULL: not attached to a client's queue */
	int64_t connect_timeout_ns, spin_ns;
	_Atomic int interrupted;
	bool has_request; /* received and not answered */
	ph_frame request;
	uint64_t client_pid;   /* who sent it */
	uint64_t answered_pid; /* whose queue `answers` is */
};

ph_status ph_duplex_server_create(const char *name, const ph_duplex_server_options *given,
				  ph_duplex_server **out)
{
	enum { DEFAULT_CONNECT_S = 5 };
	ph_duplex_server_options options;
	char requests_name[PH__NAME_BYTES], answers_name[PH__NAME_BYTES];

	*out = NULL;
	if (!ph__options_read(&options, sizeof(options), given))
		return ph__fail(PH_EINVAL,
				"options.size is wrong, or options of a newer library are set");
	ph_status status = ph__duplex_names(name, requests_name, answers_name);
	if (status < 0)
		return status;
	ph_duplex_server *server = ph__sys->calloc(1, sizeof(*server));
	if (!server)
		return ph__fail(PH_ENOSPC, "no memory for a server");

	memcpy(server->answers_name, answers_name, sizeof(answers_name));
	server->connect_timeout_ns = options.connect_timeout_ns
					     ? options.connect_timeout_ns
					     : DEFAULT_CONNECT_S * INT64_C(1000000000);
	server->spin_ns = options.spin_ns;
	options.requests.size = sizeof(options.requests);
	status = ph_queue_reader_create(requests_name, &options.requests, &server->requests);
	if (status < 0) {
		ph__sys->free(server);
		return status;
	}
	*out = server;
	return PH_OK;
}

void ph_duplex_server_interrupt(ph_duplex_server *server)
{
	atomic_store(&server->interrupted, 1);
	ph_queue_reader_interrupt(server->requests);
}

void ph_duplex_server_close(ph_duplex_server **server_at)
{
	ph_duplex_server *server = *server_at;

	if (!server)
		return;
	/* The requests first: a client that is told the end of the answers must find that there is
	 * no server any more. */
	ph_queue_reader_close(&server->requests);
	ph_queue_writer_close(&server->answers);
	ph__sys->free(server);
	*server_at = NULL;
}

static void finish_request(ph_duplex_server *server)
{
	server->has_request = false;
	ph_queue_release(server->requests, &server->request);
}

/* ---- Receiving ---- */

ph_status ph_duplex_server_receive(ph_duplex_server *server, int64_t timeout_ns, ph_frame *request)
{
	int64_t begun_ns = ph_now_ns(), left_ns = timeout_ns;
	ph_status status = PH_OK;

	memset(request, 0, sizeof(*request));
	if (server->has_request)
		ph_duplex_server_refuse(server, PH_EINVAL, "the server gave no answer", timeout_ns);
	if (server->has_request) /* no room for the refusal within the time: it is owed */
		return ph__fail(PH_ETIMEDOUT, "no room to refuse the last request");
	while (status == PH_OK) {
		status = ph_queue_acquire(server->requests, left_ns, &server->request);
		if (status == PH_OK)
			break;
		if ((status != PH_ECLOSED && status != PH_EPEER) ||
		    atomic_load(&server->interrupted))
			return status;
		/* The client has gone: on to the next. */
		ph_queue_writer_close(&server->answers);
		left_ns = ph__duplex_time_left_ns(timeout_ns, begun_ns);
		status = ph_queue_await_writer(server->requests, left_ns);
		left_ns = ph__duplex_time_left_ns(timeout_ns, begun_ns);
	}
	if (status < 0)
		return status;
	server->client_pid = atomic_load(&server->requests->segment.header->writer_pid);
	server->has_request = true;
	*request = server->request;
	return PH_OK;
}

ph_status ph_duplex_server_read_metadata(ph_duplex_server *server, void *buffer,
					 uint64_t capacity_bytes, uint64_t *length_bytes)
{
	return ph_queue_read_metadata(server->requests, buffer, capacity_bytes, length_bytes);
}

/* ---- Answering ---- */

static uint64_t reader_pid(const ph_queue_writer *answers)
{
	return atomic_load(&answers->segment.header->reader_pid);
}

/* A killed client leaves its PID, which the next one may have too: each container has a process 1.
 * But that one could not make its queue of answers before the kernel had given up this lease. */
static bool reader_lives(const ph_queue_writer *answers)
{
	return !answers->reader_has_marks ||
	       ph__lease_is_held(&answers->segment.lease, QUEUE_READER_BYTE);
}

/* An attached queue is still that of whoever sent this request. */
static bool still_fits(const ph_duplex_server *server)
{
	return server->client_pid == server->answered_pid && reader_pid(server->answers) != 0 &&
	       reader_lives(server->answers);
}

/* Asked before the queue of answers is claimed: the answer to a request must go to nobody but the
 * client that sent it. A Pinhole ignores numbers that it never sent; a stock client counts, and
 * begins with 1. */
static ph_status check_addressee(const ph_queue_writer *answers, const void *context)
{
	const ph_duplex_server *server = context;

	if (reader_pid(answers) != server->client_pid)
		return ph__fail(PH_EPEER, "\"%s\" is not of the client that sent this request",
				server->answers_name);
	if (!answers->reader_has_marks && server->request.sequence != 1 &&
	    atomic_load(&answers->segment.header->last_sequence) == 0)
		return ph__fail(PH_EPEER, "\"%s\": request %" PRIu64 " was an earlier client's",
				server->answers_name, server->request.sequence);
	return PH_OK;
}

static bool client_is_gone(const ph_duplex_server *server)
{
	uint64_t now_pid = atomic_load(&server->requests->segment.header->writer_pid);

	return now_pid != server->client_pid || !ph__queue_reader_has_writer(server->requests);
}

/* A stock client makes its queue of answers after its first request was on the way, perhaps. */
static ph_status attach(ph_duplex_server *server)
{
	int64_t begun_ns = ph_now_ns();
	const ph_queue_writer_options options = {.size = sizeof(options),
						 .spin_ns = server->spin_ns};
	const struct queue_answers answers = {check_addressee, server};

	for (;;) {
		ph_status status = ph__queue_writer_attach(server->answers_name, &options, &answers,
							   &server->answers);
		if (status == PH_OK)
			break;
		if (status != PH_ENOENT && status != PH_EPEER)
			return status;
		bool is_late = server->connect_timeout_ns >= 0 &&
			       ph_now_ns() - begun_ns >= server->connect_timeout_ns;
		if (is_late || client_is_gone(server))
			return ph__fail(PH_EPEER,
					"\"%s\": the client that sent this request is gone",
					server->answers_name);
		if (atomic_load(&server->interrupted))
			return ph__fail(PH_ECLOSED, "the wait was interrupted");
		nanosleep(&(struct timespec){0, QUEUE_SLICE_NS}, NULL);
	}
	server->answers->also_interrupted = &server->interrupted;
	server->answered_pid = server->client_pid;
	return PH_OK;
}

static ph_status ensure_attached(ph_duplex_server *server)
{
	if (!server->has_request)
		return ph__fail(PH_EINVAL, "there is no request to answer");
	if (server->answers && !still_fits(server))
		ph_queue_writer_close(&server->answers);
	return server->answers ? PH_OK : attach(server);
}

ph_status ph_duplex_server_claim(ph_duplex_server *server, uint64_t length_bytes,
				 int64_t timeout_ns, void **bytes)
{
	*bytes = NULL;
	ph_status status = ensure_attached(server);
	if (status == PH_OK)
		status = ph_queue_claim(server->answers, length_bytes, timeout_ns, bytes);
	if ((status == PH_EPEER || status == PH_ECLOSED) && !atomic_load(&server->interrupted)) {
		ph_queue_writer_close(&server->answers);
		finish_request(server);
	}
	return status;
}

static ph_status publish(ph_duplex_server *server, uint64_t length_bytes, ph_status result)
{
	const struct duplex_answer_header header = {server->request.sequence, result, 0};

	if (!server->answers || !server->answers->has_claim)
		return ph__fail(PH_EINVAL, "no answer is claimed");
	if (server->answers->lead_bytes)
		memcpy(ph__queue_claim_lead(server->answers), &header, sizeof(header));
	PH_POINT("answer:before-publish");
	ph_status status = ph_queue_publish(server->answers, length_bytes, NULL);
	PH_POINT("answer:before-release");
	if (status == PH_OK)
		finish_request(server);
	return status;
}

ph_status ph_duplex_server_publish(ph_duplex_server *server, uint64_t length_bytes)
{
	return publish(server, length_bytes, PH_OK);
}

ph_status ph_duplex_server_answer(ph_duplex_server *server, const void *bytes,
				  uint64_t length_bytes, int64_t timeout_ns)
{
	void *to;
	ph_status status = ph_duplex_server_claim(server, length_bytes, timeout_ns, &to);

	if (status < 0)
		return status;
	ph__copy(to, bytes, length_bytes);
	return ph_duplex_server_publish(server, length_bytes);
}

/* A stock client sees the sentence, with the status in front; a Pinhole has the status apart. */
static uint64_t write_refusal(char sentence[1024], bool is_stock, ph_status why, const char *text)
{
	int length = is_stock ? snprintf(sentence, 1024, "PINHOLE-ERROR %s: %s",
					 ph_status_name(why), text)
			      : snprintf(sentence, 1024, "%s", text);

	return length < 1024 ? (uint64_t)length : 1023;
}

ph_status ph_duplex_server_refuse(ph_duplex_server *server, ph_status why, const char *text,
				  int64_t timeout_ns)
{
	char sentence[1024];
	void *to;

	if (why >= 0)
		return ph__fail(PH_EINVAL, "a refusal needs a negative status, not %d", (int)why);
	if (!text || !*text)
		text = ph_status_name(why);
	if (server->answers && server->answers->has_claim)
		ph_queue_abandon(server->answers);
	ph_status status = ensure_attached(server);
	if (status == PH_OK) {
		uint64_t length = write_refusal(sentence, !server->answers->lead_bytes, why, text);
		uint64_t limit = server->answers->segment.ring_bytes - QUEUE_FRAME_BYTES -
				 server->answers->lead_bytes;
		length = length < limit ? length : limit;
		status = ph_duplex_server_claim(server, length, timeout_ns, &to);
		if (status != PH_OK)
			return status;
		memcpy(to, sentence, length);
		return publish(server, length, why);
	}
	if (server->has_request && !atomic_load(&server->interrupted))
		finish_request(server); /* nobody is there to be told */
	return status;
}

ph_status ph_duplex_server_serve(ph_duplex_server *server, ph_duplex_handler handler, void *context)
{
	ph_frame request;

	for (;;) {
		ph_status status = ph_duplex_server_receive(server, -1, &request);
		if (status == PH_ECLOSED)
			return PH_OK;
		if (status < 0)
			return status;
		status = handler(context, server, &request);
		if (server->has_request)
			ph_duplex_server_refuse(
				server, status < 0 ? status : PH_EINVAL,
				status < 0 ? ph_last_error() : "the server gave no answer", -1);
	}
}
