/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include "analyzer/model/steps.h"
#include "collector/format/fields.h"

#include <string.h>

/* The backward pass is one range as long as its functions follow each other this closely. */
#define BACKWARD_GAP_NS 1000000u
/* So many ranges with the name of a step are steps; fewer may be anything. */
#define STEP_RANGES_LEAST 3u
/* A shorter wait for input is not worth a piece. */
#define INPUT_MIN_NS 20000u

/* The operator encloses these calls: they are known by its name. */
static void name_calls(struct model *model, struct model_thread *thread,
	const struct record *record, unsigned class)
{
	uint32_t kept =
		thread->pending_count < MODEL_PENDING ? thread->pending_count : MODEL_PENDING;
	for (uint32_t i = 0; i < kept; i++) {
		struct model_pending *pending =
			&thread->pending[(thread->pending_count - 1 - i) % MODEL_PENDING];
		if (pending->begin_ns < record->begin)
			break;
		struct spot *spot = &model->spots->items[pending->spot];
		spot->op_class |= class & ~(unsigned)OPCLASS_KNOWN;
		spot->outer_op = record->name;
		if (!pending->named) {
			spot->op = record->name;
			spot->named++;
			pending->named = true;
		}
		if ((class & OPCLASS_SHAPE) != 0 && !pending->shaped) {
			spot->shaped++;
			pending->shaped = true;
		}
	}
}

static int loader_range(struct model *model, struct model_thread *thread,
	const struct record *record, unsigned class)
{
	if (!thread->launches)
		return 0;
	model->loader_name = record->name;
	model->loader_place = record->place;
	model->in_process = (class & OPCLASS_IN_PROCESS) != 0;
	model->values[MODEL_LOADS]++;
	model->values[MODEL_LOAD_NS] += record->end - record->begin;
	int err = host_add(&model->host, PIECE_INPUT, record->begin, record->end, 0);
	return err < 0 ? err : model_load(model, record);
}

static void backward_function(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	uint64_t begin = record->begin;
	if (thread->backward_ns > 0 && begin < thread->backward_ns + BACKWARD_GAP_NS)
		begin = thread->backward_ns;
	if (record->end > begin)
		model->values[MODEL_BACKWARD_NS] += record->end - begin;
	thread->backward_ns = record->end;
	model_shape_backward(model);
}

int model_op(struct model *model, struct model_thread *thread, const struct record *record)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	const unsigned special =
		OPCLASS_MARK | OPCLASS_LOADER | OPCLASS_OPTIMIZER | OPCLASS_BACKWARD;
	model->values[MODEL_OPS]++;
	if (class & special) {
		if (class & OPCLASS_MARK)
			return model_cut(model, STEP_BY_MARK, record->end);
		if (class & OPCLASS_LOADER)
			return loader_range(model, thread, record, class);
		if (class & OPCLASS_BACKWARD)
			backward_function(model, thread, record);
		if (class & OPCLASS_OPTIMIZER) {
			model->values[MODEL_OPTIMIZER_NS] += record->end - record->begin;
			return model_mark(model, marks_optimizer(&model->stepping.marks, record),
				record->end);
		}
	}
	if (record_OP_scope(record) == OP_USER_SCOPE || !thread->launches)
		return 0;
	if (thread->pending_count > 0)
		name_calls(model, thread, record, class);
	if (host_extend(&model->host, record->begin, record->end))
		return 0;
	return host_cover(&model->host, record->begin, record->end);
}

/* The innermost of nested ones counts; a range around it is no step of its own. */
int model_range(struct model *model, const struct model_thread *thread, const struct record *record)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	if ((class & (OPCLASS_MARK | OPCLASS_STEP_RANGE)) == 0 || !thread->launches ||
		record->begin <= model->stepping.range_ns)
		return 0;
	model->stepping.range_ns = record->begin;
	if (++model->stepping.ranges < STEP_RANGES_LEAST)
		return 0;
	return model_cut(model, STEP_BY_MARK, record->end);
}

/* Whether data may come from what was waited for: bytes, or a queue of another thread. */
static bool feeds(const struct model *model, const struct record *record)
{
	switch (record_INPUT_what(record)) {
	case INPUT_LOCK:
		return strncmp(lookup_call(&model->lookup, record->call), "sem_", 4) == 0;
	case INPUT_UNKNOWN:
	case INPUT_READ:
	case INPUT_POLL:
		return true;
	default:
		return false;
	}
}

int model_input(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches || record->end - record->begin < INPUT_MIN_NS ||
		!feeds(model, record))
		return 0;
	uint64_t blocked_ns = record->end - record->begin;
	model->values[MODEL_INPUT_NS] += blocked_ns;
	if (blocked_ns > model->input_longest_ns) {
		model->input_longest_ns = blocked_ns;
		model->input_place = record->place;
	}
	return host_add(&model->host, PIECE_INPUT, record->begin, record->end, 0);
}
