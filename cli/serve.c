/* SPDX-License-Identifier: MIT */
/* pinhole serve: the camera server as a program. */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <pinhole/server.h>

#include "cli.h"

static const char usage[] =
	"Usage: pinhole serve [OPTIONS] [SCENE]\n"
	"\n"
	"Renders a 3-D scene without a display and speaks the UnrealCV protocol, by TCP, by a\n"
	"Unix socket and through shared memory. Without SCENE it shows the built-in one; this\n"
	"version reads no scene files yet.\n"
	"\n"
	"      --port N               TCP port; 0 takes any free one (default 9000)\n"
	"      --bind ADDR            numeric address to listen on (default 127.0.0.1)\n"
	"      --token WORD           clients must send this first: vset /unrealcv/token WORD\n"
	"      --insecure             listen on any address without a token\n"
	"      --advertise-shared     list the *_shared commands for clients that use what is listed\n"
	"      --unix PATH|none       Unix socket (default /tmp/unrealcv_<port>.socket)\n"
	"      --unix-recreate        make the socket again when a client has deleted its file\n"
	"      --output DIR           where image files go, and nowhere else (default .)\n"
	"      --max-shared-bytes N   of all shared memory together; K, M or G may follow\n"
	"                             (default 4G)\n"
	"      --size WxH             of every camera at first (default 640x480)\n"
	"      --fov DEG              horizontal field of view at first (default 90)\n"
	"      --renderer KIND        auto, gpu or software (default auto)\n"
	"      --ready-file FILE      written with the port, and a line break, once clients can\n"
	"                             connect; removed at the end\n"
	"      --log LEVEL            error, warning, info or debug (default info)\n"
	"  -h, --help                 this text\n"
	"\n"
	"Prints one line when it is ready. SIGINT, SIGTERM and SIGHUP end it, after the\n"
	"picture in hand; nothing is left behind. A second one ends it at once.\n";

struct arguments {
	ph_server_options options;
	const char *ready_file;
};

enum {
	OPT_PORT = 256,
	OPT_BIND,
	OPT_TOKEN,
	OPT_INSECURE,
	OPT_ADVERTISE,
	OPT_UNIX,
	OPT_RECREATE,
	OPT_OUTPUT,
	OPT_SHARED,
	OPT_SIZE,
	OPT_FOV,
	OPT_RENDERER,
	OPT_READY,
	OPT_LOG
};

static const struct option long_options[] = {
	{"port", required_argument, NULL, OPT_PORT},
	{"bind", required_argument, NULL, OPT_BIND},
	{"token", required_argument, NULL, OPT_TOKEN},
	{"insecure", no_argument, NULL, OPT_INSECURE},
	{"advertise-shared", no_argument, NULL, OPT_ADVERTISE},
	{"unix", required_argument, NULL, OPT_UNIX},
	{"unix-recreate", no_argument, NULL, OPT_RECREATE},
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"max-shared-bytes", required_argument, NULL, OPT_SHARED},
	{"size", required_argument, NULL, OPT_SIZE},
	{"fov", required_argument, NULL, OPT_FOV},
	{"renderer", required_argument, NULL, OPT_RENDERER},
	{"ready-file", required_argument, NULL, OPT_READY},
	{"log", required_argument, NULL, OPT_LOG},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Decimal digits up to `limit`; what follows them is at *end. */
static bool read_number(const char *text, uint64_t limit, uint64_t *value, const char **end)
{
	char *rest;

	errno = 0;
	*value = strtoull(text, &rest, 10);
	*end = rest;
	return text[0] >= '0' && text[0] <= '9' && errno == 0 && *value <= limit;
}

static bool read_port(const char *text, struct arguments *arguments)
{
	uint64_t port;
	const char *end;

	if (!read_number(text, 65535, &port, &end) || *end)
		return false;
	arguments->options.port = (int32_t)port;
	return true;
}

static bool read_bytes(const char *text, struct arguments *arguments)
{
	static const char units[] = "KMG";
	uint64_t bytes;
	const char *end;

	if (!read_number(text, UINT64_MAX >> 30, &bytes, &end) || bytes == 0)
		return false;
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		bytes <<= 10 * (unit - units + 1);
		end++;
	}
	arguments->options.shared_bytes_limit = bytes;
	return *end == '\0';
}

static bool read_size(const char *text, struct arguments *arguments)
{
	uint64_t width_px, height_px;
	const char *end;

	if (!read_number(text, UINT32_MAX, &width_px, &end) || width_px == 0 || *end != 'x' ||
	    !read_number(end + 1, UINT32_MAX, &height_px, &end) || height_px == 0 || *end)
		return false;
	arguments->options.width_px = (uint32_t)width_px;
	arguments->options.height_px = (uint32_t)height_px;
	return true;
}

static bool read_fov(const char *text, struct arguments *arguments)
{
	char *end;
	double fov_deg = strtod(text, &end);

	if (end == text || *end || !(fov_deg >= 0.01 && fov_deg <= 179.9))
		return false;
	arguments->options.fov_rad = fov_deg * (M_PI / 180);
	return true;
}

/* The place of `text` in a list of words that ends with NULL, or -1. */
static int find_word(const char *text, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return -1;
}

static bool read_renderer(const char *text, struct arguments *arguments)
{
	static const char *const kinds[] = {"auto", "gpu", "software", NULL};
	int kind = find_word(text, kinds);

	arguments->options.renderer = (ph_renderer_kind)kind;
	return kind >= 0;
}

static bool read_log_level(const char *text)
{
	static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
	int level = find_word(text, levels);

	if (level >= 0)
		ph_log_set_level((ph_log_level)level);
	return level >= 0;
}

static bool read_option(int option, const char *text, struct arguments *arguments)
{
	switch (option) {
	case OPT_PORT: return read_port(text, arguments);
	case OPT_BIND: arguments->options.bind_address = text; return true;
	case OPT_TOKEN: arguments->options.token = text; return true;
	case OPT_INSECURE: arguments->options.insecure = 1; return true;
	case OPT_ADVERTISE: arguments->options.advertise_shared = 1; return true;
	case OPT_UNIX: arguments->options.unix_path = text; return true;
	case OPT_RECREATE: arguments->options.unix_recreate = 1; return true;
	case OPT_OUTPUT: arguments->options.output_folder = text; return true;
	case OPT_SHARED: return read_bytes(text, arguments);
	case OPT_SIZE: return read_size(text, arguments);
	case OPT_FOV: return read_fov(text, arguments);
	case OPT_RENDERER: return read_renderer(text, arguments);
	case OPT_READY: arguments->ready_file = text; return true;
	case OPT_LOG: return read_log_level(text);
	default: return false;
	}
}

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "pinhole serve: %s%s%s; see pinhole serve --help\n", what, value ? " " : "",
		value ? value : "");
	return CLI_USAGE;
}

/* 0, or the code to exit with; -1: exit with 0, help was asked for. */
static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
	int index = 0;

	for (int option; (option = getopt_long(argc, argv, "h", long_options, &index)) != -1;) {
		if (option == 'h') {
			fputs(usage, stdout);
			return -1;
		}
		if (option == '?')
			return usage_error("unknown option or missing value", NULL);
		if (!read_option(option, optarg, arguments)) {
			fprintf(stderr,
				"pinhole serve: '%s' does not fit --%s; see pinhole serve --help\n",
				optarg, long_options[index].name);
			return CLI_USAGE;
		}
	}
	if (optind + 1 < argc)
		return usage_error("one scene at most, and there is also", argv[optind + 1]);
	arguments->options.scene = argv[optind]; /* NULL when there is none */
	return 0;
}

static ph_server *running;

static void stop(int signal_number)
{
	(void)signal_number;
	ph_server_stop(running);
}

/* Each client takes a descriptor, and each of its regions. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* A software renderer allocates and frees some megabytes for each picture. Kept in the process,
 * they cost no page faults. */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 4 << 20);
}

/* Written under another name and renamed: whoever sees the file sees it whole. */
static bool write_ready_file(const char *path, int port)
{
	char part[4096];

	snprintf(part, sizeof(part), "%s.part", path);
	FILE *file = fopen(part, "w");
	bool good = file && fprintf(file, "%d\n", port) > 0;
	if (file)
		good = fclose(file) == 0 && good;
	good = good && rename(part, path) == 0;
	if (!good) {
		fprintf(stderr, "pinhole serve: cannot write the ready file '%s': %s\n", path,
			strerror(errno));
		unlink(part);
	}
	return good;
}

/* Until there is a server to stop, and while it is being closed, the signals wait. */
static void block_signals(int how)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(how, &signals, NULL);
}

static int serve(ph_server *server, const char *ready_file)
{
	/* Once: a second signal ends it at once, and what is left the next start removes. */
	struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

	running = server;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	block_signals(SIG_UNBLOCK);
	printf("pinhole %s: %s\n", ph_version(), ph_server_description(server));
	fflush(stdout);
	bool ready = !ready_file || write_ready_file(ready_file, ph_server_port(server));
	ph_status status = ready ? ph_server_run(server) : PH_ESYS;
	block_signals(SIG_BLOCK);
	if (ready && status < 0)
		fprintf(stderr, "pinhole serve: %s\n", ph_last_error());
	if (ready && ready_file)
		unlink(ready_file);
	return status < 0 ? CLI_FAILED : 0;
}

int cli_serve(int argc, char **argv)
{
	struct arguments arguments = {.options = {.size = sizeof(arguments.options), .port = 9000}};
	ph_server *server;

	ph_log_set_level(PH_LOG_INFO);
	int code = read_arguments(argc, argv, &arguments);
	if (code != 0)
		return code < 0 ? 0 : code;
	if (arguments.ready_file)
		unlink(arguments.ready_file); /* of a server that was killed */
	raise_descriptor_limit();
	keep_freed_memory();
	block_signals(SIG_BLOCK);
	ph_status status = ph_server_create(&arguments.options, &server);
	if (status < 0) {
		fprintf(stderr, "pinhole serve: %s\n", ph_last_error());
		return status == PH_EINVAL || status == PH_ETOOBIG ? CLI_USAGE : CLI_FAILED;
	}
	code = serve(server, arguments.ready_file);
	ph_server_close(&server);
	return code;
}
