/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pinhole/client.h>
#include <pinhole/server.h>

#include "cli.h"

/* What a depth of UnrealCV says where there is nothing. */
static const double background_cm = 65504;

static const char usage[] =
	"usage: pinhole get [-a ADDRESS] [-o FILE] COMMAND\n"
	"\n"
	"Sends one command to a camera server and prints its answer: text as it is, a picture as one\n"
	"line that describes it. The command may be one argument or several words.\n"
	"\n"
	"  -a, --address ADDRESS  HOST:PORT, :PORT, unix:PATH or a path with a slash; default:\n"
	"                         $PINHOLE_ADDRESS, or else 127.0.0.1:9000\n"
	"  -o, --output FILE      write the answer to FILE: a picture as PNG if FILE ends in .png (a\n"
	"                         depth becomes grey, near is bright), its bare pixels if it ends in\n"
	"                         .raw; otherwise the bytes of the answer as they came\n"
	"  -t, --timeout SECONDS  give up after so long; default 60\n"
	"  -h, --help             print this\n"
	"\n"
	"  pinhole get vget /unrealcv/status\n"
	"  pinhole get -o lit.png vget /camera/0/lit_shared\n"
	"  pinhole get -o depth.npy vget /camera/0/depth npy\n"
	"\n"
	"Exit status: 0; 1 the server answered with an error, or the file could not be written;\n"
	"2 wrong arguments; 3 no server could be reached.\n";

struct arguments {
	const char *address, *output;
	int64_t timeout_ns;
	char *command; /* to be freed */
};

static int fail(int code, const char *why)
{
	fprintf(stderr, "pinhole get: %s\n", why);
	return code;
}

/* The words as one line, each followed by a blank but the last. */
static char *join(char **words, int count)
{
	size_t length = 1;

	for (int i = 0; i < count; i++)
		length += strlen(words[i]) + 1;
	char *line = malloc(length), *at = line;
	for (int i = 0; line && i < count; i++) {
		size_t word_length = strlen(words[i]);
		memcpy(at, words[i], word_length);
		at += word_length;
		*at++ = i == count - 1 ? '\0' : ' ';
	}
	return line;
}

static bool read_seconds(const char *text, int64_t *timeout_ns)
{
	char *end;
	double seconds = strtod(text, &end);

	*timeout_ns = 0;
	if (end == text || *end || !(seconds > 0 && seconds < 1e9))
		return false;
	*timeout_ns = (int64_t)(seconds * 1e9);
	return true;
}

/* -1, or the exit status if there is nothing more to do. */
static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{"address", required_argument, NULL, 'a'}, {"output", required_argument, NULL, 'o'},
		{"timeout", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *fallback = getenv("PINHOLE_ADDRESS");

	arguments->address = fallback && *fallback ? fallback : "127.0.0.1:9000";
	/* Options come first: a command may have words like -490 in it. But -o FILE may end it. */
	if (argc > 3 && strcmp(argv[argc - 2], "-o") == 0) {
		arguments->output = argv[argc - 1];
		argc -= 2;
	}
	for (int option; (option = getopt_long(argc, argv, "+a:o:t:h", options, NULL)) != -1;) {
		if (option == 'a')
			arguments->address = optarg;
		else if (option == 'o')
			arguments->output = optarg;
		else if (option == 't' && !read_seconds(optarg, &arguments->timeout_ns))
			return fail(CLI_USAGE, "a timeout is a number of seconds above 0");
		else if (option == 'h')
			return fputs(usage, stdout) < 0;
		else if (option == '?')
			return fail(CLI_USAGE, "see pinhole get --help");
	}
	if (optind == argc)
		return fail(CLI_USAGE, "there is no command; see pinhole get --help");
	arguments->command = join(argv + optind, argc - optind);
	return arguments->command ? -1 : fail(CLI_FAILED, "no memory");
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);
	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int write_bytes(const char *path, const void *bytes, uint64_t length)
{
	FILE *file = fopen(path, "wb");

	if (!file) {
		perror(path);
		return CLI_FAILED;
	}
	bool whole = fwrite(bytes, 1, length, file) == length;
	if (fclose(file) != 0 || !whole) {
		perror(path);
		return CLI_FAILED;
	}
	return CLI_OK;
}

static int write_reply(const char *path, const ph_reply *reply)
{
	bool is_frame = reply->kind == PH_REPLY_FRAME;

	if (is_frame && ends_with(path, ".png"))
		return ph_frame_write_png(&reply->frame, path, background_cm) == PH_OK
			       ? CLI_OK
			       : fail(CLI_FAILED, ph_last_error());
	if (is_frame && ends_with(path, ".raw"))
		return write_bytes(path, reply->frame.bytes, reply->frame.length_bytes);
	if (reply->frame_is_shared)
		return fail(CLI_USAGE, "a frame in shared memory has no file format of its own: name "
				       "the file .png or .raw");
	return write_bytes(path, reply->bytes, reply->bytes_length);
}

static void print_frame(const ph_reply *reply)
{
	const ph_frame *frame = &reply->frame;

	printf("%u x %u %s, %llu bytes", frame->width_px, frame->height_px,
	       ph_pixel_name(frame->pixel), (unsigned long long)frame->length_bytes);
	if (reply->frame_is_shared)
		printf(" in shared memory, frame %llu", (unsigned long long)frame->sequence);
	if (frame->render_ns > 0)
		printf(", drawn in %.3f ms", (double)frame->render_ns / 1e6);
	printf("\n");
}

static int print_reply(const ph_reply *reply)
{
	if (reply->kind == PH_REPLY_FRAME)
		print_frame(reply);
	else if (reply->kind == PH_REPLY_BYTES)
		printf("%llu bytes; -o FILE keeps them\n", (unsigned long long)reply->bytes_length);
	else
		printf("%s%s", reply->text, ends_with(reply->text, "\n") ? "" : "\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? CLI_OK : CLI_FAILED;
}

static int ask(const struct arguments *arguments)
{
	ph_client *client;
	ph_reply reply;

	if (ph_client_connect(arguments->address,
			      PH_CLIENT_OPTIONS(.timeout_ns = arguments->timeout_ns),
			      &client) == PH_EINVAL)
		return fail(CLI_USAGE, ph_last_error());
	if (!client)
		return fail(CLI_UNREACHABLE, ph_last_error());
	int code;
	if (ph_client_request(client, arguments->command, &reply) != PH_OK)
		code = fail(CLI_FAILED, ph_last_error());
	else if (arguments->output)
		code = write_reply(arguments->output, &reply);
	else
		code = print_reply(&reply);
	ph_client_close(&client);
	return code;
}

int cli_get(int argc, char **argv)
{
	struct arguments arguments = {0};

	int code = read_arguments(argc, argv, &arguments);
	if (code < 0)
		code = ask(&arguments);
	free(arguments.command);
	return code;
}
