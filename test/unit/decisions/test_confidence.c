/* SPDX-License-Identifier: MIT */
/*
 * What lowers the confidence of a verdict: for each row of doubt.def a report to which it applies,
 * and one close to it to which it does not.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/report/report.h"
#include "collector/format/fields.h"

static struct model model;
static struct thresholds thresholds;
static struct report report;

/* A measured run that is CPU bound beyond doubt. */
static void begin(void)
{
	memset(&model, 0, sizeof(model));
	memset(&report, 0, sizeof(report));
	thresholds_init(&thresholds);
	report.model = &model;
	report.thresholds = &thresholds;
	report.busy_measured = true;
	report.measured_pct = 100;
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 50;
	report.steps = (struct steps_summary){.steady = 50, .mean_ns = 1000, .median_ns = 1000};
	report.steps_confidence = CONFIDENCE_HIGH;
	report.accounted_ns = 1000;
	report.swept[CAUSE_DEVICE_COMPUTE] = 500;
	report.swept[CAUSE_IDLE_HOST] = 500;
}

static void judge(void)
{
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		report.account[cause].tenths = (unsigned)report.swept[cause];
	const struct removal nothing = {0};
	report.played_ns = whatif_length(&model.sweep.whatif, &nothing, 0, 1);
	verdict_decide(&report);
}

/* Whether a doubt applies; every one that does has its sentence and leaves no more than it says. */
static bool doubted(enum doubt_id id)
{
	bool found = false;
	judge();
	const struct verdict *verdict = &report.verdict;
	for (unsigned i = 0; i < verdict->doubt_count; i++) {
		const struct doubt *doubt = &verdict->doubts[i];
		cr_expect(doubt->text[0] != '\0', "%s", doubt_infos[doubt->id].name);
		cr_expect(verdict->confidence <= doubt_infos[doubt->id].most, "%s",
			doubt_infos[doubt->id].name);
		found = found || doubt->id == id;
	}
	cr_expect(verdict->doubt_count > 0 || verdict->confidence == CONFIDENCE_HIGH);
	return found;
}

Test(confidence, a_clear_measured_run_is_beyond_doubt)
{
	begin();
	judge();
	cr_assert(eq(uint, report.verdict.doubt_count, 0));
	cr_assert(eq(int, report.verdict.confidence, CONFIDENCE_HIGH));
	cr_assert(eq(int, report.verdict.class, VERDICT_CPU));
}

Test(confidence, names_are_short_and_differ)
{
	for (unsigned i = 0; i < DOUBT_COUNT; i++) {
		cr_expect(doubt_infos[i].most < CONFIDENCE_HIGH, "%s", doubt_infos[i].name);
		for (unsigned j = 0; j < i; j++)
			cr_expect(strcmp(doubt_infos[i].name, doubt_infos[j].name) != 0);
	}
}

Test(confidence, health)
{
	begin();
	report.health.status = HEALTH_DEGRADED;
	cr_expect(doubted(DOUBT_HEALTH));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_MEDIUM));
	report.health.status = HEALTH_GOOD;
	cr_expect(not(doubted(DOUBT_HEALTH)));
}

Test(confidence, steps)
{
	begin();
	report.steps_confidence = CONFIDENCE_LOW;
	cr_expect(doubted(DOUBT_STEPS));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	report.steps_confidence = CONFIDENCE_MEDIUM;
	cr_expect(not(doubted(DOUBT_STEPS)));
}

Test(confidence, few)
{
	begin();
	report.steps.steady = 9;
	cr_expect(doubted(DOUBT_FEW));
	report.steps.steady = 10;
	cr_expect(not(doubted(DOUBT_FEW)));
}

Test(confidence, spread)
{
	begin();
	report.steps.spread = 0.3;
	cr_expect(doubted(DOUBT_SPREAD));
	report.steps.spread = 0.2;
	cr_expect(not(doubted(DOUBT_SPREAD)));
	report.steps.mean_ns = 1600; /* a burst now and then */
	cr_expect(doubted(DOUBT_SPREAD));
	report.steps.mean_ns = 1400;
	cr_expect(not(doubted(DOUBT_SPREAD)));
}

Test(confidence, lag)
{
	begin();
	report.lag_growth_pct = 6;
	cr_expect(doubted(DOUBT_LAG));
	report.lag_growth_pct = 5;
	cr_expect(not(doubted(DOUBT_LAG)));
}

static void load(uint64_t busy, uint64_t idle)
{
	const struct model_metric from_zero = {.known = true};
	model.metrics[SAMPLE_HOST_BUSY_NS] = model.metrics[SAMPLE_HOST_IDLE_NS] = from_zero;
	model.metrics[SAMPLE_HOST_BUSY_NS].last = busy;
	model.metrics[SAMPLE_HOST_IDLE_NS].last = idle;
}

Test(confidence, load)
{
	begin();
	cr_expect(not(doubted(DOUBT_LOAD))); /* nothing is known */
	load(96, 4);
	cr_expect(doubted(DOUBT_LOAD));
	load(95, 5);
	cr_expect(not(doubted(DOUBT_LOAD)));
}

Test(confidence, contended)
{
	begin();
	report.delay_pct = REPORT_UNKNOWN_PCT;
	cr_expect(not(doubted(DOUBT_CONTENDED)));
	report.delay_pct = 4.9;
	cr_expect(not(doubted(DOUBT_CONTENDED)));
	report.delay_pct = 5;
	cr_expect(doubted(DOUBT_CONTENDED));
}

Test(confidence, starved)
{
	begin();
	report.delay_pct = 49;
	cr_expect(not(doubted(DOUBT_STARVED)));
	report.delay_pct = 50;
	cr_expect(doubted(DOUBT_STARVED));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	/* nothing that idles the GPU decides */
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 100;
	report.swept[CAUSE_DEVICE_COMPUTE] = 1000;
	report.swept[CAUSE_IDLE_HOST] = 0;
	cr_expect(not(doubted(DOUBT_STARVED)));
}

/* What is left of the largest cause need not be the largest. */
Test(confidence, starved_of_what_the_next_cause_leaves)
{
	begin();
	report.swept[CAUSE_IDLE_HOST] = 300;
	report.swept[CAUSE_IDLE_LAUNCH] = 200;
	report.delay_pct = 9.9;
	cr_expect(not(doubted(DOUBT_STARVED)));
	report.delay_pct = 10;
	cr_expect(doubted(DOUBT_STARVED));
}

Test(confidence, starved_nobody_knows_how_long)
{
	begin();
	report.delay_pct = REPORT_UNKNOWN_PCT;
	load(95, 5);
	cr_expect(not(doubted(DOUBT_STARVED)));
	load(96, 4);
	cr_expect(doubted(DOUBT_STARVED));
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 100;
	report.swept[CAUSE_DEVICE_COMPUTE] = 1000;
	report.swept[CAUSE_IDLE_HOST] = 0;
	cr_expect(not(doubted(DOUBT_STARVED)));
}

/* The backward pass is on a thread of its own, and that one has no processor for 40 %. */
Test(confidence, starved_is_the_thread_that_takes_turns)
{
	struct line line = {.turns = true};
	struct model_thread thread = {.tid = 7, .line = &line};
	begin();
	model.thread_list = &thread;
	report.steps.until = 50;
	for (uint64_t step = 0; step < 50; step += 10) {
		struct record record = {.kind = RECORD_THREAD_SAMPLE, .begin = step * 1000};
		record_set_THREAD_SAMPLE_metric(&record, THREAD_DELAY_NS);
		record_set_THREAD_SAMPLE_thread(&record, 7);
		record_set_THREAD_SAMPLE_value(&record, step * 400);
		cr_assert(load_add(&model.load, step, &record) == 0);
	}
	report.delay_pct = 9;
	cr_expect(not(doubted(DOUBT_STARVED)));
	report.delay_pct = 10;
	cr_expect(doubted(DOUBT_STARVED));
	line.turns = false;
	cr_expect(not(doubted(DOUBT_STARVED)));
	load_release(&model.load);
	model.thread_list = NULL;
}

Test(confidence, parted)
{
	begin();
	report.steps.mean_low_ns = 700;
	report.steps.mean_high_ns = 1190; /* 49 %, and the cause takes 50 */
	cr_expect(not(doubted(DOUBT_PARTED)));
	cr_expect(doubted(DOUBT_PHASES));
	report.steps.mean_high_ns = 1210;
	cr_expect(doubted(DOUBT_PARTED));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	/* the GPU decides */
	report.swept[CAUSE_DEVICE_COMPUTE] = 1000;
	report.swept[CAUSE_IDLE_HOST] = 0;
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 100;
	cr_expect(not(doubted(DOUBT_PARTED)));
}

Test(confidence, bursts)
{
	begin();
	report.steps.median_ns = 510;
	cr_expect(not(doubted(DOUBT_BURSTS)));
	report.steps.median_ns = 490;
	cr_expect(doubted(DOUBT_BURSTS));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
}

/* The same run without records of the device. */
static void unmeasured(double low, double busy, double high)
{
	begin();
	report.busy_measured = false;
	report.measured_pct = 0;
	report.busy_low_pct = low;
	report.busy_pct = busy;
	report.busy_high_pct = high;
	report.behind_pct = 10; /* there are waits */
	model.waits = 9;
}

Test(confidence, pace_is_unknown_without_waits)
{
	unmeasured(0, 50, 100);
	model.waits = 0;
	report.behind_pct = 0;
	cr_expect(doubted(DOUBT_PACE));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	model.kept_up = 1;
	cr_expect(not(doubted(DOUBT_PACE)));
}

Test(confidence, bounds)
{
	unmeasured(40, 50, 95);
	cr_expect(doubted(DOUBT_BOUNDS));
	cr_expect(doubted(DOUBT_ESTIMATE));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	report.behind_pct = 20;
	cr_expect(not(doubted(DOUBT_BOUNDS)));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_MEDIUM));
	unmeasured(40, 50, 60); /* below the limit for certain */
	cr_expect(not(doubted(DOUBT_BOUNDS)));
	cr_expect(not(doubted(DOUBT_ESTIMATE)));
}

Test(confidence, a_wait_for_data_that_may_be_hidden_is_an_estimate)
{
	unmeasured(10, 20, 91);
	report.swept[CAUSE_IDLE_HOST] = 0;
	report.swept[CAUSE_IDLE_INPUT] = 500;
	cr_expect(doubted(DOUBT_ESTIMATE));
	report.busy_high_pct = 90;
	cr_expect(not(doubted(DOUBT_ESTIMATE)));
	cr_expect(eq(int, report.verdict.class, VERDICT_IO));
}

Test(confidence, near)
{
	static const struct {
		double busy;
		bool near;
	} cases[] = {{76.9, false}, {77.1, true}, {82.9, true}, {87.1, true}, {92.9, true},
		{93.1, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin();
		report.busy_pct = report.busy_low_pct = report.busy_high_pct = cases[i].busy;
		cr_expect(eq(int, doubted(DOUBT_NEAR), cases[i].near), "%.1f", cases[i].busy);
	}
	begin();
	report.swept[CAUSE_IDLE_INPUT] = 45; /* half a point below the limit of 5 % */
	cr_expect(doubted(DOUBT_NEAR));
}

Test(confidence, mixed)
{
	begin();
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 85;
	cr_expect(doubted(DOUBT_MIXED));
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 95;
	cr_expect(not(doubted(DOUBT_MIXED)));
}

Test(confidence, tie)
{
	begin();
	report.swept[CAUSE_IDLE_SYNC] = 430;
	cr_expect(doubted(DOUBT_TIE));
	cr_expect(eq(int, report.verdict.confidence, CONFIDENCE_LOW));
	report.swept[CAUSE_IDLE_SYNC] = 420;
	cr_expect(not(doubted(DOUBT_TIE)));
}

/* Two of three steps' time is idle for data, yet the device would not be done earlier. */
Test(confidence, cost)
{
	struct stretch stretch = {
		.step = 0, .host_ns = 800, .pieces[PIECE_INPUT] = 700, .device_ns = 950};
	stretch.tail_ns = 950;
	begin();
	report.swept[CAUSE_IDLE_HOST] = 0;
	report.swept[CAUSE_IDLE_INPUT] = 500;
	report.steps.until = 1;
	cr_assert(eq(int, whatif_init(&model.sweep.whatif), 0));
	model.spots = spots_new();
	cr_assert(model.spots != NULL);
	whatif_add(&model.sweep.whatif, &stretch);
	cr_expect(doubted(DOUBT_COST));
	whatif_reset(&model.sweep.whatif);
	stretch.device_ns = stretch.tail_ns = 100;
	whatif_add(&model.sweep.whatif, &stretch);
	cr_expect(not(doubted(DOUBT_COST)));
	whatif_release(&model.sweep.whatif);
	spots_free(model.spots);
	model.spots = NULL;
}
