/* SPDX-License-Identifier: MIT */
/* Names of hand-made records: a fixed table in place of a reader's. */
#ifndef TEST_UNIT_MODEL_TEXTS_H
#define TEST_UNIT_MODEL_TEXTS_H

#include <stddef.h>
#include <stdint.h>

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
	NAME_READER,
	NAME_EAGER,
	NAME_GRADIENT,
	NAME_GRADIENTS,
	NAME_NUMPY,
	NAME_EXECUTOR,
	NAME_GRAPH,
	NAME_GRAPH_FILE,
	NAME_DATA_FILE,
	NAME_GRAPH_TRAIN,
	NAME_GRAPH_PREDICT,
	NAME_GET_NEXT,
	NAME_STORAGE,
	NAME_JIT_TRAIN,
	NAME_JIT_EVALUATE,
	NAME_JIT_SUM,
	NAME_JAX_ADD,
	NAME_READ,
	NAME_COUNT
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
	[NAME_READER] = "ReadNextList",
	[NAME_EAGER] = "matmul dygraph",
	[NAME_GRADIENT] = "Global_MatmulGradNode",
	[NAME_GRADIENTS] = "backward",
	[NAME_NUMPY] = "Tensor.numpy",
	[NAME_EXECUTOR] = "StandaloneExecutor::run",
	[NAME_GRAPH] = "graph(train_step)",
	[NAME_GRAPH_TRAIN] = "graph(train)",
	[NAME_GRAPH_PREDICT] = "graph(predict)",
	[NAME_GET_NEXT] = "GetNext",
	[NAME_JIT_TRAIN] = "jit(train_step)",
	[NAME_JIT_EVALUATE] = "jit(evaluate)",
	[NAME_JIT_SUM] = "jit(<lambda>)",
	[NAME_JAX_ADD] = "jax.add",
	[NAME_READ] = "Tensor.asnumpy",
	[NAME_GRAPH_FILE] = "/venv/lib/python3.11/site-packages/mindspore/graph/api.py",
	[NAME_DATA_FILE] =
		"/venv/lib/python3.11/site-packages/mindspore/dataset/engine/iterators.py",
	[NAME_STORAGE] = "/venv/lib/python3.11/site-packages/torch/storage.py",
	[NAME_BACKWARD] = "autograd::engine::evaluate_function: MmBackward0",
};

static inline const char *text_of(const void *context, uint32_t id)
{
	(void)context;
	return id < NAME_COUNT && names[id] != NULL ? names[id] : "";
}

#endif
