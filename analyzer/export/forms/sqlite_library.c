/* SPDX-License-Identifier: MIT */
#include "analyzer/export/forms/sqlite_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

const struct sqlite_library *sqlite_library(void)
{
	static struct sqlite_library found;
	static bool whole;
	const struct {
		const char *name;
		void **function;
	} rows[] = {{"sqlite3_open", (void **)&found.open},
		{"sqlite3_close", (void **)&found.close}, {"sqlite3_exec", (void **)&found.exec},
		{"sqlite3_prepare_v2", (void **)&found.prepare},
		{"sqlite3_bind_int64", (void **)&found.bind_int64},
		{"sqlite3_bind_double", (void **)&found.bind_double},
		{"sqlite3_bind_text", (void **)&found.bind_text},
		{"sqlite3_bind_null", (void **)&found.bind_null},
		{"sqlite3_step", (void **)&found.step}, {"sqlite3_reset", (void **)&found.reset},
		{"sqlite3_finalize", (void **)&found.finalize}};
	if (whole)
		return &found;
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	whole = library != NULL;
	for (size_t i = 0; whole && i < sizeof(rows) / sizeof(rows[0]); i++) {
		*rows[i].function = dlsym(library, rows[i].name);
		whole = *rows[i].function != NULL;
	}
	return whole ? &found : NULL;
}
