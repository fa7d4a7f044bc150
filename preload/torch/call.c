/* SPDX-License-Identifier: MIT */
#include "preload/torch/call.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/collector.h"
#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/threadmem.h"
#include "preload/torch/way.h"

#define MODULES_OPEN 64u               /* at once per thread; deeper ones are left out */
#define CALL_AT      56u               /* of a type: where its objects say how they are called */
#define OFFSET_BIT   ((size_t)1 << 63) /* of a number of arguments: no part of it */

struct open_module {
	const void *key; /* an address that is its own while it is open */
	void *self;
	uint64_t begin; /* 0: in the parent of a fork */
	struct way_names names;
	uint32_t place;
};

/* Of a thread. */
struct modules {
	uint32_t count;
	struct open_module open[MODULES_OPEN];
	struct ways ways;
};

static python_vectorcall_function *real;
static struct threadmem pool;
static __thread struct modules *modules_own __attribute__((tls_model("initial-exec")));

static struct modules *modules_of_caller(void)
{
	if (modules_own == NULL) {
		modules_own = threadmem_take(&pool, sizeof(*modules_own));
		if (modules_own != NULL)
			modules_own->count = 0;
	}
	return modules_own;
}

static bool begin(void *self, const void *key)
{
	if (collector_enabled == 0 || !guard_enter())
		return false;
	struct modules *own = modules_of_caller();
	bool begun = own != NULL && own->count < MODULES_OPEN;
	if (begun) {
		const struct open_module *outer =
			own->count > 0 ? &own->open[own->count - 1] : NULL;
		struct open_module *open = &own->open[own->count];
		open->names = outer != NULL
				      ? way_names(&own->ways, outer->self, &outer->names, self)
				      : way_names(&own->ways, NULL, NULL, self);
		open->key = key;
		open->self = self;
		frameworks.python_keep(self);
		open->place = python_place();
		own->count++;
		open->begin = clock_ticks();
	}
	guard_leave();
	return begun;
}

static void emit(const struct open_module *ended, uint64_t end)
{
	struct record *record = ended->begin != 0 ? collector_reserve() : NULL;
	if (record == NULL)
		return;
	*record = (struct record){
		.begin = ended->begin,
		.end = end,
		.kind = RECORD_RANGE,
		.place = ended->place,
		.name = ended->names.path,
		.a = ended->names.class,
		.d = RANGE_MODULE,
	};
	collector_commit();
}

/* What is open inside of it has been left behind. */
static void end(const void *key)
{
	uint64_t now = clock_ticks();
	struct modules *own = modules_own;
	uint32_t at = own->count;
	while (at > 0 && own->open[at - 1].key != key)
		at--;
	if (at == 0)
		return;
	if (guard_enter()) {
		emit(&own->open[at - 1], now);
		guard_leave();
	}
	while (own->count >= at)
		frameworks.python_drop(own->open[--own->count].self);
}

static void *call(void *function, void *const *arguments, size_t count, void *names)
{
	char key = 0;
	int saved = errno;
	bool begun = (count & ~OFFSET_BIT) > 0 && begin(arguments[0], &key);
	errno = saved;
	void *result = real(function, arguments, count, names);
	if (begun) {
		saved = errno;
		end(&key);
		errno = saved;
	}
	return result;
}

const char *module_call_take(void *function)
{
	const char *type =
		*(const char *const *)(const void *)((const char *)function + WAY_TYPE_AT);
	if (type != frameworks.python_function_type)
		return "torch.nn.Module.__call__ is no function of Python's";
	ssize_t at = *(const ssize_t *)(const void *)(type + CALL_AT);
	python_vectorcall_function **slot = (void *)((char *)function + at);
	if (at <= 0 || at > 512 || at % (ssize_t)sizeof(*slot) != 0 ||
		*slot != frameworks.python_vectorcall)
		return "torch.nn.Module.__call__ is not called as it is known";
	if (!ways_begin())
		return "the interpreter has no memory";
	real = *slot;
	if (frameworks.python_set_vectorcall != NULL)
		frameworks.python_set_vectorcall(function, call);
	else
		*slot = call;
	return NULL;
}

void module_call_forget(void)
{
	struct modules *own = modules_own;
	for (uint32_t i = 0; own != NULL && i < own->count; i++)
		own->open[i].begin = 0;
}
