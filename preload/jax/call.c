/* SPDX-License-Identifier: MIT */
#include "preload/jax/call.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

#define CALLABLE  (1ul << 11) /* Py_TPFLAGS_HAVE_VECTORCALL */
#define MOST_SIZE 4096

/* PyTypeObject: the same from CPython 3.9 to 3.14, in builds with the interpreter's lock. */
struct type {
	char head[24];
	const char *name;
	ssize_t size, item_size;
	void *dealloc;
	ssize_t call_at;
	char slots[104];
	unsigned long flags;
	char more[128];
	void *(*allocate)(struct type *type, ssize_t items);
};
_Static_assert(offsetof(struct type, flags) == 168, "as the interpreter has it");
_Static_assert(offsetof(struct type, allocate) == 304, "as the interpreter has it");

typedef void *call_function(void *self, void *const *arguments, size_t count, void *keywords);

/* Behind what an object has itself. */
struct extra {
	call_function *ours;
	uint32_t name; /* 0: not asked for yet */
};

static ssize_t extra_at, real_at;
static void *(*real_allocate)(struct type *type, ssize_t items);
static int recording;

void call_record(int on)
{
	__atomic_store_n(&recording, on, __ATOMIC_RELEASE);
}

/* A text of the object's, kept as long as *ret_holder is; NULL: it has none. */
static const char *text_of(void *self, const char *attribute, void **ret_holder)
{
	*ret_holder = frameworks.python_attribute(self, attribute);
	const char *text = *ret_holder != NULL ? frameworks.python_text(*ret_holder) : NULL;
	if (frameworks.python_error() != NULL)
		frameworks.python_clear_error(); /* nothing is to be asked while there is one */
	return text;
}

/* Modules whose functions are compiled for what a program calls, not by it. */
static bool is_of_library(const char *module)
{
	static const char *const packages[] = {"jax", "flax", "optax", "orbax", "chex"};
	size_t length = strcspn(module, ".");
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (strlen(packages[i]) == length && strncmp(module, packages[i], length) == 0)
			return true;
	return false;
}

/*
 * "jit(step)" of a function that the program has compiled, also where a library calls it for the
 * program; "jax.add" of one that JAX has for itself. The function that pmap makes is in its module,
 * and one that was compiled ahead of its calls has no name.
 */
static uint32_t name_of(void *self)
{
	char text[OPERATOR_TEXT_BYTES] = "jit(compiled)";
	void *name, *holder;
	const char *function = text_of(self, "__name__", &name);
	const char *module = text_of(self, "__module__", &holder);
	if (function != NULL && module != NULL && strcmp(module, "jax._src.pmap") == 0)
		(void)snprintf(text, sizeof(text), "jit(pmap)");
	else if (function != NULL && module != NULL && is_of_library(module))
		(void)snprintf(text, sizeof(text), "%.*s.%.90s", (int)strcspn(module, "."), module,
			function);
	else if (function != NULL)
		(void)snprintf(text, sizeof(text), "jit(%.100s)", function);
	uint32_t id = collector_name(text, strlen(text));
	if (name != NULL)
		frameworks.python_drop(name);
	if (holder != NULL)
		frameworks.python_drop(holder);
	return id;
}

static bool begin(void *self, struct extra *extra, const void *key)
{
	if (recording == 0 || collector_enabled == 0 || !guard_enter())
		return false;
	struct operators *own = operators_of_caller();
	if (own != NULL) {
		if (extra->name == 0)
			extra->name = name_of(self);
		thread_trains();
		struct operator_open *open = operators_push(own, key);
		open->name = extra->name;
		open->scope = OP_FUNCTION;
		open->framework = OP_JAX;
		open->place = python_place();
		open->begin = clock_ticks();
	}
	guard_leave();
	return own != NULL;
}

static void end(const void *key)
{
	struct operator_open open;
	uint64_t now = clock_ticks();
	if (operators_pop(operators_own, key, &open) && guard_enter()) {
		operators_emit(&open, now);
		guard_leave();
	}
}

static void *call(void *self, void *const *arguments, size_t count, void *keywords)
{
	char key = 0;
	int saved = errno;
	struct extra *extra = (struct extra *)(void *)((char *)self + extra_at);
	call_function *real = *(call_function **)(void *)((char *)self + real_at);
	bool begun = begin(self, extra, &key);
	errno = saved;
	void *result = real(self, arguments, count, keywords);
	if (begun) {
		saved = errno;
		end(&key);
		errno = saved;
	}
	return result;
}

static void *allocate(struct type *type, ssize_t items)
{
	char *self = real_allocate(type, items);
	if (self != NULL)
		*(struct extra *)(void *)(self + extra_at) = (struct extra){.ours = call};
	return self;
}

const char *call_take(void *object)
{
	struct type *type = object;
	/* makes objects as large as the type says */
	void *by_size = (void *)frameworks.python_allocate;
	if (real_allocate != NULL)
		return "more than one type of compiled functions";
	if ((type->flags & CALLABLE) == 0 || type->item_size != 0 || type->size <= 0 ||
		type->size > MOST_SIZE || type->size % (ssize_t)sizeof(void *) != 0 ||
		type->call_at <= 0 || type->call_at >= type->size || by_size == NULL ||
		(void *)type->allocate != by_size)
		return "the type of compiled functions is not as it is known";
	extra_at = type->size;
	real_at = type->call_at;
	real_allocate = type->allocate;
	type->size += (ssize_t)sizeof(struct extra);
	type->call_at = extra_at;
	type->allocate = allocate;
	return NULL;
}
