/* SPDX-License-Identifier: MIT */
#include "preload/paddle/paddle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "collector/describe.h"
#include "preload/frameworks/wheel.h"
#include "preload/paddle/event.h"
#include "preload/paddle/read.h"
#include "preload/paddle/real.h"
#include "preload/paddle/step.h"
#include "preload/thread/guard.h"

static struct wheel wheel = {.source = "paddle",
	.libraries = {"libpaddle.so"},
	.absent = "libpaddle is not loaded",
	.version_file = "../version/__init__.py",
	.version_mark = "full_version     = '"};

/* The last step of the thread that ends the process. */
static void finish(void)
{
	if (event_recording != 0 && guard_enter()) {
		step_close();
		guard_leave();
	}
}

static const char *refused(const char *version)
{
	char *end;
	unsigned long major = strtoul(version, &end, 10), minor = 0;
	if (end == version || *end != '.')
		return "the version cannot be told";
	minor = strtoul(end + 1, NULL, 10);
	if (major < 2 || (major == 2 && minor < 5))
		return "older than PaddlePaddle 2.5";
	return major > 3 ? "newer than what is known" : NULL;
}

static void attach(void)
{
	char path[1024];
	void *library = wheel_find(&wheel, path, sizeof(path));
	if (library == NULL)
		return;
	const char *reason = refused(wheel.version);
	if (reason == NULL && dlsym(library, paddle_functions[PADDLE_EVENT].symbol) == NULL)
		reason = "libpaddle has no phi::RecordEvent as it is known";
	if (reason != NULL) {
		collector_source("paddle", "failed", reason);
		return;
	}
	(void)atexit(finish);
	(void)pthread_atfork(NULL, NULL, event_forget);
	collector_source("paddle", "active", read_attach(path));
	__atomic_store_n(&event_recording, 1, __ATOMIC_RELEASE);
}

void paddle_attach(void)
{
	wheel_attach(&wheel, attach);
}

void paddle_enable(bool on)
{
	if (!on)
		__atomic_store_n(&event_recording, 0, __ATOMIC_RELAXED);
	wheel_enable(&wheel, on);
}
