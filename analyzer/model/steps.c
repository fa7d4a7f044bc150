/* SPDX-License-Identifier: MIT */
#include "analyzer/model/steps.h"

#include <stdlib.h>

#include "analyzer/model/pace.h"
#include "analyzer/model/settle.h"
#include "collector/base/hash.h"
#include "collector/format/blocking.h"
#include "collector/format/fields.h"

#include <string.h>

/* What tells calls of a loop apart: what was called, on what, from where; 0: part of no pattern. */
static uint64_t token_of(const struct record *record)
{
	enum token_rank rank = TOKEN_LAUNCH;
	uint64_t sum = hash_mix(record->kind, record->call);
	switch (record->kind) {
	case RECORD_LAUNCH:
	case RECORD_GRAPH:
		sum = hash_mix(sum, record->name);
		break;
	case RECORD_COPY:
		rank = record_direction(record) == COPY_HOST_TO_DEVICE ? TOKEN_UPLOAD : TOKEN_READ;
		sum = hash_mix(hash_mix(sum, record_bytes(record)), record_direction(record));
		sum = hash_mix(hash_mix(sum, record_src_memory(record)), record_dst_memory(record));
		sum = hash_mix(sum, record_device(record));
		break;
	case RECORD_SYNC:
		rank = TOKEN_SYNC;
		break;
	case RECORD_ALLOC:
		if (!blocking_release(record_ALLOC_address(record), record_flags(record)))
			return 0;
		rank = TOKEN_SYNC;
		break;
	default:
		return 0;
	}
	return (hash_mix(sum, record->place) & ~(uint64_t)TOKEN_RANK_MASK) | rank | 4;
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

/* A better kind of mark: what was counted so far is the time before the first step. */
static void restart(struct model *model, enum step_method method)
{
	steps_restart(&model->steps, method, model->first_ns);
	series_reset(&model->counted);
	pace_restart(&model->pace);
	spots_reset(model->spots);
	sweep_restart(&model->sweep);
	model->lines.trust = 0;
	model->collection_longest_ns = 0;
	memset(model->holders, 0, sizeof(model->holders));
	const struct observer *observer = model->options.observer;
	if (observer != NULL && observer->restart != NULL)
		observer->restart(observer->context);
	model->kept_up = model->waits = model->waited_ns = 0;
	model_forget_shape(model);
}

/* What was counted since the last cut belongs to a step, or to none. */
static void close_counts(struct model *model, uint64_t step, enum step_cut kind)
{
	series_cut(&model->counted, step, kind);
	spots_cut(model->spots, step, kind, false);
}

static int make_cut(struct model *model, const struct pace_cut *cut)
{
	struct model_wait now = {.begin_ns = cut->host_ns,
		.end_ns = cut->host_ns,
		.stream = DEVICE_ALL_STREAMS,
		.count = device_count(model->device)};
	int err = pace_is_full(model) ? model_settle(model, &now) : 0;
	return err < 0 ? err : pace_cut(model, cut);
}

static int end_step(struct model *model, enum step_method method, uint64_t ns, uint64_t until_op)
{
	if (method < model->steps.method || method < model->options.asked)
		return 0;
	if (method > model->steps.method)
		restart(model, method);
	if (!steps_cut(&model->steps, ns))
		return 0;
	struct pace_cut cut = {.host_ns = ns, .until_op = until_op};
	if (method >= STEP_BY_LOADER && model->last_thread != NULL)
		model_shape_end(model, model->last_thread, ns);
	if (model->stepping.broken)
		cut.kind = CUT_BROKEN;
	model->stepping.broken = false;
	close_counts(model, model->steps.count - 1, cut.kind);
	if (model->last_thread->line != NULL)
		lines_step(&model->lines, model->last_thread->line);
	model->stepping.launches = 0;
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

static uint64_t loader_key(const struct record *record)
{
	return hash_mix(record->name, record->place);
}

int model_load(struct model *model, const struct record *record)
{
	marks_load(&model->stepping.marks);
	int err = model_shape(model, model->last_thread, record);
	if (err < 0)
		return err;
	bool ends = vote_ends(&model->stepping.loaders, loader_key(record));
	return ends && model->stepping.launches > 0 ? model_cut(model, STEP_BY_LOADER, record->end)
						    : 0;
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
	if (stepping->asked_thread == NULL ||
		(thread->launches && !stepping->asked_thread->launches))
		stepping->asked_thread = thread;
	/* the innermost of nested ranges counts */
	if (stepping->asked_thread != thread ||
		(model->options.asked == STEP_BY_RANGE && record->begin < stepping->asked_ns))
		return 0;
	stepping->asked_ns = record->begin;
	return model_cut(model, model->options.asked, record->end);
}

bool model_learn(struct model *model, const struct record *record)
{
	if (record->kind == RECORD_GRAPH)
		(void)marks_graph(&model->stepping.marks, record);
	if (record->kind != RECORD_OP)
		return false;
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	if ((class & OPCLASS_OPTIMIZER) != 0)
		(void)marks_optimizer(&model->stepping.marks, record);
	if ((class & OPCLASS_LOADER) != 0) {
		marks_load(&model->stepping.marks);
		vote_count(&model->stepping.loaders, loader_key(record));
	}
	return (class & (OPCLASS_MARK | OPCLASS_LOADER | OPCLASS_OPTIMIZER)) != 0;
}

int model_token(struct model *model, const struct model_thread *thread, const struct record *record)
{
	if (model->steps.method > STEP_BY_PERIOD || thread->id != model->stepping.main_thread)
		return 0;
	uint64_t token = token_of(record);
	if (token == 0)
		return 0;
	model->stepping.tokens[model->stepping.token_count++ % PERIOD_TOKENS] = token;
	if (model->stepping.period.length == 0 || model->prefix != NULL)
		return 0;
	bool ends = model->stepping.period.anchor != 0
			    ? token == model->stepping.period.anchor
			    : model->stepping.token_count - model->stepping.token_cut >=
				      model->stepping.period.length;
	if (!ends)
		return 0;
	model->stepping.token_cut = model->stepping.token_count;
	/* what the call itself asked for is only begun: it is the first work of the next step */
	uint64_t until_op = device_until(model->device);
	if (record->kind != RECORD_SYNC && until_op > 0)
		until_op--;
	return end_step(model, STEP_BY_PERIOD, record->end, until_op);
}
