/* SPDX-License-Identifier: MIT */
/*
 * What the files of the model share: model.c takes the records, model_calls.c knows
 * calls, model_ranges.c operators and input, model_join.c what the device reports,
 * model_settle.c accounts for stretches of time, and model_steps.c knows where steps end.
 * Nobody else includes this; the struct is in model.h.
 */
#ifndef ANALYZER_MODEL_PARTS_H
#define ANALYZER_MODEL_PARTS_H

#include "analyzer/model/model.h"

/* The thread of an id, a new one if need be; NULL: no memory. */
struct model_thread *model_find_thread(struct model *model, uint32_t id);

static inline struct model_thread *model_thread(struct model *model, uint32_t id)
{
	bool same = model->last_thread != NULL && model->last_thread->id == id;
	return same ? model->last_thread : model_find_thread(model, id);
}

/* A wait or another reason to account for everything up to here. */
struct model_wait {
	uint64_t begin_ns, end_ns;
	uint64_t own; /* number + 1 of the operation that the waiting call is; 0: none */
	uint64_t spare_ns;
	uint32_t spot;
	uint32_t stream; /* index, or DEVICE_ALL_STREAMS */
	uint32_t count;  /* of the oldest operations not retired, that have ended then */
	bool exact;
};

/* A stretch of time, closed by a wait, that is not accounted for yet. */
struct model_job {
	struct model_wait wait;
	uint64_t empty_ns; /* of struct sweep_end */
	uint64_t until_op; /* number of the first operation that is not part of it */
	uint64_t until_piece;
	bool seen; /* something that was waited for is known */
};

int model_settle(struct model *model, const struct model_wait *wait);

/* Account for what is ready; all: for the rest too. 0 or -ENOMEM. */
int model_run_jobs(struct model *model, bool all);

/* The trace holds operations of the device and nothing that tells whose they are. */
static inline bool model_is_unjoined(const struct model *model)
{
	return model->measured > 0 && model->join == NULL;
}

static inline enum device_class model_kernel_class(struct model *model, uint32_t name)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, name);
	return class & OPCLASS_COMM ? DEVICE_CLASS_COMM : DEVICE_CLASS_COMPUTE;
}

/* One record of each kind that is a call, an operator, or a state. 0 or -ENOMEM. */
int model_launch(struct model *model, struct model_thread *thread, const struct record *record);
int model_copy(struct model *model, struct model_thread *thread, const struct record *record);
int model_set(struct model *model, struct model_thread *thread, const struct record *record);
int model_sync(struct model *model, struct model_thread *thread, const struct record *record);
int model_other(struct model *model, struct model_thread *thread, const struct record *record);
int model_op(struct model *model, struct model_thread *thread, const struct record *record);
int model_range(
	struct model *model, const struct model_thread *thread, const struct record *record);
int model_input(struct model *model, struct model_thread *thread, const struct record *record);

/* Look for a repeating pattern in the calls so far. */
void model_find_period(struct model *model);

/* A call that may be part of the pattern; cuts where it ends a step. 0 or -ENOMEM. */
int model_token(
	struct model *model, const struct model_thread *thread, const struct record *record);

/* A step of that method ends. 0 or -ENOMEM. */
int model_cut(struct model *model, enum step_method method, uint64_t ns);

#endif
