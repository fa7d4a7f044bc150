/* SPDX-License-Identifier: MIT */
#include "preload/start/states.h"

#include "collector/describe.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/found.h"
#include "preload/cuda/real.h"
#include "preload/probe/probe.h"
#include "preload/process/process.h"
#include "preload/sampler/sampler.h"
#include "preload/thread/guard.h"

static uint32_t chosen; /* bits of SETTINGS_SOURCE() */

static unsigned sample_hz;

static unsigned signs; /* of CUDA, when it was described last */

bool states_wanted(enum settings_source bit)
{
	return (chosen & 1u << bit) != 0;
}

static void describe_state(enum settings_source bit, bool active, const char *absent)
{
	const char *name = settings_source_name(bit);
	if (!states_wanted(bit))
		collector_source(name, "off", "LIBTRACE_SOURCES");
	else
		collector_source(name, active ? "active" : "absent", active ? "" : absent);
}

static const char PASSED_BY[] = "calls of a library opened with RTLD_DEEPBIND are missing";

static void describe_stacks(void)
{
	const char *off = sample_hz == 0 ? "LIBTRACE_SAMPLE_HZ" : NULL;
	sampler_describe(states_wanted(SETTINGS_SAMPLES_BIT) ? off : "LIBTRACE_SOURCES");
}

/* What of it has changed, at little cost. */
static unsigned cuda_signs(void)
{
	return (real_major() != 0 || real_address(HOOK_cudaLaunchKernel) != NULL) |
	       (unsigned)driver_found() << 1 | (unsigned)(driver_failure() != NULL) << 2 |
	       (unsigned)(__atomic_load_n(&process_passed_by, __ATOMIC_RELAXED) != 0) << 3;
}

static void describe_cuda(void)
{
	signs = cuda_signs();
	const struct cuda_found cuda = cuda_found_now();
	if (cuda.passed_by && states_wanted(SETTINGS_RUNTIME_BIT))
		collector_source("runtime", "active", PASSED_BY);
	else
		describe_state(SETTINGS_RUNTIME_BIT, cuda.runtime, "no CUDA runtime was loaded");
	describe_state(SETTINGS_ALLOC_BIT, cuda.runtime, "no CUDA runtime was loaded");
	if (cuda.problem != NULL && states_wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "failed", cuda.problem);
	else if (cuda.passed_by && states_wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "active", PASSED_BY);
	else
		describe_state(SETTINGS_DRIVER_BIT, cuda.driver, "no CUDA driver was loaded");
	if (cuda.runtime_path != NULL)
		collector_version("cudart", cuda.runtime_path);
	if (cuda.simulated != NULL)
		collector_version("simulated", cuda.simulated);
}

/* Recording may have begun with an event of something else, before CUDA was loaded. */
void states_look_again(uint64_t now_ns)
{
	(void)now_ns;
	if (cuda_signs() != signs)
		describe_cuda();
}

/* By the drain thread, with every run description. */
void states_describe(void)
{
	/* The drain thread's first act: what it calls, CUPTI not least, is never recorded. */
	guard.busy = 1;
	describe_cuda();
	describe_state(SETTINGS_INPUT_BIT, true, "");
	describe_state(SETTINGS_HOST_BIT, true, "");
	describe_stacks();
	probe_describe();
	if (!states_wanted(SETTINGS_ACTIVITY_BIT))
		describe_state(SETTINGS_ACTIVITY_BIT, false, "");
	if (!states_wanted(SETTINGS_TORCH_BIT))
		describe_state(SETTINGS_TORCH_BIT, false, "");
	if (!states_wanted(SETTINGS_PADDLE_BIT))
		describe_state(SETTINGS_PADDLE_BIT, false, "");
	if (!states_wanted(SETTINGS_MINDSPORE_BIT))
		describe_state(SETTINGS_MINDSPORE_BIT, false, "");
	if (!states_wanted(SETTINGS_JAX_BIT))
		describe_state(SETTINGS_JAX_BIT, false, "");
	if (!states_wanted(SETTINGS_ONNXRUNTIME_BIT))
		describe_state(SETTINGS_ONNXRUNTIME_BIT, false, "");
	if (!states_wanted(SETTINGS_TENSORFLOW_BIT))
		describe_state(SETTINGS_TENSORFLOW_BIT, false, "");
	if (!states_wanted(SETTINGS_GC_BIT))
		describe_state(SETTINGS_GC_BIT, false, "");
	if (!states_wanted(SETTINGS_GIL_BIT))
		describe_state(SETTINGS_GIL_BIT, false, "");
	if (!states_wanted(SETTINGS_PYTHON_BIT))
		describe_state(SETTINGS_PYTHON_BIT, false, "");
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

void states_begin(const struct settings *settings, char *const *environment)
{
	chosen = settings->sources;
	note_environment(environment);
}

void states_want_stacks(const struct settings *settings, struct collector_options *options)
{
	bool chosen_too = (settings->sources & SETTINGS_SOURCE(SAMPLES)) != 0;
	sample_hz = settings->sample_hz;
	options->sample_hz = chosen_too ? sample_hz : 0;
	options->read_stack = sampler_read;
}

void states_after_fork(void)
{
	sampler_after_fork();
}
