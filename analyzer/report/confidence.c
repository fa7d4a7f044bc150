/* SPDX-License-Identifier: MIT */
/*
 * How sure a verdict is: high, unless a row of result/doubt.def applies. One function for each
 * row, which writes the sentence that the verdict is printed with.
 */
#include <stdio.h>

#include "analyzer/report/report.h"
#include "analyzer/report/rules/predict.h"

/* So much of the time of the processors leaves none for a thread that wants one. */
/* Where the GPU's pace is a guess for so much of the time, so is the length of a step. */
#define UNSEEN_PCT 5.0
/* What may be something else has this part of the cause: what is left need not be the largest. */
#define MAYBE_SHARE 0.5
/* Steps that differ by so much in the mean, or a mean that is so many times the median. */
#define SPREAD_WIDE 0.25
#define MEAN_FAR    1.5
/* A mean between limits so far apart is a guess. */
#define MEAN_OPEN_PCT 10.0
/* A cause that costs this share of the largest one may be the larger one. */
#define TIE_SHARE 0.85
/* Mending the cause gains less than this share of what the account gives it. */
#define COST_SHARE 0.33

typedef bool doubt_function(const struct report *report, char *text, size_t size);

static bool names_idle_cause(const struct report *report)
{
	return report->verdict.class == VERDICT_CPU || report->verdict.class == VERDICT_IO;
}

/* Percent of a step that the cause has which decides the class; 100 where the GPU decides. */
static double deciding_pct(const struct report *report)
{
	enum cause second, first = report_largest_idle(report, &second);
	if (report->verdict.class == VERDICT_IO)
		first = CAUSE_IDLE_INPUT;
	return names_idle_cause(report) ? report_cause_pct(report, first) : 100;
}

static bool doubt_HEALTH(const struct report *report, char *text, size_t size)
{
	const struct health *health = &report->health;
	if (health->status != HEALTH_DEGRADED)
		return false;
	snprintf(text, size, "the trace is degraded: %s",
		health->reason_count > 0 ? health->reasons[0] : "see below");
	return true;
}

/* Functions that were compiled end the steps, and another one might as well: its name, or 0. */
static uint32_t rival_of_steps(const struct model *model, uint32_t *ret_elected)
{
	const struct results *results = &model->stepping.results;
	const struct vote *vote = &results->votes[results->votes[1].count > 0];
	return model->steps.method == STEP_BY_PERIOD && results->counted > 0 && vote->ended > 0
		       ? vote_rival(vote, ret_elected)
		       : 0;
}

static bool doubt_STEPS(const struct report *report, char *text, size_t size)
{
	const struct lookup *lookup = &report->model->lookup;
	uint32_t elected, rival = rival_of_steps(report->model, &elected);
	const char *method = step_method_names[report->model->steps.method];
	if (report->stepping.minor && report->model->steps.method == STEP_BY_PERIOD)
		snprintf(text, size,
			"a step is one of thread %u, and %u other%s more kernels than it does",
			report->stepping.tid, report->stepping.others,
			report->stepping.others > 1 ? "s together launch" : " launches");
	else if (rival != 0)
		snprintf(text, size,
			"%s, which comes most often, is taken for a step, but takes turns with %s, "
			"and no name says which of them is one",
			lookup_text(lookup, elected), lookup_text(lookup, rival));
	else
		snprintf(text, size, "it is not certain where a step ends (recognised by %s)",
			method);
	return report->steps_confidence == CONFIDENCE_LOW;
}

static bool doubt_FEW(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "only %llu steady steps were seen",
		(unsigned long long)report->steps.steady);
	return (double)report->steps.steady < 2 * report_limit(report, THRESHOLD_STEPS);
}

static bool doubt_SPREAD(const struct report *report, char *text, size_t size)
{
	const struct steps_summary *steps = &report->steps;
	char mean[32], median[32];
	if (steps->spread >= SPREAD_WIDE) {
		snprintf(text, size, "steps differ from each other by %.0f %% of their median",
			200 * steps->spread);
		return true;
	}
	snprintf(text, size, "a few long steps make the mean %s where the median is %s",
		report_duration(steps->mean_ns, mean, sizeof(mean)),
		report_duration(steps->median_ns, median, sizeof(median)));
	return (double)steps->mean_ns > MEAN_FAR * (double)steps->median_ns;
}

static bool doubt_BURSTS(const struct report *report, char *text, size_t size)
{
	const struct steps_summary *steps = &report->steps;
	double pct = 0;
	if (steps->mean_ns > steps->median_ns)
		pct = 100 * (double)(steps->mean_ns - steps->median_ns) / (double)steps->mean_ns;
	snprintf(text, size,
		"a few long steps hold %.1f %% of the time, more than the cause (%.1f %%)", pct,
		deciding_pct(report));
	return pct > 0 && pct >= deciding_pct(report);
}

static bool doubt_LAG(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "the GPU falls further behind by %.1f %% of a step in each",
		report->lag_growth_pct);
	return report_lag_grows(report);
}

static bool doubt_UNSEEN(const struct report *report, char *text, size_t size)
{
	char ns[32];
	uint64_t unseen_ns = report->model->unseen_ns;
	snprintf(text, size,
		"the GPU was behind when recording began again: for %s its pace is a guess",
		report_duration(unseen_ns, ns, sizeof(ns)));
	return 100 * (double)unseen_ns > UNSEEN_PCT * (double)report->accounted_ns;
}

static bool doubt_LOAD(const struct report *report, char *text, size_t size)
{
	double load = report_load_pct(report);
	snprintf(text, size, "the machine's processors were busy for %.0f %% of the run", load);
	return report_is_loaded(report);
}

static bool doubt_CONTENDED(const struct report *report, char *text, size_t size)
{
	snprintf(text, size,
		"the thread that ends the steps had no processor for %.1f %% of the time",
		report->delay_pct);
	return report->delay_pct >= report_limit(report, THRESHOLD_CONTENDED);
}

/* Percent of the time for which the threads of a step had no processor; the steps' own is known. */
static double lacked_pct(const struct report *report)
{
	double pct = report->delay_pct;
	const struct steps_summary *steps = &report->steps;
	for (const struct model_thread *thread = report->model->thread_list; thread != NULL;
		thread = thread->next)
		if (thread->line != NULL && thread->line->turns)
			pct += 100 * load_delay_share(&report->model->load, thread->tid,
					     steps->first, steps->until);
	return pct;
}

/* Any of the time without a processor may be the cause's, which is then not the largest. */
static bool doubt_STARVED(const struct report *report, char *text, size_t size)
{
	enum cause second;
	(void)report_largest_idle(report, &second);
	double cause = deciding_pct(report), next = 0, lacked = lacked_pct(report);
	if (report->verdict.class == VERDICT_CPU)
		next = report_cause_pct(report, second);
	if (report->delay_pct < 0) {
		snprintf(text, size,
			"the machine was busy, and for how long the thread had no processor is not "
			"known");
		return report->verdict.class == VERDICT_CPU && report_is_loaded(report);
	}
	snprintf(text, size,
		"the threads of a step had no processor for %.1f %% of it, and the cause takes "
		"%.1f %%, the next one %.1f %%",
		lacked, cause, next);
	return lacked >= cause - next;
}

static bool doubt_PEER(const struct report *report, char *text, size_t size)
{
	double pct = report_peer_pct(report);
	snprintf(text, size,
		"this rank waits for rank %u for longer (%.1f %%) than the cause takes (%.1f %%)",
		report->peer.late.rank, pct, deciding_pct(report));
	return pct > 0 && pct >= deciding_pct(report);
}

static bool doubt_PACE(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "nothing in the trace shows how fast the GPU is");
	return report->verdict.basis == VERDICT_BY_NOTHING;
}

/* Something else than the bounds tells that the GPU, or the host, sets the pace. */
static bool pace_is_clear(const struct report *report)
{
	return report->verdict.basis == VERDICT_BY_WAITS || report->verdict.class == VERDICT_IO ||
	       report->measured_pct >= MEASURED_ENOUGH_PCT ||
	       report->behind_pct >= BEHIND_CLEAR_PCT;
}

static bool doubt_BOUNDS(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "the GPU's busy time is only known to lie between %.1f and %.1f %%",
		report->busy_low_pct, report->busy_high_pct);
	if (report->verdict.basis != VERDICT_BY_ESTIMATE)
		return false;
	return report->verdict.class == VERDICT_MIXED ||
	       (report_bounds_are_wide(report) && !pace_is_clear(report));
}

/* If these calls waited, the GPU was busy meanwhile, and the cause is another one. */
static bool doubt_MAYBE(const struct report *report, char *text, size_t size)
{
	double pct = report_share(report->counted[MODEL_MAYBE_NS], report->accounted_ns);
	double cause = deciding_pct(report);
	double limit = report_limit(report, THRESHOLD_CPU);
	bool moves = report->busy_pct < limit && report->busy_pct + pct >= limit;
	snprintf(text, size,
		"for %.1f %% of the time calls allocate or load code: nothing tells whether they "
		"waited for the GPU",
		pct);
	return names_idle_cause(report) && pct > 0 && (moves || pct > MAYBE_SHARE * cause);
}

static bool doubt_ESTIMATE(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "the GPU's times are estimated (busy between %.1f and %.1f %%)",
		report->busy_low_pct, report->busy_high_pct);
	if (report->busy_measured || report->verdict.basis == VERDICT_BY_NOTHING)
		return false;
	if (report->verdict.class == VERDICT_IO) /* the wait may be hidden */
		return report->busy_high_pct > report_limit(report, THRESHOLD_GPU);
	return report->verdict.basis != VERDICT_BY_BOUNDS || report_bounds_are_wide(report);
}

/* Percent of the mean between its limits. */
static double open_pct(const struct report *report)
{
	const struct steps_summary *steps = &report->steps;
	return report_share(steps->mean_high_ns - steps->mean_low_ns, steps->mean_ns);
}

static bool doubt_PHASES(const struct report *report, char *text, size_t size)
{
	const struct steps_summary *steps = &report->steps;
	char low[32], high[32];
	snprintf(text, size,
		"waits show steps and what lies between them only together: a step takes between "
		"%s and %s",
		report_duration(steps->mean_low_ns, low, sizeof(low)),
		report_duration(steps->mean_high_ns, high, sizeof(high)));
	return open_pct(report) > MEAN_OPEN_PCT;
}

/* The cause is what the GPU's work leaves of a step: of one as short as it may be, nothing. */
static bool doubt_PARTED(const struct report *report, char *text, size_t size)
{
	double cause = deciding_pct(report);
	snprintf(text, size, "that is known less well than by the cause's part of it (%.1f %%)",
		cause);
	return names_idle_cause(report) && open_pct(report) > MEAN_OPEN_PCT &&
	       open_pct(report) > cause;
}

static bool is_near(
	const struct report *report, double pct, enum threshold_id limit, char *text, size_t size)
{
	double value = report_limit(report, limit), near = report_limit(report, THRESHOLD_NEAR);
	snprintf(text, size, "the GPU's busy time (%.1f %%) is within %g points of a limit (%g %%)",
		pct, near, value);
	return pct > value - near && pct < value + near;
}

static bool doubt_NEAR(const struct report *report, char *text, size_t size)
{
	const struct verdict *verdict = &report->verdict;
	bool alone = report->model->alone;
	double data = report_cause_pct(report, CAUSE_IDLE_INPUT);
	if (verdict->class == VERDICT_IO) {
		snprintf(text, size,
			"waiting for data costs %.1f %% of a step, less than what is clear (%g %%)",
			data, report_limit(report, THRESHOLD_IO_STRONG));
		return data < report_limit(report, THRESHOLD_IO_STRONG);
	}
	if (verdict->basis == VERDICT_BY_WAITS)
		return false;
	double near = report_limit(report, THRESHOLD_NEAR) / 3;
	if (data > report_limit(report, THRESHOLD_IO) - near &&
		data < report_limit(report, THRESHOLD_IO) + near) {
		snprintf(text, size,
			"waiting for data costs %.1f %% of a step, within %.1f points of the limit",
			data, near);
		return true;
	}
	return !alone && (is_near(report, report->busy_pct, THRESHOLD_CPU, text, size) ||
				 is_near(report, report->busy_pct, THRESHOLD_GPU, text, size));
}

static bool doubt_MIXED(const struct report *report, char *text, size_t size)
{
	snprintf(text, size, "neither the GPU nor the host clearly sets the pace");
	return report->verdict.class == VERDICT_MIXED &&
	       report->verdict.basis != VERDICT_BY_NOTHING;
}

static bool doubt_TIE(const struct report *report, char *text, size_t size)
{
	enum cause second, first = report_largest_idle(report, &second);
	snprintf(text, size, "two causes cost nearly the same: %s (%.1f %%), %s (%.1f %%)",
		cause_text(first, report->model->alone), report_cause_pct(report, first),
		cause_text(second, report->model->alone), report_cause_pct(report, second));
	return names_idle_cause(report) &&
	       (double)report->swept[second] > TIE_SHARE * (double)report->swept[first];
}

/* With a GPU it is seen whether what was waited for is then copied there. */
static bool doubt_BLOCKED(const struct report *report, char *text, size_t size)
{
	enum cause second;
	snprintf(text, size, "what blocks the program may be data");
	return report->model->alone && report_largest_idle(report, &second) == CAUSE_IDLE_BLOCKED;
}

static bool doubt_COST(const struct report *report, char *text, size_t size)
{
	enum cause second, first = report_largest_idle(report, &second);
	double gain = predict_gain_of_cause(report, first), share = report_cause_pct(report, first);
	snprintf(text, size, "without that a step would only be %.1f %% shorter", gain);
	return names_idle_cause(report) && gain >= 0 && gain < COST_SHARE * share;
}

static doubt_function *const functions[DOUBT_COUNT] = {
#define DOUBT(id, name, most, text) [DOUBT_##id] = doubt_##id,
#include "analyzer/report/result/doubt.def"
#undef DOUBT
};

void confidence_judge(struct report *report)
{
	struct verdict *verdict = &report->verdict;
	verdict->confidence = CONFIDENCE_HIGH;
	verdict->doubt_count = 0;
	for (unsigned id = 0; id < DOUBT_COUNT; id++) {
		struct doubt *doubt = &verdict->doubts[verdict->doubt_count];
		if (!functions[id](report, doubt->text, sizeof(doubt->text)))
			continue;
		doubt->id = (enum doubt_id)id;
		verdict->doubt_count++;
		if (doubt_infos[id].most < verdict->confidence)
			verdict->confidence = doubt_infos[id].most;
	}
}
