/* SPDX-License-Identifier: MIT */
#include "preload/start/sources.h"

#include "preload/capture/capture.h"
#include "preload/cuda/driver.h"
#include "preload/cupti/activity.h"
#include "preload/hooks/wait.h"
#include "preload/nvtx/nvtx.h"
#include "preload/probe/probe.h"
#include "preload/start/environment.h"
#include "preload/start/interpreted.h"
#include "preload/start/states.h"

void sources_begin(const struct settings *settings, char *const *environment, const char *own_path)
{
	states_begin(settings, environment);
	uint32_t skipped = states_wanted(SETTINGS_ALLOC_BIT) ? 0 : 1u << RECORD_ALLOC;
	const struct activity_options activity = {
		.wanted = states_wanted(SETTINGS_ACTIVITY_BIT),
		.memory = states_wanted(SETTINGS_ALLOC_BIT),
		.unwanted = {states_wanted(SETTINGS_RUNTIME_BIT) ? skipped : UINT32_MAX,
			states_wanted(SETTINGS_DRIVER_BIT) ? skipped : UINT32_MAX},
		.attach = capture_attach,
		.asked_version = driver_asked_version,
	};
	activity_init(&activity);
	driver_enable(states_wanted(SETTINGS_DRIVER_BIT));
	wait_init();
	wait_enable(states_wanted(SETTINGS_INPUT_BIT), states_wanted(SETTINGS_GIL_BIT));
	interpreted_begin(settings);
	const char *injected = nvtx_enable(states_wanted(SETTINGS_NVTX_BIT),
		settings_get(environment, NVTX_VARIABLE), own_path);
	if (injected != NULL)
		environment_set(NVTX_VARIABLE, injected);
	probe_begin(settings->probe);
}

bool sources_want_samples(const struct settings *settings)
{
	return (settings->sources & SETTINGS_SOURCE(HOST)) != 0;
}

void sources_thread_begins(void)
{
	interpreted_thread_begins();
	wait_thread_begins();
}

void sources_drain_begins(void)
{
	interpreted_drain_begins();
}

void sources_after_fork(void)
{
	wait_after_fork();
	interpreted_after_fork();
	activity_after_fork();
}
