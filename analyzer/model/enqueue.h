/* SPDX-License-Identifier: MIT */
/*
 * What calls have in common, whatever they ask for: an operation goes to the device, and the
 * time in the call is the host's. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_ENQUEUE_H
#define ANALYZER_MODEL_ENQUEUE_H

#include "analyzer/device/add.h"
#include "analyzer/model/state.h"
#include "collector/format/fields.h"

/* What a call, a copy or a set takes on the device at least, before one has been seen. */
#define MODEL_LATENCY_NS 2000u

/* Keys of estimates; kernels have the ids of their names, so all else is marked. */
#define MODEL_KEY_COPY  (1ull << 63)
#define MODEL_KEY_SET   (1ull << 62)
#define MODEL_KEY_GRAPH (1ull << 61)
#define MODEL_KEY_PLACE (1ull << 60)
#define MODEL_KEY_OFF   (1ull << 59)

/* The call failed, or was only captured into a graph. */
static inline bool model_nothing_ran(const struct record *record)
{
	return (record_flags(record) & RECORD_CAPTURED) != 0 || record->result != 0;
}

/* Sizes are alike when they have as many digits (binary ones). */
static inline unsigned model_size_class(uint64_t bytes)
{
	return bytes == 0 ? 0 : 63 - (unsigned)__builtin_clzll(bytes);
}

/* The line of a thread that launches; NULL: there is none left. */
static inline struct line *model_line(struct model *model, struct model_thread *thread)
{
	if (thread->line == NULL)
		(void)lines_take(&model->lines, &thread->line, model->sweep.at_ns);
	return thread->line;
}

/* The call takes a piece of that kind of its thread's time, for a spot. 0 or -ENOMEM. */
int model_piece(struct model *model, struct model_thread *thread, enum piece_kind kind,
	const struct record *record, uint32_t spot);

/* What a kernel of that name does. */
static inline enum device_class model_kernel_class(struct model *model, uint32_t name)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, name);
	return class & OPCLASS_COMM ? DEVICE_CLASS_COMM : DEVICE_CLASS_COMPUTE;
}

/* As model_host_call(), where the call is no part of what the host did before. */
int model_begin_call(struct model *model, struct model_thread *thread, const struct record *record);

/* What the host does in this call is its own time, not the device's. 0 or -ENOMEM. */
static inline int model_host_call(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	struct line *line = thread->line;
	if (line == NULL || !host_extend(&line->host, record->begin, record->end, record->place))
		return model_begin_call(model, thread, record);
	thread->call_ns = record->begin;
	thread->call_end_ns = record->end;
	return 0;
}

/*
 * The device begins with what the record asks for. False: nothing waits for that, the trace holds
 * operations of the device and nothing that tells whose they are.
 */
static inline bool model_awaits(struct model *model, const struct record *record)
{
	if (model->first_enqueue_ns == 0)
		model->first_enqueue_ns = record->begin;
	return model->measured == 0 || model->join != NULL;
}

/* An operation of a call goes to the device, and the call to the join. 0 or -ENOMEM. */
int model_give(struct model *model, const struct model_thread *thread, const struct record *record,
	const struct device_op *op);

/* The same where nobody waits: settles what can be settled when too much has piled up. */
int model_enqueue_awaited(struct model *model, const struct model_thread *thread,
	const struct record *record, const struct device_op *op);

/* That, if the device begins with it. */
static inline int model_enqueue(struct model *model, const struct model_thread *thread,
	const struct record *record, const struct device_op *op)
{
	return model_awaits(model, record) ? model_enqueue_awaited(model, thread, record, op) : 0;
}

/* Remember the call, which is one of the spot, until the operators around it are known. */
void model_expect_op(struct model *model, struct model_thread *thread, const struct spot *spot,
	uint64_t begin_ns);

#endif
