/* SPDX-License-Identifier: MIT */
/*
 * Error codes: one int carries either a system error (-errno) or one of ours
 * (-ERR_..., from err.def, 4000 and up), so every fallible function returns 0
 * or a negative int and nobody needs a second channel. Parsing functions add
 * a place with struct err_at. Text is for the one line a user sees; only the
 * commands and the start of the preloaded library print it.
 *
 * Thread-safe: all functions are pure, the texts are static.
 */
#ifndef COLLECTOR_BASE_ERR_H
#define COLLECTOR_BASE_ERR_H

#include <errno.h>
#include <stdint.h>

enum err_code {
#define ERR(name, code, text) ERR_##name = code,
#include "collector/base/err.def"
#undef ERR
};

/* Where in an input an error was found. what is a static string or NULL. */
struct err_at {
	int code;        /* 0 or a negative code as returned */
	uint64_t offset; /* byte offset in the input */
	const char *what;
};

/*
 * The system refused something that had worked before: memory, a descriptor, the disk. Not one of
 * our codes, nor a file that is not there or not ours to read.
 */
static inline int err_is_refusal(int code)
{
	return code < 0 && code > -ERR_NOT_A_TRACE && code != -ENOENT && code != -EACCES;
}

/* Text for a code as returned (negative) or its absolute value; never NULL. */
const char *err_text(int code);

/* Fill *reterr if it is not NULL; returns code, so that callers can return it. */
int err_place(struct err_at *reterr, int code, uint64_t offset, const char *what);

#endif
