/* SPDX-License-Identifier: MIT */
#include "preload/loader/others.h"

#include "preload/jax/jax.h"
#include "preload/mindspore/mindspore.h"
#include "preload/onnxruntime/onnxruntime.h"
#include "preload/paddle/paddle.h"
#include "preload/tensorflow/tensorflow.h"

void others_attach(void)
{
	paddle_attach();
	tensorflow_attach();
	jax_attach();
	mindspore_attach();
	onnxruntime_attach();
}
