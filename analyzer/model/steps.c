/* SPDX-License-Identifier: MIT */
#include "analyzer/model/steps.h"

#include <stdlib.h>

#include "analyzer/model/pace.h"
#include "analyzer/model/settle.h"
#include "collector/base/hash.h"
#include "collector/format/blocking.h"
#include "collector/format/fields.h"

#include <string.h>

/* What tells calls of a loop apart: what was called, on what, from where. */
static uint64_t begin_token(const struct record *record)
{
	return hash_mix(record->kind, record->call);
}

static uint64_t finish_token(uint64_t sum, const struct record *record, enum token_rank rank)
{
	return (hash_mix(sum, record->place) & ~(uint64_t)TOKEN_RANK_MASK) | rank | 4;
}

/* Of what is no launch; 0: part of no pattern. */
static uint64_t token_of_other(const struct record *record)
{
	uint64_t sum = begin_token(record);
	switch (record->kind) {
	case RECORD_COPY:
		sum = hash_mix(hash_mix(sum, record_bytes(record)), record_direction(record));
		sum = hash_mix(hash_mix(sum, record_src_memory(record)), record_dst_memory(record));
		sum = hash_mix(sum, record_device(record));
		return finish_token(sum, record,
			record_direction(record) == COPY_HOST_TO_DEVICE ? TOKEN_UPLOAD
									: TOKEN_READ);
	case RECORD_SYNC:
		return finish_token(sum, record, TOKEN_SYNC);
	case RECORD_SET:
		return blocking_set(
			       (enum memory_kind)record_SET_memory(record), record_flags(record))
			       ? finish_token(sum, record, TOKEN_SYNC)
			       : 0;
	case RECORD_ALLOC:
		return blocking_release(record_ALLOC_address(record), record_flags(record))
			       ? finish_token(sum, record, TOKEN_SYNC)
			       : 0;
	default:
		return 0;
	}
}

static uint64_t token_of_launch(const struct record *record)
{
	return finish_token(hash_mix(begin_token(record), record->name), record, TOKEN_LAUNCH);
}

void model_find_period(struct model *model)
{
	if (model->options.asked != STEP_BY_NOTHING)
		return;
	uint64_t count = model->stepping.token_count < PERIOD_TOKENS ? model->stepping.token_count
								     : PERIOD_TOKENS;
	uint64_t *in_order = malloc(PERIOD_TOKENS * sizeof(*in_order));
	if (in_order == NULL)
		return;
	for (uint64_t i = 0; i < count; i++)
		in_order[i] =
			model->stepping
				.tokens[(model->stepping.token_count - count + i) % PERIOD_TOKENS];
	struct period period;
	if (count > 0 && period_find(in_order, (uint32_t)count, &period))
		model->stepping.period = period;
	free(in_order);
}

/* Steps, as they are recognised by that method. */
static uint64_t passed_steps(
	const struct model *model, enum step_method method, const struct passed *passed)
{
	switch (method) {
	case STEP_BY_LOADER:
		return passed->loads;
	case STEP_BY_OPTIMIZER:
		return model->stepping.marks.by_batch ? passed->loads : passed->optimizer_steps;
	case STEP_BY_MARK:
		return passed->marks;
	case STEP_BY_PROGRAM:
		return passed->steps;
	default:
		return 0;
	}
}

/* Steps have been found to end by marks, or with another kind of call than a launch. */
static bool ends_otherwise(const struct model *model)
{
	uint64_t anchor = model->stepping.period.anchor;
	return model->steps.method > STEP_BY_PERIOD ||
	       (model->steps.method == STEP_BY_PERIOD && anchor != 0 &&
		       (anchor & TOKEN_RANK_MASK) != TOKEN_LAUNCH);
}

/* A better kind of mark: what was counted so far is the time before the first step. */
static void restart(struct model *model, enum step_method method)
{
	const struct passed *passed = &model->stepping.passed;
	uint64_t before = passed_steps(model, method, passed);
	/* the first batch is drawn where step 0 begins */
	if (method == STEP_BY_LOADER && before > 0)
		before--;
	steps_restart(&model->steps, method, model->first_ns);
	steps_begin_at(&model->steps, before);
	series_reset(&model->counted);
	pace_restart(&model->pace);
	spots_reset(model->spots);
	sweep_restart(&model->sweep);
	model->sweep.step = before;
	model->lines.trust = 0;
	model->collection_longest_ns = 0;
	memset(model->holders, 0, sizeof(model->holders));
	const struct observer *observer = model->options.observer;
	if (observer != NULL && observer->restart != NULL)
		observer->restart(observer->context);
	model->stepping.changed = 0;
	model->stepping.launches_pass = ends_otherwise(model);
	model->kept_up = model->waits = model->waited_ns = model->unseen_ns = 0;
	model_forget_shape(model);
}

void model_meet_device(struct model *model)
{
	model->alone = model->sweep.alone = false;
	for (struct model_thread *thread = model->thread_list; thread != NULL;
		thread = thread->next)
		thread->launches = false;
	restart(model, model->steps.method);
}

/* What was counted since the last cut belongs to a step, or to none. */
static void close_counts(struct model *model, uint64_t step, enum step_cut kind)
{
	const struct observer *observer = model->options.observer;
	series_cut(&model->counted, step, kind);
	spots_tell_launches(model->spots, step);
	spots_cut(model->spots, step, kind, false);
	if (observer != NULL && observer->cut != NULL)
		observer->cut(observer->context, step, kind);
}

static int make_cut(struct model *model, const struct pace_cut *cut)
{
	struct model_wait now = {.begin_ns = cut->host_ns,
		.end_ns = cut->host_ns,
		.stream = DEVICE_ALL_STREAMS,
		.count = device_count(model->device)};
	int err = model->alone || pace_is_full(model) ? model_settle(model, &now) : 0;
	return err < 0 ? err : pace_cut(model, cut);
}

static int end_step(struct model *model, enum step_method method, uint64_t ns, uint64_t until_op)
{
	if (method < model->steps.method || method < model->options.asked)
		return 0;
	if (method > model->steps.method)
		restart(model, method);
	uint64_t more = method == STEP_BY_OPTIMIZER ? model->stepping.marks.vote.missed : 0;
	if (!steps_cut_late(&model->steps, ns, 1 + more))
		return 0;
	struct pace_cut cut = {.host_ns = ns, .until_op = until_op, .more = more};
	bool compiled = model->alone && model->stepping.results.name != 0;
	if ((method >= STEP_BY_LOADER || compiled) && model->last_thread != NULL)
		model_shape_end(model, model->last_thread, ns);
	else if (model->alone)
		burst_end(&model->stepping.burst, model->steps.count - 1, ns);
	if (model->stepping.broken || more > 0)
		cut.kind = CUT_BROKEN;
	model->stepping.changed += more > 0 ? 1 + more : 0;
	model->stepping.broken = false;
	model->values[MODEL_COVERED] += bare_end(&model->bare, model_counts(model));
	close_counts(model, model->steps.count - 1 - more, cut.kind);
	if (model->last_thread->line != NULL)
		lines_step(&model->lines, model->last_thread->line);
	model->stepping.launches = 0;
	model->values = steps_wanted(&model->steps, model->steps.count)
				? series_at(&model->counted, model->steps.count)
				: model->unwanted;
	return make_cut(model, &cut);
}

uint64_t model_passed(const struct model *model, const struct passed *passed)
{
	return passed_steps(model, model->steps.method, passed);
}

int model_pass(struct model *model, const struct passed *passed, uint64_t ns)
{
	struct stepping *stepping = &model->stepping;
	uint64_t count = model_passed(model, passed);
	stepping->passed.steps += passed->steps;
	stepping->passed.marks += passed->marks;
	stepping->passed.optimizer_steps += passed->optimizer_steps;
	stepping->passed.loads += passed->loads;
	/* ranges of the program, that were counted when there were enough of them */
	if (passed->marks > 0)
		stepping->ranges = STEP_RANGES_LEAST;
	stepping->broken = true;
	if (count == 0 || !steps_skip(&model->steps, ns, count))
		return 0;
	const struct pace_cut cut = {.host_ns = ns,
		.until_op = device_until(model->device),
		.kind = CUT_BROKEN,
		.more = count - 1};
	close_counts(model, model->steps.count - count, CUT_BROKEN);
	model->values = steps_wanted(&model->steps, model->steps.count)
				? series_at(&model->counted, model->steps.count)
				: model->unwanted;
	return make_cut(model, &cut);
}

int model_cut(struct model *model, enum step_method method, uint64_t ns)
{
	return end_step(model, method, ns, device_until(model->device));
}

int model_part(struct model *model, enum step_cut kind, uint32_t phase, uint64_t ns)
{
	if (!steps_pass(&model->steps, ns))
		return 0;
	struct pace_cut cut = {.host_ns = ns,
		.until_op = device_until(model->device),
		.kind = kind,
		.phase = phase};
	close_counts(model, model->steps.count, kind);
	return make_cut(model, &cut);
}

int model_mark(struct model *model, enum mark mark, uint64_t ns)
{
	if (mark == MARK_NONE)
		return 0;
	/* what came before a capture was its preparation */
	if (mark == MARK_REPLAY && model->steps.method == STEP_BY_OPTIMIZER)
		restart(model, STEP_BY_OPTIMIZER);
	return model_cut(model, STEP_BY_OPTIMIZER, ns);
}

uint64_t model_call_key(const struct record *record)
{
	return hash_mix(record->name, record->place);
}

int model_load(struct model *model, const struct record *record)
{
	marks_load(&model->stepping.marks);
	bool ends = vote_ends(&model->stepping.loaders, model_call_key(record), 0);
	if (ends && model->stepping.launches > 0)
		return model_shape_is_batch(model) ? model_shape_batch(model, record->end)
						   : model_cut(model, STEP_BY_LOADER, record->end);
	return 0;
}

/* The first thread that says so; one that feeds the device, if any does, goes before it. */
static bool is_stepping(struct stepping *stepping, const struct model_thread *thread)
{
	if (stepping->asked_thread == NULL ||
		(thread->launches && !stepping->asked_thread->launches))
		stepping->asked_thread = thread;
	return stepping->asked_thread == thread;
}

int model_told(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (model->alone)
		thread->launches = true;
	if (model->options.asked != STEP_BY_NOTHING || !is_stepping(&model->stepping, thread))
		return 0;
	return model_cut(model, STEP_BY_PROGRAM, record->end);
}

/* Which of the votes has it: a library's calls count where the program makes none itself. */
static struct vote *vote_of_compiled(struct model *model, const struct record *record)
{
	return &model->stepping.results.votes[model_is_own(model, record)];
}

int model_compiled(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct vote *vote = vote_of_compiled(model, record);
	bool own = vote == &model->stepping.results.votes[1];
	bool counts = own || model->stepping.results.votes[1].count == 0;
	if (counts)
		results_count(&model->stepping.results, record->begin);
	results_call(&model->stepping.results, record->name, own);
	model->stepping.results.ahead = record_OP_framework(record) == OP_JAX;
	if (counts)
		model->stepping.results.place = record->place;
	int err = counts && model->alone ? model_shape(model, thread, record) : 0;
	bool took = record_OP_framework(record) != OP_TENSORFLOW ||
		    results_took(&model->stepping.results);
	if (err < 0 || !counts || !took || !vote_ends(vote, model_call_key(record), 0))
		return err;
	bool trains = model_trains_whole(model, record);
	return model_cut(model, trains ? STEP_BY_OPTIMIZER : STEP_BY_PERIOD, record->end);
}

/* The user's name for what ends steps is that of the record. */
static bool is_named(struct model *model, const struct record *record)
{
	bool marker = model->options.asked == STEP_BY_MARKER, call = record->kind <= RECORD_CALL;
	bool range =
		record->kind == RECORD_RANGE ||
		(record->kind == RECORD_OP && (marker || record_OP_scope(record) == OP_USER_SCOPE));
	if (!range && !(marker && call))
		return false;
	return stepname_is(&model->stepping.names, &model->lookup, model->options.asked_name,
		call ? STEPNAME_CALL : STEPNAME_TEXT, call ? record->call : record->name);
}

int model_asked(struct model *model, const struct model_thread *thread, const struct record *record)
{
	struct stepping *stepping = &model->stepping;
	if (!is_named(model, record))
		return 0;
	/* the innermost of nested ranges counts */
	if (!is_stepping(stepping, thread) ||
		(model->options.asked == STEP_BY_RANGE && record->begin < stepping->asked_ns))
		return 0;
	stepping->asked_ns = record->begin;
	return model_cut(model, model->options.asked, record->end);
}

bool model_learn(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (record->kind == RECORD_GRAPH)
		(void)marks_graph(&model->stepping.marks, record, thread->id);
	if (record->kind == RECORD_LAUNCH || record->kind == RECORD_GRAPH)
		model->stepping.learnt_ns = record->begin;
	if (record->kind != RECORD_OP)
		return false;
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	if (model_is_compiled(model, record, class, model->stepping.learnt_ns >= record->begin)) {
		struct vote *vote = vote_of_compiled(model, record);
		vote_count(vote, model_call_key(record));
		vote_rank(vote, model_call_key(record),
			(class & OPCLASS_TRAINS) != 0 ? 1 : -((class & OPCLASS_EVALUATES) != 0),
			record->name);
		model->stepping.results.calls++;
	}
	if ((class & OPCLASS_OPTIMIZER) != 0)
		(void)marks_optimizer(&model->stepping.marks, record, thread->id);
	if ((class & OPCLASS_LOADER) != 0) {
		model->stepping.results.loads += record->place == 0;
		marks_load(&model->stepping.marks);
		vote_count(&model->stepping.loaders, model_call_key(record));
	}
	return (class & (OPCLASS_MARK | OPCLASS_LOADER | OPCLASS_OPTIMIZER)) != 0;
}

/* The call ends a step. */
static __attribute__((noinline)) int end_period(struct model *model, const struct record *record)
{
	model->stepping.token_cut = model->stepping.token_count;
	/* what the call itself asked for is only begun: it is the first work of the next step */
	uint64_t until_op = device_until(model->device);
	if (record->kind != RECORD_SYNC && until_op > 0)
		until_op--;
	return end_step(model, STEP_BY_PERIOD, record->end, until_op);
}

static inline int take_token(struct model *model, const struct record *record, uint64_t token)
{
	struct stepping *stepping = &model->stepping;
	stepping->tokens[stepping->token_count++ % PERIOD_TOKENS] = token;
	if (stepping->period.length == 0 || model->prefix != NULL)
		return 0;
	bool ends = stepping->period.anchor != 0 ? token == stepping->period.anchor
						 : stepping->token_count - stepping->token_cut >=
							   stepping->period.length;
	return ends ? end_period(model, record) : 0;
}

static __attribute__((noinline)) int take_other(struct model *model, const struct record *record)
{
	uint64_t token = token_of_other(record);
	return token != 0 ? take_token(model, record, token) : 0;
}

int model_token(struct model *model, const struct model_thread *thread, const struct record *record)
{
	const struct stepping *stepping = &model->stepping;
	if (model->steps.method > STEP_BY_PERIOD || thread->id != stepping->main_thread)
		return 0;
	/* what was compiled says more, from the first call on */
	if (stepping->results.name != 0 || stepping->results.calls > 0)
		return 0;
	if (record->kind != RECORD_LAUNCH && record->kind != RECORD_GRAPH)
		return take_other(model, record);
	return take_token(model, record, token_of_launch(record));
}
