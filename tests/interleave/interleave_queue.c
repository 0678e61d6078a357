/* SPDX-License-Identifier: MIT */
/* Every interleaving of a writer and a reader with up to PREEMPTIONS forced switches. Both run as
 * fibers in this thread and may be switched only at a crash point, so a schedule is a list of small
 * numbers and a failure replays exactly. Explores order, not weak memory: that is for
 * ThreadSanitizer (test_queue_stress) and for the models in protocol/models. */
#include <ucontext.h>

#include "base/point.h"
#include "channel/queue.h"
#include "queue_pair.h"

enum { PREEMPTIONS = 3, STEP_LIMIT = 2000, RING_BYTES = 128, FRAMES = 7, CHANGE_AFTER = 3 };

/* Through a ring of 128: a marker, exactly full, the ring begun anew, and one that would fit if the
 * tail did not count. */
static const uint64_t sizes[FRAMES] = {24, 40, 24, 112, 60, 4, 74};

static ucontext_t scheduler, fiber[2];
static int running;
static bool done[2], is_waiting[2];
static char stacks[2][256 * 1024];
static const char *at[2];
static ph_queue_reader *reader;
static ph_queue_writer *writer;
static const char *wrong; /* what went wrong in this schedule */

static void pass_on(const char *name)
{
	at[running] = name;
	swapcontext(&fiber[running], &scheduler);
}

static void wait_here(const char *name)
{
	is_waiting[running] = true;
	pass_on(name);
}

static void run_writer(void)
{
	for (uint64_t i = 1; i <= FRAMES; i++) {
		void *bytes;
		while (ph_queue_claim(writer, sizes[i - 1], 0, &bytes) == PH_EAGAIN)
			wait_here("full");
		fill(bytes, i, sizes[i - 1] / 2);
		pass_on("half filled");
		fill(bytes, i, sizes[i - 1]);
		ph_queue_publish(writer, sizes[i - 1], NULL);
		if (i == CHANGE_AFTER) { /* another one goes on, while the reader looks */
			ph_queue_writer_close(&writer);
			writer = make_writer();
		}
	}
	ph_queue_writer_close(&writer);
	done[0] = true;
	pass_on("end");
}

static bool is_right(const ph_frame *frame, uint64_t sequence)
{
	return frame->sequence == sequence && frame->length_bytes == sizes[sequence - 1] &&
	       is_filled(frame->bytes, sequence, frame->length_bytes);
}

/* Holds frame 1 while it looks for frame 2, so that order and room of several are exercised. */
static void run_reader(void)
{
	ph_frame held = {0}, frame;
	uint64_t got = 0;

	for (;;) {
		ph_status status = ph_queue_acquire(reader, 0, &frame);
		if (status == PH_ECLOSED && (got == FRAMES || done[0]))
			break;
		if (status == PH_EAGAIN || status == PH_ECLOSED) {
			if (held.bytes && ph_queue_release(reader, &held) != PH_OK)
				wrong = "a held frame was lost";
			wait_here("empty");
			continue;
		}
		if (status != PH_OK) {
			wrong = ph_last_error();
			break;
		}
		got++;
		pass_on("look");
		if (got > FRAMES || !is_right(&frame, got))
			wrong = "a torn, lost or repeated frame";
		if (got == 1) {
			held = frame;
			continue;
		}
		if (held.bytes && !is_right(&held, 1))
			wrong = "a held frame was overwritten";
		ph_queue_release(reader, &frame);
		if (held.bytes)
			ph_queue_release(reader, &held);
	}
	if (got != FRAMES && !wrong)
		wrong = "the end was told before the last frame";
	done[1] = true;
	pass_on("end");
}

/* A pair of a new queue without the cost of making one. */
static void begin_queue(void)
{
	struct queue_header *header = reader->segment.header;

	while (ph__semaphore_try(&reader->segment.data) ||
	       ph__semaphore_try(&reader->segment.space))
		;
	atomic_store(&header->free_bytes, RING_BYTES);
	for (uint64_t offset = 0x30; offset < 0x58; offset += 8)
		memset((char *)header + offset, 0, 8);
	memset((char *)header + 0x60, 0, 0x18);
	atomic_store(&header->reader_mark, mark_make(0, 0));
	reader->position = reader->sequence = reader->held_bytes = 0;
	reader->first_held = reader->next_held = 0;
	reader->had_writer = false;
	reader->broken = PH_OK;
	ph__point_hook = NULL;
	writer = make_writer();
}

static void start_fiber(int which, void (*body)(void))
{
	done[which] = is_waiting[which] = false;
	at[which] = "start";
	getcontext(&fiber[which]);
	fiber[which].uc_stack.ss_sp = stacks[which];
	fiber[which].uc_stack.ss_size = sizeof(stacks[which]);
	makecontext(&fiber[which], body, 0);
}

/* Runs one schedule and returns how many steps it took. */
static int run(const int switch_at[], int switches, bool print)
{
	int step = 0, next = 0;

	begin_queue();
	wrong = NULL;
	start_fiber(0, run_writer);
	start_fiber(1, run_reader);
	ph__point_hook = pass_on;
	for (running = 0; !(done[0] && done[1]) && !wrong; step++) {
		if (next < switches && switch_at[next] == step) {
			running = !running;
			next++;
		}
		if (done[running] || is_waiting[running]) {
			is_waiting[running] = false;
			running = !running;
		}
		if (done[running])
			running = !running;
		if (print)
			fprintf(stderr, "  %3d %s from %s\n", step,
				running ? "        reader" : "writer", at[running]);
		if (step > STEP_LIMIT)
			wrong = "no end: both wait for each other";
		swapcontext(&scheduler, &fiber[running]);
	}
	ph__point_hook = NULL;
	if (!wrong && atomic_load(&reader->segment.header->free_bytes) != RING_BYTES)
		wrong = "room was lost";
	ph_queue_writer_close(&writer);
	return step;
}

SLOW_TEST(no_interleaving_tears_loses_or_overwrites_a_frame, 300)
{
	long schedules = 0;
	int at_step[PREEMPTIONS];

	reader = make_reader(0, RING_BYTES);
	int steps = run(NULL, 0, false);
	int stride = test_full() ? 1 : 5; /* the short form takes one in five third switches */
	assert_null(wrong);
	for (at_step[0] = 0; at_step[0] < steps; at_step[0]++)
		for (at_step[1] = at_step[0] + 1; at_step[1] <= steps; at_step[1]++)
			for (at_step[2] = at_step[1] + 1; at_step[2] <= steps + 1;
			     at_step[2] += stride, schedules++) {
				run(at_step, PREEMPTIONS, false);
				if (!wrong)
					continue;
				const char *what = wrong;
				run(at_step, PREEMPTIONS, true);
				fail_msg("%s, at schedule %d,%d,%d", what, at_step[0], at_step[1],
					 at_step[2]);
			}
	ph_queue_reader_close(&reader);
	printf("%ld schedules of about %d steps\n", schedules, steps);
}
