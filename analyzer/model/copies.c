/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include "analyzer/model/enqueue.h"
#include "analyzer/model/settle.h"
#include "analyzer/model/steps.h"
#include "collector/format/blocking.h"

#include <errno.h>
#include <string.h>

/* Less is a number, not what a device works on. */
#define NUMBER_BYTES 16u
/* A thread that launches more for each copy does not only fetch data. */
#define FEEDER_LAUNCHES 8u

#define COPY_NS_PER_KB 85u /* 12 GB/s, until a copy has been seen */
/* The slowest that a copy may be before it is taken to wait for others. */
#define WAITED_NS_PER_KB  340u
#define WAITED_LATENCY_NS 15000u
/* A copy to the device that holds the host for less than this is nobody's trouble. */
#define COPY_IN_MIN_NS 10000u

struct model_transfer model_transfer_of(const struct record *record)
{
	struct model_transfer copy = {.bytes = record_bytes(record),
		.direction = record_direction(record),
		.source = record_src_memory(record),
		.target = record_dst_memory(record)};
	if (copy.direction == COPY_DEFAULT || copy.direction > COPY_PEER) {
		bool from = copy.source == MEMORY_DEVICE, to = copy.target == MEMORY_DEVICE;
		copy.direction = from && to ? COPY_DEVICE_TO_DEVICE
				 : from     ? COPY_DEVICE_TO_HOST
				 : to       ? COPY_HOST_TO_DEVICE
					    : COPY_HOST_TO_HOST;
	}
	copy.waits = blocking_copy_on_device(copy.direction, copy.target, record_flags(record));
	return copy;
}

void model_count_transfer(
	struct model *model, struct spot *spot, const struct record *record, bool read)
{
	uint64_t step = model->steps.count;
	if (!model_counts(model))
		return;
	spot_count(spot, step, SPOT_HOST_NS, record->end - record->begin);
	spot_count(spot, step, SPOT_CALLS, 1);
	spot_count(spot, step, SPOT_BYTES, record_bytes(record));
	if (spot->stream == 0)
		spot->stream = record_COPY_stream(record);
	if (read)
		spot_count(spot, step,
			record_bytes(record) <= SPOT_SCALAR_BYTES ? SPOT_SCALAR : SPOT_TENSOR, 1);
	else if (record_src_memory(record) == MEMORY_PAGEABLE)
		spot_count(spot, step, SPOT_PAGEABLE, 1);
	if (!read && (record_flags(record) & RECORD_ASYNC) != 0)
		spot_count(spot, step, SPOT_ASYNC, 1);
}

int model_wait_in_call(struct model *model, const struct model_thread *thread,
	const struct record *record, struct device_op *op, const struct spot *spot)
{
	struct device *device = model->device;
	uint64_t length = record->end - record->begin;
	struct estimate *estimate = &device->estimates.items[op->estimate];
	bool alone = device_open(device) == 0;
	if (alone || (float)length < estimate->ns)
		estimate->ns = (float)length;
	op->ready_ns = record->begin;
	op->min_end_ns = record->end;
	op->spot = spot_index(model->spots, spot);
	if (model->first_enqueue_ns == 0)
		model->first_enqueue_ns = record->begin;
	int err = model_give(model, thread, record, op);
	if (err < 0)
		return err;
	struct model_wait wait = {.begin_ns = record->begin,
		.end_ns = record->end,
		.own = device_until(device),
		.spare_ns = (uint64_t)(1.5f * estimate->ns) + MODEL_LATENCY_NS,
		.spot = op->spot,
		.stream = op->stream,
		.count = device_count(device),
		.foreign = lines_is_aside(&model->lines, thread->line)};
	wait.exact = !alone && length > wait.spare_ns;
	return model_settle(model, &wait);
}

static struct device_op copy_op(
	struct model *model, const struct record *record, const struct model_transfer *copy)
{
	uint64_t kb = copy->bytes >> 10;
	float guess = copy->waits ? (float)(WAITED_LATENCY_NS + kb * WAITED_NS_PER_KB)
				  : (float)(MODEL_LATENCY_NS + kb * COPY_NS_PER_KB);
	uint64_t key = MODEL_KEY_COPY | copy->direction << 16 | copy->source << 20 |
		       copy->target << 24 | (uint64_t)copy->waits << 28 |
		       model_size_class(copy->bytes);
	struct device_op op = {.ready_ns = record->end, .class = DEVICE_CLASS_COPY, .fixed = true};
	op.stream = (uint16_t)device_stream(
		model->device, record_COPY_stream(record), record_device(record));
	op.estimate = estimate_find(&model->device->estimates, key, guess);
	return op;
}

/* A copy that the host does not wait for in the call: it is work for the device like any other. */
static int free_copy(struct model *model, struct model_thread *thread, const struct record *record,
	struct device_op *op, const struct model_transfer *copy)
{
	bool crosses = copy->direction == COPY_HOST_TO_DEVICE ||
		       copy->direction == COPY_DEVICE_TO_HOST || copy->direction == COPY_PEER;
	if (crosses) {
		struct spot *spot = spots_find(
			model->spots, &model->lookup, record->place, record->call, SPOT_COPY_FREE);
		model_count_transfer(model, spot, record, false);
		model_expect_op(model, thread, spot, record->begin);
		op->spot = spot_index(model->spots, spot);
	}
	int err = model_host_call(model, thread, record);
	return err < 0 ? err : model_enqueue(model, thread, record, op);
}

/* From pageable memory to the device: the call returns when the bytes have left the memory. */
static int late_copy(struct model *model, struct model_thread *thread, const struct record *record,
	struct device_op *op, const struct spot *spot)
{
	bool brief = record->end - record->begin < COPY_IN_MIN_NS;
	op->ready_ns = record->begin;
	op->min_end_ns = record->end;
	op->spot = spot_index(model->spots, spot);
	int err = model_piece(
		model, thread, brief ? PIECE_LAUNCH : PIECE_COPY, record, brief ? 0 : op->spot);
	return err < 0 ? err : model_enqueue(model, thread, record, op);
}

/* A copy that holds the host. */
static int held_copy(struct model *model, struct model_thread *thread, const struct record *record,
	struct device_op *op, const struct model_transfer *copy)
{
	bool in = copy->direction == COPY_HOST_TO_DEVICE;
	struct spot *spot = spots_find(model->spots, &model->lookup, record->place, record->call,
		in ? SPOT_COPY_IN : SPOT_WAIT);
	model_count_transfer(model, spot, record, !in);
	model_expect_op(model, thread, spot, record->begin);
	if (!copy->waits)
		return late_copy(model, thread, record, op, spot);
	int err = model_piece(model, thread, PIECE_WAIT, record, spot_index(model->spots, spot));
	return err < 0 ? err : model_wait_in_call(model, thread, record, op, spot);
}

int model_copy(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct model_transfer copy = model_transfer_of(record);
	thread->copy.kind = RECORD_NONE;
	if (model_nothing_ran(record) || copy.direction == COPY_HOST_TO_HOST)
		return thread->launches ? model_host_call(model, thread, record) : 0;
	thread->launches = true;
	bool in = copy.direction == COPY_HOST_TO_DEVICE;
	bool out = copy.direction == COPY_DEVICE_TO_HOST;
	model->values[MODEL_COPIES]++;
	model->values[MODEL_TO_DEVICE_BYTES] += in ? copy.bytes : 0;
	model->values[MODEL_TO_HOST_BYTES] += out ? copy.bytes : 0;
	if (in || out)
		thread->copy = *record;
	if (in)
		model_feed(model, thread, record);
	thread->copies_out += out && copy.bytes > SPOT_SCALAR_BYTES;
	struct device_op op = copy_op(model, record, &copy);
	bool held = copy.waits || (in && copy.source == MEMORY_PAGEABLE);
	int err = held ? held_copy(model, thread, record, &op, &copy)
		       : free_copy(model, thread, record, &op, &copy);
	return err < 0 ? err : model_token(model, thread, record);
}

bool model_note_blocked(struct model_thread *thread, uint32_t spot, const struct record *record)
{
	struct model_blocked *list = thread->blocked;
	uint32_t at = 0, count = thread->blocked_count;
	while (at < count && list[at].spot != spot)
		at++;
	bool noted = at < count;
	if (!noted && count == MODEL_BLOCKED)
		at = 0;
	if (at < count) {
		memmove(&list[at], &list[at + 1], (count - at - 1) * sizeof(*list));
		count--;
	}
	list[count] = (struct model_blocked){.spot = spot,
		.connection = (uint32_t)record_INPUT_connection(record),
		.lapsed = record->result == ETIMEDOUT};
	thread->blocked_count = count + 1;
	return noted;
}

/*
 * The last wait in which something came has brought what goes to the device, and what came from
 * the same connection before was its beginning. A line at which a limit of time runs out now and
 * then, and the work is done all the same, only asks for more of what came before it.
 */
void model_take_fed(struct model *model, struct model_thread *thread)
{
	const struct model_blocked *list = thread->blocked;
	struct spot *spots = model->spots->items;
	uint32_t last = thread->blocked_count;
	bool counts = model_counts(model) && !lines_is_aside(&model->lines, thread->line);
	while (last > 0 && list[last - 1].lapsed)
		last--;
	for (uint32_t i = last; last > 0 && i < thread->blocked_count; i++)
		spots[list[i].spot].lapses = true;
	if (last == 0)
		last = thread->blocked_count;
	bool more = true;
	for (uint32_t i = last; i-- > 0;) {
		bool same =
			list[i].connection != 0 && list[i].connection == list[last - 1].connection;
		bool brought = more && (i == last - 1 || !list[i].lapsed);
		if (counts && (same || brought))
			spot_count(&spots[list[i].spot], model->steps.count, SPOT_FED, 1);
		more = more && (!brought || spots[list[i].spot].lapses);
	}
	thread->blocked_count = 0;
}

bool model_awaits_backward(
	const struct model *model, const struct model_thread *thread, const struct record *record)
{
	for (const struct model_thread *other = model->thread_list; other != NULL;
		other = other->next)
		if (other != thread && other->backward_ns > record->begin &&
			other->backward_ns <= record->end)
			return true;
	return false;
}

/*
 * By the handle that a collective by way of the host has given: a method of it that is no Python
 * code, called by the program itself. Whoever waits for another thread of Python's is in code of
 * Python's own, which has lines.
 */
static bool is_by_handle(const struct model *model, const struct model_thread *thread,
	const struct record *record, const struct meta_PLACE *place)
{
	return model->steps.count < thread->sent_until && place->file == place->user_file &&
	       place->library_file == 0 && record_INPUT_what(record) == INPUT_LOCK &&
	       strncmp(lookup_call(&model->lookup, record->call), "pthread_cond_", 13) == 0;
}

bool model_awaits_ranks(struct model *model, const struct model_thread *thread,
	const struct record *record, struct spot *spot)
{
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	if (place == NULL || place->file == 0)
		return false;
	bool ranks = (opname_get(&model->opnames, &model->lookup, (uint32_t)place->file) &
			     OPCLASS_COMM) != 0 ||
		     is_by_handle(model, thread, record, place);
	spot->ranks |= ranks;
	return ranks;
}

bool model_is_fed_by_others(
	const struct model *model, const struct model_thread *thread, const struct record *record)
{
	for (unsigned i = 0; i < 2; i++)
		if (model->feeders[i].thread != thread->id &&
			model->feeders[i].copied_ns >= record->begin &&
			model->feeders[i].copied_ns > 0)
			return true;
	return false;
}

void model_feed(struct model *model, struct model_thread *thread, const struct record *copy)
{
	if (record_bytes(copy) <= NUMBER_BYTES)
		return;
	thread->copies_in++;
	/* what came from the device goes back: a reduction on the host, say */
	bool returns = 2 * thread->copies_out >= thread->copies_in;
	if (!returns && thread->launch_count <= FEEDER_LAUNCHES * thread->copies_in) {
		unsigned at = model->feeders[0].thread != thread->id;
		if (at == 1 && model->feeders[1].thread != thread->id)
			model->feeders[0] = model->feeders[1];
		model->feeders[at].thread = thread->id;
		model->feeders[at].copied_ns = copy->end;
	}
	model_take_fed(model, thread);
}
