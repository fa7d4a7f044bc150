/* SPDX-License-Identifier: MIT */
#include "preload/start.h"

#include "collector/base/err.h"
#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/gpu.h"
#include "preload/activity.h"
#include "preload/capture.h"
#include "preload/cupti_turn.h"
#include "preload/deepbind.h"
#include "preload/driver.h"
#include "preload/guard.h"
#include "preload/hooks.h"
#include "preload/loader.h"
#include "preload/nvtx.h"
#include "preload/python.h"
#include "preload/real.h"
#include "preload/rundir.h"
#include "preload/settings.h"
#include "preload/torch.h"
#include "preload/wait.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Also what tells this library from a second copy of it. */
HOOK_EXPORT extern const char libtrace_version[];
const char libtrace_version[] = LIBTRACE_VERSION;

static struct settings settings;
static struct rundir rundir;
static int64_t rank = -1;
static pid_t own_pid;
static bool done;
static bool is_child; /* of a fork */

bool start_is_done(void)
{
	return __atomic_load_n(&done, __ATOMIC_ACQUIRE);
}

bool start_is_own_process(void)
{
	return getpid() == own_pid;
}

void start_first_record(void)
{
	/* The frame of the caller: any dlopen in progress began above it. */
	loader_attach(__builtin_frame_address(0));
}

/* Children of the run's first process would only say the same again. */
static void report(const char *variable, const char *value, const char *what)
{
	if (rundir.is_first && settings.log_level >= LOG_LEVEL_ERROR)
		log_write("%s%s%s: %s", variable, *value != '\0' ? "=" : "", value, what);
}

static bool wanted(enum settings_source bit)
{
	return (settings.sources & 1u << bit) != 0;
}

static void say_state(enum settings_source bit, bool active, const char *absent)
{
	const char *name = settings_source_name(bit);
	if (!wanted(bit))
		collector_source(name, "off", "LIBTRACE_SOURCES");
	else
		collector_source(name, active ? "active" : "absent", active ? "" : absent);
}

/* By the drain thread, with every run description. */
static void describe(void)
{
	bool runtime = real_major() != 0 || real_address(HOOK_cudaLaunchKernel) != NULL;
	say_state(SETTINGS_RUNTIME_BIT, runtime, "no CUDA runtime was loaded");
	say_state(SETTINGS_ALLOC_BIT, runtime, "no CUDA runtime was loaded");
	if (driver_failure() != NULL && wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "failed", driver_failure());
	else if (deepbind_missed() != 0 && wanted(SETTINGS_DRIVER_BIT))
		collector_source("driver", "active",
			"calls of a library opened with RTLD_DEEPBIND are missing");
	else
		say_state(SETTINGS_DRIVER_BIT, driver_found(), "no CUDA driver was loaded");
	say_state(SETTINGS_INPUT_BIT, true, "");
	say_state(SETTINGS_HOST_BIT, true, "");
	static const unsigned missing[] = {
		SETTINGS_PADDLE_BIT, SETTINGS_MINDSPORE_BIT, SETTINGS_NCCL_BIT};
	for (unsigned i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		collector_source(settings_source_name(missing[i]), "absent",
			"not supported by this version");
	if (!wanted(SETTINGS_ACTIVITY_BIT))
		say_state(SETTINGS_ACTIVITY_BIT, false, "");
	if (!wanted(SETTINGS_TORCH_BIT))
		say_state(SETTINGS_TORCH_BIT, false, "");
	if (!wanted(SETTINGS_PYTHON_BIT))
		say_state(SETTINGS_PYTHON_BIT, false, "");
	if (real_runtime_path() != NULL)
		collector_version("cudart", real_runtime_path());
}

/* What was set, and what changes how CUDA or a framework behaves. */
static void note_environment(char *const *environment)
{
	static const char *const names[] = {
#define SETTING(NAME, type, field, value, help) "LIBTRACE_" #NAME,
#include "preload/settings.def"
		"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS",
		"CUDA_MODULE_LOADING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING",
		"OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCH_CUDNN_V8_API_DISABLED"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = settings_get(environment, names[i]);
		if (value != NULL)
			collector_setting(names[i], value);
	}
}

static void toggle(int number)
{
	(void)number;
	int saved = errno;
	collector_enable(collector_enabled == 0);
	errno = saved;
}

static void toggle_on_signal(int number)
{
	struct sigaction action = {.sa_handler = toggle, .sa_flags = SA_RESTART};
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

static void after_fork(void)
{
	own_pid = getpid();
	is_child = true;
	thread_state.stack = NULL;
	gpu_after_fork();
	cupti_turn_after_fork();
	collector_after_fork();
}

static int configure(char *const *environment)
{
	static const char *const worlds[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_NTASKS", "PADDLE_TRAINERS_NUM", "RANK_SIZE", NULL};
	struct collector_options options = {
		.out_dir = rundir.path,
		.out_dir_is_default = rundir.is_default,
		.ring_bytes = (size_t)settings.ring_kb << 10,
		.max_bytes = (uint64_t)settings.max_mb << 20,
		.compression = settings.compression,
		.rank = rank,
		.world_size = settings_first_number(environment, worlds),
		.role = rundir.is_first ? "main" : "child",
		.log_level = settings.log_level,
		.calls = hooks_calls,
		.call_count = HOOK_COUNT,
		.describe = describe,
	};
	return collector_configure(&options);
}

static void choose_sources(char *const *environment)
{
	uint32_t skipped = wanted(SETTINGS_ALLOC_BIT) ? 0 : 1u << RECORD_ALLOC;
	capture_skipped[0] = wanted(SETTINGS_RUNTIME_BIT) ? skipped : UINT32_MAX;
	capture_skipped[1] = wanted(SETTINGS_DRIVER_BIT) ? skipped : UINT32_MAX;
	activity_init(wanted(SETTINGS_ACTIVITY_BIT), wanted(SETTINGS_ALLOC_BIT));
	driver_enable(wanted(SETTINGS_DRIVER_BIT));
	wait_enabled = wanted(SETTINGS_INPUT_BIT);
	python_enable(wanted(SETTINGS_PYTHON_BIT));
	torch_enable(wanted(SETTINGS_TORCH_BIT));
	nvtx_enable(wanted(SETTINGS_NVTX_BIT), environment);
	if (!wanted(SETTINGS_HOST_BIT))
		report("LIBTRACE_SOURCES", "-host", "samples cannot be switched off yet");
}

/*
 * A library that was opened by dlopen with local scope interposes nothing; so does a second copy.
 * NVTX opens it like that in a process that has not preloaded it but has inherited the variable.
 */
static bool is_interposing(void)
{
	real_init();
	void *global = real_dlopen == NULL ? NULL : real_dlopen(NULL, RTLD_LAZY);
	if (global == NULL || real_dlsym == NULL)
		return true;
	void *first = real_dlsym(global, "libtrace_version");
	if (first == NULL)
		(void)dlerror();
	(void)dlclose(global);
	return first == libtrace_version;
}

static void begin(int argc, char *const *argv, char *const *environment)
{
	static const char *const ranks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
		"SLURM_PROCID", "PADDLE_TRAINER_ID", "RANK_ID", NULL};
	own_pid = getpid();
	if (!is_interposing()) {
		hooks_tracking = 0;
		return;
	}
	rank = settings_first_number(environment, ranks);
	rundir.is_first = settings_get(environment, "LIBTRACE_RUN_DIR") == NULL;
	settings.log_level = LOG_LEVEL_ERROR;
	settings_read(environment, report, &settings);
	log_level = settings.log_level;
	hooks_tracking = settings.enable;
	if (!settings.enable)
		return;
	int code = rundir_choose(settings.out, argc, argv, environment, rank, &rundir);
	if (code < 0)
		report("LIBTRACE_OUT", settings.out, err_text(code));
	rundir_export(&rundir, settings.out);
	code = configure(environment);
	if (code < 0) {
		report("LIBTRACE_OUT", rundir.path, err_text(code));
		hooks_tracking = 0;
		return;
	}
	note_environment(environment);
	real_resolve_libc();
	wait_init();
	choose_sources(environment);
	(void)pthread_atfork(NULL, NULL, after_fork);
	if (settings.toggle_signal != 0)
		toggle_on_signal(settings.toggle_signal);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	collector_enable(true);
}

static __attribute__((constructor)) void construct(int argc, char **argv, char **environment)
{
	int saved = errno;
	bool entered = guard_enter();
	begin(argc, argv, environment);
	if (entered)
		guard_leave();
	errno = saved;
}

/* A parent that recorded says the line itself; its file stands beside ours. */
static bool parent_recorded(const char *path)
{
	char own[24], other[PATH_MAX];
	(void)snprintf(own, sizeof(own), "-%d.", (int)getpid());
	const char *at = strrchr(path, '/');
	const char *found = NULL;
	while (at != NULL && (at = strstr(at, own)) != NULL)
		found = at++;
	if (found == NULL)
		return false;
	int length = snprintf(other, sizeof(other), "%.*s-%d%s", (int)(found - path), path,
		(int)getppid(), found + strlen(own) - 1);
	return length > 0 && (size_t)length < sizeof(other) && access(other, F_OK) == 0;
}

static void say_goodbye(void)
{
	struct collector_totals totals;
	collector_get_totals(&totals);
	if (totals.events == 0 || totals.path == NULL || is_child || rank > 0 ||
		log_level < LOG_LEVEL_ERROR || (!rundir.is_first && parent_recorded(totals.path)))
		return;
	log_write("%lu events, %lu bytes, %lu lost; in %s; read with: trace-analyzer report %s",
		(unsigned long)totals.events, (unsigned long)totals.bytes,
		(unsigned long)totals.lost, totals.out_dir, totals.out_dir);
}

bool start_finish(const char *reason)
{
	static uint32_t said;
	if (!start_is_done() || !start_is_own_process())
		return false;
	int saved = errno;
	bool entered = guard_enter();
	bool is_exec = strcmp(reason, "exec") == 0;
	/* When our destructor runs, CUDA is gone: activity.c has ended it before. */
	if (strcmp(reason, "exit") != 0)
		gpu_stop();
	collector_stop(reason);
	if (!is_exec && __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0)
		say_goodbye();
	if (entered)
		guard_leave();
	errno = saved;
	return is_exec;
}

void start_resume(void)
{
	int saved = errno;
	collector_resume();
	gpu_continue();
	errno = saved;
}

bool start_before_reset(void)
{
	if ((guard.busy | guard.call_depth) != 0)
		return false;
	if (start_is_done() && start_is_own_process() && guard_enter()) {
		gpu_flush();
		guard_leave();
	}
	return true;
}

static __attribute__((destructor)) void destruct(void)
{
	(void)start_finish("exit");
}
