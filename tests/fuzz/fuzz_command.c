/* SPDX-License-Identifier: MIT */
/* One command, as a request carries it. Checks what the header promises about each result. */
#include <assert.h>
#include <math.h>

#include "fuzz.h"
#include "server/routes.h"

static const struct ph__command nothing;

static bool is_inside(struct ph__span span, struct ph__span whole)
{
	return span.at >= whole.at && span.at + span.length <= whole.at + whole.length;
}

static void check_argument(const struct ph__arg *arg, char kind, struct ph__span text)
{
	assert(kind == 'A' || !memchr(arg->text.at, ' ', arg->text.length));
	assert(isfinite(arg->number));
	assert(is_inside(arg->text, text) || (kind == 'u' && ph__span_is(arg->text, "0")));
	if (kind == 's' || kind == 'A')
		assert(arg->number == 0);
	if (kind == 'b')
		assert(arg->number == 0 || arg->number == 1);
	if (kind == 'u' && arg->number == PH__NO_NUMBER)
		assert(ph__span_starts(arg->text, "CID-"));
	else if (kind == 'u')
		assert(arg->text.length >= 1 && arg->text.length <= 19 && arg->number >= 0 &&
		       arg->number <= UINT32_MAX && arg->number == floor(arg->number));
}

static void check_command(const struct ph__command *command, struct ph__span text)
{
	const struct ph__route *route = ph__route_at(command->number, NULL);
	assert(route != NULL);
	const char *placeholder = route->template_text;

	for (uint32_t i = 0; i < command->arg_count; i++) {
		placeholder = strchr(placeholder, '[');
		assert(placeholder != NULL);
		placeholder++;
		check_argument(&command->args[i], *placeholder, text);
	}
	assert(!strchr(placeholder, '['));
}

static void check_unknown(struct ph__span text)
{
	struct ph__buffer reply = {0};

	ph__command_unknown_text(text, &reply);
	assert(!reply.failed && reply.length <= 400);
	for (size_t i = 0; i < reply.length; i++)
		assert(reply.bytes[i] >= 0x20 && reply.bytes[i] != 0x7F);
	ph__buffer_finish(&reply);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	struct ph__span text = {(const char *)bytes, length};
	struct ph__command command;

	switch (ph__route_parse(text, &command)) {
	case PH__PARSE_OK:
		check_command(&command, text);
		break;
	case PH__PARSE_UNKNOWN:
	case PH__PARSE_BAD_ARGUMENTS:
		assert(memcmp(&command, &nothing, sizeof(command)) == 0);
		check_unknown(text);
		break;
	}
	return 0;
}
