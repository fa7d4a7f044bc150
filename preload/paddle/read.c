/* SPDX-License-Identifier: MIT */
#include "preload/paddle/read.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/paddle/event.h"
#include "preload/probe/stand_in.h"
#include "preload/python/interpreter.h"
#include "preload/thread/guard.h"

#define MISSING       "Tensor.item and Tensor.numpy are not seen: "
#define METHODS_LIMIT 512u
#define WITH_KEYWORDS 3 /* METH_VARARGS | METH_KEYWORDS */

typedef void *read_method(void *self, void *arguments, void *keywords);

/* PyMethodDef */
struct method {
	const char *name;
	read_method *function;
	int flags;
	const char *text;
};

/* PyTypeObject: the same from CPython 3.8 to 3.14, in builds with the interpreter's lock. */
struct type {
	char head[24];
	const char *name;
	char slots[200];
	struct method *methods;
};
_Static_assert(offsetof(struct type, methods) == 232, "as the interpreter has it");

#define READS(READ)                                                                                \
	READ(numpy, "numpy", "Tensor.numpy")                                                       \
	READ(item, "_getitem_from_offset", "Tensor.item")

enum read {
#define READ(id, method, name) READ_##id,
	READS(READ)
#undef READ
	READ_COUNT
};

static read_method *real[READ_COUNT];

#define READ(id, method, name)                                                                     \
	static void *read_##id(void *self, void *arguments, void *keywords)                        \
	{                                                                                          \
		char key = 0;                                                                      \
		event_read_begins(&key, name);                                                     \
		void *result = real[READ_##id](self, arguments, keywords);                         \
		event_read_ended(&key);                                                            \
		return result;                                                                     \
	}
READS(READ)
#undef READ

static const struct {
	const char *method;
	read_method *ours;
} reads[READ_COUNT] = {
#define READ(id, method, name) [READ_##id] = {method, read_##id},
	READS(READ)
#undef READ
};

/* Lists live as long as their types, for ever. */
static struct method methods[METHODS_LIMIT];

static size_t count_methods(const struct method *list)
{
	size_t count = 0;
	while (count < METHODS_LIMIT && list[count].name != NULL)
		count++;
	return count;
}

static const char *change(struct type *type)
{
	if (type->methods == NULL)
		return MISSING "the type has no methods";
	size_t count = count_methods(type->methods), found = 0;
	if (count == METHODS_LIMIT)
		return MISSING "the type has too many methods";
	memcpy(methods, type->methods, count * sizeof(methods[0]));
	for (size_t i = 0; i < count; i++)
		for (unsigned read = 0; read < READ_COUNT; read++)
			if (strcmp(methods[i].name, reads[read].method) == 0 &&
				methods[i].flags == WITH_KEYWORDS) {
				real[read] = methods[i].function;
				methods[i].function = reads[read].ours;
				found++;
			}
	if (found < READ_COUNT)
		return MISSING "the type Tensor has no such methods";
	type->methods = methods;
	return NULL;
}

/* In the place of PyType_Ready, for this library alone. The caller has the interpreter's lock. */
static int make_type(void *object)
{
	static bool done;
	int saved = errno;
	struct type *type = object;
	if (!done && type->name != NULL && strcmp(type->name, "Tensor") == 0 && guard_enter()) {
		done = true;
		collector_source("paddle", "active", change(type));
		guard_leave();
	}
	errno = saved;
	return frameworks.python_type_ready(object);
}

const char *read_attach(const char *path)
{
	uint32_t version = interpreter_find() >> 16;
	if (version < 0x0308 || version > 0x030e || interpreter_is_free_threaded() ||
		frameworks.python_type_ready == NULL)
		return MISSING "the process has no interpreter whose types are known";
	return stand_in(path, "PyType_Ready", (uintptr_t)make_type) != NULL
		       ? MISSING "the library's calls of the interpreter cannot be changed"
		       : MISSING "the library had made its types before it was found";
}
