/* SPDX-License-Identifier: MIT */
#include "analyzer/report/report.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/rules/apply.h"

/* What the user named is what ends steps, if it came so often. */
#define NAMED_LEAST 3u

/* Tenths of a percent that add up to 1000: what is cut off goes to the largest remainders. */
static void round_account(struct report *report)
{
	uint64_t remainder[CAUSE_COUNT];
	unsigned given = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		__uint128_t scaled = (__uint128_t)report->swept[i] * 1000;
		report->account[i].tenths = (unsigned)(scaled / report->accounted_ns);
		remainder[i] = (uint64_t)(scaled % report->accounted_ns);
		given += report->account[i].tenths;
	}
	for (; given < 1000; given++) {
		unsigned best = 0;
		for (unsigned i = 1; i < CAUSE_COUNT; i++)
			if (remainder[i] > remainder[best])
				best = i;
		report->account[best].tenths++;
		remainder[best] = 0;
	}
}

static void move(uint64_t *from, uint64_t *to, uint64_t ns)
{
	ns = ns < *from ? ns : *from;
	*from -= ns;
	*to += ns;
}

/* Whether a blocking call waits for data is known only from what follows it, step after step. */
static void move_data(struct report *report)
{
	uint64_t *swept = report->swept;
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++) {
		if (report->model->spots->items[spot].kind != SPOT_BLOCKED ||
			!report_feeds(report, spot))
			continue;
		struct spot_sums sums = report_spot(report, spot);
		move(&swept[CAUSE_IDLE_BLOCKED], &swept[CAUSE_IDLE_INPUT],
			sums.found[SPOT_EXPOSED_NS]);
		move(&swept[SWEEP_PIECES + PIECE_STALL], &swept[SWEEP_PIECES + PIECE_INPUT],
			sums.found[SPOT_LINE_NS]);
	}
}

static void build_account(struct report *report)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		report->accounted_ns += report->swept[i];
	if (report->steps.steady == 0 || report->accounted_ns == 0)
		return;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		report->account[i].ns_per_step = report_ns_per_step(report, report->swept[i]);
	round_account(report);
}

/* How busy the GPU was, and between which bounds. */
static void build_busy(struct report *report)
{
	const uint64_t *swept = report->swept;
	uint64_t whole = report->accounted_ns;
	report->measured_pct = report_share(swept[SWEEP_MEASURED_NS], whole);
	report->measured_busy_pct =
		report_share(swept[SWEEP_MEASURED_BUSY_NS], swept[SWEEP_MEASURED_NS]);
	report->busy_measured = report->measured_pct >= report_limit(report, THRESHOLD_MATCHED);
	uint64_t busy =
		swept[CAUSE_DEVICE_COMPUTE] + swept[CAUSE_DEVICE_COMM] + swept[CAUSE_DEVICE_COPY];
	report->busy_pct = report_share(busy, whole);
	report->busy_low_pct = report->busy_high_pct = report->busy_pct;
	if (!report->busy_measured && whole > 0) {
		report->busy_low_pct = report_share(swept[SWEEP_CERTAIN_NS], whole);
		report->busy_high_pct = 100.0 - report_share(swept[SWEEP_EMPTY_NS], whole);
		/* what is certain goes before what is estimated */
		if (report->busy_high_pct < report->busy_low_pct)
			report->busy_high_pct = report->busy_low_pct;
		if (report->busy_pct > report->busy_high_pct)
			report->busy_pct = report->busy_high_pct;
		if (report->busy_pct < report->busy_low_pct)
			report->busy_pct = report->busy_low_pct;
	}
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		report->account[i].estimated = !report->busy_measured;
}

/* What the host did: waiting for data, for the GPU, or neither. */
static void build_host(struct report *report)
{
	const uint64_t *pieces = report->swept + SWEEP_PIECES;
	uint64_t whole = report->accounted_ns;
	uint64_t aside = pieces[PIECE_WAIT] + pieces[PIECE_BLOCKED] + pieces[PIECE_INPUT];
	report->reader_ns = pieces[PIECE_INPUT];
	if (report->counted[MODEL_LOAD_NS] > report->reader_ns)
		report->reader_ns = report->counted[MODEL_LOAD_NS];
	report->reader_pct =
		report_share(report->reader_ns < whole ? report->reader_ns : whole, whole);
	report->host_pct = report_share(whole > aside ? whole - aside : 0, whole);
	report->waited_pct =
		report_share(report->swept[SWEEP_WAITED_NS] + pieces[PIECE_BLOCKED], whole);
	/* the device may have had less to do, the host not */
	uint64_t host_ns = (uint64_t)(report->host_pct / 100 * (double)report->steps.mean_ns);
	if (report->steps.mean_low_ns < host_ns)
		report->steps.mean_low_ns = host_ns;
	uint64_t behind_ns = report->model->waited_ns;
	report->behind_pct = report_share(behind_ns < whole ? behind_ns : whole, whole);
}

/* Percent of the time for which the threads that give the device work had no processor. */
static double all_delays_pct(const struct report *report)
{
	double pct = report->delay_pct;
	const struct steps_summary *steps = &report->steps;
	for (const struct model_thread *each = report->model->thread_list; each != NULL;
		each = each->next)
		if (each->launches && each->tid != report->load.tid)
			pct += 100 * load_delay_share(&report->model->load, each->tid, steps->first,
					     steps->until);
	return pct;
}

/* What the kernel says of the thread that ends the steps. */
static void build_load(struct report *report)
{
	const uint32_t times = 1u << THREAD_RUN_NS | 1u << THREAD_DELAY_NS;
	struct load_span *span = &report->load;
	report->run_pct = report->delay_pct = report->blocked_pct = REPORT_UNKNOWN_PCT;
	if (!load_span(&report->model->load, report->steps.first, report->steps.until, span) ||
		(span->known & times) != times)
		return;
	uint64_t run = span->values[THREAD_RUN_NS], delay = span->values[THREAD_DELAY_NS];
	/* clocks of the kernel: they may be off by a tick */
	run = run < span->ns ? run : span->ns;
	delay = delay < span->ns - run ? delay : span->ns - run;
	report->run_pct = report_share(run, span->ns);
	report->delay_pct = report_share(delay, span->ns);
	report->blocked_pct = report_share(span->ns - run - delay, span->ns);
	/* a wait may have been over while the thread had no processor to go on */
	if (!report->busy_measured)
		report->busy_low_pct = fmax(0, report->busy_low_pct - all_delays_pct(report));
}

static void find_stepping(struct report *report)
{
	const struct model *model = report->model;
	const struct model_thread *own = NULL;
	struct report_stepping *stepping = &report->stepping;
	for (const struct model_thread *each = model->thread_list; each != NULL; each = each->next)
		if (each->line != NULL && each->line == model->lines.owner)
			own = each;
	if (own == NULL)
		return;
	*stepping = (struct report_stepping){.known = true, .thread = own->id, .tid = own->tid};
	uint64_t launches = 0;
	for (const struct model_thread *each = model->thread_list; each != NULL; each = each->next)
		if (each != own && each->launches) {
			stepping->others++;
			/* the backward pass is part of the step */
			if (each->line == NULL || !each->line->turns)
				launches += each->launch_count;
		}
	stepping->minor = launches > own->launch_count;
}

/*
 * How fast the device falls behind for good, in percent of a step. A lag that goes up and down, or
 * has stopped where the launch queue is full, is no growth.
 */
static double lag_growth_pct(const struct steps_summary *steps)
{
	int64_t growth_ns = steps->lag_growth_ns;
	if (growth_ns <= 0 || 2 * (uint64_t)growth_ns * steps->steady < steps->lag_rise_ns)
		return 0;
	if (steps->lag_trend_ns < growth_ns)
		growth_ns = steps->lag_trend_ns;
	return growth_ns > 0 ? 100.0 * (double)growth_ns / (double)steps->mean_ns : 0;
}

static enum confidence steps_confidence(const struct report *report)
{
	const struct model *model = report->model;
	switch (model->steps.method) {
	case STEP_BY_RANGE:
	case STEP_BY_MARKER:
		if (model->steps.count < NAMED_LEAST)
			return CONFIDENCE_LOW;
		return model->stepping.unsplit ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	case STEP_BY_PROGRAM:
		return CONFIDENCE_HIGH;
	case STEP_BY_MARK:
	case STEP_BY_OPTIMIZER:
		return report->steps.spread < 0.25 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	case STEP_BY_LOADER:
		return CONFIDENCE_MEDIUM;
	case STEP_BY_PERIOD:
		if (report->stepping.minor)
			return CONFIDENCE_LOW;
		return model->stepping.period.match > 0.95 && model->stepping.period.anchor != 0 &&
				       !model->stepping.period.doubtful
			       ? CONFIDENCE_MEDIUM
			       : CONFIDENCE_LOW;
	default:
		return CONFIDENCE_LOW;
	}
}

void report_build(struct report *report, const struct report_input *input)
{
	memset(report, 0, sizeof(*report));
	report->model = input->model;
	report->thresholds = input->thresholds;
	report->facts = input->facts;
	report->workers = input->workers;
	if (input->peer != NULL)
		report->peer = *input->peer;
	steps_summarise(&input->model->steps, &report->steps);
	report->lag_growth_pct = lag_growth_pct(&report->steps);
	find_stepping(report);
	report->steps_confidence = steps_confidence(report);
	if (report->steps_confidence == CONFIDENCE_HIGH && report_lag_grows(report))
		report->steps_confidence = CONFIDENCE_MEDIUM;
	uint64_t first = report->steps.first, until = report->steps.until;
	series_sum(&input->model->sweep.account, first, until, report->swept);
	series_sum(&input->model->counted, first, until, report->counted);
	report->predicted_ns = REPORT_UNKNOWN;
	if (input->model->last_ns > input->model->first_ns)
		report->run_ns = input->model->last_ns - input->model->first_ns;
	const struct removal nothing = {0};
	report->played_ns = whatif_length(&input->model->sweep.whatif, &nothing, first, until);
	move_data(report);
	build_account(report);
	build_busy(report);
	build_host(report);
	build_load(report);
	health_judge(report, input);
	if (report->steps.steady > 0) {
		rules_apply(report, input->choices);
		rules_answer(report, input->asks, input->ask_count);
	}
	verdict_decide(report);
}
