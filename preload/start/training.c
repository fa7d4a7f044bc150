/* SPDX-License-Identifier: MIT */
#include "preload/start/training.h"

#include "preload/jax/jax.h"
#include "preload/mindspore/mindspore.h"
#include "preload/nccl/nccl.h"
#include "preload/paddle/paddle.h"
#include "preload/start/states.h"
#include "preload/tensorflow/tensorflow.h"
#include "preload/torch/memory.h"
#include "preload/torch/modules.h"
#include "preload/torch/torch.h"

void training_begin(const struct settings *settings)
{
	torch_shapes(states_wanted(SETTINGS_SHAPES_BIT));
	torch_enable(states_wanted(SETTINGS_TORCH_BIT));
	paddle_enable(states_wanted(SETTINGS_PADDLE_BIT));
	mindspore_enable(states_wanted(SETTINGS_MINDSPORE_BIT));
	tensorflow_enable(states_wanted(SETTINGS_TENSORFLOW_BIT));
	jax_enable(states_wanted(SETTINGS_JAX_BIT));
	modules_enable(states_wanted(SETTINGS_MODULES_BIT));
	nccl_enable(states_wanted(SETTINGS_NCCL_BIT));
	memory_enable(states_wanted(SETTINGS_MEMORY_BIT));
	torch_budget(settings->budget_permille);
}
