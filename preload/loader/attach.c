/* SPDX-License-Identifier: MIT */
#include "preload/loader/attach.h"

#include "preload/cuda/real.h"
#include "preload/jax/jax.h"
#include "preload/mindspore/mindspore.h"
#include "preload/onnxruntime/onnxruntime.h"
#include "preload/paddle/paddle.h"
#include "preload/pauses/pauses.h"
#include "preload/probe/probe.h"
#include "preload/python/python.h"
#include "preload/tensorflow/tensorflow.h"
#include "preload/torch/torch.h"

void attach_all(void)
{
	(void)real_resolve_cuda();
	python_attach();
	pauses_attach();
	torch_attach();
	paddle_attach();
	tensorflow_attach();
	jax_attach();
	mindspore_attach();
	onnxruntime_attach();
	probe_attach();
}
