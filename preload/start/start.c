/* SPDX-License-Identifier: MIT */
#include "preload/start/start.h"

#include "collector/base/err.h"
#include "collector/base/log.h"
#include "preload/calls/calls.h"
#include "preload/linker/linker.h"
#include "preload/process/process.h"
#include "preload/start/environment.h"
#include "preload/start/rundir.h"
#include "preload/start/sources.h"
#include "preload/start/states.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

HOOK_EXPORT extern const char libtrace_version[];
const char libtrace_version[] = LIBTRACE_VERSION;
/* By its exported name a second copy of this library would find the first one's. */
extern const char own_version[sizeof(LIBTRACE_VERSION)]
	__attribute__((alias("libtrace_version"), visibility("hidden")));

/* As base/small.h says. */
static struct settings settings __attribute__((aligned(8)));
static struct rundir rundir __attribute__((aligned(8)));

/* Children of the run's first process would only say the same again. */
static void report(const char *variable, const char *value, const char *what)
{
	if (rundir.is_first && settings.log_level >= LOG_LEVEL_ERROR)
		log_write("%s%s%s: %s", variable, *value != '\0' ? "=" : "", value, what);
}

static void toggle(int number)
{
	(void)number;
	int saved = errno;
	window_toggle();
	errno = saved;
}

static void toggle_on_signal(int number)
{
	struct sigaction action = {.sa_handler = toggle, .sa_flags = SA_RESTART};
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

static void begin_as_child(void)
{
	linker_begins_as_child();
	process_begins_as_child();
}

static void after_fork(void)
{
	if (!process_is_ready()) /* it has been sealed */
		return;
	process_after_fork();
	sources_after_fork();
	states_after_fork();
	window_after_fork();
	collector_after_fork();
}

/* On the drain thread, first of all. */
static void drain_begins(void)
{
	states_describe();
	sources_drain_begins();
}

/* On the drain thread: a signal's handler tells nobody. */
static void drain_looked(void)
{
	if (window_pauses())
		window_tell();
}

static void begin_window(void)
{
	if (settings.begin == WINDOW_OFF && settings.toggle_signal == 0)
		report("LIBTRACE_BEGIN", "off",
			"without LIBTRACE_TOGGLE_SIGNAL only libtrace_resume() switches it on");
	if (settings.exits && !settings.steps.chosen)
		report("LIBTRACE_AFTER_STEPS", "exit", "nothing ends without LIBTRACE_STEPS");
	const struct window_options options = {.begin = settings.begin,
		.steps = settings.steps,
		.toggles = settings.toggle_signal != 0,
		.counts = settings.budget_permille != 0};
	window_init(&options);
}

static int configure(const struct process_role *role, char *const *environment)
{
	static const char *const worlds[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"SLURM_NTASKS", "PADDLE_TRAINERS_NUM", "RANK_SIZE", NULL};
	struct collector_options options = {
		.out_dir = rundir.path,
		.ring_bytes = (size_t)settings.ring_kb << 10,
		.max_bytes = (uint64_t)settings.max_mb << 20,
		.compression = settings.compression,
		.rank = role->rank,
		.world_size = settings_first_number(environment, worlds),
		.role = rundir.is_first ? "main" : "child",
		.run_id = rundir.id,
		.log_level = settings.log_level,
		.call_of = calls_describe,
		.call_count = HOOK_COUNT,
		.describe = drain_begins,
		.tick = states_look_again,
		.looked = drain_looked,
		.thread_begins = sources_thread_begins,
		.without_samples = !sources_want_samples(&settings),
		.may_pause = window_pauses(),
		.source_bytes = settings.source_kb << 10,
		.file_mode = settings.file_mode,
		.without_command = !settings.command_line,
		.rings_on_disk = settings.rings_on_disk,
	};
	/* scripts are named as seen from here, wherever they go */
	options.source_folder = environment_folder();
	states_want_stacks(&settings, &options);
	return collector_configure(&options);
}

/*
 * A library that was opened by dlopen with local scope interposes nothing; so does a second copy.
 * NVTX opens it like that in a process that has not preloaded it but has inherited the variable.
 */
static bool is_interposing(void)
{
	void *global = linker_dlopen == NULL ? NULL : linker_dlopen(NULL, RTLD_LAZY);
	if (global == NULL || linker_dlsym == NULL)
		return true;
	void *first = linker_dlsym(global, "libtrace_version");
	if (first == NULL)
		linker_forget_error();
	(void)dlclose(global);
	return first == own_version;
}

void start_begin(int argc, char *const *argv, char *const *environment)
{
	static const char *const ranks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
		"SLURM_PROCID", "PADDLE_TRAINER_ID", "RANK_ID", NULL};
	static const char *const asked[] = {"LIBTRACE_RUN_SINCE", NULL};
	struct process_role role = {.rank = -1, .asked_at = -1};
	log_begin();
	linker_init();
	/* What calls lead to is looked for even where nothing is recorded. */
	(void)pthread_atfork(linker_before_fork, linker_has_forked, begin_as_child);
	/* With rights that the caller has not, the environment is not to be trusted. */
	bool secure = getauxval(AT_SECURE) != 0, permitted = secure || process_is_permitted();
	if (permitted)
		process_begin();
	if (!secure && permitted)
		environment_fix_preload();
	if (secure || !is_interposing()) {
		process_tracking = 0;
		return;
	}
	role.rank = settings_first_number(environment, ranks);
	rundir.is_first = settings_get(environment, "LIBTRACE_RUN_DIR") == NULL;
	settings.log_level = LOG_LEVEL_ERROR;
	settings_read(environment, report, &settings);
	log_level = settings.log_level;
	bool tracking = settings.enable && permitted;
	if (process_tracking != tracking) /* not without need: it would be a copy of its page */
		process_tracking = tracking;
	if (settings.enable && !permitted)
		report("seccomp", "",
			"ends what makes system calls that recording needs; it is off");
	if (!process_tracking)
		return;
	int code = rundir_choose(settings.out, argc, argv, environment, role.rank, &rundir);
	if (code < 0)
		report("LIBTRACE_OUT", settings.out, err_text(code));
	role.is_first = rundir.is_first;
	role.is_behind = linker_is_behind();
	role.asked_at = settings_first_number(environment, asked);
	role.folder = rundir.path;
	role.own_folder = strchr(settings.out, '%') != NULL;
	rundir_export(&rundir, settings.out);
	begin_window();
	code = configure(&role, environment);
	if (code < 0) {
		report("LIBTRACE_OUT", rundir.path, err_text(code));
		process_tracking = 0;
		return;
	}
	sources_begin(&settings, environment, linker_own_path());
	(void)pthread_atfork(collector_before_fork, NULL, after_fork);
	if (settings.toggle_signal != 0)
		toggle_on_signal(settings.toggle_signal);
	process_set_ready(&role);
	window_start();
}
