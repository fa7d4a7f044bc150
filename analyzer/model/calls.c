/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/model/parts.h"

#define COPY_LATENCY_NS 2000u
#define COPY_NS_PER_KB  85u /* 12 GB/s, until a copy has been seen */
#define WAITED_NS_PER_KB                                                                           \
	340u /* the slowest that a copy may be before it is taken to wait for others */
#define WAITED_LATENCY_NS 15000u
#define SET_NS_PER_KB     2u
#define COPY_KEY          (1ull << 63)
#define SET_KEY           (1ull << 62)
#define GRAPH_KEY         (1ull << 61)
#define PLACE_KEY         (1ull << 60)
/* A copy to the device that holds the host for less than this is nobody's trouble. */
#define COPY_IN_MIN_NS 10000u

struct copy {
	uint64_t bytes;
	unsigned direction, source, target;
	bool waits; /* returns when it is done */
};

static struct copy copy_of(const struct record *record)
{
	struct copy copy = {.bytes = record->a,
		.direction = record->b & 0xff,
		.source = record->b >> 8 & 0xff,
		.target = record->b >> 16 & 0xff};
	if (copy.direction == COPY_DEFAULT || copy.direction > COPY_PEER) {
		bool from = copy.source == MEMORY_DEVICE, to = copy.target == MEMORY_DEVICE;
		copy.direction = from && to ? COPY_DEVICE_TO_DEVICE
				 : from     ? COPY_DEVICE_TO_HOST
				 : to       ? COPY_HOST_TO_DEVICE
					    : COPY_HOST_TO_HOST;
	}
	bool blocking = (record->d & RECORD_ASYNC) == 0;
	if (copy.direction == COPY_DEVICE_TO_HOST)
		copy.waits = blocking || copy.target == MEMORY_PAGEABLE;
	if (copy.direction == COPY_HOST_TO_DEVICE)
		copy.waits = blocking;
	return copy;
}

static bool nothing_ran(const struct record *record)
{
	return (record->d & RECORD_CAPTURED) != 0 || record->result != 0;
}

static unsigned log2_of(uint64_t value)
{
	return value == 0 ? 0 : 63 - (unsigned)__builtin_clzll(value);
}

/* What the host does in this call is its own time, not the device's. */
static int host_call(struct model *model, const struct record *record)
{
	if (host_extend(&model->host, record->begin, record->end))
		return 0;
	return host_add(&model->host, PIECE_LAUNCH, record->begin, record->end, 0);
}

/* An operation, and its call for the join. */
static int give(struct model *model, const struct model_thread *thread, const struct record *record,
	const struct device_op *op)
{
	struct device *device = model->device;
	int err = device_enqueue(device, op, record);
	if (err < 0)
		return err;
	struct device_op *given = &device->ops[device->count - 1];
	given->step = model->steps.count;
	given->silent =
		record->kind != RECORD_LAUNCH && record->kind != RECORD_GRAPH && record->a == 0;
	if (model->join == NULL || given->silent)
		return 0;
	return join_call(
		model->join, thread->tid, device_until(device) - 1, record->begin, record->end);
}

/* Give the device something to do; settles what can be settled when too much has piled up. */
static int enqueue(struct model *model, const struct model_thread *thread,
	const struct record *record, const struct device_op *op)
{
	struct device *device = model->device;
	if (model->first_enqueue_ns == 0)
		model->first_enqueue_ns = record->begin;
	if (model_is_unjoined(model))
		return 0;
	int err = give(model, thread, record, op);
	if (err < 0 || !device_is_full(device))
		return err;
	/* older ones than the queue holds have ended, just now if the last launch had to wait */
	uint32_t count = device->count - DEVICE_QUEUE_DEPTH;
	bool behind = device->blocked_op + DEVICE_QUEUE_DEPTH / 4 > device_until(device);
	struct model_wait now = {.begin_ns = record->end,
		.end_ns = record->end,
		.stream = DEVICE_ALL_STREAMS,
		.count = count,
		.exact = behind && device->blocked_op > 0};
	return model_settle(model, &now);
}

/* Remember the call until the operators around it are known. */
static void expect_op(struct model *model, struct model_thread *thread, const struct spot *spot,
	uint64_t begin_ns)
{
	thread->pending[thread->pending_count++ % MODEL_PENDING] = (struct model_pending){
		.begin_ns = begin_ns, .spot = spot_index(model->spots, spot)};
}

int model_launch(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = 0;
	bool graph = record->kind == RECORD_GRAPH;
	if (nothing_ran(record) || (graph && (record->d & RECORD_LAUNCH_GRAPH) == 0))
		return thread->launches ? host_call(model, record) : 0;
	thread->launches = true;
	model->launches_since_cut++;
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
		       : host_call(model, record);
	if (err < 0 || (record->d & RECORD_HOST_FUNCTION) != 0)
		return err;
	struct device_op *op = device_next(model->device); /* a copy would wait for its stores */
	if (op == NULL)
		return -ENOMEM;
	*op = (struct device_op){.ready_ns = record->end};
	uint64_t key = record->name != 0 ? record->name : PLACE_KEY | record->place;
	float guess = ESTIMATE_KERNEL_NS;
	if (graph) {
		op->graph = true;
		op->nodes = record->c;
		key = GRAPH_KEY ^ record->b;
		guess *= (float)(record->c > 0 ? record->c : 1);
	}
	op->class = (uint8_t)model_kernel_class(model, record->name);
	op->stream = (uint16_t)device_stream(
		model->device, record->stream, graph ? 0 : (unsigned)(record->b >> 48));
	op->estimate = estimate_find(&model->device->estimates, key, guess);
	err = enqueue(model, thread, record, op);
	return err < 0 ? err : model_token(model, thread, record);
}

int model_set(struct model *model, struct model_thread *thread, const struct record *record)
{
	thread->copy.kind = 0;
	int err = thread->launches ? host_call(model, record) : 0;
	if (err < 0 || nothing_ran(record))
		return err;
	struct device_op op = {.ready_ns = record->end, .class = DEVICE_CLASS_COPY, .fixed = true};
	op.stream =
		(uint16_t)device_stream(model->device, record->stream, (unsigned)(record->b >> 48));
	op.estimate = estimate_find(&model->device->estimates, SET_KEY | log2_of(record->a),
		(float)(COPY_LATENCY_NS + (record->a >> 10) * SET_NS_PER_KB));
	return enqueue(model, thread, record, &op);
}

static void count_read(struct spot *spot, uint64_t step, const struct record *record, bool scalar)
{
	spot_count(spot, step, SPOT_CALLS, 1);
	spot_count(spot, step, scalar ? SPOT_SCALAR : SPOT_TENSOR, 1);
	spot_count(spot, step, SPOT_BYTES, record->a);
	if (spot->stream == 0)
		spot->stream = record->stream;
}

static void count_copy(struct spot *spot, uint64_t step, const struct record *record)
{
	spot_count(spot, step, SPOT_CALLS, 1);
	spot_count(spot, step, SPOT_BYTES, record->a);
	if (spot->stream == 0)
		spot->stream = record->stream;
	if ((record->b >> 8 & 0xff) == MEMORY_PAGEABLE)
		spot_count(spot, step, SPOT_PAGEABLE, 1);
	if ((record->d & RECORD_ASYNC) != 0)
		spot_count(spot, step, SPOT_ASYNC, 1);
}

static bool counting(const struct model *model)
{
	return model->values != model->unwanted;
}

/* A copy that returns when it is done: everything on its stream has ended then. */
static int wait_in_copy(struct model *model, const struct model_thread *thread,
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
	int err = give(model, thread, record, op);
	if (err < 0)
		return err;
	struct model_wait wait = {.begin_ns = record->begin,
		.end_ns = record->end,
		.own = device_until(device),
		.spare_ns = (uint64_t)(1.5f * estimate->ns) + COPY_LATENCY_NS,
		.spot = op->spot,
		.stream = op->stream,
		.count = device->count};
	wait.exact = !alone && length > wait.spare_ns;
	return model_settle(model, &wait);
}

static struct device_op copy_op(
	struct model *model, const struct record *record, const struct copy *copy)
{
	uint64_t kb = copy->bytes >> 10;
	float guess = copy->waits ? (float)(WAITED_LATENCY_NS + kb * WAITED_NS_PER_KB)
				  : (float)(COPY_LATENCY_NS + kb * COPY_NS_PER_KB);
	uint64_t key = COPY_KEY | copy->direction << 16 | copy->source << 20 | copy->target << 24 |
		       (uint64_t)copy->waits << 28 | log2_of(copy->bytes);
	struct device_op op = {.ready_ns = record->end, .class = DEVICE_CLASS_COPY, .fixed = true};
	op.stream =
		(uint16_t)device_stream(model->device, record->stream, (unsigned)(record->b >> 48));
	op.estimate = estimate_find(&model->device->estimates, key, guess);
	return op;
}

/* A copy that the host does not wait for in the call: it is work for the device like any other. */
static int free_copy(struct model *model, struct model_thread *thread, const struct record *record,
	struct device_op *op, const struct copy *copy)
{
	bool crosses = copy->direction == COPY_HOST_TO_DEVICE ||
		       copy->direction == COPY_DEVICE_TO_HOST || copy->direction == COPY_PEER;
	if (crosses) {
		struct spot *spot = spots_find(
			model->spots, &model->lookup, record->place, record->call, SPOT_COPY_FREE);
		if (counting(model)) {
			spot_count(spot, model->steps.count, SPOT_HOST_NS,
				record->end - record->begin);
			count_copy(spot, model->steps.count, record);
		}
		expect_op(model, thread, spot, record->begin);
		op->spot = spot_index(model->spots, spot);
	}
	int err = host_call(model, record);
	if (err == 0)
		err = enqueue(model, thread, record, op);
	return err < 0 ? err : model_token(model, thread, record);
}

int model_copy(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct copy copy = copy_of(record);
	uint64_t length = record->end - record->begin;
	thread->copy.kind = 0;
	if (nothing_ran(record) || copy.direction == COPY_HOST_TO_HOST)
		return thread->launches ? host_call(model, record) : 0;
	thread->launches = true;
	bool in = copy.direction == COPY_HOST_TO_DEVICE;
	bool out = copy.direction == COPY_DEVICE_TO_HOST;
	model->values[MODEL_COPIES]++;
	model->values[MODEL_TO_DEVICE_BYTES] += in ? copy.bytes : 0;
	model->values[MODEL_TO_HOST_BYTES] += out ? copy.bytes : 0;
	if (in || out)
		thread->copy = *record;
	struct device_op op = copy_op(model, record, &copy);
	bool pageable = in && copy.source == MEMORY_PAGEABLE;
	if (!copy.waits && !pageable)
		return free_copy(model, thread, record, &op, &copy);
	struct spot *spot = spots_find(model->spots, &model->lookup, record->place, record->call,
		in ? SPOT_COPY_IN : SPOT_WAIT);
	if (counting(model)) {
		spot_count(spot, model->steps.count, SPOT_HOST_NS, length);
		if (in)
			count_copy(spot, model->steps.count, record);
		else
			count_read(
				spot, model->steps.count, record, copy.bytes <= SPOT_SCALAR_BYTES);
	}
	expect_op(model, thread, spot, record->begin);
	int err = 0;
	if (copy.waits) {
		err = host_add(&model->host, PIECE_WAIT, record->begin, record->end,
			spot_index(model->spots, spot));
		if (err == 0)
			err = wait_in_copy(model, thread, record, &op, spot);
	} else {
		op.ready_ns = record->begin;
		op.min_end_ns = record->end;
		op.spot = spot_index(model->spots, spot);
		err = host_add(&model->host, length < COPY_IN_MIN_NS ? PIECE_LAUNCH : PIECE_COPY,
			record->begin, record->end, op.spot);
		if (err == 0)
			err = enqueue(model, thread, record, &op);
	}
	return err < 0 ? err : model_token(model, thread, record);
}

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
	unsigned scope = record->b & 0xff;
	bool pair = before->kind == RECORD_COPY &&
		    (scope != SYNC_STREAM || before->stream == record->stream) &&
		    may_be_one_line(model, before->place, record->place);
	if (!pair) {
		struct spot *spot = spots_find(
			model->spots, &model->lookup, record->place, record->call, SPOT_WAIT);
		if (counting(model)) {
			spot_count(spot, model->steps.count, SPOT_CALLS, 1);
			spot_count(spot, model->steps.count, SPOT_PLAIN, 1);
		}
		return spot;
	}
	struct copy copy = copy_of(before);
	bool in = copy.direction == COPY_HOST_TO_DEVICE;
	uint32_t place = before->place != 0 ? before->place : record->place;
	struct spot *spot = spots_find(
		model->spots, &model->lookup, place, before->call, in ? SPOT_COPY_IN : SPOT_WAIT);
	bool counted = copy.waits || (in && copy.source == MEMORY_PAGEABLE);
	if (counting(model) && !counted) {
		spot_count(spot, model->steps.count, SPOT_HOST_NS, before->end - before->begin);
		if (in)
			count_copy(spot, model->steps.count, before);
		else
			count_read(
				spot, model->steps.count, before, copy.bytes <= SPOT_SCALAR_BYTES);
	}
	return spot;
}

/* How many of the oldest operations have ended when the wait returns, on which stream. */
static void find_waited(struct model *model, const struct record *record, struct model_wait *wait)
{
	struct device *device = model->device;
	unsigned scope = record->b & 0xff;
	uint32_t stream, closed = device->count - device_open(device);
	uint64_t op;
	wait->stream = DEVICE_ALL_STREAMS;
	wait->count = device->count;
	/* another thread may have launched while this one waited */
	while (wait->count > closed && device->ops[wait->count - 1].ready_ns > record->begin)
		wait->count--;
	if (scope == SYNC_STREAM)
		wait->stream = device_stream(device, record->stream, (unsigned)(record->b >> 48));
	if (scope != SYNC_EVENT || !device_find_event(device, record->a, &stream, &op))
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
	if (nothing_ran(record) || (record->d & RECORD_QUERY) != 0)
		return host_call(model, record);
	uint64_t length = record->end - record->begin;
	struct spot *spot = spot_of_sync(model, thread, record);
	thread->copy.kind = 0;
	model->values[MODEL_SYNCS]++;
	if (counting(model))
		spot_count(spot, model->steps.count, SPOT_HOST_NS, length);
	if (spot->stream == 0)
		spot->stream = record->stream;
	expect_op(model, thread, spot, record->begin);
	if (length > 0 && length < model->least_sync_ns)
		model->least_sync_ns = length;
	struct model_wait wait = {.begin_ns = record->begin,
		.end_ns = record->end,
		.spare_ns = 2 * model->least_sync_ns + COPY_LATENCY_NS,
		.spot = spot_index(model->spots, spot)};
	find_waited(model, record, &wait);
	wait.exact = length > wait.spare_ns;
	int err = host_add(&model->host, PIECE_WAIT, record->begin, record->end, wait.spot);
	if (err == 0)
		err = model_settle(model, &wait);
	return err < 0 ? err : model_token(model, thread, record);
}

int model_other(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (record->kind == RECORD_ALLOC) {
		model->values[MODEL_ALLOCS]++;
		if (!thread->launches)
			return 0;
		return host_add(&model->host, PIECE_ALLOC, record->begin, record->end, 0);
	}
	if (record->kind == RECORD_EVENT && !nothing_ran(record)) {
		bool passive = (record->d & (RECORD_CREATE | RECORD_DESTROY | RECORD_QUERY)) != 0;
		uint32_t stream = passive ? 0
					  : device_stream(model->device, record->stream,
						    (unsigned)(record->b >> 48));
		if ((record->d & RECORD_STREAM_WAIT) != 0)
			device_wait_event(model->device, record->a, stream);
		else if (!passive)
			device_record_event(model->device, record->a, stream);
	}
	return thread->launches ? host_call(model, record) : 0;
}
