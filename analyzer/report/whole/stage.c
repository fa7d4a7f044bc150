/* SPDX-License-Identifier: MIT */
/* The stages of a framework's data set. */
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"

/* So many times as fast is no number to aim at, but to give the stage up. */
#define TIMES_MOST 20.0

/* What can be done about a kind of stage. */
static const struct {
	const char *kind, *advice;
} stages[] = {
	{"GeneratorOp",
		"Let the source make several samples at a time (GeneratorDataset with "
		"num_parallel_workers and python_multiprocessing=True, which needs "
		"__getitem__ and __len__), or do less for a sample, and the rest in map()."},
	{"MapOp", "Give that map() more num_parallel_workers, with python_multiprocessing=True "
		  "where its functions are Python's and compute; or make them cheaper, or apply "
		  "them to whole batches behind batch()."},
	{"BatchOp", "Give batch() more num_parallel_workers, with python_multiprocessing=True "
		    "where per_batch_map computes in Python; or do its work per sample in map()."},
};

static const char *advice_of(const char *kind)
{
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
		if (strcmp(stages[i].kind, kind) == 0)
			return stages[i].advice;
	return NULL;
}

/* By how much faster a step would be if nothing had to be waited for. */
static void predict(const struct report *report, struct finding *finding)
{
	uint64_t mean_ns = report->steps.mean_ns;
	uint64_t waits_ns = report_ns_per_step(report, report->reader_ns);
	char step[32];
	if (waits_ns == 0 || waits_ns >= mean_ns)
		return;
	double times = (double)mean_ns / (double)(mean_ns - waits_ns);
	report_duration(mean_ns - waits_ns, step, sizeof(step));
	if (times <= TIMES_MOST)
		evidence_add(finding,
			"; to keep up with the loop, which takes %s for a step itself, it would "
			"have to be %.1f times as fast",
			step, times);
	else
		evidence_add(finding, "; the loop takes only %s for a step itself", step);
}

bool rule_input_pipeline(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct lookup *lookup = &report->model->lookup;
	const struct pipeline_stage *before;
	const struct pipeline_stage *stage =
		report->facts != NULL ? pipeline_pace(&report->facts->pipeline, &before) : NULL;
	if (stage == NULL || report->steps.steady == 0)
		return false;
	const char *kind = lookup_text(lookup, stage->name), *advice = advice_of(kind);
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%s(ID:%u) sets the pace: of %llu rows that it was asked for %.0f %% were not "
		"there, and it was waited for %.0f %% of the time",
		kind, stage->number, (unsigned long long)stage->rows,
		report_share(stage->empty, stage->rows),
		report_share(stage->waited_ns, stage->span_ns));
	if (before != NULL && before->rows > 0)
		evidence_add(finding, "; before it, the queue of %s(ID:%u) held %.1f of %llu",
			lookup_text(lookup, before->name), before->number,
			(double)before->queued / (double)before->rows,
			(unsigned long long)before->capacity);
	else if (before == NULL)
		evidence_add(finding, "; it is the first of the data set");
	predict(report, finding);
	if (advice != NULL)
		snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
	return true;
}
