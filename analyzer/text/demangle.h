/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels for people. A C++ name as compiled becomes the declaration that
 * the source shows, and, shorter, just the function: without return type, template
 * arguments and parameters. The demangler is the one of libstdc++, opened when it is first
 * needed; where there is none, names stay as they are.
 *
 * Not thread-safe (the first call opens the library).
 */
#ifndef ANALYZER_DEMANGLE_H
#define ANALYZER_DEMANGLE_H

#include "analyzer/read/reader.h"
#include "collector/base/idmap.h"

enum demangle_how {
	DEMANGLE_SHORT,
	DEMANGLE_FULL,
	DEMANGLE_NOT
};

/* How --names says it; the word has been checked. */
enum demangle_how demangle_from_name(const char *word);

/* The whole declaration as new text (free it), or NULL: not a mangled name, or no demangler. */
char *demangle_full(const char *mangled);

/*
 * Cut a declaration down to the qualified name of the function, in place: "void a::f<int>(float*)"
 * becomes "a::f". Operators, lambdas and anonymous namespaces are kept. Anything else stays as it
 * is.
 */
void demangle_shorten(char *declaration);

/* The texts of one trace as they are to be shown, each made once. */
struct demangle_cache {
	enum demangle_how how;
	struct idmap texts;
};

void demangle_cache_release(struct demangle_cache *cache);

/* reader_text(id) as it is to be shown; valid until the cache is released. Never NULL. */
const char *demangle_text(struct demangle_cache *cache, const struct reader *reader, uint32_t id);

#endif
