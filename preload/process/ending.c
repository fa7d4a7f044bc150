/* SPDX-License-Identifier: MIT */
#include "preload/process/ending.h"

#include "collector/base/log.h"
#include "collector/collector.h"
#include "collector/gpu/gpu.h"
#include "preload/process/nothing.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/window/window.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ending_by_exit;

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

static void write_closing_line(bool was_on)
{
	const struct process_role *role = process_role();
	struct collector_totals totals;
	collector_get_totals(&totals);
	if (totals.events == 0)
		nothing_tell(role, was_on);
	if (totals.events != 0 && totals.path != NULL && totals.gone) {
		log_error(
			"%s: was removed or changed while it was recorded: what was in it is lost",
			totals.path);
		return;
	}
	if (totals.events == 0 || totals.path == NULL || role->is_child || role->rank > 0 ||
		log_level < LOG_LEVEL_ERROR || (!role->is_first && parent_recorded(totals.path)))
		return;
	log_write("%lu events, %lu bytes, %lu lost; in %s; read with: trace-analyzer report %s",
		(unsigned long)totals.events, (unsigned long)totals.bytes,
		(unsigned long)totals.lost, totals.out_dir, totals.out_dir);
}

bool ending_begin(const char *reason)
{
	static uint32_t written;
	if (!process_is_ready() || !process_is_own())
		return false;
	int saved = errno;
	bool entered = guard_enter();
	bool is_exec = strcmp(reason, "exec") == 0, was_on = collector_enabled != 0;
	/* When our destructor runs, CUDA is gone: activity.c has ended it before. */
	if (strcmp(reason, "exit") != 0)
		gpu_stop();
	collector_stop(reason);
	if (!is_exec && __atomic_exchange_n(&written, 1, __ATOMIC_RELAXED) == 0)
		write_closing_line(was_on);
	if (entered)
		guard_leave();
	errno = saved;
	return is_exec;
}

void ending_undo(void)
{
	int saved = errno;
	collector_resume();
	gpu_continue();
	errno = saved;
}

bool ending_before_reset(void)
{
	if ((guard.busy | guard.call_depth) != 0)
		return false;
	if (process_is_ready() && process_is_own() && guard_enter()) {
		gpu_flush();
		guard_leave();
	}
	return true;
}

void ending_seal(const char *reason)
{
	if (collector_is_running())
		log_error("recording ends: the program forbids itself what it needs (%s)", reason);
	(void)ending_begin(reason);
	__atomic_store_n(&window_counts, false, __ATOMIC_RELAXED);
	process_seal();
}

bool ending_note_exit(void)
{
	bool own = process_is_ready() && process_is_own();
	if (own)
		__atomic_store_n(&ending_by_exit, true, __ATOMIC_RELAXED);
	return own;
}

static __attribute__((destructor)) void destruct(void)
{
	(void)ending_note_exit();
	(void)ending_begin("exit");
}
