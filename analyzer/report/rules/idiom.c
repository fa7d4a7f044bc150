/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/idiom.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Up to so many bytes a copy costs what its call does, wherever the memory is. */
#define SMALL_BYTES 4096u

enum when {
	ALWAYS,
	PINNED,
	SMALL,
	HELD,
	ENGINE,
	FORWARD,
	UNLOADED,
	POOLED,
	EVENT,
	AWAITED,
	UNUSED,
	GRAPH,
	COMPILED,
	RANKS,
	RESULT,
	ALONE
};

/* Of which runs a row is. No framework has this number. */
#define PLAIN 0 /* PyTorch's, and those without a framework */
#define OTHER UINT32_MAX

/* clang-format off */
static const struct idiom {
	uint32_t framework;
	unsigned rule;
	enum when when;
	const char *op, *file, *advice;
} idioms[] = {
#define WORDS_JAX        OP_JAX
#define WORDS_TENSORFLOW OP_TENSORFLOW
#define WORDS_PADDLE     OP_PADDLE
#define WORDS_MINDSPORE  OP_MINDSPORE
#define WORDS_ONNXRUNTIME OP_ONNXRUNTIME
#define WORDS_OTHER      OTHER
#define IDIOM(rule, when, op, file, advice)  {PLAIN, RULE_ID_##rule, when, op, file, advice},
#define WORDS(framework, rule, when, advice) \
	{WORDS_##framework, RULE_ID_##rule, when, NULL, NULL, advice},
#include "analyzer/report/rules/idiom.def"
};
/* clang-format on */

static bool is_in(const struct report *report, uint32_t id, const char *file)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_PLACE *place = id != 0 ? lookup_place(lookup, id) : NULL;
	const char *path = place != NULL ? lookup_text(lookup, (uint32_t)place->file) : NULL;
	size_t length = strlen(file), all = path != NULL ? strlen(path) : 0;
	return path != NULL && all >= length && strcmp(path + all - length, file) == 0;
}

bool idiom_is_within(const struct subject *subject, const char *file)
{
	return is_in(subject->report, subject->spot->place, file);
}

/* Where threads of pools wait for tasks; what a program's line waits for is that line's. */
static bool is_pooled(const struct report *report)
{
	uint32_t id = report->model->spots->items[report_input_spot(report)].place;
	const struct meta_PLACE *place = id != 0 ? lookup_place(&report->model->lookup, id) : NULL;
	return place != NULL && place->user_file == 0 &&
	       (is_in(report, id, "concurrent/futures/thread.py") ||
		       is_in(report, id, "multiprocessing/pool.py"));
}

static bool awaits_event(const struct subject *subject)
{
	const char *call = lookup_call(&subject->report->model->lookup, subject->spot->call);
	return strcmp(call, "cudaEventSynchronize") == 0 || strcmp(call, "cuEventSynchronize") == 0;
}

static bool has_operator(const struct subject *subject, const char *pattern)
{
	const struct lookup *lookup = &subject->report->model->lookup;
	const struct spot *spot = subject->spot;
	if (spot == NULL)
		return false;
	const uint32_t ops[] = {spot->outer_op, spot->op, spot->name};
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ops[i] != 0 && fnmatch(pattern, lookup_text(lookup, ops[i]), 0) == 0)
			return true;
	return false;
}

/* Run as a whole by PaddlePaddle, as a graph that it was made into before. */
static bool is_graph(const struct subject *subject)
{
	return has_operator(subject, "StandaloneExecutor::run") ||
	       has_operator(subject, "interpreter_core_run");
}

static bool holds(const struct subject *subject, enum when when)
{
	uint64_t calls = subject->counted[SPOT_CALLS], bytes = subject->counted[SPOT_BYTES];
	const struct facts *facts = subject->report->facts;
	if (when == ALONE)
		return subject->report->model->alone;
	if (when == GRAPH)
		return subject->report->model->alone && is_graph(subject);
	if (when == RESULT)
		return subject->report->model->alone && subject->spot->awaits;
	if (when == COMPILED)
		return facts != NULL && facts->compiled > 0;
	if (when == RANKS)
		return subject->spot->ranks;
	if (when == UNUSED)
		return facts != NULL && facts->searches > 0 && subject->spot->native;
	if (when == FORWARD)
		return subject->report->counted[MODEL_BACKWARD_NS] == 0 &&
		       subject->report->counted[MODEL_OPTIMIZER_NS] == 0 &&
		       subject->report->model->steps.method < STEP_BY_OPTIMIZER;
	if (when == ENGINE)
		return subject->spot->kind == SPOT_BLOCKED && subject->spot->awaits;
	if (when == HELD && subject->found[SPOT_WAITED_NS] == 0)
		return false;
	if (when == AWAITED)
		return subject->spot->awaited_place != 0;
	if (when == UNLOADED)
		return subject->report->counted[MODEL_LOADS] == 0;
	if (when == POOLED)
		return is_pooled(subject->report);
	if (when == EVENT)
		return awaits_event(subject);
	if (when == PINNED)
		return 2 * subject->counted[SPOT_PAGEABLE] < calls;
	return when == ALWAYS || bytes <= calls * SMALL_BYTES;
}

static bool is_spoken(const struct subject *subject, uint32_t framework)
{
	const struct facts *facts = subject->report->facts;
	uint32_t spoken = facts == NULL || facts->framework == OP_TORCH ? PLAIN : facts->framework;
	return framework == spoken || (framework == OTHER && spoken != PLAIN);
}

void idiom_advise(const struct subject *subject, unsigned rule, struct finding *finding)
{
	/* in the words of the library that the line called, which is not the user's to change */
	if (finding->library != NULL && finding->advice[0] != '\0')
		return;
	for (size_t i = 0; i < sizeof(idioms) / sizeof(idioms[0]); i++) {
		const struct idiom *idiom = &idioms[i];
		bool is_words = idiom->framework != PLAIN;
		if (idiom->rule != rule || !is_spoken(subject, idiom->framework) ||
			!holds(subject, idiom->when) ||
			((is_words || idiom->when == COMPILED) && finding->advice[0] != '\0') ||
			(idiom->op != NULL && !has_operator(subject, idiom->op)) ||
			(idiom->file != NULL && !idiom_is_within(subject, idiom->file)))
			continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(finding->advice, sizeof(finding->advice), idiom->advice, finding->where);
#pragma GCC diagnostic pop
		return;
	}
}
