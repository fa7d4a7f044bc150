/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include <string.h>

#include "analyzer/model/enqueue.h"
#include "analyzer/model/settle.h"
#include "analyzer/model/steps.h"
#include "collector/format/blocking.h"

/* Of a question and its answer alone nobody knows that the host waits for the latter. */
#define POLLS_LEAST 2u
/* Result of a call for which there was no memory. */
#define OUT_OF_MEMORY 2

/* A call that is for something else, and may wait all the same. */
struct aside {
	enum piece_kind piece;
	enum spot_kind spot;
	bool releases; /* what the device may still use: it has waited */
};

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

static void note_unlined(
	struct model_thread *thread, const struct spot *spot, uint32_t index, uint64_t begin_ns)
{
	uint32_t last = (thread->unlined_count - 1) % MODEL_UNLINED;
	if (!spot->native || thread->line == NULL || !thread->line->turns)
		return;
	if (thread->unlined_count == 0 || thread->unlined[last].spot != index)
		last = thread->unlined_count++ % MODEL_UNLINED;
	thread->unlined[last].spot = index;
	thread->unlined[last].begin_ns = begin_ns;
}

void model_await(struct model *model, const struct record *record)
{
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	if (record->place == 0 || place == NULL || strcmp(place->language, "native") == 0)
		return;
	for (struct model_thread *thread = model->thread_list; thread != NULL;
		thread = thread->next) {
		for (uint32_t i = 0; i < thread->unlined_count && i < MODEL_UNLINED; i++)
			if (thread->unlined[i].begin_ns >= record->begin)
				model->spots->items[thread->unlined[i].spot].awaited_place =
					record->place;
		thread->unlined_count = 0;
		if (thread->behind_ns > 0 && thread->behind_from_ns >= record->begin)
			spot_count(spots_find(model->spots, &model->lookup, record->place, 0,
					   SPOT_LAUNCH),
				model->steps.count, SPOT_BEHIND_NS, thread->behind_ns);
		thread->behind_ns = 0;
	}
}

int model_sync(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches)
		return 0;
	if (model_nothing_ran(record) || (record_flags(record) & RECORD_QUERY) != 0)
		return model_host_call(model, thread, record);
	uint64_t length = record->end - record->begin;
	struct spot *spot = spot_of_sync(model, thread, record);
	thread->copy.kind = RECORD_NONE;
	note_unlined(thread, spot, spot_index(model->spots, spot), record->begin);
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
		.spot = spot_index(model->spots, spot),
		.foreign = lines_is_aside(&model->lines, thread->line)};
	const struct model_target target = {.scope = record_scope(record),
		.device = record_device(record),
		.stream = record_SYNC_stream(record),
		.event = record_event(record)};
	model_find_waited(model, &target, &wait);
	wait.exact = length > wait.spare_ns;
	int err = model_piece(model, thread, PIECE_WAIT, record, wait.spot);
	if (err == 0)
		err = model_settle(model, &wait);
	return err < 0 ? err : model_token(model, thread, record);
}

/*
 * The call may have returned only when the device had done all that it was given. What releases is
 * known to have waited; of others only the device's times tell, and without them it is counted.
 */
static int settle_aside(struct model *model, const struct model_thread *thread,
	const struct record *record, uint32_t spot, const struct aside *aside)
{
	bool released = aside->releases;
	bool memory = aside->piece == PIECE_ALLOC;
	uint64_t release_ns = memory ? model->least_release_ns : model->least_unload_ns;
	uint64_t least_ns = released ? release_ns : model->least_sync_ns;
	uint64_t length = record->end - record->begin;
	const struct join *join = model->join;
	struct model_wait wait = {.begin_ns = record->begin,
		.end_ns = record->end,
		.spare_ns = 2 * least_ns + MODEL_LATENCY_NS,
		.spot = spot,
		.aside = (uint8_t)aside->piece,
		.foreign = lines_is_aside(&model->lines, thread->line),
		.maybe = !released};
	if (!released && (join == NULL || !source_is_active(&join->source, record->begin))) {
		if (length > wait.spare_ns && device_open(model->device) > 0 && !wait.foreign)
			model->values[MODEL_MAYBE_NS] += length;
		return 0;
	}
	if (!released && length <= wait.spare_ns)
		return 0;
	const struct model_target all = {.scope = SYNC_DEVICE};
	wait.exact = released && length > wait.spare_ns && device_open(model->device) > 0;
	model_find_waited(model, &all, &wait);
	return model_settle(model, &wait);
}

/* Its line, its time, and what it may have waited for. */
static int spend(struct model *model, struct model_thread *thread, const struct record *record,
	struct spot *spot, const struct aside *aside)
{
	uint32_t index = spot_index(model->spots, spot);
	uint64_t length = record->end - record->begin;
	uint64_t *least_ns =
		aside->piece == PIECE_ALLOC ? &model->least_release_ns : &model->least_unload_ns;
	if (model_counts(model)) {
		spot_count(spot, model->steps.count, SPOT_CALLS, 1);
		spot_count(spot, model->steps.count, SPOT_HOST_NS, length);
		spot_count(spot, model->steps.count, SPOT_RELEASES, aside->releases);
	}
	if (aside->releases && length < *least_ns)
		*least_ns = length;
	int err = model_piece(model, thread, aside->piece, record, index);
	return err < 0 ? err : settle_aside(model, thread, record, index, aside);
}

/* How much memory the program holds, registered or its own. */
static void hold(struct model *model, const struct record *record, bool released)
{
	uint64_t bytes = record_bytes(record);
	if (released)
		model->held_bytes -= bytes < model->held_bytes ? bytes : model->held_bytes;
	else
		model->held_bytes += bytes;
	if (model->held_bytes > model->most_held_bytes)
		model->most_held_bytes = model->held_bytes;
}

int model_alloc(struct model *model, struct model_thread *thread, const struct record *record)
{
	uint32_t flags = record_flags(record);
	bool done = (flags & RECORD_CAPTURED) == 0 && record->result == 0;
	model->values[MODEL_ALLOCS]++;
	if (!thread->launches)
		return 0;
	thread->copy.kind = RECORD_NONE;
	struct spot *spot =
		spots_find(model->spots, &model->lookup, record->place, record->call, SPOT_ALLOC);
	if (record->result == OUT_OF_MEMORY && model_counts(model))
		spot_count(spot, model->steps.count, SPOT_REFUSED, 1);
	bool released = done && blocking_release(record_ALLOC_address(record), flags);
	if (done)
		hold(model, record, (flags & RECORD_DESTROY) != 0);
	if (done && (flags & RECORD_CREATE) != 0 && model_counts(model))
		spot_count(spot, model->steps.count, SPOT_BYTES, record_bytes(record));
	const struct aside aside = {PIECE_ALLOC, SPOT_ALLOC, released};
	int err = spend(model, thread, record, spot, &aside);
	return err < 0 || !released ? err : model_token(model, thread, record);
}

/* Calls that are not told apart, by words of their names; NULL: it only takes the host's time. */
static const struct aside *aside_of(const char *call)
{
	static const struct {
		const char *word;
		struct aside aside;
	} words[] = {
		{"Mem", {PIECE_ALLOC, SPOT_ALLOC, false}},
		{"Unload", {PIECE_SETUP, SPOT_SETUP, true}},
		{"Reset", {PIECE_SETUP, SPOT_SETUP, true}},
		{"CtxDestroy", {PIECE_SETUP, SPOT_SETUP, true}},
		{"Ctx", {PIECE_SETUP, SPOT_SETUP, false}},
		{"ModuleLoad", {PIECE_SETUP, SPOT_SETUP, false}},
		{"LibraryLoad", {PIECE_SETUP, SPOT_SETUP, false}},
		{"FuncLoad", {PIECE_SETUP, SPOT_SETUP, false}},
		{"PeerAccess", {PIECE_SETUP, SPOT_SETUP, true}},
		{"SetDevice", {PIECE_SETUP, SPOT_SETUP, false}},
		{"InitDevice", {PIECE_SETUP, SPOT_SETUP, false}},
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(call, words[i].word) != NULL)
			return &words[i].aside;
	return NULL;
}

int model_call(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches)
		return 0;
	const struct aside *aside = aside_of(lookup_call(&model->lookup, record->call));
	if (aside == NULL)
		return model_host_call(model, thread, record);
	struct aside done = *aside;
	done.releases &= record->result == 0;
	struct spot *spot =
		spots_find(model->spots, &model->lookup, record->place, record->call, done.spot);
	int err = spend(model, thread, record, spot, &done);
	return err < 0 || !done.releases ? err : model_token(model, thread, record);
}

/* The host asks on, and has given the device nothing since it was first told to wait. */
static bool goes_on(
	const struct model *model, const struct model_poll *poll, const struct model_poll *now)
{
	return poll->count > 0 && poll->handle == now->handle && poll->event == now->event &&
	       poll->until_op == device_until(model->device);
}

/* The host has waited for the target by other means than a call for that. */
static int close_wait(struct model *model, struct model_thread *thread, const struct record *record,
	const struct model_target *target, struct model_wait *wait)
{
	struct spot *spot =
		spots_find(model->spots, &model->lookup, record->place, record->call, SPOT_WAIT);
	wait->spot = spot_index(model->spots, spot);
	wait->foreign = lines_is_aside(&model->lines, thread->line);
	wait->exact = wait->end_ns - wait->begin_ns > wait->spare_ns;
	model->values[MODEL_SYNCS]++;
	if (model_counts(model)) {
		spot_count(spot, model->steps.count, SPOT_CALLS, 1);
		spot_count(spot, model->steps.count, SPOT_PLAIN, 1);
		spot_count(spot, model->steps.count, SPOT_POLLS, record->kind != RECORD_INPUT);
		spot_count(spot, model->steps.count, SPOT_HOST_NS, wait->end_ns - wait->begin_ns);
	}
	model_expect_op(model, thread, spot, record->begin);
	model_find_waited(model, target, wait);
	struct line *line = model_line(model, thread);
	int err = line != NULL ? host_add_around(&line->host, PIECE_WAIT, wait->begin_ns,
					 wait->end_ns, wait->spot, record->place)
			       : 0;
	return err < 0 ? err : model_settle(model, wait);
}

bool model_is_called_back(const struct model_thread *thread, const struct record *record)
{
	return record->result == 0 && thread->function.begin_ns > 0 &&
	       thread->call_ns == thread->function.begin_ns;
}

int model_called_back(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct model_wait wait = {
		.begin_ns = record->begin, .end_ns = record->end, .spare_ns = MODEL_LATENCY_NS};
	const struct model_target target = {.scope = SYNC_STREAM,
		.device = thread->function.device,
		.stream = thread->function.stream};
	thread->function.begin_ns = 0;
	return close_wait(model, thread, record, &target, &wait);
}

/* The answer is yes: the host has waited for it since the first question. */
static int end_poll(struct model *model, struct model_thread *thread, const struct record *record)
{
	const struct model_poll *poll = &thread->poll;
	const struct model_target target = {.scope = poll->event ? SYNC_EVENT : SYNC_STREAM,
		.device = record_device(record),
		.stream = poll->handle,
		.event = poll->handle};
	struct model_wait wait = {.begin_ns = poll->begin_ns,
		.end_ns = record->end,
		/* it became true some time in there */
		.spare_ns = record->end - poll->last_ns};
	return close_wait(model, thread, record, &target, &wait);
}

int model_query(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct model_poll *poll = &thread->poll;
	bool event = record->kind == RECORD_EVENT;
	struct model_poll now = {.begin_ns = record->end,
		.last_ns = record->begin,
		.handle = event ? record_event(record) : record_STREAM_stream(record),
		.until_op = device_until(model->device),
		.event = event};
	int err = 0;
	if (!thread->launches)
		return 0;
	bool on = goes_on(model, poll, &now);
	if ((record_flags(record) & RECORD_NOT_READY) == 0) {
		if (on && poll->count >= POLLS_LEAST)
			err = end_poll(model, thread, record);
		else
			err = model_host_call(model, thread, record);
		poll->count = 0;
		return err;
	}
	if (!on) {
		*poll = now;
		err = model_host_call(model, thread, record);
	}
	poll->last_ns = record->begin;
	poll->count++;
	return err;
}
