/* SPDX-License-Identifier: MIT */
/* Every order of the steps of a writer, its readers and its service thread, up to three forced
 * switches. All run as fibers of one thread and can be switched only at a crash point, so a
 * schedule is a list of small numbers and a failure repeats exactly. It explores orders, not weak
 * memory: that is for ThreadSanitizer and the models. */
#include "test.h"

#include <sys/mman.h>
#include <ucontext.h>

#include "base/point.h"
#include "channel/latest_core.h"

enum { FIBERS = 3, SWITCHES = 3, STEPS_MAX = 400, WORDS = 2, FRAMES = 7, STACK_BYTES = 64 * 1024 };

static ucontext_t scheduler, fibers[FIBERS];
static char stacks[FIBERS][STACK_BYTES];
static const char *at[FIBERS];
static bool done[FIBERS];
static int running;
static const char *fault;

/* What they share: a channel without processes. */
static struct latest_board board;
static struct latest_control *controls[2]; /* in pages of their own: use after unmap crashes */
static struct latest_roster_cell roster;
static struct latest_pool pool;
static unsigned char *payload;
static struct latest_geometry geometry;
static uint32_t reader_count;
static bool is_unmapped[2];

static void yield(const char *name)
{
	at[running] = name;
	swapcontext(&fibers[running], &scheduler);
}

static void check(bool good, const char *what)
{
	if (!good && !fault)
		fault = what;
}

static void write_frames(void)
{
	for (uint64_t sequence = 1; sequence <= FRAMES; sequence++) {
		uint64_t *words = ph__latest_pool_claim(&pool);
		for (int i = 0; i < WORDS; i++) {
			words[i] = sequence;
			yield("write");
		}
		const ph_frame frame = {.length_bytes = WORDS * sizeof(uint64_t)};
		ph__latest_pool_publish(&pool, &frame, NULL, 0);
	}
}

static struct latest_view view_of(int reader)
{
	return (struct latest_view){&board, controls[reader], payload, geometry};
}

/* Holds one frame while it takes the next, gives back the older first. */
static void read_frames(int reader)
{
	struct latest_view view = view_of(reader);
	uint64_t last = 0, word;
	ph_latest_frame frame[2] = {0};

	for (uint32_t turn = 0; turn < 3; turn++) {
		uint32_t hold =
		    (turn + 1 + (uint32_t)reader) % 2; /* each word is somebody's first */
		if (latest_sequence_of(atomic_load(&board.latest)) <= last) {
			yield("nothing new");
			continue;
		}
		check(ph__latest_pin(&view, hold, &word) == LATEST_PINNED, "pin");
		check(ph__latest_describe(&view, word, &frame[hold]) == PH_OK, "header");
		check(latest_sequence_of(word) > last, "order");
		last = latest_sequence_of(word);
		for (int k = 0; k < 2; k++)
			for (int i = 0; frame[k].frame.bytes && i < WORDS; i++) {
				const uint64_t *words = frame[k].frame.bytes;
				check(words[i] == frame[k].frame.sequence, "torn frame");
				yield("read");
			}
		if (frame[!hold].frame.bytes)
			ph__latest_unpin(view.control, !hold);
		frame[!hold].frame.bytes = NULL;
	}
}

static void read_first(void)
{
	read_frames(0);
}

static void read_second(void)
{
	read_frames(1);
}

/* Reader 0 is dead and holds what it held; it leaves, its page goes, reader 1 gets its share. */
static void serve(void)
{
	struct latest_roster *draft = ph__latest_roster_draft(&roster);

	draft->count = 0;
	yield("leave");
	ph__latest_roster_install(&roster, draft);
	munmap(controls[0], LATEST_PAGE_BYTES);
	is_unmapped[0] = true;
	yield("admit");
	draft = ph__latest_roster_draft(&roster);
	draft->readers[draft->count++] =
	    (struct latest_roster_entry){.control = controls[1], .held = 2};
	ph__latest_roster_install(&roster, draft);
	yield("admitted");
	read_frames(1);
}

struct scenario {
	const char *name;
	int fiber_count;
	void (*bodies[FIBERS])(void);
	uint32_t readers; /* in the roster from the start */
	bool dead;        /* reader 0 died with two frames in its hands */
};

static const struct scenario scenarios[] = {
	{"one reader", 2, {write_frames, read_first}, 1, false},
	{"two readers", 3, {write_frames, read_first, read_second}, 2, false},
	{"a dead reader and its successor", 2, {write_frames, serve}, 1, true},
};

static void *map_page(void)
{
	void *page = mmap(NULL, LATEST_PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(page != MAP_FAILED);
	return page;
}

static void set_up(const struct scenario *scenario)
{
	reader_count = scenario->readers;
	memset(&board, 0, sizeof(board));
	memset(&roster, 0, sizeof(roster));
	memset(&pool, 0, sizeof(pool));
	assert_int_equal(ph__latest_geometry_make(&geometry, WORDS * 8, 2 * reader_count, false),
			 PH_OK);
	geometry.epoch = 1;
	memset(payload, 0, ph__latest_payload_bytes(&geometry));
	ph__latest_roster_init(&roster);
	for (uint32_t i = 0; i < 2; i++) {
		if (!controls[i] || is_unmapped[i])
			controls[i] = map_page();
		is_unmapped[i] = false;
		memset(controls[i], 0, LATEST_PAGE_BYTES);
	}
	roster.room[0].count = reader_count;
	for (uint32_t i = 0; i < reader_count; i++)
		roster.room[0].readers[i] =
		    (struct latest_roster_entry){.control = controls[i], .held = 2};
	pool.board = &board;
	pool.roster = &roster;
	ph__latest_pool_use(&pool, &geometry, payload);
	for (uint32_t k = 0; scenario->dead && k < 2; k++)
		atomic_store(&controls[0]->hazard[k], latest_pack(1, k, k + 1));
}

static void enter(int index)
{
	const struct scenario *scenario = &scenarios[index >> 4];

	scenario->bodies[index & 15]();
	done[index & 15] = true;
	yield("end");
}

static bool all_done(int fiber_count)
{
	for (int i = 0; i < fiber_count; i++)
		if (!done[i])
			return false;
	return true;
}

static void run_next(int fiber_count, int hops)
{
	for (; hops > 0; hops--)
		running = (running + 1) % fiber_count;
	while (done[running])
		running = (running + 1) % fiber_count;
}

static void start_fiber(int i, int argument)
{
	done[i] = false;
	at[i] = "start";
	getcontext(&fibers[i]);
	fibers[i].uc_stack.ss_sp = stacks[i];
	fibers[i].uc_stack.ss_size = STACK_BYTES;
	makecontext(&fibers[i], (void (*)(void))enter, 1, argument);
}

/* Switch k falls before step switch_at[k] and goes hops[k] fibers on. Gives the step count. */
static int run(int index, const int switch_at[], const int hops[], int switches, bool print)
{
	const struct scenario *scenario = &scenarios[index];
	int step, k = 0;

	set_up(scenario);
	fault = NULL;
	for (int i = 0; i < scenario->fiber_count; i++)
		start_fiber(i, index << 4 | i);
	running = 0;
	ph__point_hook = yield;
	for (step = 0; !all_done(scenario->fiber_count) && !fault && step < STEPS_MAX; step++) {
		bool waits = strcmp(at[running], "roster:wait") == 0; /* alone, for ever */
		int hop = k < switches && switch_at[k] == step ? hops[k++] : waits;
		run_next(scenario->fiber_count, hop);
		if (print)
			fprintf(stderr, "  %3d  fiber %d from %s\n", step, running, at[running]);
		swapcontext(&scheduler, &fibers[running]);
	}
	ph__point_hook = NULL;
	return step;
}

static void report(int index, const int switch_at[], const int hops[])
{
	fprintf(stderr, "%s: %s at schedule %d,%d,%d\n", scenarios[index].name, fault, switch_at[0],
		switch_at[1], switch_at[2]);
	run(index, switch_at, hops, SWITCHES, true);
	fail_msg("%s", fault);
}

static void explore(int index)
{
	int steps = run(index, NULL, NULL, 0, false), s[SWITCHES], hops[SWITCHES];
	int choices = scenarios[index].fiber_count - 1, ways = choices * choices * choices;
	/* Three fibers have eight times as many schedules: each commit takes every third first
	 * step. */
	int stride = choices > 1 && !test_full() ? 3 : 1;
	long schedules = 0;

	assert_true(steps < STEPS_MAX);
	steps += steps / 4; /* switched, they take longer */
	for (s[0] = 0; s[0] < steps; s[0] += stride)
		for (s[1] = s[0] + 1; s[1] < steps; s[1]++)
			for (s[2] = s[1] + 1; s[2] < steps; s[2]++)
				for (int way = 0; way < ways; way++, schedules++) {
					for (int i = 0, rest = way; i < SWITCHES;
					     i++, rest /= choices)
						hops[i] = 1 + rest % choices;
					run(index, s, hops, SWITCHES, false);
					if (fault)
						report(index, s, hops);
				}
	fprintf(stderr, "  %s: %ld schedules of about %d steps\n", scenarios[index].name, schedules,
		steps);
}

static void make_payload(void)
{
	payload = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(payload != MAP_FAILED);
}

SLOW_TEST(no_order_shows_one_reader_a_torn_frame, 300)
{
	make_payload();
	explore(0);
}

SLOW_TEST(no_order_shows_two_readers_a_torn_frame, 600)
{
	make_payload();
	explore(1);
}

SLOW_TEST(no_order_lets_a_scan_touch_the_page_of_a_dead_reader_or_starve, 300)
{
	make_payload();
	explore(2);
}
