/* SPDX-License-Identifier: MIT */
/* The client of a duplex channel: it owns the queue of answers and knows what it asked. */
#include "channel/duplex.h"

#include <inttypes.h>
#include <string.h>

#include "base/options.h"
#include "base/status.h"
#include "base/sys.h"

struct ph_duplex_client {
	ph_queue_reader *answers;
	ph_queue_writer *requests;
	uint64_t before_first;   /* the sequence number before our first request */
	uint64_t answered_count; /* of a stock server's answers: they are matched by counting */
};

static ph_status connect_both(ph_duplex_client *client, const ph_duplex_client_options *options,
			      const char *requests_name, const char *answers_name)
{
	const ph_queue_writer_options attach = {.size = sizeof(attach),
						.timeout_ns = options->timeout_ns,
						.spin_ns = options->spin_ns,
						.prefault = options->answers.prefault,
						.peer_is_foreign =
							options->answers.peer_is_foreign};

	/* The answers first: whoever receives a request of ours finds where to answer it. */
	ph_status status =
		ph_queue_reader_create(answers_name, &options->answers, &client->answers);
	if (status < 0)
		return status;
	status = ph_queue_writer_open(requests_name, &attach, &client->requests);
	if (status < 0)
		ph_queue_reader_close(&client->answers);
	return status;
}

ph_status ph_duplex_client_connect(const char *name, const ph_duplex_client_options *given,
				   ph_duplex_client **out)
{
	ph_duplex_client_options options;
	char requests_name[PH__NAME_BYTES], answers_name[PH__NAME_BYTES];

	*out = NULL;
	if (!ph__options_read(&options, sizeof(options), given))
		return ph__fail(PH_EINVAL,
				"options.size is wrong, or options of a newer library are set");
	ph_status status = ph__duplex_names(name, requests_name, answers_name);
	if (status < 0)
		return status;
	ph_duplex_client *client = ph__sys->calloc(1, sizeof(*client));
	if (!client)
		return ph__fail(PH_ENOSPC, "no memory for a client");
	options.answers.size = sizeof(options.answers);
	status = connect_both(client, &options, requests_name, answers_name);
	if (status < 0) {
		ph__sys->free(client);
		return status;
	}
	client->before_first = client->requests->sequence;
	*out = client;
	return PH_OK;
}

void ph_duplex_client_interrupt(ph_duplex_client *client)
{
	ph_queue_reader_interrupt(client->answers);
	ph_queue_writer_interrupt(client->requests);
}

void ph_duplex_client_close(ph_duplex_client **client_at)
{
	ph_duplex_client *client = *client_at;

	if (!client)
		return;
	ph_queue_writer_close(&client->requests);
	ph_queue_reader_close(&client->answers);
	ph__sys->free(client);
	*client_at = NULL;
}

/* ---- Asking ---- */

ph_status ph_duplex_client_claim(ph_duplex_client *client, uint64_t length_bytes,
				 int64_t timeout_ns, void **bytes)
{
	return ph_queue_claim(client->requests, length_bytes, timeout_ns, bytes);
}

/* After a stock server's client, our numbers may begin where nobody knows: with the first frame. */
static void take_number(ph_duplex_client *client, uint64_t *request)
{
	if (client->requests->stats.frame_count == 1)
		client->before_first = client->requests->sequence - 1;
	if (request)
		*request = client->requests->sequence;
}

ph_status ph_duplex_client_publish(ph_duplex_client *client, uint64_t length_bytes,
				   uint64_t *request)
{
	if (request)
		*request = 0;
	ph_status status = ph_queue_publish(client->requests, length_bytes, NULL);
	if (status == PH_OK)
		take_number(client, request);
	return status;
}

ph_status ph_duplex_client_abandon(ph_duplex_client *client)
{
	return ph_queue_abandon(client->requests);
}

ph_status ph_duplex_client_send(ph_duplex_client *client, const void *bytes, uint64_t length_bytes,
				int64_t timeout_ns, uint64_t *request)
{
	if (request)
		*request = 0;
	ph_status status = ph_queue_write(client->requests, bytes, length_bytes, timeout_ns, NULL);
	if (status == PH_OK)
		take_number(client, request);
	return status;
}

ph_status ph_duplex_client_write_metadata(ph_duplex_client *client, const void *bytes,
					  uint64_t length_bytes)
{
	return ph_queue_write_metadata(client->requests, bytes, length_bytes);
}

/* ---- Being answered ---- */

/* While the server has not attached to the answers yet, only its queue of requests tells whether
 * it lives. */
static ph_status check_server(void *context)
{
	return ph__queue_writer_check_reader(((ph_duplex_client *)context)->requests);
}

/* A stock server's answers carry no number: the k-th is that to the k-th request. */
static void count_answer(ph_duplex_client *client, ph_duplex_answer *answer)
{
	answer->request = client->before_first + ++client->answered_count;
}

static ph_status take_header_off(ph_duplex_client *client, ph_duplex_answer *answer)
{
	struct duplex_answer_header header;
	const void *held = answer->frame.bytes;

	if (answer->frame.length_bytes <= sizeof(header))
		return ph__fail(PH_EFORMAT,
				"an answer of %" PRIu64 " bytes is too short for its header",
				answer->frame.length_bytes);
	memcpy(&header, held, sizeof(header));
	answer->request = header.request;
	answer->status = header.status < 0 ? (ph_status)header.status : PH_OK;
	answer->frame.bytes = (const unsigned char *)held + sizeof(header);
	answer->frame.length_bytes -= sizeof(header);
	ph__queue_rename_held(client->answers, held, answer->frame.bytes);
	return PH_OK;
}

static bool was_asked(const ph_duplex_client *client, uint64_t request)
{
	return request > client->before_first && request <= client->requests->sequence;
}

ph_status ph_duplex_client_receive(ph_duplex_client *client, int64_t timeout_ns,
				   ph_duplex_answer *answer)
{
	for (;;) {
		memset(answer, 0, sizeof(*answer));
		ph_status status = ph__queue_acquire_while(client->answers, timeout_ns,
							   &answer->frame, check_server, client);
		if (status < 0)
			return status;
		if (ph__queue_reader_has_answers(client->answers))
			status = take_header_off(client, answer);
		else
			count_answer(client, answer);
		if (status == PH_OK && was_asked(client, answer->request))
			return PH_OK;
		/* Malformed, or to a client of this channel that was killed before us. */
		ph_queue_release(client->answers, &answer->frame);
		memset(answer, 0, sizeof(*answer));
		if (status < 0)
			return status;
	}
}

ph_status ph_duplex_client_release(ph_duplex_client *client, ph_duplex_answer *answer)
{
	return ph_queue_release(client->answers, &answer->frame);
}

ph_status ph_duplex_client_call(ph_duplex_client *client, const void *bytes, uint64_t length_bytes,
				int64_t timeout_ns, ph_duplex_answer *answer)
{
	int64_t begun_ns = ph_now_ns();
	uint64_t request;

	memset(answer, 0, sizeof(*answer));
	ph_status status = ph_duplex_client_send(client, bytes, length_bytes, timeout_ns, &request);
	while (status == PH_OK) {
		status = ph_duplex_client_receive(
			client, ph__duplex_time_left_ns(timeout_ns, begun_ns), answer);
		if (status < 0 || answer->request == request)
			break;
		status = ph_duplex_client_release(client, answer);
	}
	/* A time that ran out between two waits is what the last of them could not see. */
	if (status == PH_EAGAIN && timeout_ns > 0)
		status = PH_ETIMEDOUT;
	if (status < 0 || answer->status == PH_OK)
		return status;
	status = ph__fail(answer->status, "%.*s", (int)answer->frame.length_bytes,
			  (const char *)answer->frame.bytes);
	ph_duplex_client_release(client, answer);
	answer->frame.length_bytes = 0;
	return status;
}
