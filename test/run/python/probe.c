/* SPDX-License-Identifier: MIT */
/*
 * A library for scripts: asks python_place() where the calling thread is, as a hook would,
 * and hands the answer out as texts. Linked with the collector's own table of texts and places.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/buffer/define.h"
#include "collector/collector.h"
#include "collector/describe.h"
#include "preload/python/owner.h"
#include "preload/python/python.h"
#include "preload/thread/thread.h"

#define EXPORT __attribute__((visibility("default")))

struct probe_result {
	uint32_t place, line, user_line;
	char file[2048], function[512], user_file[2048], user_function[512];
};

EXPORT void probe_attach(void);
EXPORT const char *probe_state(void);
EXPORT void probe_take(struct probe_result *ret_result, void (*then)(void));
EXPORT unsigned probe_repeat(unsigned count);
EXPORT double probe_cost_ns(unsigned count);
EXPORT int probe_numbers(const char *function, uint32_t ret_numbers[2]);
EXPORT int probe_runs(const char *function);

static char state[256] = "none";

void collector_source(const char *name, const char *value, const char *reason)
{
	(void)snprintf(state, sizeof(state), "%s %s %s", name, value, reason == NULL ? "" : reason);
}

void collector_version(const char *name, const char *value)
{
	(void)name;
	(void)value;
}

void collector_watch(const void *subject, uint64_t mark)
{
	(void)mark;
	collector_thread.watched = subject;
}

uint32_t collector_name(const char *text, size_t length)
{
	return define_name(text, length);
}

uint32_t collector_place(const struct live_place *place)
{
	return define_place(place);
}

void probe_attach(void)
{
	python_attach();
}

const char *probe_state(void)
{
	return state;
}

static void copy_name(char *text, size_t size, uint32_t id)
{
	size_t length = 0;
	const char *name = define_name_text(id, &length);
	(void)snprintf(text, size, "%.*s", (int)length, name == NULL ? "" : name);
}

void probe_take(struct probe_result *ret_result, void (*then)(void))
{
	const struct live_place *place = NULL;
	memset(ret_result, 0, sizeof(*ret_result));
	thread_trains();
	ret_result->place = python_place();
	if (ret_result->place != 0)
		place = define_place_at(ret_result->place);
	if (place != NULL) {
		ret_result->line = place->line;
		ret_result->user_line = place->user_line;
		copy_name(ret_result->file, sizeof(ret_result->file), place->file);
		copy_name(ret_result->function, sizeof(ret_result->function), place->function);
		copy_name(ret_result->user_file, sizeof(ret_result->user_file), place->user_file);
		copy_name(ret_result->user_function, sizeof(ret_result->user_function),
			place->user_function);
	}
	if (then != NULL)
		then();
}

/* The place of all of count reads in a row, 0 when they differ. */
unsigned probe_repeat(unsigned count)
{
	unsigned first = python_place();
	for (unsigned i = 1; i < count; i++) {
		if (python_place() != first)
			return 0;
	}
	return first;
}

double probe_cost_ns(unsigned count)
{
	struct timespec begin, end;
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	(void)probe_repeat(count);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
	       count;
}

/* The second and the fourth argument of the function, which is of a file check.py. */
int probe_numbers(const char *function, uint32_t ret_numbers[2])
{
	const struct owner_numbers wanted = {function, "/python/check.py", {1, 3}};
	return python_numbers(&wanted, ret_numbers);
}

/* Of the functions of check.py, the innermost is that one. */
int probe_runs(const char *function)
{
	return python_runs(function, "/python/check.py");
}
