/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"
#include "analyzer/model/steps.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

/* The call fetches a result because a framework writes it to a file. */
static bool is_saving(struct model *model, const struct record *record)
{
	if (record->kind != RECORD_COPY || record_direction(record) == COPY_HOST_TO_DEVICE ||
		record->place == 0)
		return false;
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	unsigned class =
		place != NULL && place->file != 0
			? opname_get(&model->opnames, &model->lookup, (uint32_t)place->file)
			: 0;
	return (class & OPCLASS_SAVES) != 0;
}

/* What the record is to the shape of a step; false: no part of it. */
static bool describe(struct model *model, const struct record *record, struct shape_call *ret_call)
{
	struct shape_call call = {.kind = SHAPE_OTHER, .place = record->place};
	uint64_t what = hash_mix(record->kind, record->place != 0 ? 0 : record->call);
	switch (record->kind) {
	case RECORD_GRAPH:
		if ((record_flags(record) & RECORD_LAUNCH_GRAPH) == 0)
			return false;
		what = hash_mix(what, record_GRAPH_exec(record));
		/* fallthrough */
	case RECORD_LAUNCH:
		call.kind = SHAPE_LAUNCH;
		call.name = record->name;
		if (record->place == 0)
			what = hash_mix(what, record->name);
		break;
	case RECORD_COPY:
		if (record_direction(record) == COPY_HOST_TO_DEVICE)
			call.kind = SHAPE_UPLOAD;
		what = hash_mix(what, record_direction(record));
		call.saves = is_saving(model, record);
		break;
	case RECORD_SYNC:
		if ((record_flags(record) & RECORD_QUERY) != 0)
			return false;
		break;
	case RECORD_OP:
		call.kind = SHAPE_LOAD;
		what = hash_mix(what, record->name);
		break;
	default:
		return false;
	}
	call.token = hash_mix(what, record->place) | 1;
	*ret_call = call;
	return record->result == 0 &&
	       (record->kind == RECORD_OP || (record_flags(record) & RECORD_CAPTURED) == 0);
}

static int put_aside(struct model *model, enum step_cut cut, enum phase phase, uint64_t ns)
{
	uint32_t place = model->stepping.shape.gap.place;
	burst_forget(&model->stepping.burst, ns);
	return model_part(model, cut, phases_find(&model->steps.phases, phase, place), ns);
}

int model_shape(struct model *model, const struct model_thread *thread, const struct record *record)
{
	struct stepping *stepping = &model->stepping;
	struct shape_call call;
	if (thread->id != stepping->thread)
		return 0;
	burst_call(&stepping->burst, record->place, record->begin);
	if (!describe(model, record, &call))
		return 0;
	enum phase phase;
	enum shape_says says = shape_call(&stepping->shape, &call, &phase);
	uint64_t before_ns = stepping->call_ns;
	stepping->call_ns = record->end;
	switch (says) {
	case SHAPE_LEAVES: /* what the host did before the call was for it */
		return model_part(model, CUT_PART, 0, before_ns);
	case SHAPE_REPEATS:
		stepping->tail = false;
		return put_aside(model, CUT_ASIDE_ALL, phase, record->begin);
	case SHAPE_RETURNS:
		stepping->tail = false;
		return phase != PHASE_NONE ? put_aside(model, CUT_ASIDE, phase, record->begin) : 0;
	case SHAPE_PASSES:
		stepping->tail = phase == PHASE_NONE;
		return phase != PHASE_NONE ? put_aside(model, CUT_ASIDE, phase, record->begin)
					   : model_part(model, CUT_TAIL, 0, record->begin);
	default:
		return 0;
	}
}

void model_shape_backward(struct model *model)
{
	if (model->stepping.thread != 0)
		shape_backward(&model->stepping.shape);
}

void model_shape_end(struct model *model, const struct model_thread *thread, uint64_t ns)
{
	burst_end(&model->stepping.burst, model->steps.count - 1, ns);
	model->stepping.thread = thread->id;
	model->stepping.call_ns = ns;
	model->stepping.tail = false;
	shape_end(&model->stepping.shape);
}

/* What came after the last step's end is of a step like that which came after earlier ones. */
int model_shape_rest(struct model *model)
{
	struct stepping *stepping = &model->stepping;
	const struct shape *shape = &stepping->shape;
	enum phase phase = shape_phase(shape);
	int err = 0;
	if (stepping->thread != 0 && shape->away && !shape->passed) {
		if (phase != PHASE_NONE)
			return put_aside(model, CUT_ASIDE, phase, stepping->call_ns);
		stepping->tail = shape->gap.all_returned;
		if (stepping->tail)
			err = model_part(model, CUT_TAIL, 0, stepping->call_ns);
	}
	if (stepping->tail)
		burst_end(&stepping->burst, model->steps.count, stepping->call_ns);
	return err;
}

void model_drop_rest(struct model *model)
{
	bool tail = model->stepping.tail;
	series_finish(&model->counted, tail);
	series_finish(&model->sweep.account, tail);
	spots_finish(model->spots, tail);
	if (!tail)
		model->steps.tail_ns = 0;
}

int model_still(struct model *model, const struct record *record)
{
	enum phase phase = record_MARK_what(record) == MARK_OFF ? PHASE_OFF : PHASE_STOPPED;
	struct phases *phases = &model->steps.phases;
	phases_add(phases, phases_find(phases, phase, 0), model->steps.count,
		record->end - record->begin);
	model->stepping.broken = true;
	return 0;
}

void model_forget_shape(struct model *model)
{
	if (!model->stepping.shape.known)
		model->stepping.shape = (struct shape){0};
	model->stepping.burst = (struct burst){0};
	model->stepping.thread = 0;
}

/* From a copy of the marks: they are told again when the records are counted. */
void model_learn_shape(struct model *model)
{
	struct stepping *stepping = &model->stepping;
	struct marks marks = stepping->marks;
	if (model->options.asked != STEP_BY_NOTHING)
		return;
	for (uint32_t i = 0; i < model->prefix_count && !stepping->shape.known; i++) {
		const struct record *record = &model->prefix[i].record;
		uint32_t thread = model->prefix[i].thread;
		unsigned class = record->kind == RECORD_OP
					 ? opname_get(&model->opnames, &model->lookup, record->name)
					 : 0;
		enum mark mark = MARK_NONE;
		struct shape_call call;
		enum phase phase;
		if (record->kind == RECORD_GRAPH)
			mark = marks_graph(&marks, record);
		if ((class & OPCLASS_LOADER) != 0)
			marks_load(&marks);
		if ((class & OPCLASS_OPTIMIZER) != 0)
			mark = marks_optimizer(&marks, record);
		if ((class & OPCLASS_BACKWARD) != 0)
			shape_backward(&stepping->shape);
		if (thread == stepping->thread &&
			(record->kind != RECORD_OP || (class & OPCLASS_LOADER) != 0) &&
			describe(model, record, &call))
			(void)shape_call(&stepping->shape, &call, &phase);
		if (mark == MARK_REPLAY)
			model_forget_shape(model);
		if (mark != MARK_NONE) {
			shape_end(&stepping->shape);
			stepping->thread = thread;
		}
	}
	stepping->thread = 0;
}
