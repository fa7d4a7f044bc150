/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include <errno.h>

#include "analyzer/model/enqueue.h"
#include "analyzer/model/steps.h"

#define SET_NS_PER_KB 2u /* until a set has been seen */

int model_launch(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = RECORD_NONE;
	bool graph = record->kind == RECORD_GRAPH;
	if (model_nothing_ran(record) ||
		(graph && (record_flags(record) & RECORD_LAUNCH_GRAPH) == 0))
		return thread->launches ? model_host_call(model, record) : 0;
	thread->launches = true;
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
	int err = full ? host_add(&model->host, PIECE_BLOCKED, record->begin, record->end, 0)
		       : model_host_call(model, record);
	if (err < 0 || (record_flags(record) & RECORD_HOST_FUNCTION) != 0)
		return err;
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
	err = model_enqueue(model, thread, record, op);
	return err < 0 ? err : model_token(model, thread, record);
}

int model_graph(struct model *model, struct model_thread *thread, const struct record *record)
{
	int err = model_launch(model, thread, record);
	return err < 0 ? err
		       : model_mark(
				 model, marks_graph(&model->stepping.marks, record), record->end);
}

int model_set(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = RECORD_NONE;
	int err = thread->launches ? model_host_call(model, record) : 0;
	if (err < 0 || model_nothing_ran(record))
		return err;
	struct device_op op = {.ready_ns = record->end, .class = DEVICE_CLASS_COPY, .fixed = true};
	op.stream = (uint16_t)device_stream(
		model->device, record_SET_stream(record), record_device(record));
	op.estimate = estimate_find(&model->device->estimates,
		MODEL_KEY_SET | model_size_class(record_bytes(record)),
		(float)(MODEL_LATENCY_NS + (record_bytes(record) >> 10) * SET_NS_PER_KB));
	return model_enqueue(model, thread, record, &op);
}

int model_other(struct model *model, const struct model_thread *thread, const struct record *record)
{
	if (record->kind == RECORD_ALLOC) {
		model->values[MODEL_ALLOCS]++;
		if (!thread->launches)
			return 0;
		return host_add(&model->host, PIECE_ALLOC, record->begin, record->end, 0);
	}
	if (record->kind == RECORD_EVENT && !model_nothing_ran(record)) {
		bool passive = (record_flags(record) &
				       (RECORD_CREATE | RECORD_DESTROY | RECORD_QUERY)) != 0;
		uint32_t stream =
			passive ? 0
				: device_stream(model->device, record_EVENT_stream(record),
					  record_device(record));
		if ((record_flags(record) & RECORD_STREAM_WAIT) != 0)
			device_wait_event(model->device, record_event(record), stream);
		else if (!passive)
			device_record_event(model->device, record_event(record), stream);
	}
	return thread->launches ? model_host_call(model, record) : 0;
}
