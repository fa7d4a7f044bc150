/* SPDX-License-Identifier: MIT */
/*
 * Names and places of hand-made records, and the lookup that a model gets for them:
 * fixed tables in place of a reader.
 */
#ifndef TEST_UNIT_MODEL_NAMES_H
#define TEST_UNIT_MODEL_NAMES_H

#include "analyzer/read/lookup.h"

#define PLACE_NATIVE 2000u /* places from here on are native code */
#define PLACE_HELPER 1900u /* those below that in a function of their own */

/* Ids of the builder's names and places. A place is line 10 * id of train.py. */
enum builder_name {
	NAME_FILE = 1,
	NAME_FUNCTION,
	NAME_KERNEL,
	NAME_KERNEL_2,
	NAME_ITEM,
	NAME_NONZERO,
	NAME_TO,
	NAME_VIEW,
	NAME_LOADER,
	NAME_OPTIMIZER,
	NAME_STEP,
	NAME_ACTIVITY,
	NAME_NCCL,
	NAME_STEP_RANGE,
	NAME_ITERATION,
	NAME_TRAINER,
	NAME_LOGGING,
	NAME_METRIC,
	NAME_BACKWARD,
	NAME_COPY,
	NAME_ARRAY,
	NAME_COMPILED,
	NAME_COMPILED_2,
	NAME_NEXT,
	NAME_STAGE,
	NAME_HELPER,
	NAME_DETACH,
	NAME_GRAPH,
	NAME_GRADIENTS,
	NAME_GRAPH_FILE,
	NAME_DATA_FILE,
	NAME_GRAPH_TRAIN,
	NAME_GRAPH_PREDICT,
	NAME_GET_NEXT,
	NAME_COUNT
};

/* Ids of the calls that have a name. */
enum {
	CALL_LOAD = 30,
	CALL_UNLOAD,
	CALL_PEER,
	CALL_SYSCALL
};

/* Places that go through a package; each through another one. */
enum {
	BUILDER_THROUGH = 800,
	BUILDER_METRIC,
	BUILDER_AWAITS,
	BUILDER_GRAPH,
	BUILDER_DATA
};

static const char *const names[NAME_COUNT] = {
	[NAME_FILE] = "/home/user/train.py",
	[NAME_FUNCTION] = "main",
	[NAME_KERNEL] = "gemm",
	[NAME_KERNEL_2] = "relu",
	[NAME_ITEM] = "aten::item",
	[NAME_NONZERO] = "aten::nonzero",
	[NAME_TO] = "aten::to",
	[NAME_VIEW] = "aten::t",
	[NAME_LOADER] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
	[NAME_OPTIMIZER] = "Optimizer.step#SGD.step",
	[NAME_STEP] = "ProfilerStep#7",
	[NAME_ACTIVITY] = "activity",
	[NAME_NCCL] = "ncclDevKernel_AllReduce_Sum_f32",
	[NAME_STEP_RANGE] = "step 7",
	[NAME_ITERATION] = "iteration",
	[NAME_TRAINER] = "/venv/lib/python3.11/site-packages/transformers/trainer.py",
	[NAME_LOGGING] = "_maybe_log_save_evaluate",
	[NAME_METRIC] = "/opt/libs/metric/score.py",
	[NAME_COPY] = "aten::copy_",
	[NAME_ARRAY] = "/venv/lib/python3.11/site-packages/jax/_src/array.py",
	[NAME_COMPILED] = "__inference_multi_step_on_iterator_1889",
	[NAME_COMPILED_2] = "__inference_multi_step_on_iterator_2222",
	[NAME_NEXT] = "IteratorGetNext",
	[NAME_STAGE] = "PrefetchProduce",
	[NAME_HELPER] = "tokenise",
	[NAME_DETACH] = "detach",
	[NAME_GRAPH] = "graph(train_step)",
	[NAME_GRADIENTS] = "backward",
	[NAME_GRAPH_TRAIN] = "graph(train)",
	[NAME_GRAPH_PREDICT] = "graph(predict)",
	[NAME_GET_NEXT] = "GetNext",
	[NAME_GRAPH_FILE] = "/venv/lib/python3.11/site-packages/mindspore/graph/api.py",
	[NAME_DATA_FILE] =
		"/venv/lib/python3.11/site-packages/mindspore/dataset/engine/iterators.py",
	[NAME_BACKWARD] = "autograd::engine::evaluate_function: MmBackward0",
};

static inline const char *text_of(const void *context, uint32_t id)
{
	(void)context;
	return id < NAME_COUNT && names[id] != NULL ? names[id] : "";
}

static inline const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	static struct meta_PLACE place;
	(void)context;
	place = (struct meta_PLACE){.id = id,
		.language = id < PLACE_NATIVE ? "python" : "native",
		.file = NAME_FILE,
		.function = NAME_FUNCTION,
		.line = 10 * id,
		.user_file = NAME_FILE,
		.user_function = NAME_FUNCTION,
		.user_line = 10 * id};
	if (id >= PLACE_HELPER && id < PLACE_NATIVE)
		place.function = place.user_function = NAME_HELPER;
	if (id < BUILDER_THROUGH || id > BUILDER_DATA)
		return &place;
	/* one line of the program, through lines of two packages */
	place.line = place.user_line = 10 * BUILDER_THROUGH;
	const uint32_t files[] = {
		NAME_TRAINER, NAME_METRIC, NAME_ARRAY, NAME_GRAPH_FILE, NAME_DATA_FILE};
	place.library_file = files[id - BUILDER_THROUGH];
	place.library_function = id == BUILDER_METRIC ? NAME_FUNCTION : NAME_LOGGING;
	place.library_line = id;
	return &place;
}

#endif
