/* SPDX-License-Identifier: MIT */
/*
 * What the user asked for in LIBTRACE_* variables, typed. The rows are in settings.def and
 * source.def; nothing else reads the environment.
 *
 * A value that cannot be used, a variable or source that does not exist, and what is not
 * there yet are each reported through a callback with one line; the default then holds
 * and the rest works.
 *
 * Pure functions of their arguments; read once, before there are other threads.
 */
#ifndef PRELOAD_SETTINGS_H
#define PRELOAD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/window/window.h"

enum settings_source {
#define SOURCE(NAME, name, there, text) SETTINGS_##NAME##_BIT,
#include "preload/start/source.def"
	SETTINGS_SOURCE_COUNT
};

#define SETTINGS_SOURCE(NAME) (1u << SETTINGS_##NAME##_BIT)

struct settings {
	const char *out; /* as given; empty: the default folder */
	bool enable;
	uint32_t sources; /* bits of SETTINGS_SOURCE() */
	uint32_t ring_kb;
	uint32_t max_mb;
	int compression;
	uint32_t sample_hz;
	uint32_t source_kb;
	int log_level;
	int toggle_signal; /* 0: none */
	uint32_t file_mode;
	uint32_t budget_permille; /* 0: off */
	bool command_line;
	bool rings_on_disk;
	struct window_steps steps;
	bool exits; /* the program, after these steps */
	enum window_begin begin;
	const char *probe; /* as given; empty: none */
};

/* Called with one line without line end; the texts live as long as the call. */
typedef void settings_report(const char *variable, const char *value, const char *what);

/* Fill *ret_settings from an environment (NULL-terminated, or NULL for an empty one). */
void settings_read(
	char *const *environment, settings_report *report, struct settings *ret_settings);

/*
 * A list of sources: names separated by commas or blanks, each with + or - or bare. Bare names
 * alone replace the default, signed ones change it; "default", "all" and "none" are names too.
 * Returns 0, or -ERR_UNKNOWN_NAME for a name that is not there, with *ret_bad at it; *ret_sources
 * then holds what the other names say.
 */
int settings_sources(const char *text, uint32_t *ret_sources, const char **ret_bad);

/*
 * Expand %p, %h, %r (pid, host, rank) and %% of a pattern. A rank below 0 stands as 0. Returns
 * 0, -ERR_BAD_VALUE for another letter or -ERR_TOO_LARGE.
 */
int settings_expand(
	const char *pattern, int pid, const char *host, int64_t rank, char *ret_text, size_t size);

/* Value of the first of these variables (NULL-terminated list) that holds a number, or -1. */
int64_t settings_first_number(char *const *environment, const char *const *names);

/* Value of a variable in an environment, or NULL. */
const char *settings_get(char *const *environment, const char *name);

/* Name of a source by its number, NULL beyond the last. */
const char *settings_source_name(unsigned source);

#endif
