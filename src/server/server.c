/* SPDX-License-Identifier: MIT */
#include "server/internal.h"
#include "server/recording.h"

#include <arpa/inet.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/log.h"
#include "base/options.h"
#include "base/sys.h"

#define DEFAULT_FOV_RAD 1.57079632679489661923 /* 90 degrees */

enum { SIDE_LIMIT_PX = 16384, BATCH_CHECK_MS = 100, TOKEN_BYTES_MAX = 256 };

/* --- options --------------------------------------------------------------------------------- */

/* 127.0.0.0/8, ::1, and that within IPv6. What is no address at all is refused later. */
static bool is_loopback(const char *address)
{
	struct in_addr four;
	struct in6_addr six;

	if (inet_pton(AF_INET, address, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, address, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six) ||
		       (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
	return true;
}

static bool is_a_word(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] <= 0x20)
			return false;
	return length > 0 && length <= TOKEN_BYTES_MAX;
}

static ph_status check_options(const struct ph_server_options *options)
{
	if (options->port < 0 || options->port > 65535)
		return ph__fail(PH_EINVAL, "port %d is none: 0 (any) to 65535", options->port);
	if (!(options->fov_rad > 0.0001 && options->fov_rad < 3.1399))
		return ph__fail(
			PH_EINVAL,
			"a field of view of %g rad cannot be drawn: more than 0, less than pi",
			options->fov_rad);
	if (options->width_px > SIDE_LIMIT_PX || options->height_px > SIDE_LIMIT_PX)
		return ph__fail(PH_ETOOBIG, "a picture of %u x %u: a side has %d pixels at most",
				options->width_px, options->height_px, SIDE_LIMIT_PX);
	if ((unsigned)options->renderer > PH_RENDERER_SOFTWARE)
		return ph__fail(PH_EINVAL, "%d is no renderer; see ph_renderer_kind",
				(int)options->renderer);
	if (options->token && !is_a_word(options->token))
		return ph__fail(PH_EINVAL, "a token is one word of 1 to %d bytes, without blanks",
				TOKEN_BYTES_MAX);
	if (!options->token && !options->insecure && !is_loopback(options->bind_address))
		return ph__fail(PH_EPERM,
				"listening on %s lets others in: give a --token that they must "
				"know, or --insecure to do without",
				options->bind_address);
	if (options->scene)
		return ph__fail(PH_ENOTBUILT,
				"cannot load '%s': this version has the built-in scene only; "
				"leave the scene out",
				options->scene);
	return PH_OK;
}

static ph_status read_options(const ph_server_options *given, struct ph_server_options *options)
{
	if (!ph__options_read(options, sizeof(*options), given))
		return ph__fail(PH_EINVAL,
				"ph_server_options: size is not set (use PH_SERVER_OPTIONS), or it "
				"asks for what this version does not know");
	if (!options->bind_address)
		options->bind_address = "127.0.0.1";
	if (!options->width_px)
		options->width_px = 640;
	if (!options->height_px)
		options->height_px = 480;
	if (options->fov_rad == 0)
		options->fov_rad = DEFAULT_FOV_RAD;
	if (!options->shared_bytes_limit)
		options->shared_bytes_limit = UINT64_C(4) << 30;
	return check_options(options);
}

/* --- the render thread ----------------------------------------------------------------------- */

static void render_end(void *context)
{
	struct ph_server *server = context;

	ph__renderer_close(&server->renderer);
	ph__device_close(&server->device);
}

static ph_status render_begin(void *context)
{
	struct ph_server *server = context;

	ph_status status = ph__device_open(server->options.renderer, &server->device);
	if (status == PH_OK)
		status = ph__renderer_create(server->device, &server->scene->assets,
					     &server->renderer);
	if (status < 0) {
		render_end(server);
		return status;
	}
	server->side_limit_px = ph__renderer_side_limit_px(server->renderer);
	snprintf(server->description, sizeof(server->description), "%s, OpenGL %s",
		 ph__device_renderer(server->device), ph__device_gl_version(server->device));
	return PH_OK;
}

static const struct ph__worker_life render_life = {"ph-render", render_begin, render_end};
static const struct ph__worker_life file_life = {"ph-files", NULL, NULL};

/* --- what rings ------------------------------------------------------------------------------ */

static void free_closed(struct ph_server *server)
{
	for (struct ph__peer *next, *at = server->peers; at; at = next) {
		next = at->next;
		if (!at->closed || at->capturing)
			continue;
		bool over_tcp = at->over_tcp;
		ph__peer_free(at);
		/* Clients that use the Unix socket delete its file while they are connected by TCP,
		 * and look for it after they have left. */
		struct ph__listener *local = &server->local.listener;
		if (!over_tcp || !server->options.unix_recreate || !local->path ||
		    ph__listener_has_file(local))
			continue;
		server->recreate_local = true;
	}
}

static void take_mail(struct ph__watch *watch, uint32_t events)
{
	struct ph_server *server = ((struct ph__bell *)watch)->server;

	(void)events;
	for (struct ph__job *job; (job = ph__mailbox_take(&server->mailbox));) {
		struct ph__capture *capture = (struct ph__capture *)job;
		server->away_count--;
		capture->returned(capture->owner);
	}
}

static void take_stop(struct ph__watch *watch, uint32_t events)
{
	(void)events;
	((struct ph__bell *)watch)->server->stopping = true;
}

static void take_clients(struct ph__watch *watch, uint32_t events)
{
	struct ph__door *door = (struct ph__door *)watch;

	(void)events;
	for (int fd; (fd = ph__listener_accept(&door->listener)) >= 0;)
		ph__peer_open(door->server, fd, door->is_tcp);
}

/* --- doors ----------------------------------------------------------------------------------- */

static ph_status open_door(struct ph_server *server, struct ph__door *door, bool is_tcp)
{
	door->watch.ready = take_clients;
	door->server = server;
	door->is_tcp = is_tcp;
	return ph__poller_add(&server->poller, door->listener.fd, EPOLLIN, &door->watch);
}

static ph_status open_tcp(struct ph_server *server)
{
	ph_status status =
		ph__listener_open_tcp(&server->tcp.listener, server->options.bind_address,
				      (uint16_t)server->options.port);
	return status == PH_OK ? open_door(server, &server->tcp, true) : status;
}

static ph_status open_local(struct ph_server *server)
{
	char default_path[64];
	const char *path = server->options.unix_path;

	if (path && strcmp(path, "none") == 0)
		return PH_OK;
	if (!path) {
		snprintf(default_path, sizeof(default_path), "/tmp/unrealcv_%d.socket",
			 server->tcp.listener.port);
		path = default_path;
	}
	ph_status status = ph__listener_open_unix(&server->local.listener, path);
	return status == PH_OK ? open_door(server, &server->local, false) : status;
}

static void recreate_local(struct ph_server *server)
{
	char path[128]; /* a Unix socket's path is shorter */
	struct ph__listener *listener = &server->local.listener;

	server->recreate_local = false;
	snprintf(path, sizeof(path), "%s", listener->path);
	ph__poller_remove(&server->poller, listener->fd);
	ph__listener_close(listener);
	if (ph__listener_open_unix(listener, path) < 0 ||
	    open_door(server, &server->local, false) < 0)
		ph__log(PH_LOG_WARNING, "cannot make the Unix socket again: %s", ph_last_error());
	else
		ph__log(PH_LOG_INFO, "made '%s' again, which a client had deleted", path);
}

/* --- life ------------------------------------------------------------------------------------ */

static ph_status open_bells(struct ph_server *server)
{
	server->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->stop_fd < 0)
		return ph__fail_errno("cannot make an eventfd");
	server->stop_bell = (struct ph__bell){{take_stop}, server};
	server->mail_bell = (struct ph__bell){{take_mail}, server};
	ph_status status = ph__mailbox_init(&server->mailbox);
	if (status == PH_OK)
		status = ph__poller_init(&server->poller);
	if (status == PH_OK)
		status = ph__poller_add(&server->poller, server->stop_fd, EPOLLIN,
					&server->stop_bell.watch);
	if (status == PH_OK)
		status = ph__poller_add(&server->poller, server->mailbox.fd, EPOLLIN,
					&server->mail_bell.watch);
	return status;
}

static void describe_doors(struct ph_server *server)
{
	size_t length = strlen(server->description);

	snprintf(server->description + length, sizeof(server->description) - length,
		 ", listening on %s port %d%s%s", server->options.bind_address,
		 server->tcp.listener.port, server->local.listener.path ? " and " : "",
		 server->local.listener.path ? server->local.listener.path : "");
}

static ph_status start(struct ph_server *server)
{
	const struct ph_server_options *options = &server->options;

	ph__region_table_sweep();
	server->budget.limit_bytes = options->shared_bytes_limit;
	ph__sim_clock_start(&server->clock, ph_now_ns());
	server->viewmode = "lit";
	server->sun_intensity = server->sky_intensity = 1;
	if (options->token)
		ph__buffer_add_text(&server->token, options->token);
	ph_status status = server->token.failed ? ph__fail(PH_ENOSPC, "no memory for the token")
						: ph__output_open(&server->output,
								  options->output_folder);
	if (status == PH_OK)
		status = open_bells(server);
	if (status == PH_OK)
		status = ph__scene_create_builtin(options->width_px, options->height_px,
						  options->fov_rad, &server->scene);
	if (status == PH_OK) {
		server->first_sun = server->scene->sun;
		server->first_sky = server->scene->sky;
	}
	/* The doors before the renderer: a port in use is said at once. Clients that come now wait
	 * in the kernel's queue. */
	if (status == PH_OK)
		status = open_tcp(server);
	if (status == PH_OK)
		status = open_local(server);
	if (status == PH_OK)
		status = ph__worker_start(&server->render_worker, &render_life, server);
	if (status == PH_OK)
		status = ph__worker_start(&server->file_worker, &file_life, server);
	if (status == PH_OK)
		describe_doors(server);
	return status;
}

ph_status ph_server_create(const ph_server_options *options, ph_server **server)
{
	struct ph_server_options read;

	*server = NULL;
	ph_status status = read_options(options, &read);
	if (status < 0)
		return status;
	struct ph_server *made = ph__sys->calloc(1, sizeof(*made));
	if (!made)
		return ph__fail(PH_ENOSPC, "no memory for a server");
	made->options = read;
	made->poller.fd = made->stop_fd = made->mailbox.fd = made->output.fd = -1;
	made->tcp.listener.fd = made->tcp.listener.spare_fd = -1;
	made->local.listener.fd = made->local.listener.spare_fd = -1;
	status = start(made);
	if (status < 0) {
		ph_server_close(&made);
		return status;
	}
	*server = made;
	return PH_OK;
}

int ph_server_port(const ph_server *server)
{
	return server->tcp.listener.port;
}

const char *ph_server_unix_path(const ph_server *server)
{
	return server->local.listener.path;
}

const char *ph_server_description(const ph_server *server)
{
	return server->description;
}

/* A turn for each peer that has work left over, or that had to wait for a batch that is over. */
static void serve_those_with_work(struct ph_server *server)
{
	bool all = server->has_held_back && !server->batching;

	if (all)
		server->has_held_back = false;
	if (all || server->work_count > 0)
		for (struct ph__peer *at = server->peers; at; at = at->next)
			if (!at->closed && (all || at->has_work))
				ph__peer_serve(at);
}

/* One round: what has happened, then a turn for each peer that has work left over. */
static ph_status serve_round(struct ph_server *server)
{
	bool at_once = server->work_count > 0 || (server->has_held_back && !server->batching);
	int timeout_ms = at_once ? 0 : server->batching ? BATCH_CHECK_MS : -1;
	ph_status status = ph__poller_wait(&server->poller, timeout_ms);

	if (status < 0)
		return status;
	ph__batch_check(server);
	serve_those_with_work(server);
	free_closed(server);
	if (server->recreate_local)
		recreate_local(server);
	return PH_OK;
}

ph_status ph_server_run(ph_server *server)
{
	locale_t before = uselocale(ph__c_locale());
	ph_status status = PH_OK;

	while (status == PH_OK && !(server->stopping && server->away_count == 0))
		status = serve_round(server);
	server->stopping = false;
	uselocale(before);
	return status;
}

void ph_server_stop(ph_server *server)
{
	int kept = errno;
	eventfd_write(server->stop_fd, 1);
	errno = kept;
}

void ph_server_close(ph_server **server)
{
	struct ph_server *closing = *server;

	*server = NULL;
	if (!closing)
		return;
	ph__worker_stop(&closing->render_worker); /* may still pass jobs on to the files' thread */
	ph__worker_stop(&closing->file_worker);
	ph__recordings_close(closing);
	while (closing->peers) {
		ph__peer_close(closing->peers);
		ph__peer_free(closing->peers);
	}
	ph__listener_close(&closing->tcp.listener);
	ph__listener_close(&closing->local.listener);
	ph__mailbox_finish(&closing->mailbox);
	ph__poller_finish(&closing->poller);
	if (closing->stop_fd >= 0)
		close(closing->stop_fd);
	ph__output_close(&closing->output);
	ph__stored_finish(&closing->stored);
	ph__buffer_finish(&closing->token);
	if (closing->scene)
		ph__scene_close(&closing->scene);
	ph__sys->free(closing);
}
