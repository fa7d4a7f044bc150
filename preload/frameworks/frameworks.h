/* SPDX-License-Identifier: MIT */
/*
 * Symbols of Python interpreters and frameworks, expanded from frameworks.def into
 * one struct of typed pointers.
 *
 * frameworks_find() finds a library among the loaded ones by the beginning of its file
 * name, because frameworks are loaded with local scope and under versioned names;
 * frameworks_resolve() looks up a library's rows there. Both take the loader's lock
 * and are for attaching only, never for a hook's path. A library that was found is kept
 * loaded for ever: its functions hold pointers to us, and we to it.
 */
#ifndef PRELOAD_FRAMEWORKS_H
#define PRELOAD_FRAMEWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How the interpreter calls an object: with arguments, their number and names of the last ones. */
typedef void *python_vectorcall_function(
	void *callable, void *const *arguments, size_t count, void *names);

/* at::RecordFunctionCallback, passed by value; the same 40 bytes from PyTorch 1.13 on. */
struct torch_callback {
	void (*start)(void);
	void (*end)(void);
	double probability;
	uint8_t scopes[10];
	uint8_t needs_inputs, needs_outputs, needs_ids;
};

/* std::vector, returned by value; not to be freed by us. */
struct torch_vector {
	const char *begin, *end, *limit;
};

struct method; /* PyMethodDef */

enum framework {
	FRAMEWORK_python,
	FRAMEWORK_torch
};

extern struct frameworks {
#define FUNCTION(library, type, name, params, symbol, necessity) type(*library##_##name) params;
#define DATA(library, type, name, symbol, necessity)             type *library##_##name;
#include "preload/frameworks/frameworks.def"
#undef FUNCTION
#undef DATA
} frameworks __attribute__((visibility("hidden")));

/*
 * A handle of the loaded library whose file name begins with prefix, and its path (cut to size);
 * NULL when there is none. Never loads anything.
 */
void *frameworks_find(const char *prefix, char *ret_path, size_t size);

/*
 * Look up all rows of a framework; handle may be NULL for the global scope. Returns NULL when
 * everything needed is there, else the symbol that is not; then pointers may be NULL.
 */
const char *frameworks_resolve(enum framework framework, void *handle);

/* The looking for one framework; all 0 at first. */
struct frameworks_search {
	uint64_t loads; /* libraries loaded so far when it was looked for last */
	int busy;
};

/*
 * Call attach if libraries were loaded since the last time. One thread at a time does it, others
 * return at once. errno is kept.
 */
void frameworks_search(struct frameworks_search *search, void (*attach)(void));

#endif
