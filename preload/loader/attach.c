/* SPDX-License-Identifier: MIT */
#include "preload/loader/attach.h"

#include "preload/cuda/real.h"
#include "preload/loader/others.h"
#include "preload/pauses/pauses.h"
#include "preload/probe/probe.h"
#include "preload/python/python.h"
#include "preload/torch/torch.h"

void attach_all(void)
{
	(void)real_resolve_cuda();
	python_attach();
	pauses_attach();
	torch_attach();
	others_attach();
	probe_attach();
}
