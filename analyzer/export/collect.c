/* SPDX-License-Identifier: MIT */
#include "analyzer/export/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct collection {
	const struct collect_options *options;
	struct remarks *remarks;
	int err;
};

static void take_step(void *data, uint64_t step, uint64_t begin_ns, uint64_t end_ns)
{
	struct collection *collection = data;
	/* step 0 is what comes before the first one */
	const struct collect_options *options = collection->options;
	if (step == 0 || collection->err < 0 ||
		(options->selected != NULL && !options->selected(options->context, step)))
		return;
	const struct remarks_step found = {step, begin_ns, end_ns};
	collection->err = vec_push(&collection->remarks->steps, found);
}

/* Better marks were found: the steps are others. */
static void restart(void *data)
{
	struct collection *collection = data;
	collection->remarks->steps.count = 0;
}

static int take_findings(struct remarks *remarks, const struct report *report)
{
	int err = 0;
	for (unsigned i = 0; i < report->finding_count && err == 0; i++) {
		const struct finding *finding = &report->findings[i];
		char title[FINDING_TEXT + 128], gain[48] = "";
		if (finding->gain_pct != REPORT_UNKNOWN_PCT && finding->gain_pct >= 0.05)
			snprintf(gain, sizeof(gain), ", saves up to %.1f %%", finding->gain_pct);
		snprintf(title, sizeof(title), "%s: %s: %s%s", severity_names[finding->severity],
			finding->rule->name, finding->where, gain);
		struct remarks_finding mark = {.title = title,
			.evidence = (char *)(uintptr_t)finding->evidence,
			.advice = (char *)(uintptr_t)finding->advice,
			.file = (char *)(uintptr_t)finding->file,
			.line = finding->line};
		err = remarks_add_finding(remarks, &mark);
	}
	return err;
}

/* Judge what was read. 0 or -ENOMEM. */
static int judge(const struct collect_options *options, const struct process *traced,
	struct remarks *remarks)
{
	struct report *report = malloc(sizeof(*report));
	const struct model *model = traced->model;
	if (report == NULL)
		return -ENOMEM;
	struct report_input input = {.model = model,
		.thresholds = options->thresholds,
		.facts = traced->facts,
		.choices = options->choices,
		.reader = *reader_health(traced->reader),
		.complete = true,
		.odd = traced->odd,
		.late = traced->late,
		.wall_ns = model->events > 0 ? model->last_ns - model->first_ns : 0};
	report_build(report, &input);
	int err = take_findings(remarks, report);
	free(report);
	return err;
}

int collect_remarks(
	const char *path, const struct collect_options *options, struct remarks *ret_remarks)
{
	struct collection collection = {.options = options, .remarks = ret_remarks};
	struct observer observer = {.context = &collection, .restart = restart, .step = take_step};
	struct process_options wanted = options->process;
	struct process traced;
	struct err_at at = {0};
	*ret_remarks = (struct remarks){.only_steps = options->selected != NULL};
	wanted.model.observer = &observer;
	int err = process_init(&traced, path, &wanted, &at);
	if (err < 0)
		return err_is_refusal(err) ? err : 0;
	err = collection.err < 0 ? collection.err : judge(options, &traced, ret_remarks);
	process_release(&traced);
	return err;
}
