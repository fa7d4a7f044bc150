/* SPDX-License-Identifier: MIT */
/*
 * The system's libsqlite3, found when it is first needed: who does not write a database needs
 * neither the library nor its headers. Its functions have kept their form since 2004. Not
 * thread-safe.
 */
#ifndef ANALYZER_EXPORT_FORMS_SQLITE_LIBRARY_H
#define ANALYZER_EXPORT_FORMS_SQLITE_LIBRARY_H

#include <stdint.h>

#define SQLITE_DONE  101
#define SQLITE_NOMEM 7
#define SQLITE_FULL  13
#define SQLITE_COPY  ((void (*)(void *))(intptr_t)-1) /* the text is gone after the call */

struct sqlite_library {
	int (*open)(const char *path, void **ret_database);
	int (*close)(void *database);
	int (*exec)(void *database, const char *sql, void *callback, void *data, char **ret_error);
	int (*prepare)(void *database, const char *sql, int bytes, void **ret_statement,
		const char **ret_tail);
	int (*bind_int64)(void *statement, int index, int64_t value);
	int (*bind_double)(void *statement, int index, double value);
	int (*bind_text)(
		void *statement, int index, const char *text, int bytes, void (*release)(void *));
	int (*bind_null)(void *statement, int index);
	int (*step)(void *statement);
	int (*reset)(void *statement);
	int (*finalize)(void *statement);
};

/* NULL: it is not on this machine. */
const struct sqlite_library *sqlite_library(void);

#endif
