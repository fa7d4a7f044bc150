/* SPDX-License-Identifier: MIT */
#include "analyzer/model/enqueue.h"

#include "analyzer/model/pace.h"
#include "analyzer/model/settle.h"

int model_piece(struct model *model, struct model_thread *thread, enum piece_kind kind,
	const struct record *record, uint32_t spot)
{
	struct line *line = model_line(model, thread);
	thread->call_ns = record->begin;
	thread->call_end_ns = record->end;
	return line != NULL ? host_add(&line->host, kind, record->begin, record->end, spot,
				      record->place)
			    : 0;
}

int model_begin_call(struct model *model, struct model_thread *thread, const struct record *record)
{
	return model_piece(model, thread, PIECE_LAUNCH, record, 0);
}

static inline __attribute__((always_inline)) int give(struct model *model,
	const struct model_thread *thread, const struct record *record, const struct device_op *op)
{
	struct device *device = model->device;
	int err = device_enqueue(device, op, record);
	if (err < 0)
		return err;
	struct device_op *given = &device->ops.items[device_count(device) - 1];
	given->step = model->steps.count;
	if (device->keeps_calls)
		device->calls.items[device_count(device) - 1].thread = thread->id;
	pace_note(&model->pace, op);
	given->silent = record->kind != RECORD_LAUNCH && record->kind != RECORD_GRAPH &&
			record_bytes(record) == 0;
	if (model->join == NULL || given->silent)
		return 0;
	return join_call(
		model->join, thread->tid, device_until(device) - 1, record->begin, record->end);
}

int model_give(struct model *model, const struct model_thread *thread, const struct record *record,
	const struct device_op *op)
{
	return give(model, thread, record, op);
}

/*
 * More is open than a queue holds: older ones have ended, just now if the last launch had to wait.
 */
static __attribute__((noinline)) int settle_oldest(struct model *model, uint64_t ns)
{
	const struct device *device = model->device;
	bool behind = device->blocked_op + DEVICE_QUEUE_DEPTH / 4 > device_until(device);
	struct model_wait now = {.begin_ns = ns,
		.end_ns = ns,
		.stream = DEVICE_ALL_STREAMS,
		.count = device_count(device) - DEVICE_QUEUE_DEPTH,
		.exact = behind && device->blocked_op > 0};
	return model_settle(model, &now);
}

int model_enqueue_awaited(struct model *model, const struct model_thread *thread,
	const struct record *record, const struct device_op *op)
{
	int err = give(model, thread, record, op);
	if (err < 0 || !device_is_full(model->device))
		return err;
	return settle_oldest(model, record->end);
}

void model_expect_op(struct model *model, struct model_thread *thread, const struct spot *spot,
	uint64_t begin_ns)
{
	thread->pending[thread->pending_count++ % MODEL_PENDING] = (struct model_pending){
		.begin_ns = begin_ns, .spot = spot_index(model->spots, spot)};
}
