/* SPDX-License-Identifier: MIT */
#include "test/bench/tracegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/format/fields.h"
#include "collector/format/host_value.h"
#include "test/bench/tracegen_parts.h"

#define INPUTS        20u /* reads of a loader thread per step */
#define LOADER_BATCH  256u
#define API_LAUNCH    211u /* the interface's number of cudaLaunchKernel */
#define API_MARGIN_NS 100u
#define BURST_STEPS   4u  /* the first ones, with operators */
#define BURST_EVERY   16u /* later every so manieth */
#define BURST_COST    21u /* 1 + what operators cost, in parts of a thousand */

struct tracegen_options tracegen_defaults(uint64_t events)
{
	return (struct tracegen_options){
		.events = events,
		.seed = 1,
		.launches = 2000,
		.names = 1500,
		.places = 200,
		.threads = 1,
		.ids = 1,
	};
}

/* Ids: kernels from 1, then operators, then files, then functions of the script. */
static uint32_t op_name(const struct tracegen *tracegen, unsigned index)
{
	return 1 + tracegen->options.names + index;
}

static uint64_t stream_handle(unsigned stream)
{
	return stream == 0 ? 0 : 0x55d0c0de1000ull + 0x240ull * stream;
}

static void make_copy(struct tracegen *tracegen, struct launch *launch)
{
	static const uint64_t sizes[] = {4, 8, 64, 256, 4096, 16384, 65536, 1048576};
	uint64_t direction = 1 + noise_below(&tracegen->noise, 3),
		 bytes = sizes[noise_below(&tracegen->noise, 8)];
	uint64_t memory = direction == COPY_HOST_TO_DEVICE ? MEMORY_PINNED | MEMORY_DEVICE << 8
							   : MEMORY_DEVICE | MEMORY_PAGEABLE << 8;
	launch->host.kind = RECORD_COPY;
	launch->host.call = CALL_COPY;
	launch->host.a = launch->device.a = bytes;
	launch->host.b = launch->device.b = direction | memory << 8;
	launch->host.d = RECORD_ASYNC;
	launch->device.kind = RECORD_DEVICE_COPY;
	launch->mean_ns = 1500 + bytes / 12;
}

static void make_kernel(struct tracegen *tracegen, struct launch *launch)
{
	uint32_t grid = (uint32_t)((1 + noise_below(&tracegen->noise, 8))
				   << noise_below(&tracegen->noise, 12));
	uint16_t block = (uint16_t)(32u << noise_below(&tracegen->noise, 6));
	launch->host.kind = RECORD_LAUNCH;
	launch->host.call = CALL_LAUNCH;
	launch->host.name = launch->device.name =
		1 + noise_skewed(&tracegen->noise, tracegen->options.names);
	launch->host.a = launch->device.a = grid | 1ull << 32 | 1ull << 48;
	launch->host.b = launch->device.b = block | 1ull << 16 | 1ull << 32;
	launch->host.c = launch->device.c = (uint32_t)(noise_below(&tracegen->noise, 4) * 4096);
	launch->device.kind = RECORD_DEVICE_KERNEL;
	launch->device.result =
		(int32_t)(16 + 8 * noise_below(&tracegen->noise, 20)); /* registers */
	launch->mean_ns =
		(2000ull << noise_below(&tracegen->noise, 5)) + noise_below(&tracegen->noise, 2000);
}

static void make_launch(struct tracegen *tracegen, struct launch *launch, unsigned index)
{
	unsigned stream = noise_below(&tracegen->noise, 10) == 0
				  ? 1 + (unsigned)noise_below(&tracegen->noise, 2)
				  : 0;
	if (noise_below(&tracegen->noise, 20) == 0)
		make_copy(tracegen, launch);
	else
		make_kernel(tracegen, launch);
	launch->host.stream = stream_handle(stream);
	launch->device.stream = 7 + stream;
	launch->host.place = 1 + (uint32_t)noise_below(&tracegen->noise, tracegen->options.places);
	if (index % 3 == 0) {
		launch->op.kind = RECORD_OP;
		launch->op.name = op_name(tracegen, noise_skewed(&tracegen->noise, OP_NAMES));
		launch->op.place = launch->host.place;
		launch->op.c = OP_FUNCTION | OP_TORCH << 8;
	}
	if (index % 50 == 7) {
		launch->alloc.kind = RECORD_ALLOC;
		launch->alloc.call = CALL_MALLOC;
		launch->alloc.a = 512u << noise_below(&tracegen->noise, 16);
		launch->alloc.place = launch->host.place;
		launch->alloc.c = MEMORY_DEVICE;
		launch->alloc.d = RECORD_CREATE;
	}
}

static struct lane *loader_of(struct tracegen *tracegen)
{
	return &tracegen->lanes[tracegen->options.threads];
}

static struct lane *device_of(struct tracegen *tracegen)
{
	return &tracegen->lanes[tracegen->options.threads + 1];
}

/* Store a record in a lane, or lose it. */
static void store(struct tracegen *tracegen, struct lane *lane, const struct record *what,
	uint64_t begin_ns, uint64_t end_ns)
{
	if (lane != device_of(tracegen) &&
		noise_below(&tracegen->noise, 1000) < tracegen->options.loss_permille) {
		if (lane->lost++ == 0)
			lane->lost_first_ns = begin_ns;
		lane->lost_last_ns = end_ns;
		return;
	}
	struct record *record = &lane->records[lane->count++];
	*record = *what;
	record->begin = begin_ns;
	record->end = end_ns;
	tracegen->made++;
}

struct tracegen *tracegen_new(const struct tracegen_options *options)
{
	struct tracegen *tracegen = calloc(1, sizeof(*tracegen));
	if (tracegen == NULL)
		return NULL;
	tracegen->options = *options;
	tracegen->noise.state = options->seed * 0x9e3779b97f4a7c15ull;
	unsigned lanes = tracegen_thread_count(tracegen);
	tracegen->launches = calloc(options->launches + 1u, sizeof(*tracegen->launches));
	tracegen->lanes = calloc(lanes, sizeof(*tracegen->lanes));
	tracegen->handed = calloc(CODEC_BLOCK_LIMIT, sizeof(*tracegen->handed));
	if (tracegen->launches == NULL || tracegen->lanes == NULL || tracegen->handed == NULL) {
		tracegen_free(tracegen);
		return NULL;
	}
	for (unsigned i = 0; i < lanes; i++) {
		tracegen->lanes[i].batch = CODEC_BLOCK_LIMIT;
		tracegen->lanes[i].now_ns = START_NS + 1000 * i;
	}
	loader_of(tracegen)->batch = LOADER_BATCH;
	for (unsigned i = 0; i < options->launches; i++)
		make_launch(tracegen, &tracegen->launches[i], i);
	struct record active = {.kind = RECORD_SOURCE_STATE,
		.name = tracegen_name_count(tracegen),
		.c = SOURCE_ACTIVE};
	if (options->device)
		store(tracegen, device_of(tracegen), &active, START_NS, START_NS);
	tracegen->noise.bits = 0; /* what is fixed for good is not jitter */
	return tracegen;
}

void tracegen_free(struct tracegen *tracegen)
{
	if (tracegen == NULL)
		return;
	free(tracegen->launches);
	free(tracegen->lanes);
	free(tracegen->handed);
	free(tracegen);
}

/* The call as the device's interface reports it. */
static void report_call(struct tracegen *tracegen, uint64_t begin_ns, uint64_t end_ns)
{
	struct record record = {.kind = RECORD_DEVICE_API,
		.place = tracegen->correlation,
		.a = thread_tid(tracegen, tracegen->turn),
		.c = API_LAUNCH,
		.d = DEVICE_API_RUNTIME};
	if (tracegen->options.device)
		store(tracegen, device_of(tracegen), &record, begin_ns + API_MARGIN_NS,
			end_ns - API_MARGIN_NS);
}

static void run_on_device(struct tracegen *tracegen, const struct launch *launch, uint64_t now_ns)
{
	uint64_t *free_ns = &tracegen->device_free_ns[launch->device.stream % 8];
	uint64_t begin = now_ns + 1800 > *free_ns + 700 ? now_ns + 1800 : *free_ns + 700;
	begin += noise_exponential(&tracegen->noise, 100);
	struct record record = launch->device;
	record.place = tracegen->correlation;
	*free_ns = begin + noise_normal(&tracegen->noise, launch->mean_ns, launch->mean_ns / 50);
	store(tracegen, device_of(tracegen), &record, begin, *free_ns);
}

/* Wait until the device is idle. */
static void synchronise(struct tracegen *tracegen, struct lane *lane, uint32_t place)
{
	struct record record = {.kind = RECORD_SYNC, .call = CALL_SYNC, .b = SYNC_STREAM};
	record.place = place;
	uint64_t begin = lane->now_ns + noise_exponential(&tracegen->noise, 600), end = begin;
	for (unsigned i = 0; i < 8; i++)
		if (tracegen->device_free_ns[i] > end)
			end = tracegen->device_free_ns[i];
	lane->now_ns = end + 2000 + noise_exponential(&tracegen->noise, 350);
	tracegen->correlation += tracegen->options.ids;
	store(tracegen, lane, &record, begin, lane->now_ns);
}

static void load_inputs(struct tracegen *tracegen)
{
	struct lane *loader = loader_of(tracegen);
	struct record record = {.kind = RECORD_INPUT, .call = CALL_READ, .a = 5};
	for (unsigned i = 0; i < INPUTS; i++) {
		uint64_t begin = loader->now_ns + 20000 + noise_exponential(&tracegen->noise, 5000);
		loader->now_ns = begin + 30000 + noise_exponential(&tracegen->noise, 20000);
		record.b = 100000 + noise_below(&tracegen->noise, 50000);
		tracegen->noise.bits += 15.6;
		store(tracegen, loader, &record, begin, loader->now_ns);
	}
}

static void pass(struct tracegen *tracegen, struct lane *lane, const struct record *record)
{
	uint64_t begin = lane->now_ns + 10000;
	lane->now_ns = begin + 1000 + noise_exponential(&tracegen->noise, 30000);
	store(tracegen, lane, record, begin, lane->now_ns);
}

/* What holds the host: each way of being blocked in turn, Python's garbage and its lock. */
static void stop_host(struct tracegen *tracegen, struct lane *lane)
{
	uint64_t turn = noise_next(&tracegen->noise);
	struct record blocked = {.kind = RECORD_INPUT, .call = CALL_READ, .a = 7, .place = 1};
	blocked.b = noise_below(&tracegen->noise, 9000);
	blocked.c = record_bits_INPUT_what(turn % (INPUT_FLUSH + 1)) |
		    record_bits_INPUT_medium(turn / 16 % (MEDIUM_OTHER + 1));
	pass(tracegen, lane, &blocked);
	struct record garbage = {.kind = RECORD_COLLECTION, .place = 2};
	garbage.a = noise_below(&tracegen->noise, 1000);
	garbage.c = turn / 256 % 3;
	pass(tracegen, lane, &garbage);
	const struct record lock = {.kind = RECORD_GIL, .place = 3, .a = 2};
	pass(tracegen, lane, &lock);
}

/* What the recorder's own thread tells of the others. */
static void sample_host(struct tracegen *tracegen, struct lane *lane)
{
	uint64_t turn = noise_next(&tracegen->noise);
	struct record stack = {.kind = RECORD_STACK, .a = 1, .b = turn % 3, .d = turn / 4 % 4};
	stack.c = 1 + turn / 16 % STACKS;
	stack.place = (uint32_t)stack.c;
	store(tracegen, lane, &stack, lane->now_ns, lane->now_ns);
	struct record figure = {.kind = RECORD_THREAD_SAMPLE, .d = 1, .a = lane->now_ns / 2};
	figure.c = 1 + turn / 512 % THREAD_READ_BYTES;
	store(tracegen, lane, &figure, lane->now_ns, lane->now_ns);
	const struct record mark = {.kind = RECORD_MARK, .c = 1 + turn / 8192 % 2};
	pass(tracegen, lane, &mark);
}

/* Operators are recorded in the next step, or are not. */
static void turn_burst(struct tracegen *tracegen, struct lane *lane)
{
	unsigned step = ++tracegen->steps;
	bool bare = step >= BURST_STEPS && step % BURST_EVERY != 0;
	struct record burst = {.kind = RECORD_BURST};
	record_set_BURST_operators(&burst, !bare);
	record_set_BURST_cost(&burst, BURST_COST);
	if (bare != tracegen->bare)
		store(tracegen, lane, &burst, lane->now_ns, lane->now_ns);
	tracegen->bare = bare;
}

static void finish_step(struct tracegen *tracegen, struct lane *lane)
{
	lane->position = 0;
	synchronise(tracegen, lane, 1);
	lane->now_ns += 200000 + noise_exponential(&tracegen->noise, 20000);
	if (tracegen->options.host)
		stop_host(tracegen, lane);
	if (lane != tracegen->lanes)
		return;
	if (tracegen->options.budget)
		turn_burst(tracegen, lane);
	load_inputs(tracegen);
	if (tracegen->options.host)
		sample_host(tracegen, loader_of(tracegen));
}

/* One launch with what belongs to it. */
static void launch_one(struct tracegen *tracegen, struct lane *lane)
{
	const struct launch *launch = &tracegen->launches[lane->position++];
	uint64_t op_begin = lane->now_ns += noise_exponential(&tracegen->noise, 600);
	if (launch->op.kind != 0)
		lane->now_ns += 900 + noise_exponential(&tracegen->noise, 600);
	if (launch->alloc.kind != 0) {
		uint64_t begin = lane->now_ns;
		struct record alloc = launch->alloc;
		alloc.b = 0x7f1200000000ull + (noise_below(&tracegen->noise, 64) << 21);
		tracegen->noise.bits += 6;
		lane->now_ns += 1200 + noise_exponential(&tracegen->noise, 350);
		store(tracegen, lane, &alloc, begin, lane->now_ns);
		tracegen->correlation += tracegen->options.ids;
	}
	uint64_t begin = lane->now_ns + 200;
	lane->now_ns = begin + 1800 + noise_exponential(&tracegen->noise, 350);
	tracegen->correlation += tracegen->options.ids;
	store(tracegen, lane, &launch->host, begin, lane->now_ns);
	report_call(tracegen, begin, lane->now_ns);
	run_on_device(tracegen, launch, lane->now_ns);
	if (launch->op.kind != 0) {
		lane->now_ns += 300 + noise_exponential(&tracegen->noise, 150);
		if (!tracegen->bare)
			store(tracegen, lane, &launch->op, op_begin, lane->now_ns);
	}
	unsigned every = tracegen->options.sync_every;
	if (every > 0 && lane->position % every == 0)
		synchronise(tracegen, lane, launch->host.place);
	if (lane->position >= tracegen->options.launches)
		finish_step(tracegen, lane);
}

static void count_block(struct tracegen *tracegen, const struct tracegen_block *block)
{
	struct tracegen_totals *totals = &tracegen->totals;
	for (unsigned i = 0; i < block->count; i++) {
		const struct record *record = &block->records[i];
		totals->events[record->kind]++;
		totals->duration_ns[record->kind] += record->end - record->begin;
		if (record->kind == RECORD_COPY || record->kind == RECORD_DEVICE_COPY)
			totals->bytes[record->kind] += record->a;
	}
	totals->lost += block->lost;
}

/* Take up to a batch out of a lane. */
static void hand_over(struct tracegen *tracegen, unsigned index, struct tracegen_block *ret_block)
{
	struct lane *lane = &tracegen->lanes[index];
	unsigned count = lane->count < lane->batch ? lane->count : lane->batch;
	memcpy(tracegen->handed, lane->records, count * sizeof(lane->records[0]));
	*ret_block = (struct tracegen_block){
		.thread = 1 + index,
		.first_sequence = lane->sequence,
		.records = tracegen->handed,
		.count = count,
		.lost = lane->lost,
		.lost_first_ns = lane->lost_first_ns,
		.lost_last_ns = lane->lost_last_ns,
	};
	lane->sequence += count;
	lane->count -= count;
	memmove(lane->records, lane->records + count, lane->count * sizeof(lane->records[0]));
	lane->lost = 0;
	count_block(tracegen, ret_block);
}

/* The lane of the three that a launch may have filled, or NULL. */
static struct lane *find_full(struct tracegen *tracegen)
{
	struct lane *lanes[] = {
		&tracegen->lanes[tracegen->turn], loader_of(tracegen), device_of(tracegen)};
	for (unsigned i = 0; i < 3; i++)
		if (lanes[i]->count >= lanes[i]->batch)
			return lanes[i];
	return NULL;
}

bool tracegen_next(struct tracegen *tracegen, struct tracegen_block *ret_block)
{
	while (tracegen->made < tracegen->options.events && tracegen->flushing == 0) {
		struct lane *full = find_full(tracegen);
		if (full != NULL) {
			hand_over(tracegen, (unsigned)(full - tracegen->lanes), ret_block);
			return true;
		}
		tracegen->turn = (tracegen->turn + 1) % tracegen->options.threads;
		launch_one(tracegen, &tracegen->lanes[tracegen->turn]);
	}
	for (; tracegen->flushing < tracegen_thread_count(tracegen); tracegen->flushing++) {
		struct lane *lane = &tracegen->lanes[tracegen->flushing];
		if (lane->count == 0 && lane->lost == 0)
			continue;
		hand_over(tracegen, tracegen->flushing, ret_block);
		return true;
	}
	return false;
}

const struct tracegen_totals *tracegen_totals(struct tracegen *tracegen)
{
	tracegen->totals.noise_bits = tracegen->noise.bits;
	return &tracegen->totals;
}
