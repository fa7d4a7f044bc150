/* SPDX-License-Identifier: MIT */
#include "preload/pauses/gil.h"

#include "collector/base/futex.h"
#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/frameworks/frameworks.h"
#include "preload/pauses/holder.h"
#include "preload/python/interpreter.h"
#include "preload/python/python.h"

#include <dlfcn.h>
#include <link.h>

/* last_holder, locked, switch_number, condition: the order since 3.2 */
#define HOLDER_BEFORE 24
#define HOLD_NS       3000000000ull /* longer than the end of a recording may take */

static bool enabled = true;
static bool attached;
static uintptr_t runtime_begin, runtime_bytes;

bool gil_owns(const void *condition)
{
	uintptr_t begin = __atomic_load_n(&runtime_begin, __ATOMIC_ACQUIRE);
	return (uintptr_t)condition - begin < __atomic_load_n(&runtime_bytes, __ATOMIC_RELAXED);
}

static uint32_t holder_of(const void *condition)
{
	const char *place = (const char *)condition - HOLDER_BEFORE;
	if (!gil_owns(place))
		return 0;
	return holder_thread(__atomic_load_n((void *const *)(const void *)place, __ATOMIC_RELAXED));
}

bool gil_waited(const void *condition, uint64_t begin, uint64_t end)
{
	if (!gil_owns(condition))
		return false;
	if (!enabled)
		return true;
	uint32_t holder = holder_of(condition);
	uint32_t place = python_place();
	struct record *record = collector_reserve();
	if (record == NULL)
		return true;
	*record = (struct record){
		.begin = begin,
		.end = end,
		.kind = RECORD_GIL,
		.place = place,
		.a = record_bits_GIL_holder(holder),
	};
	collector_commit();
	return true;
}

/* Bounded: somebody may join the thread, who would find it ended sooner or later without us. */
void gil_hold(const void *condition)
{
	static uint32_t never;
	if (gil_owns(condition) && frameworks.python_initialized != NULL &&
		frameworks.python_initialized() == 0)
		(void)futex_wait_while(&never, 0, clock_monotonic_ns() + HOLD_NS);
}

static void tell(const char *state, const char *reason)
{
	if (enabled)
		collector_source("gil", state, reason);
}

static const char *refusal(uint32_t version, const ElfW(Sym) * symbol)
{
	if (version < 0x0308 || version > 0x030e)
		return "this version of Python is not supported";
	if (interpreter_is_free_threaded())
		return "free-threaded builds have no such lock";
	return symbol == NULL || symbol->st_size == 0 ? "the interpreter's state is not exported"
						      : NULL;
}

static void attach(void)
{
	uint32_t version = interpreter_find() >> 16;
	if (version == 0) {
		tell("absent", "no interpreter in this process");
		return;
	}
	__atomic_store_n(&attached, true, __ATOMIC_RELAXED);
	const void *runtime = frameworks.python_runtime;
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	if (runtime != NULL && dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0)
		symbol = NULL;
	const char *reason = refusal(version, symbol);
	if (reason != NULL) {
		tell("failed", reason);
		return;
	}
	__atomic_store_n(&runtime_bytes, symbol->st_size, __ATOMIC_RELAXED);
	__atomic_store_n(&runtime_begin, (uintptr_t)runtime, __ATOMIC_RELEASE);
	tell("active", NULL);
}

void gil_attach(void)
{
	static struct frameworks_search search;
	if (!__atomic_load_n(&attached, __ATOMIC_RELAXED))
		frameworks_search(&search, attach);
}

void gil_enable(bool on)
{
	enabled = on;
}
