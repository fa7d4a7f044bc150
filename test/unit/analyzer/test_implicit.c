/* SPDX-License-Identifier: MIT */
/*
 * Waits in calls that are for something else, and waits by asking again and again: what they cost
 * and whose line that is. Steps of 1 ms: a launch of work that keeps the device busy until 500 us
 * after the step's begin, the call at 110 us, then host code.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/device_builder.h"

#define PLACE_CALL 5u
#define LINE_CALL  50u

static struct device_notes notes;

static struct record release_of(uint64_t address, uint32_t flags)
{
	return (struct record){.kind = RECORD_ALLOC,
		.call = 5,
		.place = PLACE_CALL,
		.a = 1 << 20,
		.b = address,
		.d = RECORD_DESTROY | flags};
}

static struct record allocation(void)
{
	return (struct record){.kind = RECORD_ALLOC,
		.call = 5,
		.place = PLACE_CALL,
		.a = 1 << 20,
		.b = 0x1000,
		.d = RECORD_CREATE};
}

/* One step; the device says what it did, or not. */
static void step(struct builder *builder, const struct record *record, uint64_t us, bool measured)
{
	uint64_t begin = builder->now_ns;
	builder_launch(builder, 10, NAME_KERNEL, 1);
	if (measured) {
		device_call(&notes, builder, 10);
		device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0, 490);
	}
	builder_pause(builder, 100);
	call(builder, us, *record);
	builder_pause(builder, 1000 - 110 - us);
	device_step(builder, begin);
	if (measured)
		device_flush(&notes, builder);
}

static struct builder loop(const struct record *record, uint64_t us, bool measured)
{
	struct builder builder = measured ? device_begin(&notes) : builder_new();
	for (unsigned i = 0; i < DEVICE_STEPS; i++)
		step(&builder, record, us, measured);
	return builder;
}

static uint64_t us_of(const struct report *report, unsigned value)
{
	return report->swept[value] / report->steps.steady / US;
}

static bool about(uint64_t us, uint64_t expected)
{
	return us + 15 >= expected && us <= expected + 15;
}

/* Held until 500 us: 390 of the 500 us that the device then idles for are lost lead. */
Test(implicit, memory_is_released_when_the_device_is_done)
{
	static const bool measured[] = {false, true};
	const struct record record = release_of(0x1000, 0);
	for (unsigned i = 0; i < 2; i++) {
		struct builder builder = loop(&record, 390, measured[i]);
		const struct report *report = builder_finish(&builder);
		uint64_t lost = measured[i] ? 390 : 390 - 2 * 50;
		cr_expect(about(us_of(report, CAUSE_IDLE_SYNC), lost), "%lu",
			(unsigned long)us_of(report, CAUSE_IDLE_SYNC));
		cr_expect(about(us_of(report, CAUSE_IDLE_HOST), 500 - lost));
		cr_expect(about(us_of(report, SWEEP_WAITED_NS), lost));
		const struct finding *churn = builder_finding(report, "alloc-churn", LINE_CALL);
		cr_assert(churn != NULL);
		cr_expect(eq(u64, churn->host_ns, 390 * US));
		cr_expect(about(churn->exposed_ns / US, lost));
		cr_expect(churn->gain_pct > (double)lost / 10 - 3 &&
				  churn->gain_pct < (double)lost / 10 + 12,
			"%f", churn->gain_pct);
		builder_free(&builder);
	}
}

/* Nothing runs any more, nothing is released, or it is an asynchronous form: all is the host's. */
Test(implicit, what_has_not_waited_costs_its_own_time)
{
	const struct record calls[] = {
		release_of(0, 0), release_of(0x1000, RECORD_ASYNC), allocation()};
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct builder builder = loop(&calls[i], 100, true);
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(u64, us_of(report, CAUSE_IDLE_SYNC), 0), "%u", i);
		cr_expect(eq(u64, us_of(report, SWEEP_WAITED_NS), 0), "%u", i);
		cr_expect(eq(u64, us_of(report, SWEEP_PIECES + PIECE_ALLOC), 100), "%u", i);
		builder_free(&builder);
	}
}

/* Only the device tells that an allocation has waited: it was done before the call returned. */
Test(implicit, an_allocation_waits_when_the_device_says_so)
{
	static const struct {
		bool measured;
		uint64_t waited_us, alloc_us;
	} cases[] = {{true, 390, 110}, {false, 0, 500}};
	const struct record record = allocation();
	for (unsigned i = 0; i < 2; i++) {
		struct builder builder = loop(&record, 500, cases[i].measured);
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(u64, us_of(report, SWEEP_WAITED_NS), cases[i].waited_us));
		cr_expect(eq(u64, us_of(report, SWEEP_PIECES + PIECE_ALLOC), cases[i].alloc_us));
		cr_expect(builder_finding(report, "alloc-churn", LINE_CALL) != NULL);
		builder_free(&builder);
	}
}

/* What was asked for goes on behind an allocation, however long that took. */
Test(implicit, an_allocation_ends_nothing_by_itself)
{
	struct builder builder = device_begin(&notes);
	const struct record record = allocation();
	for (unsigned i = 0; i < MODEL_PREFIX; i++)
		builder_sync(&builder, 1, 3); /* the model has learned enough to begin */
	builder_launch(&builder, 10, NAME_KERNEL, 1);
	call(&builder, 500, record);
	cr_expect(eq(u32, device_open(builder.model->device), 1));
	builder_free(&builder);
}

/* A release takes long where the device had nothing left to do: that is no wait. */
Test(implicit, a_release_after_a_wait_is_only_slow)
{
	struct builder builder = builder_new();
	const struct record record = release_of(0x1000, 0);
	for (unsigned i = 0; i < DEVICE_STEPS; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_sync(&builder, 400, 3);
		call(&builder, 300, record);
		builder_pause(&builder, 290);
		device_step(&builder, begin);
	}
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, us_of(report, SWEEP_PIECES + PIECE_ALLOC), 300));
	cr_expect(eq(u64, us_of(report, SWEEP_PIECES + PIECE_WAIT), 400));
	cr_expect(eq(u64, us_of(report, CAUSE_IDLE_ALLOC), 300));
	builder_free(&builder);
}

Test(implicit, allocations_that_were_refused_are_told)
{
	struct record record = allocation();
	record.result = 2;
	struct builder builder = loop(&record, 100, true);
	const struct report *report = builder_finish(&builder);
	const struct finding *churn = builder_finding(report, "alloc-churn", LINE_CALL);
	cr_assert(churn != NULL);
	cr_expect(strstr(churn->evidence, "1.0 calls per step found no memory") != NULL, "%s",
		churn->evidence);
	builder_free(&builder);
}

static struct record setup(unsigned id)
{
	return (struct record){.kind = RECORD_CALL, .call = (uint16_t)id, .place = PLACE_CALL};
}

/*
 * Code that goes has been waited for, whoever says so; of code that comes the device tells alone,
 * and what did not wait is the host's own time.
 */
Test(implicit, code_is_loaded_and_unloaded)
{
	static const struct {
		unsigned id;
		bool measured;
		uint64_t us, waited_us, setup_us;
	} cases[] = {{CALL_UNLOAD, true, 390, 390, 0}, {CALL_UNLOAD, false, 390, 390 - 100, 100},
		{CALL_PEER, true, 400, 390, 10}, {CALL_LOAD, true, 400, 390, 10},
		{CALL_LOAD, false, 400, 0, 400}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct record record = setup(cases[i].id);
		struct builder builder = loop(&record, cases[i].us, cases[i].measured);
		const struct report *report = builder_finish(&builder);
		cr_expect(about(us_of(report, SWEEP_WAITED_NS), cases[i].waited_us), "%u: %lu", i,
			(unsigned long)us_of(report, SWEEP_WAITED_NS));
		cr_expect(about(us_of(report, SWEEP_PIECES + PIECE_SETUP), cases[i].setup_us),
			"%u: %lu", i, (unsigned long)us_of(report, SWEEP_PIECES + PIECE_SETUP));
		cr_expect(about(us_of(report, CAUSE_IDLE_SYNC), cases[i].waited_us), "%u", i);
		cr_expect(eq(u64, us_of(report, CAUSE_IDLE_ALLOC), 0));
		cr_expect(builder_finding(report, "alloc-churn", LINE_CALL) == NULL, "%u", i);
		const struct finding *found = builder_finding(report, "setup-repeated", LINE_CALL);
		cr_assert(found != NULL, "%u", i);
		cr_expect(found->host_ns == cases[i].us * US, "%u", i);
		builder_free(&builder);
	}
}

static bool doubts_maybe(const struct report *report)
{
	for (unsigned i = 0; i < report->verdict.doubt_count; i++)
		if (report->verdict.doubts[i].id == DOUBT_MAYBE)
			return report->verdict.confidence == CONFIDENCE_LOW;
	return false;
}

/* As above, and then the host reads what has been there for long. */
static bool is_doubted(const struct record *record, bool measured)
{
	struct builder builder = measured ? device_begin(&notes) : builder_new();
	for (unsigned i = 0; i < DEVICE_STEPS; i++) {
		if (!measured)
			builder_launch(&builder, 10, NAME_KERNEL_2, 1);
		step(&builder, record, 500, measured);
		builder_sync(&builder, 2, 3);
	}
	bool doubted = doubts_maybe(builder_finish(&builder));
	builder_free(&builder);
	return doubted;
}

/* Nobody tells whether they waited: the host's time in them may be the device's. */
Test(implicit, calls_that_may_have_waited_are_a_doubt)
{
	const struct record calls[] = {allocation(), setup(CALL_LOAD)};
	for (unsigned i = 0; i < 2; i++) {
		cr_expect(is_doubted(&calls[i], false), "%u", i);
		cr_expect(not(is_doubted(&calls[i], true)), "%u: the device tells", i);
	}
	const struct record unload = setup(CALL_UNLOAD);
	cr_expect(not(is_doubted(&unload, false)), "it is known to have waited");
}

/* Failed, nothing was unloaded; and once before the steps is not over and over. */
Test(implicit, what_is_set_up_once_is_no_finding)
{
	struct record record = setup(CALL_UNLOAD);
	struct builder builder = device_begin(&notes);
	builder_launch(&builder, 10, NAME_KERNEL, 1);
	call(&builder, 5000, record);
	record.result = 1;
	for (unsigned i = 0; i < DEVICE_STEPS; i++)
		step(&builder, &record, 5, true);
	const struct report *report = builder_finish(&builder);
	cr_expect(eq(u64, us_of(report, SWEEP_WAITED_NS), 0));
	cr_expect(builder_finding(report, "setup-repeated", LINE_CALL) == NULL);
	builder_free(&builder);
}

/* Every 50 us, eight times, a question; the device is done before the last. */
static void ask(struct builder *builder, unsigned no, bool launches)
{
	struct record question = {.kind = RECORD_STREAM,
		.call = 7,
		.place = PLACE_CALL,
		.d = RECORD_QUERY | RECORD_NOT_READY};
	for (unsigned i = 0; i < no; i++) {
		call(builder, 2, question);
		builder_pause(builder, 48);
		if (launches) {
			builder_launch(builder, 1, NAME_KERNEL_2, 2);
			device_call(&notes, builder, 1);
			device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL_2, 0, 1);
		}
	}
	question.d = RECORD_QUERY;
	call(builder, 2, question);
}

Test(implicit, asking_until_the_device_is_done_is_a_wait)
{
	static const struct {
		const char *name;
		unsigned no;
		bool launches, waits;
	} cases[] = {
		{"eight times", 8, false, true},
		{"twice", 2, false, true},
		{"once: what it does with the answer is its own matter", 1, false, false},
		{"between launches: the host goes on", 8, true, false},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = device_begin(&notes);
		for (unsigned at = 0; at < DEVICE_STEPS; at++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			device_call(&notes, &builder, 10);
			device_work(&notes, &builder, RECORD_DEVICE_KERNEL, NAME_KERNEL, 0,
				50 * cases[i].no - 10);
			ask(&builder, cases[i].no, cases[i].launches);
			builder_pause(&builder, 400);
			device_step(&builder, begin);
			device_flush(&notes, &builder);
		}
		const struct report *report = builder_finish(&builder);
		const struct finding *polling = builder_finding(report, "sync-polling", LINE_CALL);
		cr_expect(eq(int, polling != NULL, cases[i].waits), "%s", cases[i].name);
		cr_expect(eq(int, us_of(report, SWEEP_WAITED_NS) > 0, cases[i].waits), "%s",
			cases[i].name);
		cr_expect(builder_finding(report, "sync-explicit", LINE_CALL) == NULL);
		builder_free(&builder);
	}
}
