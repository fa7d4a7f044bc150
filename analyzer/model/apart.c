/* SPDX-License-Identifier: MIT */
#include "analyzer/model/enqueue.h"
#include "analyzer/model/kinds.h"
#include "analyzer/model/pace.h"
#include "analyzer/model/steps.h"
#include "analyzer/steps/figures.h"
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
		if ((opname_get(&model->opnames, &model->lookup, record->name) & OPCLASS_LOADER) !=
			0)
			break;
		/* a compiled function: as a forward pass each of them is like any other */
		call.kind = SHAPE_LAUNCH;
		call.name = 1;
		break;
	default:
		return false;
	}
	call.token = hash_mix(what, record->place) | 1;
	*ret_call = call;
	return record->result == 0 &&
	       (record->kind == RECORD_OP || (record_flags(record) & RECORD_CAPTURED) == 0);
}

/* What it was has taken until ns. */
static int put_aside(
	struct model *model, enum step_cut cut, enum phase phase, uint32_t place, uint64_t ns)
{
	if (phase == PHASE_NONE)
		return 0;
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
	struct shape_told told;
	uint64_t before_ns = stepping->call_ns;
	call.pause_ns = steps_rise(before_ns, record->begin);
	enum shape_says says = shape_call(&stepping->shape, &call, &told);
	stepping->call_ns = record->end;
	int err = 0;
	switch (says) {
	case SHAPE_LEAVES: /* what else the host did before the call was for it */
		return model_part(model, CUT_PART, 0, before_ns + stepping->shape.usual_ns);
	case SHAPE_TURNS:
		return put_aside(model, CUT_ASIDE, told.phase, told.place, before_ns);
	case SHAPE_REPEATS:
		stepping->tail = false; /* every cut has a time of its own */
		err = put_aside(model, CUT_ASIDE, told.left, told.left_place, record->begin - 1);
		return err < 0 ? err
			       : put_aside(model, CUT_ASIDE_ALL, told.phase, told.place,
					 record->begin);
	case SHAPE_RETURNS:
		stepping->tail = false;
		return put_aside(model, CUT_ASIDE, told.phase, told.place, record->begin);
	case SHAPE_PASSES:
		stepping->tail = told.phase == PHASE_NONE;
		return stepping->tail
			       ? model_part(model, CUT_TAIL, 0, record->begin)
			       : put_aside(model, CUT_ASIDE, told.phase, told.place, record->begin);
	default:
		return 0;
	}
}

void model_shape_works(struct model *model, const struct model_thread *thread)
{
	if (thread->id == model->stepping.thread)
		shape_works(&model->stepping.shape);
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
	struct shape_told told = shape_phase(shape);
	int err = 0;
	if (stepping->thread != 0 && shape->away && !shape->passed) {
		if (told.phase != PHASE_NONE)
			return put_aside(
				model, CUT_ASIDE, told.phase, told.place, stepping->call_ns);
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
	bool tail = model->stepping.tail && steps_tail_counts(&model->steps);
	series_finish(&model->counted, tail);
	series_finish(&model->sweep.account, tail);
	spots_tell_launches(model->spots, model->steps.count);
	spots_finish(model->spots, tail);
	const struct observer *observer = model->options.observer;
	if (observer != NULL && observer->finish != NULL)
		observer->finish(observer->context, tail);
	if (!tail)
		model->steps.tail_ns = 0;
}

/* Steps of which all was given to the device and nothing was waited for. */
struct open_steps {
	uint64_t count, host_ns; /* in which the host has made their calls */
	double ns;               /* that their kernels take */
	uint16_t stream;         /* of the last one */
};

static struct open_steps find_open(const struct model *model)
{
	const struct device *device = model->device;
	const struct device_op *first = device_op(device, device->closed);
	struct open_steps open = {.count = 0};
	uint64_t step = 0, begin_ns = 0;
	for (uint64_t i = device->closed; i < device_until(device); i++) {
		const struct device_op *op = device_op(device, i);
		if (op->fixed || op->step == first->step || op->step >= model->steps.count)
			continue;
		begin_ns = begin_ns != 0 ? begin_ns : op->ready_ns;
		open.count += op->step != step;
		step = op->step;
		open.ns += device->estimates.items[op->estimate].ns;
		open.stream = op->stream;
		open.host_ns = op->ready_ns - begin_ns;
	}
	return open;
}

/* Steps that passed several times faster than others were other ones. */
#define UNSEEN_FASTER 4u

/*
 * The program went on while recording was off. A device that was behind before is given as much by
 * each step that nobody saw as by those before them; else their time would be that of later ones.
 */
static int give_unseen(struct model *model, const struct record *record, uint64_t steps)
{
	struct device *device = model->device;
	struct open_steps open = find_open(model);
	uint64_t off_ns = record->end - record->begin;
	if (steps == 0 || open.count == 0 || device_is_full(device) ||
		(double)open.host_ns / (double)open.count * (double)steps >
			UNSEEN_FASTER * (double)off_ns)
		return 0;
	uint64_t key = MODEL_KEY_OFF | device_until(device);
	double ns = open.ns / (double)open.count * (double)steps;
	const struct device_op op = {.ready_ns = record->begin,
		.step = model->steps.count,
		.class = DEVICE_CLASS_COMPUTE,
		.stream = open.stream,
		.estimate = estimate_find(&device->estimates, key, (float)ns),
		.silent = true};
	pace_note(&model->pace, &op);
	return device_enqueue(device, &op, record);
}

/* Nothing is known of what ran meanwhile unless the device tells. */
static int was_off(struct model *model, const struct record *record, uint64_t steps)
{
	if (model->measured > 0 || model->alone)
		return 0;
	model->unseen_from_ns = record->end;
	return give_unseen(model, record, steps);
}

int model_still(struct model *model, const struct record *record)
{
	bool off = record_MARK_what(record) == MARK_OFF;
	struct phases *phases = &model->steps.phases;
	phases_add(phases, phases_find(phases, off ? PHASE_OFF : PHASE_STOPPED, 0),
		model->steps.count, record->end - record->begin);
	const struct passed passed = {record_MARK_marks(record),
		record_MARK_optimizer_steps(record), record_MARK_loads(record),
		record_MARK_steps(record)};
	int err = off ? was_off(model, record, model_passed(model, &passed)) : 0;
	return err < 0 ? err : model_pass(model, &passed, record->end);
}

void model_forget_shape(struct model *model)
{
	/* what optimisers made of it may be another step than the program's */
	if (!model->stepping.shape.known || model->steps.method == STEP_BY_PROGRAM)
		model->stepping.shape = (struct shape){0};
	model->stepping.burst = (struct burst){0};
	model->stepping.thread = 0;
}

/* Programs that say where steps end do work, though nothing else tells of it. */
static bool is_told_step(const struct record *record)
{
	return record->kind == RECORD_RANGE && (record_flags(record) & RANGE_STEP) != 0;
}

bool model_is_alone(struct model *model, const struct model_prefix *prefix)
{
	bool given = false, operators = false;
	for (uint32_t i = 0; i < model->prefix_count; i++) {
		const struct record *record = &prefix[i].record;
		given |= model_gives_work(record);
		model->stepping.told |= is_told_step(record);
		operators |= record->kind == RECORD_OP;
	}
	return (operators || model->stepping.told) && !given && model->measured == 0;
}

bool model_trains_whole(struct model *model, const struct record *record)
{
	return model->stepping.marks.vote.count == 0 &&
	       (opname_get(&model->opnames, &model->lookup, record->name) & OPCLASS_STEP_RANGE) !=
		       0;
}

/* Which of these votes it has where the program's work is calls of compiled functions; or NULL. */
static struct vote *compiled_vote(
	struct model *model, struct results *results, const struct record *record, unsigned class)
{
	if (!model->alone || record->kind != RECORD_OP || record_OP_framework(record) == OP_TORCH ||
		!model_is_compiled(model, record, class, false))
		return NULL;
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	bool own = place != NULL && place->library_function == 0;
	return own || results->votes[1].count == 0 ? &results->votes[own] : NULL;
}

/* Neither optimisers nor batches end its steps: it takes none, or its compiled functions do. */
static bool is_only_compiled(const struct stepping *stepping)
{
	return stepping->marks.vote.count == 0 && stepping->loaders.seen <= stepping->results.loads;
}

/* From a copy of the marks: they are told again when the records are counted. */
void model_learn_shape(struct model *model)
{
	struct stepping *stepping = &model->stepping;
	struct marks marks = stepping->marks;
	struct results results = stepping->results;
	bool only_compiled = is_only_compiled(stepping);
	uint64_t call_ns = 0; /* end of the last one, or of a step */
	if (model->options.asked != STEP_BY_NOTHING || stepping->told)
		return;
	for (uint32_t i = 0; i < model->prefix_count && !stepping->shape.known; i++) {
		const struct record *record = &model->prefix[i].record;
		uint32_t thread = model->prefix[i].thread;
		unsigned class = record->kind == RECORD_OP
					 ? opname_get(&model->opnames, &model->lookup, record->name)
					 : 0;
		enum mark mark = MARK_NONE;
		struct shape_call call;
		struct shape_told told;
		if (record->kind == RECORD_GRAPH)
			mark = marks_graph(&marks, record);
		if ((class & OPCLASS_LOADER) != 0)
			marks_load(&marks);
		if ((class & OPCLASS_OPTIMIZER) != 0)
			mark = marks_optimizer(&marks, record);
		if ((class & OPCLASS_BACKWARD) != 0)
			shape_backward(&stepping->shape);
		struct vote *vote = compiled_vote(model, &results, record, class);
		if (thread == stepping->thread &&
			(record->kind != RECORD_OP || (class & OPCLASS_LOADER) != 0 ||
				vote != NULL) &&
			describe(model, record, &call)) {
			call.pause_ns = steps_rise(call_ns, record->begin);
			call_ns = record->end;
			(void)shape_call(&stepping->shape, &call, &told);
		}
		if (mark == MARK_REPLAY)
			model_forget_shape(model);
		bool ends = vote != NULL && (only_compiled || model_trains_whole(model, record)) &&
			    vote_ends(vote, model_call_key(record));
		if (mark != MARK_NONE || ends) {
			shape_end(&stepping->shape);
			stepping->thread = thread;
			call_ns = record->end;
		}
	}
	stepping->thread = 0;
}
