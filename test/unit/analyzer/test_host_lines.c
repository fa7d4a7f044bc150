/* SPDX-License-Identifier: MIT */
/*
 * What the host does while the GPU idles, told line by line: blocked or waiting for data, an
 * operator that launches nothing, code between two lines; and whose time that is.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* One of the lines: a wait of 5 ms at line 40, what it is for, and what follows it. */
struct blocked_case {
	const char *name;
	enum input_what what;
	enum input_medium medium;
	uint64_t bytes;
	uint64_t copied;      /* bytes that go to the device afterwards; 0: none */
	uint64_t copied_else; /* by another thread meanwhile */
	bool loader;          /* a loader is asked between the wait and the copy */
	bool data;
};

static void input(struct builder *builder, uint64_t us, const struct blocked_case *one)
{
	call(builder, us,
		(struct record){.kind = RECORD_INPUT,
			.call = 4,
			.place = 4,
			.b = one->bytes,
			.c = (uint32_t)(one->what | (unsigned)one->medium << 8)});
}

static const struct report *blocked(struct builder *builder, const struct blocked_case *one)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_sync(builder, 100, 3);
		if (one->copied_else > 0) {
			builder->now_ns += 4000 * US;
			builder->thread = 2;
			builder_copy(builder, 10, COPY_HOST_TO_DEVICE, one->copied_else,
				MEMORY_PINNED, 5);
			builder->thread = 1;
			builder->now_ns -= 4010 * US;
		}
		input(builder, 5000, one);
		uint64_t load = builder->now_ns;
		builder_pause(builder, 100);
		if (one->loader)
			builder_op(builder, load, NAME_LOADER, OP_USER_SCOPE);
		if (one->copied > 0)
			builder_copy(
				builder, 10, COPY_HOST_TO_DEVICE, one->copied, MEMORY_PINNED, 5);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(host_lines, a_wait_is_for_data_when_data_goes_to_the_device_then)
{
	static const struct blocked_case cases[] = {
		{"bytes of a socket that are copied", INPUT_READ, MEDIUM_SOCKET, 4096, 4096, 0,
			false, true},
		{"the length of a message", INPUT_READ, MEDIUM_PIPE, 4, 4096, 0, false, true},
		{"bytes that stay", INPUT_READ, MEDIUM_SOCKET, 4096, 0, 0, false, false},
		{"a number goes to the device", INPUT_READ, MEDIUM_SOCKET, 4096, 16, 0, false,
			false},
		{"a file", INPUT_READ, MEDIUM_FILE, 4096, 0, 0, false, true},
		{"a queue", INPUT_LOCK, MEDIUM_UNKNOWN, 0, 4096, 0, false, true},
		{"a lock", INPUT_LOCK, MEDIUM_UNKNOWN, 0, 0, 0, false, false},
		{"the lock of a file", INPUT_LOCK, MEDIUM_FILE, 0, 4096, 0, false, false},
		{"a queue of what another thread has copied", INPUT_LOCK, MEDIUM_UNKNOWN, 0, 0,
			4096, false, true},
		{"the loader feeds the device", INPUT_LOCK, MEDIUM_UNKNOWN, 0, 4096, 0, true,
			false},
		{"readiness", INPUT_POLL, MEDIUM_PIPE, 0, 4096, 0, false, true},
		{"a sleep", INPUT_SLEEP, MEDIUM_UNKNOWN, 0, 4096, 0, false, false},
		{"a child", INPUT_CHILD, MEDIUM_UNKNOWN, 0, 4096, 0, false, false},
		{"a full pipe", INPUT_WRITE, MEDIUM_PIPE, 4096, 4096, 0, false, false},
		{"storage", INPUT_FLUSH, MEDIUM_FILE, 0, 4096, 0, false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = blocked(&builder, &cases[i]);
		bool data = cases[i].data;
		const struct finding *stall = builder_finding(report, "host-blocked", 40);
		const struct finding *bound = builder_finding(report, "input-bound", 40);
		cr_expect(eq(int, stall != NULL, !data), "%s", cases[i].name);
		cr_expect(eq(int, bound != NULL, data), "%s", cases[i].name);
		uint64_t ns = report->swept[data ? CAUSE_IDLE_INPUT : CAUSE_IDLE_BLOCKED];
		cr_expect(ns / report->steps.steady >= 4900 * US, "%s", cases[i].name);
		const struct finding *finding = data ? bound : stall;
		cr_expect(finding != NULL && finding->gain_pct > 80, "%s", cases[i].name);
		builder_free(&builder);
	}
}

/* What goes to the device came from there: a sum over processes, on the host. */
Test(host_lines, what_another_thread_fetches_and_puts_back_is_no_data)
{
	static const struct blocked_case lock = {.what = INPUT_LOCK};
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 100, 3);
		builder.thread = 2;
		builder_copy(&builder, 10, COPY_DEVICE_TO_HOST, 4096, MEMORY_PINNED, 5);
		builder.now_ns += 4000 * US;
		builder_copy(&builder, 10, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, 5);
		builder.thread = 1;
		builder.now_ns -= 4020 * US;
		input(&builder, 5000, &lock);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(builder_finding(report, "input-bound", 40) == NULL);
	cr_expect(builder_finding(report, "host-blocked", 40) != NULL);
	builder_free(&builder);
}

/* The largest sum in the steady steps, not the longest wait nor the last one. */
Test(host_lines, the_line_that_waits_most_is_named)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 100, 3);
		call(&builder, step == 0 ? 900000 : 500,
			(struct record){.kind = RECORD_INPUT, .call = 4, .place = 6, .a = 3});
		call(&builder, 2000,
			(struct record){.kind = RECORD_INPUT, .call = 4, .place = 4, .a = 3});
		call(&builder, 300,
			(struct record){.kind = RECORD_INPUT, .call = 4, .place = 7, .a = 3});
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(builder_finding(report, "input-bound", 40) != NULL);
	cr_expect(eq(u64, report->swept[CAUSE_IDLE_INPUT] / report->steps.steady, 2800 * US));
	builder_free(&builder);
}

/* An operator of us that launches nothing, on a thread; 3 ms of code after it. */
static const struct report *worker(struct builder *builder, uint64_t us, uint32_t name)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_sync(builder, 100, 3);
		uint64_t op = builder->now_ns;
		builder_pause(builder, us);
		builder_add(builder, &(struct record){.kind = RECORD_OP,
					     .begin = op,
					     .end = builder->now_ns,
					     .place = 5,
					     .name = name});
		builder_pause(builder, 3000);
		builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 64, MEMORY_PINNED, 8);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(host_lines, an_operator_that_launches_nothing_and_the_code_after_it)
{
	struct builder builder;
	const struct report *report = worker(&builder, 2000, NAME_TO);
	const struct finding *operator= builder_finding(report, "host-operator", 50);
	const struct finding *code = builder_finding(report, "host-python", 50);
	cr_assert(operator!= NULL && code != NULL);
	cr_expect(eq(str, (char *)operator->op, "aten::to"));
	cr_expect(eq(u64, operator->host_ns, 2000 * US));
	cr_expect(operator->gain_pct> 30 && operator->gain_pct<45, "%f", operator->gain_pct);
	cr_expect(eq(u64, code->host_ns, 3000 * US));
	cr_expect(strstr(code->where, "train.py:50 to :80") != NULL, "%s", code->where);
	cr_assert(code->until_file != NULL && operator->until_file == NULL);
	cr_expect(eq(str, (char *)(uintptr_t)code->until_file, "/home/user/train.py"));
	cr_expect(eq(u64, code->until_line, 80));
	cr_expect(report->swept[CAUSE_IDLE_LAUNCH] / report->steps.steady <= 20 * US);
	builder_free(&builder);
	report = worker(&builder, 40, NAME_TO); /* a short one belongs to launching */
	cr_expect(builder_finding(report, "host-operator", 50) == NULL);
	builder_free(&builder);
	report = worker(&builder, 2000, NAME_VIEW); /* nothing that the GPU could do instead */
	cr_expect(builder_finding(report, "host-operator", 50) == NULL);
	cr_expect(ge(u64, report->swept[CAUSE_IDLE_HOST] / report->steps.steady, 4900 * US));
	builder_free(&builder);
}

/* Another thread waits for data and the GPU and launches now and then: all of that is its own. */
Test(host_lines, another_threads_time_is_not_the_trainers)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		for (unsigned i = 0; i < 3; i++) {
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder.thread = 2;
			builder_launch(&builder, 10, NAME_KERNEL_2, 6);
			builder_sync(&builder, 300, 7);
			call(&builder, 600,
				(struct record){.kind = RECORD_INPUT, .call = 4, .place = 9});
			builder.thread = 1;
		}
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->swept[CAUSE_IDLE_INPUT], 0));
	cr_expect(eq(u64, report->swept[SWEEP_WAITED_NS], 0));
	cr_expect(eq(u64, report->swept[SWEEP_PIECES + PIECE_WAIT], 0));
	cr_expect(builder_finding(report, "input-bound", 90) == NULL);
	const struct finding *sync = builder_finding(report, "sync-explicit", 70);
	cr_expect(sync == NULL || sync->severity == SEVERITY_INFO);
	builder_free(&builder);
}

/* The backward pass on a thread of its own is the trainer's; its waits for the GPU are too. */
Test(host_lines, the_backward_thread_takes_turns)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		uint64_t wait = builder.now_ns;
		builder.thread = 2;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t function = builder.now_ns;
			builder_launch(&builder, 100, NAME_KERNEL_2, 0);
			builder_op(&builder, function, NAME_BACKWARD, OP_FUNCTION);
		}
		builder.thread = 1;
		builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
					      .call = 4,
					      .place = 4,
					      .begin = wait,
					      .end = builder.now_ns,
					      .c = INPUT_LOCK});
		builder_sync(&builder, 20, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, report->swept[SWEEP_PIECES + PIECE_STALL], 0));
	cr_expect(eq(
		u64, report->swept[SWEEP_PIECES + PIECE_LAUNCH] / report->steps.steady / US, 410));
	cr_expect(builder_finding(report, "host-blocked", 40) == NULL);
	builder_free(&builder);
}

/* Most is launched there: that is the line's which waits for it. */
Test(host_lines, launches_of_the_backward_thread_are_of_the_line_that_waits)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		for (unsigned i = 0; i < 4; i++)
			builder_launch(&builder, 20, NAME_KERNEL, 1);
		uint64_t wait = builder.now_ns;
		builder.thread = 2;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t function = builder.now_ns;
			builder_launch(&builder, 100, NAME_KERNEL_2, PLACE_NATIVE);
			builder_op(&builder, function, NAME_BACKWARD, OP_FUNCTION);
		}
		builder.thread = 1;
		builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
					      .call = 4,
					      .place = 4,
					      .begin = wait,
					      .end = builder.now_ns,
					      .c = INPUT_LOCK});
		builder_sync(&builder, 20, 3);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *launches = builder_finding(report, "launch-bound", 40);
	cr_assert(launches != NULL);
	cr_expect(
		strstr(launches->evidence, "of that at train.py:40 83 %, train.py:10 17 %") != NULL,
		"%s", launches->evidence);
	builder_free(&builder);
}

/* A library reads from the GPU on the backward thread: the line that waits for it is named. */
Test(host_lines, reads_of_the_backward_thread_are_for_the_line_that_waits)
{
	struct builder builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		uint64_t wait = builder.now_ns;
		builder.thread = 2;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t function = builder.now_ns;
			builder_launch(&builder, 100, NAME_KERNEL_2, 0);
			builder_copy(
				&builder, 3, COPY_DEVICE_TO_HOST, 1, MEMORY_PINNED, PLACE_NATIVE);
			builder_sync(&builder, 300, PLACE_NATIVE);
			builder_op(&builder, function, NAME_BACKWARD, OP_FUNCTION);
		}
		builder.thread = 1;
		builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
					      .call = 4,
					      .place = 4,
					      .begin = wait,
					      .end = builder.now_ns,
					      .c = INPUT_LOCK});
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *read = builder_finding(report, "sync-scalar-read", 40);
	cr_assert(read != NULL);
	cr_expect(eq(str, (char *)read->where, "train.py:40"));
	cr_expect(strstr(read->advice, "backward pass that train.py:40 starts") != NULL);
	builder_free(&builder);
}

/* Of each step a wait for another thread, which waits for the GPU so many times meanwhile. */
struct long_wait {
	const char *name;
	unsigned waits;
	uint64_t each_us;
};

/* A wait is known once it is over: however much is known of others before, it is told in full. */
Test(host_lines, a_wait_is_told_however_long_it_is)
{
	static const struct long_wait cases[] = {
		{"a short run", 3, 1000},
		{"a run of more than some seconds", 3, 50000},
		{"one of more than some seconds", 3, 1000000},
		{"many waits of the other thread", 600, 50},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct long_wait *each = &cases[i];
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			uint64_t wait = builder.now_ns;
			builder.thread = 2;
			builder_launch(&builder, 10, NAME_KERNEL, 5);
			for (unsigned j = 0; j < each->waits; j++) {
				builder_pause(&builder, each->each_us);
				builder_sync(&builder, 5, 5);
			}
			builder.thread = 1;
			builder_add(&builder, &(struct record){.kind = RECORD_INPUT,
						      .call = 4,
						      .place = 4,
						      .begin = wait,
						      .end = builder.now_ns,
						      .c = INPUT_LOCK});
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		uint64_t blocked = report->swept[SWEEP_PIECES + PIECE_STALL];
		cr_expect(eq(u64, blocked / report->steps.steady / US, each->waits * each->each_us),
			"%s", each->name);
		builder_free(&builder);
	}
}
