/* SPDX-License-Identifier: MIT */
/*
 * Who else wants to see what the model sees: every call, every operation of the device, and
 * every pair of both that was found, each with the step that the call was made in.
 *
 * Only wanted steps are told (--steps); step 0 is what came before the first step, and
 * which of the following are warm-up is not known before the end. An operation without a
 * known call is told with the step that the calls have reached. When better marks of
 * steps turn up, restart() is called and everything begins again. Any pointer may be NULL. Calls
 * come in the order of their ends, operations and pairs in any. The records are the
 * model's and valid during the call only.
 */
#ifndef ANALYZER_OBSERVER_H
#define ANALYZER_OBSERVER_H

#include "analyzer/steps/series.h"
#include "collector/format/record.h"

struct observer {
	void *context;
	/* A call of the runtime or driver: LAUNCH to CALL. 0 or -ENOMEM, as all of them. */
	int (*call)(void *context, uint64_t step, uint32_t thread, const struct record *call);
	/* DEVICE_KERNEL, DEVICE_COPY, DEVICE_SET. */
	int (*operation)(void *context, uint64_t step, const struct record *operation);
	/* Both, where they are known; thread: that made the call, as of op. */
	int (*pair)(void *context, uint64_t step, uint32_t thread, const struct record *call,
		const struct record *operation);
	void (*restart)(void *context);
	/* An operator or a range of a framework, when it ends; thread: of the program, our id. */
	int (*op)(void *context, uint64_t step, uint32_t thread, const struct record *op);
	/* The same of a range, in the program's or a library's own words (RANGE). */
	int (*range)(void *context, uint64_t step, uint32_t thread, const struct record *range);
	/* What an allocator holds (MEMORY). */
	int (*memory)(void *context, uint64_t step, const struct record *memory);
	/* A call of NCCL (COLLECTIVE). */
	int (*collective)(void *context, uint64_t step, uint32_t thread, const struct record *call);
	/* What was told since the last cut belongs to that step, or to none (series.h). */
	void (*cut)(void *context, uint64_t step, enum step_cut cut);
	/* No step ends any more (series.h). */
	void (*finish)(void *context, bool tail);
	/* A step, by its number, has ended, wanted or not. */
	void (*step)(void *context, uint64_t step, uint64_t begin_ns, uint64_t end_ns);
};

/* Tell a record of a wanted step, if it is of a kind that is looked at. */
static inline int observer_tell(const struct observer *observer, uint64_t step, uint32_t thread,
	const struct record *record)
{
	if (record->kind == RECORD_RANGE && observer->range != NULL)
		return observer->range(observer->context, step, thread, record);
	if (record->kind == RECORD_OP && observer->op != NULL)
		return observer->op(observer->context, step, thread, record);
	if (record->kind == RECORD_MEMORY && observer->memory != NULL)
		return observer->memory(observer->context, step, record);
	if (record->kind == RECORD_COLLECTIVE && observer->collective != NULL)
		return observer->collective(observer->context, step, thread, record);
	if (record->kind <= RECORD_CALL && observer->call != NULL)
		return observer->call(observer->context, step, thread, record);
	return 0;
}

#endif
