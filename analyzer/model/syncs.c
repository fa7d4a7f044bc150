/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include "analyzer/model/enqueue.h"
#include "analyzer/model/settle.h"
#include "analyzer/model/steps.h"

/* Two lines of a script are told apart; of native code nobody knows which lines belong together. */
static bool may_be_one_line(const struct model *model, uint32_t first, uint32_t second)
{
	const struct meta_PLACE *place = first != 0 ? lookup_place(&model->lookup, first) : NULL;
	if (first == second || place == NULL || place->user_file == 0)
		return true;
	uint64_t file = place->user_file, line = place->user_line;
	place = second != 0 ? lookup_place(&model->lookup, second) : NULL;
	return place == NULL || place->user_file == 0 ||
	       (place->user_file == file && place->user_line == line);
}

/* The line a wait belongs to; a copy right before on the same stream makes it part of that. */
static struct spot *spot_of_sync(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	const struct record *before = &thread->copy;
	unsigned scope = record_scope(record);
	bool pair = before->kind == RECORD_COPY &&
		    (scope != SYNC_STREAM ||
			    record_COPY_stream(before) == record_SYNC_stream(record)) &&
		    may_be_one_line(model, before->place, record->place);
	if (!pair) {
		struct spot *spot = spots_find(
			model->spots, &model->lookup, record->place, record->call, SPOT_WAIT);
		if (model_counts(model)) {
			spot_count(spot, model->steps.count, SPOT_CALLS, 1);
			spot_count(spot, model->steps.count, SPOT_PLAIN, 1);
		}
		return spot;
	}
	struct model_transfer copy = model_transfer_of(before);
	bool in = copy.direction == COPY_HOST_TO_DEVICE;
	uint32_t place = before->place != 0 ? before->place : record->place;
	struct spot *spot = spots_find(
		model->spots, &model->lookup, place, before->call, in ? SPOT_COPY_IN : SPOT_WAIT);
	bool counted = copy.waits || (in && copy.source == MEMORY_PAGEABLE);
	if (!counted)
		model_count_transfer(model, spot, before, !in);
	return spot;
}

void model_find_waited(
	struct model *model, const struct model_target *target, struct model_wait *wait)
{
	struct device *device = model->device;
	uint32_t stream, closed = device_count(device) - device_open(device);
	uint64_t op;
	wait->stream = DEVICE_ALL_STREAMS;
	wait->count = device_count(device);
	/* another thread may have launched while this one waited */
	while (wait->count > closed && device->ops.items[wait->count - 1].ready_ns > wait->begin_ns)
		wait->count--;
	if (target->scope == SYNC_STREAM)
		wait->stream = device_stream(device, target->stream, target->device);
	if (target->scope != SYNC_EVENT || !device_find_event(device, target->event, &stream, &op))
		return;
	wait->stream = stream;
	uint64_t until =
		op == DEVICE_NO_OP || op < device->first_number ? 0 : op - device->first_number + 1;
	if (until < wait->count)
		wait->count = (uint32_t)until;
}

int model_sync(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches)
		return 0;
	if (model_nothing_ran(record) || (record_flags(record) & RECORD_QUERY) != 0)
		return model_host_call(model, record);
	uint64_t length = record->end - record->begin;
	struct spot *spot = spot_of_sync(model, thread, record);
	thread->copy.kind = RECORD_NONE;
	model->values[MODEL_SYNCS]++;
	if (model_counts(model))
		spot_count(spot, model->steps.count, SPOT_HOST_NS, length);
	if (spot->stream == 0)
		spot->stream = record_SYNC_stream(record);
	model_expect_op(model, thread, spot, record->begin);
	if (length > 0 && length < model->least_sync_ns)
		model->least_sync_ns = length;
	struct model_wait wait = {.begin_ns = record->begin,
		.end_ns = record->end,
		.spare_ns = 2 * model->least_sync_ns + MODEL_LATENCY_NS,
		.spot = spot_index(model->spots, spot)};
	const struct model_target target = {.scope = record_scope(record),
		.device = record_device(record),
		.stream = record_SYNC_stream(record),
		.event = record_event(record)};
	model_find_waited(model, &target, &wait);
	wait.exact = length > wait.spare_ns;
	int err = host_add(&model->host, PIECE_WAIT, record->begin, record->end, wait.spot);
	if (err == 0)
		err = model_settle(model, &wait);
	return err < 0 ? err : model_token(model, thread, record);
}
