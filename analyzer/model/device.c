/* SPDX-License-Identifier: MIT */
#include "analyzer/model/model.h"

#include <errno.h>

#include "analyzer/model/enqueue.h"
#include "analyzer/model/settle.h"
#include "analyzer/model/steps.h"
#include "analyzer/read/merge.h"
#include "collector/format/fields.h"

static enum device_class class_of(struct model *model, const struct record *record)
{
	if (record->kind != RECORD_DEVICE_KERNEL)
		return DEVICE_CLASS_COPY;
	return model_kernel_class(model, record->name);
}

/* Somebody else wants to see it, with its call where that is known. */
static __attribute__((noinline)) int show(
	struct model *model, const struct device_op *op, const struct record *record)
{
	const struct observer *observer = model->options.observer;
	uint64_t step = op != NULL ? op->step : model->steps.count;
	int err = 0;
	if (!steps_wanted(&model->steps, step))
		return 0;
	if (observer->operation != NULL)
		err = observer->operation(observer->context, step, record);
	if (err < 0 || observer->pair == NULL || op == NULL)
		return err;
	const struct device *device = model->device;
	const struct device_call *call = &device->calls.items[op - device->ops.items];
	return observer->pair(observer->context, step, call->thread, &call->record, record);
}

static void note_match(struct model *model, uint64_t call, struct device_op *op, uint64_t begin_ns,
	uint64_t end_ns)
{
	if (call > model->matched_op)
		model->matched_op = call;
	if (call > model->matched_ops[op->stream])
		model->matched_ops[op->stream] = call;
	if (end_ns == 0)
		return;
	if (op->measured_end_ns == 0 || begin_ns < op->measured_begin_ns)
		op->measured_begin_ns = begin_ns;
	if (end_ns > op->measured_end_ns)
		op->measured_end_ns = end_ns;
}

/* What a line's copy took on the device. */
static void note_copy(struct model *model, const struct device_op *op, const struct record *record)
{
	/* steps may have been counted anew since the call */
	uint64_t step = op->step < model->steps.count ? op->step : model->steps.count;
	if (record->kind != RECORD_DEVICE_COPY || op->spot == 0 ||
		!steps_wanted(&model->steps, step))
		return;
	struct spot *spot = &model->spots->items[op->spot];
	spot_found(spot, step, SPOT_DEVICE_NS, record->end - record->begin);
	spot_found(spot, step, SPOT_DEVICE_BYTES, record_bytes(record));
}

/* An operation of a call, or of none that is known: its time is the device's either way. */
static inline __attribute__((always_inline)) int operation(
	struct model *model, uint64_t call, const struct record *record)
{
	struct device_op *op = call != JOIN_NO_CALL ? device_op(model->device, call) : NULL;
	bool timed = (record_device_flags(record) & DEVICE_NO_TIMES) == 0;
	model->measured++;
	if (__builtin_expect(model->alone, 0))
		model_meet_device(model);
	model_note_device(model, record_device(record));
	if (op != NULL) {
		op->records++;
		note_match(model, call, op, record->begin, timed ? record->end : 0);
		if (timed)
			note_copy(model, op, record);
		if (op->graph && record_graph_node(record) == 0 &&
			record_device_graph(record) != 0) {
			op->nodes = 1; /* one record stands for all of the graph */
			model->whole_graphs++;
		}
	}
	if (timed && record->end <= model->sweep.at_ns)
		model->late_operations++;
	else if (timed && record->end > record->begin &&
		 sweep_device(&model->sweep, class_of(model, record), record->begin, record->end,
			 op != NULL ? op->spot : 0) < 0)
		return -ENOMEM;
	return model->options.observer != NULL ? show(model, op, record) : 0;
}

static int take_operation(void *context, uint64_t call, const struct record *record)
{
	return operation(context, call, record);
}

static void claim_operations(
	void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
	struct model *model = context;
	struct device_op *op = device_op(model->device, call);
	if (op == NULL)
		return;
	op->records += count;
	note_match(model, call, op, begin_ns, end_ns);
}

/* From now on records of the device belong to calls. 0 or -ENOMEM. */
static int begin_join(struct model *model)
{
	if (model->join != NULL)
		return 0;
	model->join = join_new(&(struct join_sink){
		.context = model, .operation = take_operation, .claimed = claim_operations});
	if (model->join == NULL)
		return -ENOMEM;
	source_set_window(&model->join->source, model->from_ns, model->to_ns);
	return 0;
}

static __attribute__((noinline)) int take_state(struct model *model, const struct record *record)
{
	if (!source_tells(record, lookup_text(&model->lookup, record->name)))
		return 0;
	int err = begin_join(model);
	if (err == 0)
		source_set(&model->join->source, record->begin, record_SOURCE_STATE_state(record));
	return err;
}

/* Cut down like the calls (model_set_window()), so that it still lies within its own. */
static __attribute__((noinline)) int take_api_part(struct model *model, const struct record *record)
{
	const struct record part = model_within(model, record);
	return join_api(model->join, &part);
}

static inline __attribute__((always_inline)) int take(
	struct model *model, const struct record *record)
{
	unsigned kind = record->kind;
	if (kind < RECORD_KIND_LIMIT)
		model->kinds[kind]++;
	if (kind == RECORD_DEVICE_API) {
		if (begin_join(model) < 0)
			return -ENOMEM;
		return model->to_ns == 0 ? join_api(model->join, record)
					 : take_api_part(model, record);
	}
	if (kind == RECORD_SOURCE_STATE)
		return take_state(model, record);
	if (kind != RECORD_DEVICE_KERNEL && kind != RECORD_DEVICE_COPY && kind != RECORD_DEVICE_SET)
		return 0;
	if (record->end > model->device_ns)
		model->device_ns = record->end;
	if (model->join != NULL)
		return join_operation(model->join, record);
	return operation(model, JOIN_NO_CALL, record);
}

/* Times as no clock makes them: what is left is in order and in reach. */
static __attribute__((noinline)) int take_odd(struct model *model, const struct record *record)
{
	struct record good = *record;
	if (good.begin > MERGE_TIME_LIMIT_NS)
		good.begin = MERGE_TIME_LIMIT_NS;
	if (good.end > MERGE_TIME_LIMIT_NS || good.end < good.begin)
		good.end = good.begin;
	return take(model, &good);
}

int model_take_device(struct model *model, const struct record *records, size_t count)
{
	int err = 0;
	model->events += count;
	for (size_t i = 0; i < count && err == 0; i++) {
		const struct record *record = &records[i];
		bool odd = record->end < record->begin || record->end > MERGE_TIME_LIMIT_NS;
		err = odd ? take_odd(model, record) : take(model, record);
	}
	return err;
}

int model_add_device(struct model *model, const struct record *records, size_t count)
{
	int err = model_take_device(model, records, count);
	return err < 0 ? err : model_run_jobs(model, false);
}
