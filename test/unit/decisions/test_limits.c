/* SPDX-License-Identifier: MIT */
/*
 * The limits of the verdict, one case for each side of each. Shares are in tenths of a percent of
 * the steps, as the account has them.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/report/report.h"

struct limit_case {
	const char *name;
	double busy, low, high;         /* percent; low 0 and high 0: measured, all the same */
	double reader;                  /* percent */
	unsigned compute, comm, copy;   /* tenths */
	unsigned input, sync, host;     /* tenths of idle time */
	double measured, measured_busy; /* percent; of a run that was not measured as a whole */
	double behind;                  /* percent */
	uint64_t kept_up, waits, blocked, launches;
	enum health_status health;
	enum verdict_class class;
	const char *cause;
	enum confidence confidence;
};

static void decide(const struct limit_case *one, struct report *report)
{
	static struct model model;
	static struct thresholds thresholds;
	bool measured = one->low == 0 && one->high == 0;
	thresholds_init(&thresholds);
	memset(&model, 0, sizeof(model));
	memset(report, 0, sizeof(*report));
	model.kept_up = one->kept_up;
	model.waits = one->waits;
	model.blocked = one->blocked;
	report->model = &model;
	report->thresholds = &thresholds;
	report->busy_pct = one->busy;
	report->busy_low_pct = measured ? one->busy : one->low;
	report->busy_high_pct = measured ? one->busy : one->high;
	report->busy_measured = measured;
	report->measured_pct = measured ? 100 : one->measured;
	report->measured_busy_pct = measured ? one->busy : one->measured_busy;
	report->reader_pct = one->reader;
	report->behind_pct = one->behind;
	report->counted[MODEL_LAUNCHES] = one->launches;
	const unsigned tenths[CAUSE_COUNT] = {
		[CAUSE_DEVICE_COMPUTE] = one->compute,
		[CAUSE_DEVICE_COMM] = one->comm,
		[CAUSE_DEVICE_COPY] = one->copy,
		[CAUSE_IDLE_INPUT] = one->input,
		[CAUSE_IDLE_SYNC] = one->sync,
		[CAUSE_IDLE_HOST] = one->host,
	};
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		report->account[cause].tenths = tenths[cause];
		report->swept[cause] = tenths[cause] * 1000ull;
	}
	report->health.status = one->health;
	report->steps = (struct steps_summary){.steady = 50, .mean_ns = 1000, .median_ns = 1000};
	report->steps_confidence = CONFIDENCE_HIGH;
	verdict_decide(report);
}

static void check(const struct limit_case *cases, size_t count)
{
	static struct report report;
	for (size_t i = 0; i < count; i++) {
		const struct limit_case *one = &cases[i];
		decide(one, &report);
		const struct verdict *verdict = &report.verdict;
		cr_expect(eq(int, verdict->class, one->class), "%s: %s", one->name, verdict->text);
		cr_expect(eq(int, verdict->confidence, one->confidence), "%s: %s", one->name,
			confidence_names[verdict->confidence]);
		if (one->cause == NULL)
			cr_expect(verdict->cause == NULL, "%s", one->name);
		else
			cr_expect(verdict->cause != NULL && strcmp(verdict->cause, one->cause) == 0,
				"%s: %s", one->name, verdict->cause);
		cr_expect(verdict->text[0] != '\0', "%s", one->name);
	}
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))
#define HIGH         CONFIDENCE_HIGH
#define MEDIUM       CONFIDENCE_MEDIUM
#define LOW          CONFIDENCE_LOW

/* clang-format off */
Test(limits, busy_below_80_is_cpu_above_90_is_gpu)
{
	static const struct limit_case cases[] = {
		{.name = "79", .busy = 79, .compute = 790, .sync = 210,
			.class = VERDICT_CPU, .cause = "idle_sync", .confidence = MEDIUM},
		{.name = "79.9", .busy = 79.9, .compute = 799, .host = 201,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "80", .busy = 80, .compute = 800, .sync = 200,
			.class = VERDICT_MIXED, .cause = "idle_sync", .confidence = MEDIUM},
		{.name = "85", .busy = 85, .compute = 850, .sync = 150,
			.class = VERDICT_MIXED, .cause = "idle_sync", .confidence = MEDIUM},
		{.name = "90", .busy = 90, .compute = 900, .host = 100,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "90.1", .busy = 90.1, .compute = 901, .host = 99,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "91", .busy = 91, .compute = 910, .sync = 90,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "3 below", .busy = 77, .compute = 770, .sync = 230,
			.class = VERDICT_CPU, .cause = "idle_sync", .confidence = HIGH},
		{.name = "3 above", .busy = 93, .compute = 930, .sync = 70,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = HIGH},
		{.name = "the largest idle time is the cause", .busy = 40, .compute = 400,
			.input = 30, .sync = 250, .host = 320,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = HIGH},
	};
	CHECK(cases);
}

/* What a wait for data costs decides, not how long it takes. */
Test(limits, idle_for_data_above_5_is_io_from_20_on_clearly)
{
	static const struct limit_case cases[] = {
		{.name = "4.9", .busy = 85, .reader = 30, .compute = 850, .input = 49, .host = 101,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "5", .busy = 85, .reader = 30, .compute = 850, .input = 50, .host = 100,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "5.1", .busy = 85, .reader = 6, .compute = 850, .input = 51, .host = 99,
			.class = VERDICT_IO, .cause = "idle_input", .confidence = MEDIUM},
		{.name = "19.9", .busy = 60, .reader = 30, .compute = 600, .input = 199,
			.host = 101, .sync = 100,
			.class = VERDICT_IO, .cause = "idle_input", .confidence = MEDIUM},
		{.name = "20", .busy = 60, .reader = 20, .compute = 600, .input = 200,
			.host = 100, .sync = 100,
			.class = VERDICT_IO, .cause = "idle_input", .confidence = HIGH},
		{.name = "another cause twice as large", .busy = 40, .reader = 15,
			.compute = 400, .input = 150, .sync = 300, .host = 150,
			.class = VERDICT_IO, .cause = "idle_input", .confidence = MEDIUM},
		{.name = "another cause more than twice as large", .busy = 40, .reader = 15,
			.compute = 400, .input = 149, .sync = 301, .host = 150,
			.class = VERDICT_CPU, .cause = "idle_sync", .confidence = HIGH},
		{.name = "clear io is never outweighed", .busy = 39, .reader = 20,
			.compute = 390, .input = 200, .sync = 410,
			.class = VERDICT_IO, .cause = "idle_input", .confidence = HIGH},
	};
	CHECK(cases);
}

/* A slow loader behind a device that is busy all the time costs nothing yet. */
Test(limits, a_loader_for_which_the_device_hardly_idles_is_hidden)
{
	static const struct limit_case cases[] = {
		{.name = "hidden", .busy = 93, .reader = 30, .compute = 930, .input = 39,
			.host = 31,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = HIGH},
		{.name = "nearly not", .busy = 93, .reader = 30, .compute = 930, .input = 41,
			.host = 29,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "the device is not busy, but not for that", .busy = 60, .reader = 30,
			.compute = 600, .input = 39, .host = 361,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = HIGH},
	};
	CHECK(cases);
}

Test(limits, what_the_device_is_busy_with)
{
	static const struct limit_case cases[] = {
		{.name = "copy 10", .busy = 95, .compute = 850, .copy = 100, .host = 50,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = HIGH},
		{.name = "copy 10.1", .busy = 95, .compute = 849, .copy = 101, .host = 50,
			.class = VERDICT_GPU, .cause = "device_copy", .confidence = HIGH},
		{.name = "communication 10", .busy = 95, .compute = 850, .comm = 100, .host = 50,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = HIGH},
		{.name = "communication 10.1", .busy = 95, .compute = 849, .comm = 101, .host = 50,
			.class = VERDICT_GPU, .cause = "device_comm", .confidence = HIGH},
		{.name = "both", .busy = 95, .compute = 600, .comm = 101, .copy = 249, .host = 50,
			.class = VERDICT_GPU, .cause = "device_comm", .confidence = HIGH},
		{.name = "mostly copies, though not busy", .busy = 60, .compute = 190, .copy = 410,
			.host = 400,
			.class = VERDICT_GPU, .cause = "device_copy", .confidence = HIGH},
		{.name = "as many copies as idle time", .busy = 60, .compute = 200, .copy = 400,
			.host = 400,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = HIGH},
		{.name = "as many copies as kernels", .busy = 70, .compute = 350, .copy = 350,
			.host = 300,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = HIGH},
		{.name = "copies, but few", .busy = 10, .compute = 0, .copy = 100, .host = 90,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = HIGH},
	};
	CHECK(cases);
}

/* Bounds that say it; else whether anything shows that the device kept up; else the middle. */
Test(limits, a_device_that_was_not_measured)
{
	static const struct limit_case cases[] = {
		{.name = "surely above", .busy = 95, .low = 90.1, .high = 99, .compute = 950,
			.host = 50,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = HIGH},
		{.name = "surely below", .busy = 70, .low = 20, .high = 79.9, .compute = 700,
			.host = 300,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "nothing tells", .busy = 95, .low = 70, .high = 99, .compute = 950,
			.host = 50,
			.launches = 2048,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = LOW},
		{.name = "more launches than a queue holds tell", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .launches = 2049,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "one wait for nothing tells", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .kept_up = 1,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "behind 4.9", .busy = 95, .low = 70, .high = 99, .compute = 950,
			.host = 50,
			.behind = 4.9, .kept_up = 1, .waits = 9, .blocked = 1,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "behind 5", .busy = 95, .low = 70, .high = 99, .compute = 950, .host = 50,
			.behind = 5, .waits = 9,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "most waits were for nothing", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .behind = 19.9, .kept_up = 7, .waits = 3,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "just twice as many", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .behind = 19.9, .kept_up = 6, .waits = 3,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "a full queue is no keeping up", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .behind = 19.9, .kept_up = 7, .waits = 3,
			.blocked = 1,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "behind 20", .busy = 95, .low = 70, .high = 99,
			.compute = 950, .host = 50, .behind = 20, .kept_up = 7, .waits = 3,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "bounds 30 apart", .busy = 91, .low = 65, .high = 95, .compute = 910,
			.host = 90, .behind = 19, .waits = 9,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "bounds wider apart", .busy = 91, .low = 64, .high = 95, .compute = 910,
			.host = 90, .behind = 19, .waits = 9,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = LOW},
		{.name = "wide, but far behind", .busy = 91, .low = 64, .high = 95, .compute = 910,
			.host = 90, .behind = 20, .waits = 9,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "wide and below", .busy = 79, .low = 40, .high = 95, .compute = 790,
			.host = 210, .behind = 19, .waits = 9,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = LOW},
		{.name = "between", .busy = 80, .low = 60, .high = 90, .compute = 800,
			.host = 200, .behind = 19, .waits = 9,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = LOW},
		{.name = "wide bounds, mostly copies", .busy = 70, .low = 30, .high = 95,
			.compute = 100, .copy = 600, .host = 300,
			.class = VERDICT_GPU, .cause = "device_copy", .confidence = LOW},
	};
	CHECK(cases);
}

Test(limits, half_a_run_that_was_measured_speaks_for_the_rest)
{
	static const struct limit_case cases[] = {
		{.name = "50", .busy = 70, .low = 50, .high = 95, .compute = 700, .host = 300,
			.measured = 50, .measured_busy = 91,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "49.9", .busy = 70, .low = 50, .high = 95, .compute = 700, .host = 300,
			.measured = 49.9, .measured_busy = 91, .behind = 20,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = MEDIUM},
		{.name = "waits do not tell then", .busy = 70, .low = 50, .high = 95,
			.compute = 700,
			.host = 300, .measured = 50, .measured_busy = 85, .kept_up = 9,
			.class = VERDICT_MIXED, .cause = "idle_host", .confidence = LOW},
	};
	CHECK(cases);
}

Test(limits, a_trace_that_is_not_sound)
{
	static const struct limit_case cases[] = {
		{.name = "bad", .busy = 95, .compute = 950, .host = 50, .health = HEALTH_BAD,
			.class = VERDICT_INSUFFICIENT, .cause = NULL, .confidence = HIGH},
		{.name = "degraded", .busy = 95, .compute = 950, .host = 50,
			.health = HEALTH_DEGRADED,
			.class = VERDICT_GPU, .cause = "device_compute", .confidence = MEDIUM},
		{.name = "degraded and unsure", .busy = 79, .low = 40, .high = 95, .compute = 790,
			.host = 210, .behind = 19, .waits = 9, .health = HEALTH_DEGRADED,
			.class = VERDICT_CPU, .cause = "idle_host", .confidence = LOW},
	};
	CHECK(cases);
}
/* clang-format on */

/* Each limit is the one of its name: set it elsewhere and only its case changes. */
Test(limits, are_those_that_the_user_sets)
{
	static const struct {
		const char *set;
		double busy, reader;
		enum verdict_class before, after;
	} cases[] = {
		{"cpu=79", 79, 0, VERDICT_CPU, VERDICT_MIXED},
		{"gpu=91", 91, 0, VERDICT_GPU, VERDICT_MIXED},
		{"io=15", 85, 6, VERDICT_IO, VERDICT_MIXED},
	};
	static struct report report;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned idle = 1000 - (unsigned)(10 * cases[i].busy);
		const struct limit_case one = {.busy = cases[i].busy,
			.reader = cases[i].reader,
			.compute = (unsigned)(10 * cases[i].busy),
			.input = cases[i].reader > 0 ? idle : 0,
			.host = cases[i].reader > 0 ? 0 : idle};
		struct thresholds thresholds;
		decide(&one, &report);
		cr_expect(eq(int, report.verdict.class, cases[i].before), "%s", cases[i].set);
		thresholds_init(&thresholds);
		cr_assert(eq(int, thresholds_set(&thresholds, cases[i].set), 0));
		report.thresholds = &thresholds;
		verdict_decide(&report);
		cr_expect(eq(int, report.verdict.class, cases[i].after), "%s", cases[i].set);
	}
}

/* What is added to the verdict's sentence, and when. */
Test(limits, a_wait_for_data_is_told_beside_another_verdict)
{
	static struct report report;
	const struct limit_case hidden = {.busy = 92, .reader = 30, .compute = 920, .host = 80};
	const struct limit_case outweighed = {
		.busy = 40, .reader = 15, .compute = 400, .input = 100, .sync = 500};
	const struct limit_case none = {.busy = 92, .reader = 5, .compute = 920, .host = 80};
	decide(&hidden, &report);
	cr_expect(strstr(report.verdict.text, "30.0 %") != NULL, "%s", report.verdict.text);
	cr_expect(strstr(report.verdict.text, "hidden") != NULL, "%s", report.verdict.text);
	decide(&outweighed, &report);
	cr_expect(strstr(report.verdict.text, "15.0 %") != NULL, "%s", report.verdict.text);
	cr_expect(strstr(report.verdict.text, "hidden") == NULL, "%s", report.verdict.text);
	decide(&none, &report);
	cr_expect(strstr(report.verdict.text, "5.0 %") == NULL, "%s", report.verdict.text);
}
