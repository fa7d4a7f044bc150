/* SPDX-License-Identifier: MIT */
/*
 * What the files of the model share: model.c takes the records and settles the account,
 * model_calls.c knows calls, model_ranges.c operators, input and device records, and
 * model_steps.c where steps end. Nobody else includes this; the struct is in model.h.
 */
#ifndef ANALYZER_MODEL_PARTS_H
#define ANALYZER_MODEL_PARTS_H

#include "analyzer/model.h"

struct model_thread *model_thread(struct model *model, uint32_t id); /* NULL: no memory */

/* A wait or another reason to settle everything up to here. */
struct model_wait {
	uint64_t begin_ns, end_ns;
	uint64_t spare_ns;
	uint32_t spot;
	uint32_t stream; /* index, or DEVICE_ALL_STREAMS */
	uint32_t count;  /* of the oldest operations, that have ended then */
	bool exact;
};
int model_settle(struct model *model, const struct model_wait *wait);

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
void model_device(struct model *model, const struct record *record);

/* Look for a repeating pattern in the calls so far. */
void model_find_period(struct model *model);

/* A call that may be part of the pattern; cuts where it ends a step. 0 or -ENOMEM. */
int model_token(
	struct model *model, const struct model_thread *thread, const struct record *record);

/* A step of that method ends. 0 or -ENOMEM. */
int model_cut(struct model *model, enum step_method method, uint64_t ns);

#endif
