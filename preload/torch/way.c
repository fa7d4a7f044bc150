/* SPDX-License-Identifier: MIT */
#include "preload/torch/way.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"

#define NAME_AT    24u  /* of a type */
#define FLAGS_AT   168u /* of a type */
#define DICT_FLAG  (1ul << 29)
#define PATH_BYTES 512
#define LOOKED_AT  4096u /* modules, for one that is not among the first */

static void *modules_text; /* "_modules" */

static void *type_of(const void *object)
{
	return *(void *const *)(const void *)((const char *)object + WAY_TYPE_AT);
}

static bool is_dict(const void *object)
{
	const char *type = type_of(object);
	return (*(const unsigned long *)(const void *)(type + FLAGS_AT) & DICT_FLAG) != 0;
}

/* What the module holds, by name. NULL: it is none that does; to be dropped. */
static void *modules_of(void *module)
{
	void *modules = frameworks.python_get(module, modules_text);
	if (modules == NULL) {
		frameworks.python_clear_error();
	} else if (!is_dict(modules)) {
		frameworks.python_drop(modules);
		modules = NULL;
	}
	return modules;
}

/* The one behind a key, NULL when there is none. To be dropped. */
static void *follow_key(void *module, void *key)
{
	void *modules = modules_of(module);
	void *found = modules == NULL ? NULL : frameworks.python_entry(modules, key);
	if (found != NULL)
		frameworks.python_keep(found);
	if (modules != NULL)
		frameworks.python_drop(modules);
	return found;
}

/* The keys lead from outer to the module now, too. */
static bool leads(const struct way *way, void *outer, const void *self)
{
	void *at = outer;
	frameworks.python_keep(at);
	for (uint32_t i = 0; i < way->count && at != NULL; i++) {
		void *next = follow_key(at, way->keys[i]);
		frameworks.python_drop(at);
		at = next;
	}
	if (at != NULL)
		frameworks.python_drop(at);
	return at == self;
}

static bool search(struct way *way, void *outer, const void *self, unsigned *left);

/* In those that the module holds, each with what it holds itself. */
static bool search_deeper(struct way *way, void *modules, const void *self, unsigned *left)
{
	void *key, *value;
	bool found = false;
	way->count++;
	for (ssize_t at = 0;
		!found && *left > 0 && frameworks.python_next(modules, &at, &key, &value) != 0;) {
		if (value == frameworks.python_none)
			continue;
		frameworks.python_keep(key);
		frameworks.python_keep(value);
		found = search(way, value, self, left);
		frameworks.python_drop(value);
		if (found)
			way->keys[way->count - 1] = key; /* kept on */
		else
			frameworks.python_drop(key);
	}
	way->count--;
	return found;
}

/* Keys from way->count on, which is as it was when this returns: found says how many there are. */
static bool search(struct way *way, void *outer, const void *self, unsigned *left)
{
	void *modules = modules_of(outer), *key, *value;
	bool found = false;
	for (ssize_t at = 0; modules != NULL && !found && *left > 0 &&
			     frameworks.python_next(modules, &at, &key, &value) != 0;
		(*left)--) {
		found = value == self;
		if (found) {
			frameworks.python_keep(key);
			way->keys[way->count] = key;
		}
	}
	if (modules != NULL && !found && way->count + 1 < WAY_KEYS)
		found = search_deeper(way, modules, self, left);
	if (modules != NULL)
		frameworks.python_drop(modules);
	return found;
}

static uint32_t class_of(const char *type)
{
	if (type == NULL)
		return 0;
	const char *name = *(const char *const *)(const void *)(type + NAME_AT);
	const char *dot = name == NULL ? NULL : strrchr(name, '.');
	if (dot != NULL)
		name = dot + 1;
	return name == NULL ? 0 : collector_name(name, strlen(name));
}

/* The outer one's path, and the keys behind it. */
static uint32_t path_of(const struct way *way)
{
	char text[PATH_BYTES];
	size_t length;
	const char *outer = collector_name_text(way->outer, &length);
	int at = snprintf(text, sizeof(text), "%.*s", outer == NULL ? 0 : (int)length,
		outer == NULL ? "" : outer);
	for (uint32_t i = 0; i < way->count && at > 0 && at < (int)sizeof(text); i++) {
		const char *key = frameworks.python_text(way->keys[i]);
		if (key == NULL)
			frameworks.python_clear_error();
		at += snprintf(
			text + at, sizeof(text) - (size_t)at, ".%s", key == NULL ? "?" : key);
	}
	return collector_name(text, strlen(text));
}

static void forget(struct way *way)
{
	static const struct way empty;
	for (uint32_t i = 0; i < way->count; i++)
		frameworks.python_drop(way->keys[i]);
	if (way->type != NULL)
		frameworks.python_drop(way->type);
	*way = empty;
}

static void learn(struct way *way, void *outer, uint32_t path, const void *self)
{
	unsigned left = LOOKED_AT;
	forget(way);
	struct way fresh = {.self = self, .type = type_of(self), .outer = path};
	frameworks.python_keep(fresh.type);
	if (outer != NULL && search(&fresh, outer, self, &left)) {
		while (fresh.count < WAY_KEYS && fresh.keys[fresh.count] != NULL)
			fresh.count++;
	}
	fresh.names.class = class_of(fresh.type);
	fresh.names.path = fresh.count > 0 ? path_of(&fresh) : fresh.names.class;
	*way = fresh;
}

struct way_names way_names(
	struct ways *ways, void *outer, const struct way_names *outer_names, void *self)
{
	uint32_t path = outer != NULL ? outer_names->path : 0;
	struct way *way =
		&ways->known[hash_bits((uint64_t)(uintptr_t)self ^ (uint64_t)path << 40, WAY_BITS)];
	bool known = way->self == self && way->outer == path && way->type == type_of(self) &&
		     (way->count == 0 || leads(way, outer, self));
	if (!known)
		learn(way, outer, path, self);
	return way->names;
}

bool ways_begin(void)
{
	if (modules_text == NULL)
		modules_text = frameworks.python_interned("_modules");
	if (modules_text == NULL)
		frameworks.python_clear_error();
	return modules_text != NULL;
}
