/* SPDX-License-Identifier: MIT */
/*
 * Where the steps of a model end: marks of the program and its framework are told here, and a
 * pattern is looked for in the calls of a program that has none. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_STEPS_H
#define ANALYZER_MODEL_STEPS_H

#include "analyzer/model/state.h"

/* So many ranges with the name of a step are steps; fewer may be anything. */
#define STEP_RANGES_LEAST 3u

/* Look for a repeating pattern in the calls so far. */
void model_find_period(struct model *model);

/* A call that may be part of the pattern; cuts where it ends a step. 0 or -ENOMEM. */
int model_token(
	struct model *model, const struct model_thread *thread, const struct record *record);

/*
 * A record of the beginning, told from the last to the first: launches of a thread that are not
 * part of a backward pass, which runs on a thread of its own, however much that launches.
 */
void model_own_launch(
	struct model *model, struct model_thread *thread, const struct record *record);

/*
 * The thread that has most of them, whose calls may repeat; busiest, which launches most of all:
 * none has any, or no backward pass is known.
 */
uint32_t model_main_thread(const struct model *model, uint32_t busiest);

/* A record of the beginning, which is seen twice. True: it marks steps. */
bool model_learn(struct model *model, struct model_thread *thread, const struct record *record);

/* A mark of the framework at ns; a range of a loader. 0 or -ENOMEM. */
int model_mark(struct model *model, enum mark mark, uint64_t ns);
int model_load(struct model *model, const struct record *record);

/* Any record, where the user named what ends a step: cuts if it is that. 0 or -ENOMEM. */
int model_asked(
	struct model *model, const struct model_thread *thread, const struct record *record);

/* RANGE by which the program says that a step ends, on any thread. 0 or -ENOMEM. */
int model_told(struct model *model, struct model_thread *thread, const struct record *record);

/* An operator of that class, which has launched: it is a function that was compiled as a whole. */
bool model_is_compiled(
	const struct model *model, const struct record *record, unsigned class, bool launches);

/* Such a function is the program's own, or that of a library which works for it. */
bool model_is_own(struct model *model, const struct record *record);

/* INPUT that waits for results of such functions: the name of what is waited for, or 0. */
uint32_t model_awaited(struct model *model, const struct record *record);

/* The wait ended then: what interrupts steps that had run ahead of it begins there. */
int model_paid(struct model *model, uint64_t ns);

/* Of calls of such functions, and of batches: what tells them apart. */
uint64_t model_call_key(const struct record *record);

/* A training step as a whole is compiled, its optimiser in it: it ends a step as that does. */
bool model_trains_whole(struct model *model, const struct record *record);

/* Such a function was called. 0 or -ENOMEM. */
int model_compiled(struct model *model, struct model_thread *thread, const struct record *record);

/* A step of that method ends. 0 or -ENOMEM. */
int model_cut(struct model *model, enum step_method method, uint64_t ns);

/*
 * A framework's range of a step ends at ns; one in which the device was given nothing, though
 * recording was on, is what a profiler leaves with, and none. 0 or -ENOMEM.
 */
static inline int model_mark_range(struct model *model, uint64_t ns)
{
	bool empty = model->steps.method == STEP_BY_MARK && model->stepping.launches == 0 &&
		     model->pace.kernels == 0 && model->pace.copies == 0 && !model->alone &&
		     !model->stepping.broken;
	return empty ? 0 : model_cut(model, STEP_BY_MARK, ns);
}

/* Something else ends; phase: number of what is put aside (steps.phases). 0 or -ENOMEM. */
int model_part(struct model *model, enum step_cut kind, uint32_t phase, uint64_t ns);

/*
 * Recording was off until ns, and meanwhile steps ended; so did the running one, and of the
 * next the trace has not all. 0 or -ENOMEM.
 */
int model_pass(struct model *model, const struct passed *passed, uint64_t ns);

/* How many of these marks are steps, as steps are recognised by now. */
uint64_t model_passed(const struct model *model, const struct passed *passed);

/*
 * Where the user named a range (held.c): the next record, and the end of all; what it is, is
 * counted when its turn has come (model_count()). 0 or -ENOMEM.
 */
int model_hold(struct model *model, struct model_thread *thread, const struct record *record);
int model_hold_end(struct model *model);
int model_count(struct model *model, struct model_thread *thread, const struct record *record);

/*
 * What lies between the steps (apart.c). A call, the range of a loader or a compiled function is
 * about to be counted; a part of a backward pass has ended; a step has, on that thread; all has
 * been counted, and all has been accounted for. 0 or -ENOMEM.
 */
int model_shape(
	struct model *model, const struct model_thread *thread, const struct record *record);
void model_shape_backward(struct model *model);
void model_shape_end(struct model *model, const struct model_thread *thread, uint64_t ns);
int model_shape_rest(struct model *model);

/*
 * Steps that only batches end, where the training and an evaluation draw by the same line: what
 * went before this batch has no backward pass. It was an evaluation's, which ends here, or little
 * (a mean over an epoch) that belongs to what follows.
 */
bool model_shape_is_batch(const struct model *model);
int model_shape_batch(struct model *model, uint64_t ns);
void model_drop_rest(struct model *model);

/*
 * An operator of that class of a program without a GPU, where operators are all the work there is:
 * it may be a part of the pattern and of what lies between the steps. 0 or -ENOMEM.
 */
int model_work(struct model *model, struct model_thread *thread, const struct record *record,
	unsigned class);

/* The same of what blocks such a program: it may write results to a file. 0 or -ENOMEM. */
int model_work_input(
	struct model *model, const struct model_thread *thread, const struct record *record);

/* The first work for a device, after a long beginning without: what was counted is forgotten. */
void model_meet_device(struct model *model);

/* MARK: the trace has nothing of that time. */
int model_still(struct model *model, const struct record *record);

/* Of the beginning of the trace, and what it says of steps: the host is all there is. */
bool model_is_alone(struct model *model, const struct model_prefix *prefix);

/* Steps are cut in another way from now on; the beginning of the trace may say what they are. */
void model_forget_shape(struct model *model);
void model_learn_shape(struct model *model);

#endif
