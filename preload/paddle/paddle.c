/* SPDX-License-Identifier: MIT */
#include "preload/paddle/paddle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/frameworks/version.h"
#include "preload/paddle/event.h"
#include "preload/paddle/read.h"
#include "preload/paddle/real.h"
#include "preload/paddle/step.h"
#include "preload/thread/guard.h"

static int attached; /* it was looked at, with success or without */
static bool enabled = true;

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
	char path[1024], version[64];
	void *library = frameworks_find("libpaddle.so", path, sizeof(path));
	static bool told;
	if (library == NULL) {
		if (!told)
			collector_source("paddle", "absent", "libpaddle is not loaded");
		told = true;
		return;
	}
	bool known = frameworks_version(
		path, "../version/__init__.py", "full_version     = '", version, sizeof(version));
	const char *reason = refused(known ? version : "");
	if (known)
		collector_version("paddle", version);
	if (reason == NULL && dlsym(library, paddle_functions[PADDLE_EVENT].symbol) == NULL)
		reason = "libpaddle has no phi::RecordEvent as it is known";
	__atomic_store_n(&attached, 1, __ATOMIC_RELEASE);
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
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&attached, __ATOMIC_ACQUIRE) == 0)
		frameworks_search(&search, attach);
}

void paddle_enable(bool on)
{
	enabled = on;
	if (!on) {
		__atomic_store_n(&event_recording, 0, __ATOMIC_RELAXED);
		collector_source("paddle", "off", NULL);
	}
}
