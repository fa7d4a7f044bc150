/* SPDX-License-Identifier: MIT */
#include "preload/start/interpreted.h"

#include "preload/onnxruntime/onnxruntime.h"
#include "preload/pauses/pauses.h"
#include "preload/python/python.h"
#include "preload/python/quit.h"
#include "preload/start/states.h"
#include "preload/start/training.h"
#include "preload/torch/torch.h"
#include "preload/window/window.h"

void interpreted_begin(const struct settings *settings)
{
	python_enable(states_wanted(SETTINGS_PYTHON_BIT));
	pauses_enable(states_wanted(SETTINGS_GC_BIT), states_wanted(SETTINGS_GIL_BIT));
	onnxruntime_enable(states_wanted(SETTINGS_ONNXRUNTIME_BIT));
	training_begin(settings);
	if (settings->exits)
		window_after(quit_python);
}

void interpreted_after_fork(void)
{
	pauses_after_fork();
}

void interpreted_drain_begins(void)
{
	torch_spare();
}

void interpreted_thread_begins(void)
{
	python_thread_begins();
	pauses_thread_begins();
}
