/* SPDX-License-Identifier: MIT */
/* pinhole demo: the main job from end to end. A camera server with the built-in scene, a camera
 * that moves along a short path, the same pictures fetched by TCP and through shared memory, every
 * byte compared, and the floors of the same run beside the times. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <pinhole/client.h>
#include <pinhole/server.h>

#include "child.h"
#include "cli.h"
#include "floor/floor.h"

enum { WARM_UP_POSES = 3, DEFAULT_POSES = 16, POSE_LIMIT = 1000 };
enum part { TCP_PART, SHARED_PART, FLOOR_TCP_PART, FLOOR_COPY_PART, PART_COUNT };

static const struct size {
	uint32_t width_px, height_px;
} sizes[] = {{640, 480}, {1280, 720}, {1920, 1080}};
enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]), LARGEST_BYTES = 1920 * 1080 * 4 };

static const char usage[] =
	"Usage: pinhole demo [OPTIONS]\n"
	"\n"
	"Starts a camera server with the built-in scene, fetches the same pictures by TCP and "
	"through\n"
	"shared memory, compares every byte, writes some as PNG files and prints what it took.\n"
	"\n"
	"      --output DIR     where the pictures go (default out/demo)\n"
	"      --poses N        poses of the camera at each size (default 16)\n"
	"      --renderer KIND  auto, gpu or software (default auto)\n"
	"  -h, --help           this text\n";

struct demo {
	const char *folder;
	const char *renderer;
	int pose_count;
	ph_client *client;
	struct floor floor;
	unsigned char *tcp_copy, *shared_copy; /* the last picture by each way */
	unsigned char *floor_copy;             /* where the floor's bytes go */
	double start_cm[3], start_deg[3];      /* the camera's pose at the beginning */
};

/* Sums of one size in nanoseconds, over `count` poses. */
struct sums {
	int count;
	double tcp, tcp_render;                  /* end to end; of it the server's render_ns */
	double shared, shared_render, read_back; /* likewise; of render_ns the server's copy_ns */
	double floor_tcp, floor_copy;
	/* Of each pose, for medians: what is left without the rendering, and the floors. */
	double parts[PART_COUNT][POSE_LIMIT];
};

static bool complain(const char *what)
{
	fprintf(stderr, "pinhole demo: %s: %s\n", what, ph_last_error());
	return false;
}

static bool request(struct demo *demo, const char *command, ph_reply *reply)
{
	return ph_client_request(demo->client, command, reply) == PH_OK || complain(command);
}

static bool request_frame(struct demo *demo, const char *command, ph_reply *reply)
{
	if (!request(demo, command, reply))
		return false;
	if (reply->kind == PH_REPLY_FRAME)
		return true;
	fprintf(stderr, "pinhole demo: %s gave no frame\n", command);
	return false;
}

/* --- the path -------------------------------------------------------------------------------- */

static bool read_start(struct demo *demo)
{
	ph_reply reply;
	double *at = demo->start_cm, *turned = demo->start_deg;

	return request(demo, "vget /camera/0/pose", &reply) && reply.kind == PH_REPLY_TEXT &&
	       sscanf(reply.text, "%lf %lf %lf %lf %lf %lf", &at[0], &at[1], &at[2], &turned[0],
		      &turned[1], &turned[2]) == 6;
}

/* A slow swing around a point that lies 4 m in front of the camera; pose 0 is the start. */
static bool move(struct demo *demo, int pose)
{
	const double radius_cm = 400, swing_deg = 12 * sin(pose * 2 * M_PI / demo->pose_count);
	double yaw = demo->start_deg[1] * (M_PI / 180), turned = yaw + swing_deg * (M_PI / 180);
	double x_cm = demo->start_cm[0] + radius_cm * (cos(yaw) - cos(turned));
	double y_cm = demo->start_cm[1] + radius_cm * (sin(yaw) - sin(turned));
	char command[256];
	ph_reply reply;

	snprintf(command, sizeof(command), "vset /camera/0/pose %.3f %.3f %.3f %.3f %.3f %.3f",
		 x_cm, y_cm, demo->start_cm[2], demo->start_deg[0], demo->start_deg[1] + swing_deg,
		 demo->start_deg[2]);
	return request(demo, command, &reply);
}

static bool set_size(struct demo *demo, const struct size *size)
{
	char command[64];
	ph_reply reply;

	snprintf(command, sizeof(command), "vset /camera/0/size %u %u", size->width_px,
		 size->height_px);
	return request(demo, command, &reply);
}

/* --- measuring ------------------------------------------------------------------------------- */

/* The number after "key": in the last capture's description. */
static double last_capture_ns(struct demo *demo, const char *key)
{
	char pattern[64];
	ph_reply reply;

	if (!request(demo, "vget /unrealcv/last_capture", &reply) || reply.kind == PH_REPLY_BYTES)
		return NAN;
	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	const char *found = strstr(reply.text, pattern);
	return found ? strtod(found + strlen(pattern), NULL) : NAN;
}

/* End to end: the request, the rendering, the whole picture received. */
static bool fetch_tcp(struct demo *demo, struct sums *sums, ph_frame *frame)
{
	ph_reply reply;
	int64_t begin_ns = ph_now_ns();

	if (!request_frame(demo, "vget /camera/0/lit bmp", &reply))
		return false;
	double took_ns = (double)(ph_now_ns() - begin_ns);
	*frame = reply.frame;
	if (frame->length_bytes > LARGEST_BYTES)
		return false;
	memcpy(demo->tcp_copy, frame->bytes,
	       frame->length_bytes); /* it stays until the next request */
	frame->bytes = demo->tcp_copy;
	double render_ns = last_capture_ns(demo, "render_ns");
	sums->tcp += took_ns;
	sums->tcp_render += render_ns;
	sums->parts[TCP_PART][sums->count] = took_ns - render_ns;
	return true;
}

/* The same with the region kept mapped and every byte copied out, as most programs do. */
static bool fetch_shared(struct demo *demo, struct sums *sums, ph_frame *frame)
{
	ph_reply reply;
	int64_t begin_ns = ph_now_ns();

	if (!request_frame(demo, "vget /camera/0/lit_shared", &reply) ||
	    reply.frame.length_bytes > LARGEST_BYTES)
		return false;
	memcpy(demo->shared_copy, reply.frame.bytes, reply.frame.length_bytes);
	double took_ns = (double)(ph_now_ns() - begin_ns);
	sums->shared += took_ns;
	sums->parts[SHARED_PART][sums->count] = took_ns - (double)reply.frame.render_ns;
	sums->shared_render += (double)reply.frame.render_ns;
	sums->read_back += (double)reply.frame.copy_ns;
	*frame = reply.frame;
	frame->bytes = demo->shared_copy;
	return true;
}

static bool measure_floors(struct demo *demo, uint64_t length_bytes, struct sums *sums)
{
	int64_t tcp_ns = floor_tcp_ns(&demo->floor, demo->floor_copy, length_bytes);
	int64_t copy_ns = floor_copy_ns(&demo->floor, demo->floor_copy, length_bytes);

	sums->floor_tcp += (double)tcp_ns;
	sums->floor_copy += (double)copy_ns;
	sums->parts[FLOOR_TCP_PART][sums->count] = (double)tcp_ns;
	sums->parts[FLOOR_COPY_PART][sums->count] = (double)copy_ns;
	if (tcp_ns < 0 || copy_ns < 0)
		fprintf(stderr, "pinhole demo: the floor's process is gone\n");
	return tcp_ns >= 0 && copy_ns >= 0;
}

static bool is_whole(const ph_frame *frame, const struct size *size)
{
	return frame->pixel == PH_PIXEL_BGRA8 && frame->width_px == size->width_px &&
	       frame->height_px == size->height_px && ph_frame_check(frame) == PH_OK;
}

static bool is_same_picture(const ph_frame *tcp, const ph_frame *shared, const struct size *size)
{
	if (is_whole(tcp, size) && is_whole(shared, size) &&
	    memcmp(tcp->bytes, shared->bytes, tcp->length_bytes) == 0)
		return true;
	fprintf(stderr, "pinhole demo: TCP and shared memory gave different pictures at %u x %u\n",
		size->width_px, size->height_px);
	return false;
}

/* Both pictures of one pose, in alternating order, and the floors. */
static bool measure_pose(struct demo *demo, int pose, const struct size *size, struct sums *sums,
			 ph_frame *tcp, ph_frame *shared)
{
	bool good = move(demo, pose);

	if (pose % 2 == 0)
		good = good && fetch_tcp(demo, sums, tcp) && fetch_shared(demo, sums, shared);
	else
		good = good && fetch_shared(demo, sums, shared) && fetch_tcp(demo, sums, tcp);
	good = good && is_same_picture(tcp, shared, size) &&
	       measure_floors(demo, tcp->length_bytes, sums);
	sums->count++;
	return good;
}

/* --- what comes out -------------------------------------------------------------------------- */

static bool write_picture(const struct demo *demo, const ph_frame *frame, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", demo->folder, name);
	if (ph_frame_write_png(frame, path, 65504) < 0)
		return complain(path);
	printf("wrote %s\n", path);
	return true;
}

static bool write_pair(const struct demo *demo, const struct size *size, const ph_frame *tcp,
		       const ph_frame *shared)
{
	char names[2][64];

	snprintf(names[0], sizeof(names[0]), "lit_%ux%u_tcp.png", size->width_px, size->height_px);
	snprintf(names[1], sizeof(names[1]), "lit_%ux%u_shared.png", size->width_px,
		 size->height_px);
	return write_picture(demo, tcp, names[0]) && write_picture(demo, shared, names[1]);
}

static bool write_data_pictures(struct demo *demo)
{
	ph_reply reply;

	return move(demo, 0) && request_frame(demo, "vget /camera/0/depth npy", &reply) &&
	       write_picture(demo, &reply.frame, "depth.png") &&
	       request_frame(demo, "vget /camera/0/object_mask bmp", &reply) &&
	       write_picture(demo, &reply.frame, "object_mask.png");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median_ms(struct sums *sums, enum part part)
{
	qsort(sums->parts[part], (size_t)sums->count, sizeof(double), by_value);
	return sums->parts[part][sums->count / 2] * 1e-6;
}

static void print_table(struct sums sums[SIZE_COUNT])
{
	printf("\nMean milliseconds of %d pictures by each way, end to end at the client:\n\n"
	       "| resolution |    TCP | shared | render | copy | floor TCP | floor copy | speed-up "
	       "| TCP / floor | shared / floor |\n"
	       "|------------|-------:|-------:|-------:|-----:|----------:|-----------:|---------:"
	       "|------------:|---------------:|\n",
	       sums[0].count);
	for (int i = 0; i < SIZE_COUNT; i++) {
		struct sums *at = &sums[i];
		double ms = 1e-6 / at->count;
		double tcp_ratio = median_ms(at, TCP_PART) / median_ms(at, FLOOR_TCP_PART);
		double shared_ratio = median_ms(at, SHARED_PART) /
				      (1.25 * median_ms(at, FLOOR_COPY_PART) + 0.150);
		printf("| %4ux%-5u | %6.2f | %6.2f | %6.2f | %4.2f | %9.2f | %10.3f | %7.2fx | "
		       "%11.2f | %14.2f |\n",
		       sizes[i].width_px, sizes[i].height_px, at->tcp * ms, at->shared * ms,
		       (at->tcp_render + at->shared_render) / 2 * ms, at->read_back * ms,
		       at->floor_tcp * ms, at->floor_copy * ms, at->tcp / at->shared, tcp_ratio,
		       shared_ratio);
	}
	printf("\nrender: the server's render_ns, read-back included; copy: the read-back in it.\n"
	       "floor TCP: a bare loopback transfer of the same bytes; floor copy: a bare memcpy "
	       "of bytes\n"
	       "that another process has just written; both with caches as cold as after a "
	       "rendering.\n"
	       "The last two are of medians. TCP / floor: TCP less render, over a bare transfer.\n"
	       "shared / floor: shared less render, the copy into the client's own memory "
	       "included,\n"
	       "over 1.25 x a bare copy + 0.15 ms.\n");
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool measure_size(struct demo *demo, const struct size *size, struct sums *sums)
{
	ph_frame tcp, shared;
	static struct sums ignored;

	if (!set_size(demo, size))
		return false;
	for (int pose = 0; pose < WARM_UP_POSES; pose++)
		if (!measure_pose(demo, pose, size, &ignored, &tcp, &shared))
			return false;
	for (int pose = 1; pose <= demo->pose_count; pose++)
		if (!measure_pose(demo, pose, size, sums, &tcp, &shared))
			return false;
	return write_pair(demo, size, &tcp, &shared);
}

static bool run(struct demo *demo)
{
	static struct sums sums[SIZE_COUNT];

	if (!read_start(demo))
		return complain("the camera's pose");
	for (int i = 0; i < SIZE_COUNT; i++)
		if (!measure_size(demo, &sizes[i], &sums[i]))
			return false;
	if (!write_data_pictures(demo))
		return false;
	printf("\nevery frame was whole; TCP and shared memory gave the same bytes for all %d\n",
	       SIZE_COUNT * (WARM_UP_POSES + demo->pose_count));
	print_table(sums);
	return true;
}

/* Memory that is there before the first picture: no fault is measured. */
static unsigned char *touched(uint64_t length)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static bool make_folders(const char *path)
{
	char part[4096];

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return false;
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return mkdir(part, 0777) == 0 || errno == EEXIST;
}

static bool prepare(struct demo *demo)
{
	if (!make_folders(demo->folder)) {
		fprintf(stderr, "pinhole demo: cannot make %s: %s\n", demo->folder,
			strerror(errno));
		return false;
	}
	demo->tcp_copy = touched(LARGEST_BYTES);
	demo->shared_copy = touched(LARGEST_BYTES);
	demo->floor_copy = touched(LARGEST_BYTES);
	if (demo->tcp_copy && demo->shared_copy && demo->floor_copy &&
	    floor_open(&demo->floor, LARGEST_BYTES) == 0)
		return true;
	fprintf(stderr, "pinhole demo: cannot set up the floors: %s\n", strerror(errno));
	return false;
}

static bool run_beside_server(struct demo *demo)
{
	const char *arguments[] = {"--renderer", demo->renderer, NULL};
	struct child server;
	ph_reply reply;

	if (child_start(&server, arguments) != 0)
		return false;
	bool good = ph_client_connect(server.address, NULL, &demo->client) == PH_OK ||
		    complain(server.address);
	if (good && request(demo, "vget /scene/name", &reply))
		printf("a camera server with the scene %s at %s\n", reply.text, server.address);
	good = good && run(demo);
	ph_client_close(&demo->client);
	return child_stop(&server) == 0 && good;
}

static int read_arguments(int argc, char **argv, struct demo *demo)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"poses", required_argument, NULL, 'n'},
						{"renderer", required_argument, NULL, 'r'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};

	for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (option == 'o')
			demo->folder = optarg;
		else if (option == 'n')
			demo->pose_count = atoi(optarg);
		else if (option == 'r')
			demo->renderer = optarg;
		else
			return fputs(usage, option == 'h' ? stdout : stderr),
			       option == 'h' ? -1 : CLI_USAGE;
	}
	if (optind == argc && demo->pose_count >= 1 && demo->pose_count <= POSE_LIMIT)
		return 0;
	fputs(usage, stderr);
	return CLI_USAGE;
}

int cli_demo(int argc, char **argv)
{
	struct demo demo = {.folder = "out/demo",
			    .renderer = "auto",
			    .pose_count = DEFAULT_POSES,
			    .floor.fd = -1};
	int code = read_arguments(argc, argv, &demo);

	if (code != 0)
		return code < 0 ? 0 : code;
	bool good = prepare(&demo) && run_beside_server(&demo);
	floor_close(&demo.floor);
	return good ? 0 : CLI_FAILED;
}
