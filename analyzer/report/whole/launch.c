/* SPDX-License-Identifier: MIT */
/* How the GPU is given its work. */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"

/* Fewer launches of an optimiser are no loop worth a word. */
#define LOOP_LEAST 50.0
/* Launches for each parameter from which on an optimiser works tensor by tensor. */
#define LAUNCHES_EACH 2.0

bool rule_launch_blocking(const struct subject *subject, struct finding *finding)
{
	const struct facts *facts = subject->report->facts;
	evidence_add(finding, "CUDA_LAUNCH_BLOCKING is set in the environment: every launch waits "
			      "until its kernel has ended");
	if (facts == NULL || !facts->launch_blocking)
		return false;
	finding->severity = SEVERITY_MEDIUM;
	return true;
}

bool rule_launch_short_kernels(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->runs == 0)
		return false;
	double share = report_share(facts->short_runs, facts->runs);
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%.0f %% of %llu kernels take less than 10 us on the GPU (limit %g %%)", share,
		(unsigned long long)facts->runs, report_limit(report, THRESHOLD_SHORT));
	return share >= report_limit(report, THRESHOLD_SHORT);
}

bool rule_optimizer_per_tensor(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->optimizers == 0)
		return false;
	double launches = (double)facts->optimizer_launches / (double)facts->optimizers;
	double parameters = bare_factor(&report->model->bare) * (double)facts->parameters /
			    (double)facts->optimizers;
	if (2 * facts->unfed > facts->optimizers) /* graphs are replayed, and do not tell them */
		parameters = (double)facts->captured;
	place_of_id(report, fact_winner(&facts->optimizer_place, facts->optimizers), PLACE_LOOP,
		finding);
	finding->calls_per_step = launches;
	evidence_add(finding, "%s%.0f launches for one step of the optimiser, with %.0f parameters",
		launches >= FACTS_LAUNCHES ? "at least " : "", launches, parameters);
	return launches >= LOOP_LEAST && parameters > 0 && launches >= LAUNCHES_EACH * parameters;
}

bool rule_gradients_zeroed(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->zeroings == 0 || facts->zeroing_launches < facts->zeroings)
		return false;
	if (2 * facts->zeroings < facts->optimizers) /* before a capture, say: in few steps */
		return false;
	double launches = (double)facts->zeroing_launches / (double)facts->zeroings;
	place_of_id(
		report, fact_winner(&facts->zeroing_place, facts->zeroings), PLACE_LOOP, finding);
	finding->calls_per_step = launches;
	evidence_add(
		finding, "%.1f launches in each zero_grad() fill gradients with zeros", launches);
	return true;
}

bool rule_slow_first_steps(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct steps *steps = &report->model->steps;
	const struct steps_summary *sums = &report->steps;
	char took[32], median[32];
	uint64_t slow = 0, slow_ns = 0;
	while (slow + 1 < sums->first && slow + 1 < SERIES_EARLY &&
		steps->early[slow + 1] > 2 * sums->median_ns)
		slow_ns += steps->early[++slow];
	if (slow == 0)
		return false;
	report_duration(slow_ns, took, sizeof(took));
	report_duration(sums->median_ns, median, sizeof(median));
	if (slow == 1)
		evidence_add(finding, "the first whole step took %s, later ones %s each (median)",
			took, median);
	else
		evidence_add(finding,
			"the first %llu whole steps took %s, later ones %s each (median)",
			(unsigned long long)slow, took, median);
	return true;
}
