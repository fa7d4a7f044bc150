/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include <errno.h>

#include "analyzer/device/full.h"
#include "analyzer/model/enqueue.h"
#include "analyzer/model/steps.h"
#include "collector/format/blocking.h"

#define SET_NS_PER_KB 2u /* until a set has been seen */

void model_own_launch(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (record->kind == RECORD_OP &&
		(opname_get(&model->opnames, &model->lookup, record->name) & OPCLASS_BACKWARD) != 0)
		thread->own_until_ns = record->begin;
	else if (record->kind == RECORD_LAUNCH)
		thread->own_launches +=
			thread->own_until_ns == 0 || record->begin < thread->own_until_ns;
}

uint32_t model_main_thread(const struct model *model, uint32_t busiest)
{
	uint32_t found = 0;
	uint64_t most = 0;
	bool passes = false;
	for (const struct model_thread *thread = model->thread_list; thread != NULL;
		thread = thread->next) {
		passes |= thread->own_until_ns != 0;
		if (thread->own_launches > 0 && thread->own_launches >= most) {
			most = thread->own_launches;
			found = thread->id;
		}
	}
	return passes && found != 0 ? found : busiest;
}

/* The line that launches, and what it took the host since the call before, if not long ago. */
static void count_launch(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	uint64_t since = record->begin;
	if (!model_counts(model) || record->place == 0 ||
		lines_is_aside(&model->lines, thread->line))
		return;
	if (record->begin - thread->call_end_ns <= HOST_CODE_PAUSES * model->options.join_ns)
		since = thread->call_end_ns;
	if (!launches_count(&model->spots->launches, record->place, record->end - since))
		spots_launch(model->spots, &model->lookup, record->place, record->call,
			model->steps.count, record->end - since);
	if (thread->line == NULL || !thread->line->turns ||
		!spots_find(model->spots, &model->lookup, record->place, record->call, SPOT_LAUNCH)
			 ->native)
		return;
	if (thread->behind_ns == 0) /* what was before is of another wait */
		thread->behind_from_ns = since = record->begin;
	thread->behind_ns += record->end - since;
}

/* What was launched goes to the device. */
static __attribute__((noinline)) int launch_op(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	bool graph = record->kind == RECORD_GRAPH;
	struct device_op *op = device_next(model->device); /* a copy would wait for its stores */
	if (op == NULL)
		return -ENOMEM;
	*op = (struct device_op){.ready_ns = record->end};
	uint64_t key = record->name != 0 ? record->name : MODEL_KEY_PLACE | record->place;
	float guess = ESTIMATE_KERNEL_NS;
	if (graph) {
		op->graph = true;
		op->nodes = record_GRAPH_nodes(record);
		key = MODEL_KEY_GRAPH ^ record_GRAPH_exec(record);
		guess *= (float)(op->nodes > 0 ? op->nodes : 1);
	}
	op->class = (uint8_t)model_kernel_class(model, record->name);
	op->stream = (uint16_t)device_stream(
		model->device, record->stream, graph ? 0 : record_device(record));
	op->estimate = estimate_find(&model->device->estimates, key, guess);
	int err = model_enqueue_awaited(model, thread, record, op);
	return err < 0 || model->stepping.launches_pass ? err : model_token(model, thread, record);
}

static void note_function(struct model_thread *thread, const struct record *record)
{
	if ((record_flags(record) & RECORD_CAPTURED) != 0)
		return;
	thread->function.begin_ns = record->begin;
	thread->function.stream = record->stream;
	thread->function.device = record_device(record);
}

int model_launch(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = RECORD_NONE;
	bool graph = record->kind == RECORD_GRAPH;
	if (model_nothing_ran(record) ||
		(graph && (record_flags(record) & RECORD_LAUNCH_GRAPH) == 0))
		return thread->launches ? model_host_call(model, thread, record) : 0;
	thread->launches = true;
	thread->launch_count++;
	count_launch(model, thread, record);
	model->stepping.launches++;
	model->values[MODEL_LAUNCHES]++;
	model->values[MODEL_LAUNCH_NS] += record->end - record->begin;
	model->values[MODEL_GRAPHS] += graph;
	bool full = device_was_full(
		model->device, record->begin, record->end, model->options.blocked_ns);
	if (full) {
		model->blocked++;
		model->waited_ns += record->end - record->begin;
	}
	int err = full ? model_piece(model, thread, PIECE_BLOCKED, record, 0)
		       : model_host_call(model, thread, record);
	if (err < 0)
		return err;
	if ((record_flags(record) & RECORD_HOST_FUNCTION) != 0) {
		note_function(thread, record);
		return 0;
	}
	if (model_awaits(model, record))
		return launch_op(model, thread, record);
	return model->stepping.launches_pass ? 0 : model_token(model, thread, record);
}

int model_graph(struct model *model, struct model_thread *thread, const struct record *record)
{
	int err = model_launch(model, thread, record);
	return err < 0 ? err
		       : model_mark(model, marks_graph(&model->stepping.marks, record, thread->id),
				 record->end);
}

/* A set of page-locked memory holds the host until it is done. */
static int held_set(struct model *model, struct model_thread *thread, const struct record *record,
	struct device_op *op)
{
	struct spot *spot =
		spots_find(model->spots, &model->lookup, record->place, record->call, SPOT_WAIT);
	if (model_counts(model)) {
		spot_count(spot, model->steps.count, SPOT_CALLS, 1);
		spot_count(spot, model->steps.count, SPOT_PLAIN, 1);
		spot_count(spot, model->steps.count, SPOT_HOST_NS, record->end - record->begin);
	}
	model_expect_op(model, thread, spot, record->begin);
	int err = model_piece(model, thread, PIECE_WAIT, record, spot_index(model->spots, spot));
	if (err == 0)
		err = model_wait_in_call(model, thread, record, op, spot);
	return err < 0 ? err : model_token(model, thread, record);
}

int model_set(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = RECORD_NONE;
	bool held = thread->launches && !model_nothing_ran(record) &&
		    blocking_set((enum memory_kind)record_SET_memory(record), record_flags(record));
	int err = thread->launches && !held ? model_host_call(model, thread, record) : 0;
	if (err < 0 || model_nothing_ran(record))
		return err;
	struct device_op op = {.ready_ns = record->end, .class = DEVICE_CLASS_COPY, .fixed = true};
	op.stream = (uint16_t)device_stream(
		model->device, record_SET_stream(record), record_device(record));
	op.estimate = estimate_find(&model->device->estimates,
		MODEL_KEY_SET | model_size_class(record_bytes(record)),
		(float)(MODEL_LATENCY_NS + (record_bytes(record) >> 10) * SET_NS_PER_KB));
	if (held)
		return held_set(model, thread, record, &op);
	return model_enqueue(model, thread, record, &op);
}

int model_other(struct model *model, struct model_thread *thread, const struct record *record)
{
	if ((record_flags(record) & RECORD_QUERY) != 0)
		return model_query(model, thread, record);
	if (record->kind == RECORD_EVENT && !model_nothing_ran(record) &&
		(record_flags(record) & (RECORD_CREATE | RECORD_DESTROY)) == 0) {
		uint32_t stream = device_stream(
			model->device, record_EVENT_stream(record), record_device(record));
		if ((record_flags(record) & RECORD_STREAM_WAIT) != 0)
			device_wait_event(model->device, record_event(record), stream);
		else
			device_record_event(model->device, record_event(record), stream);
	}
	return thread->launches ? model_host_call(model, thread, record) : 0;
}

int model_sample(struct model *model, const struct record *record)
{
	uint32_t id = record_SAMPLE_metric(record);
	if (id >= MODEL_METRICS)
		return 0;
	struct model_metric *metric = &model->metrics[id];
	metric->last = record_SAMPLE_value(record);
	if (!metric->known)
		metric->first = metric->last;
	metric->known = true;
	return 0;
}

int model_burst(struct model *model, const struct record *record)
{
	bool operators = record_BURST_operators(record) != 0;
	bare_turn(&model->bare, operators, model->stepping.launches > 0);
	if (record_BURST_cost(record) > 0)
		model->bare.cost = (uint32_t)record_BURST_cost(record);
	return 0;
}

int model_stack(struct model *model, const struct record *record)
{
	const struct model_thread *thread = idmap_get(&model->threads, record_STACK_thread(record));
	if (thread == NULL || !thread->launches || lines_is_aside(&model->lines, thread->line))
		return 0;
	const struct line *owner = model->lines.owner;
	const struct code_sample sample = {.at_ns = record->end,
		.place = record->place,
		.stack = record_STACK_stack(record),
		.instead = owner != NULL && thread->line != NULL && thread->line != owner};
	return code_add(&model->sweep.code, sample);
}

bool model_is_compiled(
	const struct model *model, const struct record *record, unsigned class, bool launches)
{
	const unsigned backward =
		record_OP_framework(record) == OP_MINDSPORE ? OPCLASS_BACKWARD : 0;
	if ((class & (OPCLASS_COMPILED | backward)) != 0)
		return model->alone && record->place != 0;
	return (record_OP_framework(record) == OP_JAX ||
		       record_OP_framework(record) == OP_ONNXRUNTIME) &&
	       (model->alone || launches);
}

bool model_is_own(struct model *model, const struct record *record)
{
	unsigned class = record_OP_framework(record) == OP_JAX
				 ? opname_get(&model->opnames, &model->lookup, record->name)
				 : 0;
	if ((class & (OPCLASS_OWN | OPCLASS_LIBRARY)) != 0)
		return (class & OPCLASS_OWN) != 0;
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	return place != NULL && place->library_function == 0;
}

uint32_t model_awaited(struct model *model, const struct record *record)
{
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	unsigned class =
		place != NULL && place->library_file != 0
			? opname_get(&model->opnames, &model->lookup, (uint32_t)place->library_file)
			: 0;
	bool compiles = (class & OPCLASS_COMPILED) != 0;
	return results_wait(&model->stepping.results, compiles ? 0 : record->end - record->begin);
}

int model_paid(struct model *model, uint64_t ns)
{
	bool owed = model->stepping.results.owes;
	model->stepping.results.owes = false;
	return owed ? model_part(model, CUT_PART, 0, ns) : 0;
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
