/* SPDX-License-Identifier: MIT */
/*
 * One line to stderr for the person who runs the program: "libtrace: ...".
 *
 * Each place in the code that logs says its line at most once per process, so
 * that a failure in a hot path cannot flood a training log. The line is formatted
 * without malloc, locale or locks and written by a single write(2): usable from hooks,
 * signal handlers and after fork. errno is kept. What is below the level costs one
 * load and a branch.
 *
 * Formats: %s %c %d %i %u %x %p and %%, with l, ll, z for integers; no width or
 * precision. Control characters in texts become '?', long lines are cut.
 */
#ifndef COLLECTOR_BASE_LOG_H
#define COLLECTOR_BASE_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_QUIET,
	LOG_LEVEL_ERROR,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* Lines above this level are dropped; LOG_LEVEL_ERROR at first. Set once at start. */
extern int log_level;

/* True the first time for a level that is wanted; *said is the memory of the place. Thread-safe. */
static inline bool log_wanted(enum log_level level, unsigned char *said)
{
	return (int)level <= log_level && !__atomic_test_and_set(said, __ATOMIC_RELAXED);
}

/*
 * Remember what descriptor 2 is: from now on nothing is written where that is another file or none.
 * Keeps errno. Once, at start.
 */
void log_begin(void);

/* Write the line, always; prefer the macros below. */
void log_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define LOG_AT(level, ...)                                                                         \
	do {                                                                                       \
		static unsigned char log_said;                                                     \
		if (log_wanted(level, &log_said))                                                  \
			log_write(__VA_ARGS__);                                                    \
	} while (0)

#define log_error(...) LOG_AT(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_info(...)  LOG_AT(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Level of a name (quiet, error, info, debug), or -1. NULL gives -1. */
int log_level_from_name(const char *name);

#endif
