/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"
#include "analyzer/model/steps.h"
#include "analyzer/steps/figures.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

static unsigned class_of(struct model *model, const struct record *record)
{
	return record->kind == RECORD_OP ? opname_get(&model->opnames, &model->lookup, record->name)
					 : 0;
}

/* The call fetches a result because a framework writes it to a file. */
static bool is_saving(struct model *model, const struct record *record)
{
	if (record->kind != RECORD_COPY || record_direction(record) == COPY_HOST_TO_DEVICE ||
		record_direction(record) == COPY_DEVICE_TO_DEVICE || record->place == 0)
		return false;
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	unsigned class =
		place != NULL && place->file != 0
			? opname_get(&model->opnames, &model->lookup, (uint32_t)place->file)
			: 0;
	return (class & OPCLASS_SAVES) != 0;
}

/* Nobody's line waits, in a program whose lines are known: it ends, and gives back what it has. */
static bool is_at_exit(struct model *model, const struct record *record)
{
	if (record->kind != RECORD_SYNC)
		return false;
	const struct meta_PLACE *place =
		record->place != 0 ? lookup_place(&model->lookup, record->place) : NULL;
	bool own = place != NULL && place->user_file != 0;
	model->stepping.lines |= own;
	return !own && model->stepping.lines;
}

/* As much as that written at once is no line of a log. */
#define SAVED_BYTES 65536

static bool is_written(const struct record *record)
{
	return record_INPUT_what(record) == INPUT_WRITE &&
	       record_INPUT_medium(record) == MEDIUM_FILE &&
	       record_INPUT_bytes(record) >= SAVED_BYTES;
}

/* A framework whose operators tell what they do, and their lines do not. */
static bool is_told_by_work(const struct record *record)
{
	return record_OP_framework(record) == OP_PADDLE ||
	       record_OP_framework(record) == OP_MINDSPORE;
}

/* A read by the host, which has a line; false: work that is told by what it is. */
static bool is_read(const struct record *record, unsigned class)
{
	return (class & (OPCLASS_SCALAR | OPCLASS_TRANSFER)) != 0 && record->place != 0 &&
	       is_told_by_work(record);
}

/* What the record is to the shape of a step; false: no part of it. */
static bool describe(struct model *model, const struct record *record, struct shape_call *ret_call)
{
	struct shape_call call = {.kind = SHAPE_OTHER, .place = record->place};
	uint64_t what = hash_mix(record->kind, record->place != 0 ? 0 : record->call);
	unsigned class = class_of(model, record);
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
		what = hash_mix(what, record->name);
		if ((class & OPCLASS_LOADER) != 0) {
			call.kind = SHAPE_LOAD;
		} else if (!is_read(record, class)) {
			/* a compiled function: as a forward pass each is like any other */
			call.kind = SHAPE_LAUNCH;
			call.name = 1;
		}
		break;
	case RECORD_INPUT:
		call.saves = true;
		break;
	default:
		return false;
	}
	call.token = hash_mix(what, record->place) | 1;
	*ret_call = call;
	return record->kind == RECORD_OP || record->kind == RECORD_INPUT ||
	       (record->result == 0 && (record_flags(record) & RECORD_CAPTURED) == 0);
}

/* The place at the same line of the program, where that phase was before; else this one. */
static uint32_t place_of_phase(const struct model *model, enum phase phase, uint32_t place)
{
	const struct phases *phases = &model->steps.phases;
	const struct meta_PLACE *found = lookup_place(&model->lookup, place);
	if (found == NULL)
		return place;
	const struct meta_PLACE own = *found;
	for (uint32_t i = 0; i < phases->count; i++) {
		found = lookup_place(&model->lookup, phases->items[i].place);
		if (phases->items[i].phase == phase && found != NULL && own.user_line != 0 &&
			found->user_line == own.user_line && found->user_file == own.user_file)
			return phases->items[i].place;
	}
	return place;
}

/* What it was has taken until ns. */
static int put_aside(
	struct model *model, enum step_cut cut, enum phase phase, uint32_t place, uint64_t ns)
{
	if (phase == PHASE_NONE)
		return 0;
	burst_forget(&model->stepping.burst, ns);
	place = place_of_phase(model, phase, place);
	return model_part(model, cut, phases_find(&model->steps.phases, phase, place), ns);
}

/* The last call was the last of a phase, if it was of one. */
static int close_phase(struct model *model)
{
	struct shape_told told = shape_close(&model->stepping.shape);
	return put_aside(model, CUT_ASIDE, told.phase, told.place, model->stepping.call_ns);
}

int model_shape(struct model *model, const struct model_thread *thread, const struct record *record)
{
	struct stepping *stepping = &model->stepping;
	struct shape_call call;
	if (thread->id != stepping->thread)
		return 0;
	if (!results_run_ahead(&stepping->results)) /* else it is waits that are long, anywhere */
		burst_call(&stepping->burst, record->place,
			(class_of(model, record) & OPCLASS_LOADER) != 0, record->begin);
	if (is_at_exit(model, record))
		return close_phase(model);
	if (!describe(model, record, &call))
		return 0;
	struct shape_told told;
	uint64_t before_ns = stepping->call_ns;
	call.pause_ns = steps_rise(before_ns, record->begin);
	enum shape_says says = shape_call(&stepping->shape, &call, &told);
	stepping->call_ns = record->end;
	int err = 0;
	if (results_owe(&stepping->results, says != SHAPE_NOTHING, says == SHAPE_LEAVES,
		    record->end - record->begin))
		return 0;
	switch (says) {
	case SHAPE_LEAVES: /* what else the host did before the call was for it */
		return model_part(model, told.head ? CUT_TAIL : CUT_PART, 0,
			before_ns + stepping->shape.usual_ns);
	case SHAPE_TURNS:
		return put_aside(model, CUT_ASIDE, told.phase, told.place, before_ns);
	case SHAPE_REPEATS:
		stepping->tail = false; /* every cut has a time of its own */
		before_ns = record->begin - stepping->shape.usual_ns;
		err = put_aside(model, CUT_ASIDE, told.left, told.left_place, before_ns - 1);
		return err < 0 ? err
			       : put_aside(model, told.rest ? CUT_ASIDE_REST : CUT_ASIDE_ALL,
					 told.phase, told.place, before_ns);
	case SHAPE_BEGINS:
		return model_part(model, CUT_TAIL, 0, record->begin);
	case SHAPE_RETURNS:
		stepping->tail = false;
		return put_aside(model, CUT_ASIDE, told.phase, told.place, record->begin);
	case SHAPE_PASSES:
		/* what repeats itself is not over, whatever passes within */
		stepping->tail = told.phase == PHASE_NONE && stepping->shape.again == 0;
		return stepping->tail
			       ? model_part(model, CUT_TAIL, 0, record->begin)
			       : put_aside(model, CUT_ASIDE, told.phase, told.place, record->begin);
	default:
		return 0;
	}
}

/* An operator of a program without a GPU, as the beginning of the trace is learnt from too. */
static bool is_work(
	const struct model *model, const struct record *record, uint32_t thread, unsigned class)
{
	return model->alone && record->kind == RECORD_OP && thread == model->stepping.thread &&
	       is_told_by_work(record) && record_OP_scope(record) != OP_USER_SCOPE &&
	       (class & (OPCLASS_BACKWARD | OPCLASS_COMPILED | OPCLASS_AWAITS)) == 0;
}

/* Operators come when they end, those that enclose others after these. */
static void spend_at(struct burst *burst, const struct record *record)
{
	if (record->place != 0 && record->begin >= burst->since_ns)
		burst_call(burst, record->place, false, record->begin);
}

int model_work_input(
	struct model *model, const struct model_thread *thread, const struct record *record)
{
	if (!model->alone || thread->id != model->stepping.thread || record->place == 0)
		return 0;
	if (is_written(record))
		return model_shape(model, thread, record);
	spend_at(&model->stepping.burst, record);
	return 0;
}

int model_work(struct model *model, struct model_thread *thread, const struct record *record,
	unsigned class)
{
	thread->launches = true;
	model->stepping.launches++;
	if ((class & (OPCLASS_LOADER | OPCLASS_IN_PROCESS)) == 0 &&
		thread->id == model->stepping.thread)
		shape_works(&model->stepping.shape);
	if (!is_work(model, record, thread->id, class))
		return 0;
	if (is_read(record, class))
		return model_shape(model, thread, record);
	spend_at(&model->stepping.burst, record);
	if ((class & OPCLASS_GRADIENT) != 0)
		shape_backward(&model->stepping.shape);
	else
		shape_work(&model->stepping.shape, record->name, record->place);
	return 0;
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

bool model_shape_is_batch(const struct model *model)
{
	const struct stepping *stepping = &model->stepping;
	return model->steps.method == STEP_BY_LOADER && !model->alone && stepping->thread != 0 &&
	       stepping->thread == model->last_thread->id && shape_is_untrained(&stepping->shape);
}

int model_shape_batch(struct model *model, uint64_t ns)
{
	struct stepping *stepping = &model->stepping;
	uint32_t place;
	if (!shape_is_forward_only(&stepping->shape, &place))
		return 0;
	int err = put_aside(model, CUT_ASIDE_ALL, PHASE_EVALUATION, place, ns);
	stepping->launches = 0;
	stepping->call_ns = ns;
	stepping->tail = false;
	shape_end(&stepping->shape);
	return err;
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

void model_forget_shape(struct model *model)
{
	/* what optimisers made of it may be another step than the program's */
	if (!model->stepping.shape.known || model->steps.method == STEP_BY_PROGRAM)
		model->stepping.shape = (struct shape){0};
	model->stepping.burst = (struct burst){0};
	model->stepping.thread = 0;
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
	bool own = model_is_own(model, record);
	return own || results->votes[1].count == 0 ? &results->votes[own] : NULL;
}

/* From a copy of the marks: they are told again when the records are counted. */
void model_learn_shape(struct model *model)
{
	struct stepping *stepping = &model->stepping;
	struct marks marks = stepping->marks;
	struct results results = stepping->results;
	/* neither optimisers nor batches end its steps: it takes none, or these functions do */
	bool only_compiled =
		marks.vote.count == 0 && stepping->loaders.seen <= stepping->results.loads;
	uint64_t call_ns = 0; /* end of the last one, or of a step */
	if (model->options.asked != STEP_BY_NOTHING || stepping->told)
		return;
	for (uint32_t i = 0; i < model->prefix_count && !stepping->shape.known; i++) {
		const struct record *record = &model->prefix[i].record;
		uint32_t thread = model->prefix[i].thread;
		unsigned class = class_of(model, record);
		bool works = is_work(model, record, thread, class);
		bool reads = works && is_read(record, class);
		enum mark mark = MARK_NONE;
		struct shape_call call;
		struct shape_told told;
		if (record->kind == RECORD_GRAPH)
			mark = marks_graph(&marks, record, thread);
		if ((class & OPCLASS_LOADER) != 0)
			marks_load(&marks);
		if ((class & OPCLASS_OPTIMIZER) != 0)
			mark = marks_optimizer(&marks, record, thread);
		if ((class & OPCLASS_BACKWARD) != 0 || (works && (class & OPCLASS_GRADIENT) != 0))
			shape_backward(&stepping->shape);
		else if (works && !reads)
			shape_work(&stepping->shape, record->name, record->place);
		struct vote *vote = compiled_vote(model, &results, record, class);
		if (thread == stepping->thread &&
			(record->kind != RECORD_OP || reads || (class & OPCLASS_LOADER) != 0 ||
				vote != NULL) &&
			describe(model, record, &call)) {
			call.pause_ns = steps_rise(call_ns, record->begin);
			call_ns = record->end;
			(void)shape_call(&stepping->shape, &call, &told);
		}
		if (mark == MARK_REPLAY)
			model_forget_shape(model);
		bool ends = vote != NULL && (only_compiled || model_trains_whole(model, record)) &&
			    vote_ends(vote, model_call_key(record), 0);
		if (mark != MARK_NONE || ends) {
			shape_end(&stepping->shape);
			stepping->thread = thread;
			call_ns = record->end;
		}
	}
	shape_learnt(&stepping->shape);
	stepping->thread = 0;
}
