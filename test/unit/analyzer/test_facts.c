/* SPDX-License-Identifier: MIT */
/* What records add up to. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/facts/facts.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

enum name {
	KERNEL = 1,
	ELEMENTS,
	STEP,
	ZERO,
	LOADER,
	PARAMETER,
	FILL,
	OTHER,
	SEARCH,
	FORWARD,
	REGION,
	COMPILED,
	COMPILED_BACKWARD,
	QUEUE_FILE,
	NAME_COUNT
};

static const char *const names[NAME_COUNT] = {
	[KERNEL] = "ampere_sgemm_128x64_nn",
	[ELEMENTS] = "_ZN2at6native29vectorized_elementwise_kernelILi4E",
	[STEP] = "Optimizer.step#SGD.step",
	[ZERO] = "Optimizer.zero_grad#SGD.zero_grad",
	[LOADER] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
	[PARAMETER] = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
	[FILL] = "aten::zeros",
	[OTHER] = "aten::add",
	[SEARCH] = "torch.distributed.ddp.reducer::search_unused_parameters",
	[FORWARD] = "DistributedDataParallel.forward",
	[REGION] = "Torch-Compiled Region: 0/0",
	[COMPILED] = "CompiledFunction",
	[COMPILED_BACKWARD] = "CompiledFunctionBackward",
	[QUEUE_FILE] = "/usr/lib/python3.11/multiprocessing/connection.py",
};

static const char *text_of(const void *context, uint32_t id)
{
	(void)context;
	return id < NAME_COUNT && names[id] != NULL ? names[id] : "";
}

static struct facts *facts;
static uint64_t now_ns;

static void begin(void)
{
	const struct lookup lookup = {.text = text_of};
	now_ns = 1000;
	facts = facts_new(&lookup);
	cr_assert(facts != NULL);
}

static void end(void)
{
	facts_free(facts);
}

TestSuite(facts, .init = begin, .fini = end);

static void host(struct record record, uint64_t ns)
{
	record.begin = now_ns;
	now_ns += ns;
	record.end = now_ns;
	cr_assert(eq(int, facts_host(facts, 1, &record, 1), 0));
}

static void launch(uint32_t name, uint32_t place)
{
	host((struct record){.kind = RECORD_LAUNCH, .name = name, .place = place}, 10);
}

static void op(uint32_t name, uint64_t begin_ns, enum op_scope scope)
{
	const struct record record = {.kind = RECORD_OP,
		.name = name,
		.begin = begin_ns,
		.end = now_ns,
		.place = 9,
		.c = (uint32_t)scope};
	cr_assert(eq(int, facts_host(facts, 1, &record, 1), 0));
}

static void kernel(uint32_t name, uint64_t stream, uint64_t begin_ns, uint64_t ns)
{
	const struct record record = {.kind = RECORD_DEVICE_KERNEL,
		.name = name,
		.stream = stream,
		.begin = begin_ns,
		.end = begin_ns + ns,
		.a = 27 | 1ull << 32 | 1ull << 48};
	cr_assert(eq(int, facts_device(facts, &record, 1), 0));
}

Test(facts, kernels_have_the_place_and_the_operator_of_most_of_their_launches)
{
	for (unsigned i = 0; i < 9; i++) {
		uint64_t from = now_ns;
		launch(KERNEL, i % 3 == 0 ? 7 : 8);
		op(i % 3 == 0 ? OTHER : FILL, from, OP_FUNCTION);
		op(PARAMETER, from, OP_FUNCTION); /* around it: the innermost counts */
	}
	const struct fact_name *found = &facts->names.items[KERNEL];
	cr_expect(eq(u64, found->launches, 9));
	cr_expect(eq(u32, fact_winner(&found->place, 9), 8));
	cr_expect(eq(u32, fact_winner(&found->op, 9), FILL));
	cr_expect(eq(u64, facts->parameters, 9));
	cr_expect(eq(u32, fact_winner(&(struct fact_vote){5, 1, 3}, 7), 0)); /* 3 of 7 */
}

Test(facts, times_of_kernels_and_chains_of_elements)
{
	const struct meta_DEVICE device = {.compute_major = 8, .multiprocessors = 108};
	facts_describe(facts, &device);
	kernel(ELEMENTS, 7, 0, 5000);
	kernel(ELEMENTS, 7, 5000, 5000); /* follows */
	kernel(KERNEL, 7, 10000, 20000);
	kernel(ELEMENTS, 7, 30000, 5000); /* after another one */
	kernel(ELEMENTS, 9, 32000, 4000); /* on its own stream, beside it for 3 us */
	cr_expect(eq(u64, facts->runs, 5));
	cr_expect(eq(u64, facts->short_runs, 4));
	cr_expect(eq(u64, facts->chained, 1));
	cr_expect(eq(u64, facts->chained_ns, 5000));
	cr_expect(eq(u64, facts->kernel_ns, 39000));
	cr_expect(eq(u64, facts->overlap_ns, 5 * 3000)); /* one of five stands for all */
	cr_expect(eq(uint, facts->stream_count, 2));
	cr_expect(eq(u64, facts->filled_ns, 4000 * 27));
	cr_expect(eq(u64, facts->shaped_ns, 4000 * 108));
}

/* Each part has the most that was held in it, also where nothing was asked for. */
Test(facts, memory_over_time)
{
	struct record block = {.kind = RECORD_ALLOC, .d = RECORD_CREATE};
	block.c = MEMORY_DEVICE;
	for (unsigned i = 0; i < 100; i++) {
		block.a = 1000;
		block.b = 0x1000 * (i / 2 + 1);
		block.d = i % 2 == 0 ? RECORD_CREATE : RECORD_DESTROY;
		if (i == 60) { /* stays, and nothing comes for a long time */
			block.a = 5000;
			now_ns += 40 * FACTS_PART_NS;
		}
		host(block, FACTS_PART_NS);
		if (i == 60)
			i++;
	}
	block.d = RECORD_CREATE;
	block.result = 2;
	host(block, 1);
	const struct fact_memory *memory = &facts->memory;
	cr_assert(eq(u64, memory->part_ns, 4 * FACTS_PART_NS));
	cr_assert(eq(u32, memory->count, 35));
	uint64_t asked = 0, most = 0;
	for (unsigned i = 0; i < memory->count; i++) {
		asked += memory->parts[i].asked;
		most = memory->parts[i].most > most ? memory->parts[i].most : most;
		/* 60 calls of 1 ms, nothing for 40 ms, then 5000 bytes that stay below them */
		uint64_t wanted = i < 15 ? 1000 : i < 25 ? 0 : 6000;
		cr_expect(eq(u64, memory->parts[i].most, wanted), "%u: %lu", i,
			(unsigned long)memory->parts[i].most);
	}
	cr_expect(eq(u64, asked, 50));
	cr_expect(eq(u64, most, 6000));
	cr_expect(eq(u64, facts->reserved_peak, 6000));
	cr_expect(eq(u64, memory->parts[memory->count - 1].refused, 1));
}

Test(facts, searches_for_parameters_without_a_gradient)
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t begin_ns = now_ns;
		launch(KERNEL, 5);
		host((struct record){.kind = RECORD_OP, .name = SEARCH}, 40);
		host((struct record){.kind = RECORD_OP, .name = OTHER}, 30);
		const struct record forward = {.kind = RECORD_OP,
			.name = FORWARD,
			.place = 7,
			.begin = begin_ns,
			.end = now_ns};
		cr_assert(eq(int, facts_host(facts, 1, &forward, 1), 0));
	}
	cr_expect(eq(u64, facts->searches, 3));
	cr_expect(eq(u64, facts->searches_ns, 120));
	cr_expect(eq(u64, facts->distributed_forwards, 3));
	cr_expect(eq(u32, fact_winner(&facts->distributed_place, 3), 7));
}

Test(facts, runs_of_what_was_compiled)
{
	host((struct record){.kind = RECORD_OP, .name = COMPILED_BACKWARD}, 10);
	cr_expect(eq(u64, facts->compiled, 0), "its forward pass was counted");
	host((struct record){.kind = RECORD_OP, .name = REGION}, 10);
	host((struct record){.kind = RECORD_OP, .name = COMPILED}, 10);
	cr_expect(eq(u64, facts->compiled, 2));
}

Test(facts, launches_of_optimisers_and_of_zero_grad)
{
	launch(KERNEL, 1);
	uint64_t from = now_ns;
	for (unsigned i = 0; i < 4; i++)
		launch(ELEMENTS, 2);
	op(STEP, from, OP_USER_SCOPE);
	from = now_ns;
	host((struct record){.kind = RECORD_SET}, 5);
	launch(ELEMENTS, 2);
	op(ZERO, from, OP_USER_SCOPE);
	cr_expect(eq(u64, facts->optimizers, 1));
	cr_expect(eq(u64, facts->optimizer_launches, 4));
	cr_expect(eq(u64, facts->zeroings, 1));
	cr_expect(eq(u64, facts->zeroing_launches, 2));
	cr_expect(eq(u32, facts->zeroing_place.value, 9));
}

Test(facts, parameters_whose_gradients_a_graph_makes)
{
	launch(ELEMENTS, 2);
	op(PARAMETER, now_ns, OP_FUNCTION);
	host((struct record){.kind = RECORD_LAUNCH, .name = ELEMENTS, .d = RECORD_CAPTURED}, 10);
	op(PARAMETER, now_ns, OP_FUNCTION);
	op(PARAMETER, now_ns, OP_FUNCTION);
	launch(ELEMENTS, 2);
	op(PARAMETER, now_ns, OP_FUNCTION);
	cr_expect(eq(u64, facts->parameters, 4));
	cr_expect(eq(u64, facts->captured, 2));
}

Test(facts, loads_are_sorted_and_bounded)
{
	const struct fact_load *loads;
	for (unsigned i = 0; i < FACTS_LOADS + 3; i++) {
		uint64_t from = now_ns;
		now_ns += FACTS_LOADS + 10 - i;
		op(LOADER, from, OP_USER_SCOPE);
	}
	cr_assert(eq(u64, facts_loads(facts, &loads), FACTS_LOADS));
	for (unsigned i = 1; i < FACTS_LOADS; i++)
		cr_assert(loads[i - 1].ns <= loads[i].ns);
}

static const struct meta_PLACE *in_queue(const void *context, uint32_t id)
{
	static const struct meta_PLACE place = {.language = "python", .file = QUEUE_FILE};
	(void)context;
	return id == 3 ? &place : NULL;
}

/* A load in which the thread waits before and inside, at the place. */
static void load_waiting(uint32_t place)
{
	host((struct record){.kind = RECORD_INPUT, .place = 3, .c = INPUT_POLL}, 50);
	uint64_t from = now_ns;
	host((struct record){.kind = RECORD_INPUT, .place = place, .c = INPUT_POLL}, 50);
	op(LOADER, from, OP_USER_SCOPE);
}

Test(facts, loads_of_the_first_thread_that_waited_in_a_queue_are_counted)
{
	facts->lookup.place = in_queue;
	facts_run(facts, &(struct meta_RUN){.pid = 1});
	for (unsigned i = 0; i < 5; i++)
		load_waiting(i < 2 ? 3 : 4);
	cr_expect(eq(u64, facts->main_loads, 5));
	cr_expect(eq(u64, facts->waited_loads, 2));
}

static void copy_in(enum memory_kind memory)
{
	host((struct record){.kind = RECORD_COPY,
		     .a = 4096,
		     .b = record_bits_direction(COPY_HOST_TO_DEVICE) |
			  record_bits_src_memory(memory)},
		10);
}

Test(facts, copies_of_what_was_just_filled)
{
	uint64_t from = now_ns;
	now_ns += 10;
	op(FILL, from, OP_FUNCTION);
	copy_in(MEMORY_PAGEABLE);
	cr_expect(eq(u64, facts->filled_copies.count, 1));
	copy_in(MEMORY_PAGEABLE); /* of something else */
	cr_expect(eq(u64, facts->filled_copies.count, 1));
	from = now_ns;
	launch(KERNEL, 1);
	op(FILL, from, OP_FUNCTION); /* filled on the device */
	copy_in(MEMORY_PAGEABLE);
	cr_expect(eq(u64, facts->filled_copies.count, 1));
	op(FILL, now_ns, OP_FUNCTION);
	op(OTHER, now_ns, OP_FUNCTION); /* worked on in between */
	copy_in(MEMORY_PAGEABLE);
	cr_expect(eq(u64, facts->filled_copies.count, 1));
}

static void alloc(uint64_t address, uint64_t bytes, uint32_t flags)
{
	struct record record = {.kind = RECORD_ALLOC, .a = bytes, .b = address, .d = flags};
	record_set_ALLOC_memory(&record, MEMORY_DEVICE);
	host(record, 10);
}

Test(facts, memory_that_was_asked_for)
{
	alloc(0x1000, 100, RECORD_CREATE);
	alloc(0x2000, 50, RECORD_CREATE);
	alloc(0x1000, 0, RECORD_DESTROY);
	alloc(0x1000, 70, RECORD_CREATE);
	alloc(0x9000, 0, RECORD_DESTROY); /* of which nobody knows */
	cr_expect(eq(u64, facts->reserved, 120));
	cr_expect(eq(u64, facts->reserved_peak, 150));
}

Test(facts, sets_that_hold_the_host_and_small_reads)
{
	struct record set = {.kind = RECORD_SET, .a = 64, .place = 5};
	record_set_SET_memory(&set, MEMORY_DEVICE);
	host(set, 10);
	cr_expect(eq(u64, facts->held_sets.count, 0));
	record_set_SET_memory(&set, MEMORY_PINNED);
	host(set, 10);
	cr_expect(eq(u64, facts->held_sets.count, 1));
	struct record input = {.kind = RECORD_INPUT, .b = 1000};
	record_set_INPUT_what(&input, INPUT_READ);
	record_set_INPUT_medium(&input, MEDIUM_PIPE);
	host(input, 10);
	cr_expect(eq(u64, facts->reads, 0));
	record_set_INPUT_medium(&input, MEDIUM_FILE);
	host(input, 10);
	input.b = 1 << 20;
	host(input, 10);
	cr_expect(eq(u64, facts->reads, 2));
	cr_expect(eq(u64, facts->small_reads, 1));
}

Test(facts, the_environment_may_ask_for_blocking_launches)
{
	struct meta_SETTING setting = {.name = "CUDA_LAUNCH_BLOCKING", .value = "0"};
	facts_setting(facts, &setting);
	cr_expect(not(facts->launch_blocking));
	setting.value = "1";
	facts_setting(facts, &setting);
	cr_expect(facts->launch_blocking);
}
