/* SPDX-License-Identifier: MIT */
/*
 * What a record of each kind means to a model (model.h): calls.c has those that give the device
 * work or prepare it, copies.c those that copy memory, and what a thread that was blocked has
 * waited for, syncs.c those in which the host waits for the device or may do so although they are
 * for something else, ranges.c operators, ranges of the program and what blocks the host otherwise.
 *
 * Functions return 0 or -ENOMEM. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_KINDS_H
#define ANALYZER_MODEL_KINDS_H

#include "analyzer/model/state.h"
#include "collector/format/fields.h"

struct model_wait; /* settle.h */

/* Work for a device. */
static inline bool model_gives_work(const struct record *record)
{
	return record->kind == RECORD_LAUNCH || record->kind == RECORD_GRAPH ||
	       record->kind == RECORD_COPY || record->kind == RECORD_SET;
}

/* LAUNCH, GRAPH, SET, EVENT and STREAM. */
int model_launch(struct model *model, struct model_thread *thread, const struct record *record);
int model_graph(struct model *model, struct model_thread *thread, const struct record *record);
int model_set(struct model *model, struct model_thread *thread, const struct record *record);
int model_other(struct model *model, struct model_thread *thread, const struct record *record);

/* BURST: operators are recorded from here on, or are not. */
int model_burst(struct model *model, const struct record *record);

/* COPY: which way the bytes go, and whether the host is held until they are there. */
struct model_transfer {
	uint64_t bytes;
	enum copy_direction direction;
	enum memory_kind source, target;
	bool waits; /* returns when it is done */
};

/* What a record of a copy says; a direction that was left to the device comes from its ends. */
struct model_transfer model_transfer_of(const struct record *record);

/* Count the call of a copy for its line; read: as one that brings a result to the host. */
void model_count_transfer(
	struct model *model, struct spot *spot, const struct record *record, bool read);
int model_copy(struct model *model, struct model_thread *thread, const struct record *record);

/* A copy or set that returns when it is done: everything on its stream has ended then. */
int model_wait_in_call(struct model *model, const struct model_thread *thread,
	const struct record *record, struct device_op *op, const struct spot *spot);

/* SYNC: to which line the wait belongs, and what has ended when it returns. */
int model_sync(struct model *model, struct model_thread *thread, const struct record *record);

/*
 * INPUT of a thread that waits for another one: the waits of a backward pass that runs on that
 * other thread, in code without lines, are for the line that waits for it.
 */
void model_await(struct model *model, const struct record *record);

/*
 * A function of PyTorch's backward pass that is written in Python, or what calls it and the hooks
 * of gradients: code of the program, whose operators and calls are told by themselves.
 */
static inline bool model_is_around(const struct record *record, unsigned class)
{
	return (class & OPCLASS_AROUND) != 0 && record_OP_framework(record) == OP_TORCH &&
	       ((class & OPCLASS_BACKWARD) != 0 || record_OP_scope(record) == OP_BACKWARD_FUNCTION);
}

/* A backward pass went on meanwhile, on another thread: that is what was waited for. */
bool model_awaits_backward(
	const struct model *model, const struct model_thread *thread, const struct record *record);

/*
 * The wait, of that spot, is in the code that sends tensors to other ranks, or for what such code
 * has begun: it is not for data.
 */
bool model_awaits_ranks(struct model *model, const struct model_thread *thread,
	const struct record *record, struct spot *spot);

/* What a call waits for: all of the device, a stream or an event. */
struct model_target {
	unsigned scope; /* enum sync_scope */
	unsigned device;
	uint64_t stream, event;
};

/* Which of the oldest operations have ended when such a wait returns, on which stream. */
void model_find_waited(
	struct model *model, const struct model_target *target, struct model_wait *wait);

/* ALLOC, CALL: what is for something else and may wait all the same. */
int model_alloc(struct model *model, struct model_thread *thread, const struct record *record);
int model_call(struct model *model, struct model_thread *thread, const struct record *record);

/*
 * INPUT: the last that the thread has given the device is a function of the program, which the
 * device calls when it is done with what was before. The lock that is waited for next is what that
 * function lets go, unless the time for it ran out: a wait for the device.
 */
bool model_is_called_back(const struct model_thread *thread, const struct record *record);
int model_called_back(
	struct model *model, struct model_thread *thread, const struct record *record);

/* STREAM and EVENT that ask whether the device is done; asked on and on, that is a wait. */
int model_query(struct model *model, struct model_thread *thread, const struct record *record);

/*
 * OP, RANGE, COLLECTION, GIL, INPUT: what they say about steps, the host's time, and the calls
 * within them.
 */
int model_op(struct model *model, struct model_thread *thread, const struct record *record);
int model_range(struct model *model, struct model_thread *thread, const struct record *record);
int model_collection(struct model *model, struct model_thread *thread, const struct record *record);
int model_gil(struct model *model, struct model_thread *thread, const struct record *record);
int model_input(struct model *model, struct model_thread *thread, const struct record *record);

/* Data of the thread goes to the device: what it was blocked by before has fed it. */
void model_feed(struct model *model, struct model_thread *thread, const struct record *copy);

/* Another thread has copied to the device in the course of this wait, and does little else. */
bool model_is_fed_by_others(
	const struct model *model, const struct model_thread *thread, const struct record *record);

/* The thread was blocked there. Whether it was before, since data last went to the device. */
bool model_note_blocked(struct model_thread *thread, uint32_t spot, const struct record *record);

/* What the thread was blocked for last has fed what it does now. */
void model_take_fed(struct model *model, struct model_thread *thread);

/* SAMPLE: what was read from the system now and then. */
int model_sample(struct model *model, const struct record *record);

/* STACK: where a thread that gives the device work was. */
int model_stack(struct model *model, const struct record *record);

#endif
