/* SPDX-License-Identifier: MIT */
#include "preload/torch/torch.h"

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/shapes/shapes.h"
#include "preload/torch/burst.h"
#include "preload/torch/help.h"
#include "preload/torch/memory.h"
#include "preload/torch/modules.h"
#include "preload/torch/observe.h"
#include "preload/torch/version.h"

#define NOT_RECORDED "operators of PyTorch are not recorded"

enum state {
	STATE_UNKNOWN,
	STATE_ATTACHED,
	STATE_REFUSED
};

static int state;
static bool enabled = true;

static void refuse(const char *reason)
{
	__atomic_store_n(&state, STATE_REFUSED, __ATOMIC_RELEASE);
	collector_source("torch", "failed", reason);
	shapes_refuse("absent", NOT_RECORDED);
}

static void attach(void)
{
	char path[1024], version[64];
	void *library = frameworks_find("libtorch_cpu.so", path, sizeof(path));
	if (library == NULL) {
		static bool told;
		if (!told)
			collector_source("torch", "absent", "libtorch_cpu is not loaded");
		told = true;
		return;
	}
	torch_version(path, version, sizeof(version));
	collector_version("torch", version);
	const char *reason = torch_version_refused(version);
	if (reason == NULL)
		reason = frameworks_resolve(FRAMEWORK_torch, library);
	if (reason != NULL) {
		refuse(reason);
		return;
	}
	__atomic_store_n(&state, STATE_ATTACHED, __ATOMIC_RELEASE);
	shapes_attach(version);
	observe_begin(version);
	collector_source("torch", "active", burst_begin());
	modules_attach();
	memory_attach();
}

void torch_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN)
		frameworks_search(&search, attach);
}

void torch_budget(unsigned permille)
{
	burst_init(permille);
}

void torch_spare(void)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_ATTACHED)
		help_spare();
}

void torch_shapes(bool on)
{
	shapes_enable(on);
}

void torch_enable(bool on)
{
	enabled = on;
	if (!on) {
		observe_end();
		collector_source("torch", "off", NULL);
		shapes_refuse("absent", NOT_RECORDED);
	}
}
