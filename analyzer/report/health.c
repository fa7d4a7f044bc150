/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/report.h"

__attribute__((format(printf, 3, 4))) static void reason(
	struct health *health, enum health_status status, const char *format, ...)
{
	if (status > health->status)
		health->status = status;
	if (health->reason_count == REPORT_REASONS)
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(health->reasons[health->reason_count++], sizeof(health->reasons[0]), format,
		arguments);
	va_end(arguments);
}

static void judge_loss(struct report *report)
{
	struct health *health = &report->health;
	uint64_t gone = health->lost + health->missing;
	double pct = report_share(gone, health->events + gone);
	enum health_status status =
		pct > report_limit(report, THRESHOLD_LOST) ? HEALTH_BAD : HEALTH_DEGRADED;
	if (health->lost > 0)
		reason(health, status, "%llu events were lost while recording (%.1f %% in all)",
			(unsigned long long)health->lost, pct);
	if (health->missing > 0)
		reason(health, status, "%llu events lie in damaged or missing parts of the file",
			(unsigned long long)health->missing);
}

/* A stack that changes while it is read is dropped: more often where functions are short. */
static void judge_stacks(struct health *health, uint64_t torn, uint64_t whole)
{
	if (torn > 0)
		reason(health, torn > whole ? HEALTH_DEGRADED : HEALTH_GOOD,
			"%llu of %llu samples of Python stacks changed while they were read, and "
			"were dropped",
			(unsigned long long)torn, (unsigned long long)(torn + whole));
}

/* Ranges and operators that the recorder could not follow to their end. */
static void judge_ranges(struct health *health, uint64_t lost)
{
	if (lost > 0)
		reason(health, lost > health->events / 1000 ? HEALTH_DEGRADED : HEALTH_GOOD,
			"%llu ranges or operators were not recorded: too many were open at a "
			"time, or a jump left them",
			(unsigned long long)lost);
}

/* Records that came too late to be put in order. */
static void judge_order(struct health *health, uint64_t late, double lost_pct)
{
	double pct = report_share(late, health->events);
	if (late > health->events / 1000)
		reason(health, pct > lost_pct ? HEALTH_BAD : HEALTH_DEGRADED,
			"%llu records are out of order (%.1f %%): "
			"the recorder had no processor for long",
			(unsigned long long)late, pct);
}

static void judge_file(struct report *report, const struct report_input *input)
{
	struct health *health = &report->health;
	uint64_t stacks = report->model->kinds[RECORD_STACK];
	double lost_pct = report_limit(report, THRESHOLD_LOST);
	const struct reader_health *file = &input->reader;
	if (file->damaged_frames > 0 || file->missing_frames > 0)
		reason(health, HEALTH_DEGRADED,
			"%llu blocks of the file are damaged, %llu are missing",
			(unsigned long long)file->damaged_frames,
			(unsigned long long)file->missing_frames);
	if (file->truncated)
		reason(health, HEALTH_DEGRADED, "the file is cut off");
	if (file->newer)
		reason(health, HEALTH_DEGRADED,
			"parts of the file were written by a newer version of libtrace");
	if (!file->clean_end && input->complete && health->events > 0)
		reason(health, HEALTH_DEGRADED,
			"no clean end: the process was killed or is still running%s",
			file->gone ? "; what it had not yet written was in memory that is gone"
				   : "");
	if (file->clean_end && strcmp(file->end_reason, "memory taken away") == 0)
		reason(health, HEALTH_DEGRADED,
			"recording stopped early: somebody cut off the file under its buffers");
	judge_stacks(health, file->torn, stacks);
	judge_ranges(health, file->ranges_lost);
	if (input->odd > 0)
		reason(health, HEALTH_DEGRADED, "%llu records have impossible times",
			(unsigned long long)input->odd);
	judge_order(health, input->late, lost_pct);
}

/* What the user named never came: which names there are. */
static void no_such_name(struct health *health, const struct model *model)
{
	const char *wanted = model->options.asked_name, *others[3];
	char list[92] = "";
	size_t count = stepname_others(&model->stepping.names, &model->lookup, wanted, others,
		sizeof(others) / sizeof(others[0]));
	/* whole names, so that they can be copied */
	for (size_t i = 0, used = 0; i < count; i++) {
		const char *before = used == 0 ? ": there are " : ", ";
		if (used + strlen(before) + strlen(others[i]) < sizeof(list))
			used += (size_t)snprintf(
				list + used, sizeof(list) - used, "%s%s", before, others[i]);
	}
	reason(health, HEALTH_BAD, "the %s %.40s never occurred%s",
		step_method_names[model->options.asked], wanted, list);
}

static void judge_content(struct report *report, bool blind)
{
	struct health *health = &report->health;
	const uint64_t *kinds = report->model->kinds;
	double wanted = report_limit(report, THRESHOLD_STEPS);
	if (health->events == 0) {
		reason(health, HEALTH_BAD, "the trace holds no events");
		return;
	}
	bool given = kinds[RECORD_LAUNCH] + kinds[RECORD_GRAPH] + kinds[RECORD_DEVICE_KERNEL] +
			     kinds[RECORD_COPY] >
		     0;
	if (!given && !report->model->alone)
		reason(health, HEALTH_BAD, "nothing was launched on a GPU");
	else if (!given && blind)
		reason(health, HEALTH_BAD,
			"nothing was launched on a GPU, as far as it was recorded");
	else if (report->steps.count == 0 && report->model->options.asked_name != NULL)
		no_such_name(health, report->model);
	else if (report->steps.count == 0)
		reason(health, HEALTH_BAD, "no training steps were recognised");
	else if ((double)report->steps.steady < wanted)
		reason(health, HEALTH_BAD,
			"%llu of %llu steps can be judged, a verdict needs %.0f steady steps",
			(unsigned long long)report->steps.steady,
			(unsigned long long)report->steps.count, wanted);
	if (report->model->spots->dropped > 0)
		reason(health, HEALTH_DEGRADED,
			"more than %u lines wait or copy: the rest are counted as one", SPOT_LIMIT);
}

/* More than this share of anything makes the trace degraded. */
#define SOME_PCT 1.0

static void judge_away(
	struct health *health, const struct model *model, enum source_state state, const char *why)
{
	double away = report_share(
		source_state_ns(&model->join->source, state, model->first_ns, model->last_ns),
		model->last_ns - model->first_ns);
	if (away > SOME_PCT)
		reason(health, away < 100 - SOME_PCT ? HEALTH_DEGRADED : HEALTH_GOOD,
			"the GPU was not recorded for %.1f %% of the time: %s", away, why);
}

/* What is not missed, because it lies outside of what was recorded or chosen. */
static void tell_outside(struct health *health, const struct model *model)
{
	if (model->join->counts.away > 0)
		reason(health, HEALTH_GOOD,
			"%llu GPU operations were asked for before the recorded or chosen time: "
			"they count as work without a call",
			(unsigned long long)model->join->counts.away);
	if (model->calls_beyond > 0)
		reason(health, HEALTH_GOOD,
			"%llu calls may have had their GPU work after the recorded or chosen "
			"time: no record of it is expected",
			(unsigned long long)model->calls_beyond);
}

/* What the device reported and what it should have: matched_pct and the reasons. */
static void judge_device(struct health *health, const struct model *model)
{
	const struct join *join = model->join;
	if (join == NULL)
		return;
	judge_away(health, model, SOURCE_YIELDED, "another profiler was using CUPTI");
	judge_away(health, model, SOURCE_FAILED, "recording it failed");
	const struct join_counts *found = &join->counts;
	uint64_t wanted = found->operations - found->away; /* whose call should be there */
	uint64_t orphans = wanted - found->matched - found->late;
	uint64_t alone = model->calls_expected - model->calls_matched;
	if (model->calls_expected + wanted > 0)
		health->matched_pct = report_share(
			model->calls_matched + found->matched, model->calls_expected + wanted);
	const struct {
		uint64_t count, whole;
		const char *what;
	} counts[] = {
		{orphans, wanted, "GPU operations belong to no recorded call"},
		{found->late, wanted, "GPU operations were reported too late to find their call"},
		{alone, model->calls_expected, "calls have no record of what the GPU did"},
		{found->untimed, found->operations, "GPU operations have no times: they were lost"},
		{model->late_operations, found->operations,
			"GPU operations were reported too late to be counted"},
	};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		double pct = report_share(counts[i].count, counts[i].whole);
		if (counts[i].count > 0)
			reason(health, pct > SOME_PCT ? HEALTH_DEGRADED : HEALTH_GOOD,
				"%llu %s (%.1f %%)", (unsigned long long)counts[i].count,
				counts[i].what, pct);
	}
	tell_outside(health, model);
	if (model->whole_graphs > 0)
		reason(health, HEALTH_GOOD,
			"%llu graph launches are recorded as one operation each: their kernels are "
			"not told apart",
			(unsigned long long)model->whole_graphs);
}

/* Figures of operators are those of some steps. */
static void tell_bare(struct health *health, const struct model *model)
{
	const struct bare *bare = &model->bare;
	char longer[64] = "";
	if (bare->covered == bare->steps)
		return;
	if (bare->cost > 0)
		(void)snprintf(longer, sizeof(longer), ", which are %.1f %% longer for that",
			(bare->cost - 1) / 10.0);
	reason(health, HEALTH_GOOD,
		"operators are those of %llu of %llu steps%s; for %.1f %% of the other calls they "
		"are taken from there",
		(unsigned long long)bare->covered, (unsigned long long)bare->steps, longer,
		report_share(bare->known, bare->calls));
}

void health_judge(struct report *report, const struct report_input *input)
{
	struct health *health = &report->health;
	*health = (struct health){.events = report->model->events,
		.lost = input->reader.lost,
		.missing = input->reader.missing,
		.matched_pct = REPORT_UNKNOWN_PCT,
		.overhead_pct = REPORT_UNKNOWN_PCT,
		.hooks_pct = REPORT_UNKNOWN_PCT};
	const struct model_metric *own = &report->model->metrics[SAMPLE_COLLECTOR_CPU_NS];
	if (own->known)
		health->overhead_pct = report_share(own->last, input->wall_ns);
	double hooks =
		load_hooks_share(&report->model->load, report->steps.first, report->steps.until);
	if (hooks >= 0)
		health->hooks_pct = 100 * hooks;
	judge_content(report, input->blind);
	judge_loss(report);
	judge_file(report, input);
	judge_device(health, report->model);
	tell_bare(health, report->model);
	if (health->overhead_pct > report_limit(report, THRESHOLD_OVERHEAD))
		reason(health, HEALTH_DEGRADED, "recording itself used %.1f %% of a CPU core",
			health->overhead_pct);
	if (input->simulated)
		reason(health, HEALTH_GOOD,
			"the GPU is a simulated one: counts are the program's, times are modelled");
}
