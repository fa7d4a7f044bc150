/* SPDX-License-Identifier: MIT */
#include "preload/start/sources.h"

#include "collector/describe.h"
#include "preload/capture/capture.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/found.h"
#include "preload/cupti/activity.h"
#include "preload/hooks/wait.h"
#include "preload/nvtx/nvtx.h"
#include "preload/python/python.h"
#include "preload/torch/torch.h"

static uint32_t chosen; /* bits of SETTINGS_SOURCE() */

static bool wanted(enum settings_source bit)
{
	return (chosen & 1u << bit) != 0;
}

static void describe_state(enum settings_source bit, bool active, const char *absent)
{
	const char *name = settings_source_name(bit);
	if (!wanted(bit))
		collector_source(name, "off", "LIBTRACE_SOURCES");
	else
		collector_source(name, active ? "active" : "absent", active ? "" : absent);
}

/* By the drain thread, with every run description. */
void sources_describe(void)
{
	/* The drain thread's first act: what it calls, CUPTI not least, is never recorded. */
	guard.busy = 1;
	const struct cuda_found cuda = cuda_found_now();
	describe_state(SETTINGS_RUNTIME_BIT, cuda.runtime, "no CUDA runtime was loaded");
	describe_state(SETTINGS_ALLOC_BIT, cuda.runtime, "no CUDA runtime was loaded");
	if (cuda.problem != NULL && wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "failed", cuda.problem);
	else if (cuda.passed_by && wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "active",
			"calls of a library opened with RTLD_DEEPBIND are missing");
	else
		describe_state(SETTINGS_DRIVER_BIT, cuda.driver, "no CUDA driver was loaded");
	describe_state(SETTINGS_INPUT_BIT, true, "");
	describe_state(SETTINGS_HOST_BIT, true, "");
	static const unsigned missing[] = {
		SETTINGS_PADDLE_BIT, SETTINGS_MINDSPORE_BIT, SETTINGS_NCCL_BIT};
	for (unsigned i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		collector_source(settings_source_name(missing[i]), "absent", "not in this version");
	if (!wanted(SETTINGS_ACTIVITY_BIT))
		describe_state(SETTINGS_ACTIVITY_BIT, false, "");
	if (!wanted(SETTINGS_TORCH_BIT))
		describe_state(SETTINGS_TORCH_BIT, false, "");
	if (!wanted(SETTINGS_PYTHON_BIT))
		describe_state(SETTINGS_PYTHON_BIT, false, "");
	if (cuda.runtime_path != NULL)
		collector_version("cudart", cuda.runtime_path);
}

/* What was set, and what changes how CUDA or a framework behaves. */
static void note_environment(char *const *environment)
{
	static const char *const names[] = {
#define SETTING(NAME, type, field, value, help) "LIBTRACE_" #NAME,
#include "preload/start/settings.def"
		"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
		"CUDA_MODULE_LOADING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING",
		"OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCH_CUDNN_V8_API_DISABLED"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = settings_get(environment, names[i]);
		if (value != NULL)
			collector_setting(names[i], value);
	}
}

void sources_begin(const struct settings *settings, char *const *environment)
{
	chosen = settings->sources;
	note_environment(environment);
	uint32_t skipped = wanted(SETTINGS_ALLOC_BIT) ? 0 : 1u << RECORD_ALLOC;
	const struct activity_options activity = {
		.wanted = wanted(SETTINGS_ACTIVITY_BIT),
		.memory = wanted(SETTINGS_ALLOC_BIT),
		.unwanted = {wanted(SETTINGS_RUNTIME_BIT) ? skipped : UINT32_MAX,
			wanted(SETTINGS_DRIVER_BIT) ? skipped : UINT32_MAX},
		.attach = capture_attach,
	};
	activity_init(&activity);
	driver_enable(wanted(SETTINGS_DRIVER_BIT));
	wait_init();
	wait_enabled = wanted(SETTINGS_INPUT_BIT);
	python_enable(wanted(SETTINGS_PYTHON_BIT));
	torch_enable(wanted(SETTINGS_TORCH_BIT));
	nvtx_enable(wanted(SETTINGS_NVTX_BIT), settings_get(environment, NVTX_VARIABLE));
}

bool sources_want_samples(const struct settings *settings)
{
	return (settings->sources & SETTINGS_SOURCE(HOST)) != 0;
}

void sources_after_fork(void)
{
	wait_after_fork();
	activity_after_fork();
}
