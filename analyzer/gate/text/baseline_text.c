/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/text/baseline_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/gate/text/ranks.h"
#include "analyzer/gate/text/row_text.h"
#include "collector/base/err.h"

#define FIRST_LINE "# libtrace-baseline/1"
#define LAST_LINE  "# end"
#define LINE_BYTES 2048u

bool baseline_is(const char *text, size_t size)
{
	const size_t length = strlen("# libtrace-baseline/");
	return size >= length && text[0] != '{' && memmem(text, size, FIRST_LINE, length) != NULL;
}

void baseline_write(const struct baseline *baseline, struct out *out)
{
	out_text(out, FIRST_LINE "\n# what the steps of a run do: total/steps, exactly; made by "
				 "trace-analyzer check --write-baseline\n");
	out_format(out, "run program = %s\nrun framework = %s\nrun world_size = %" PRIu64,
		baseline->program, baseline->framework, baseline->world_size);
	out_format(out, "\nrun runs = %" PRIu64 "\nrun steps = %" PRIu64 "\n", baseline->runs,
		baseline->steps);
	ranks_write_names(baseline, out);
	for (size_t i = 0; i < baseline->versions.count; i++)
		out_format(out, "version %s = %s\n", baseline->versions.items[i].name,
			baseline->versions.items[i].value);
	for (size_t i = 0; i < baseline->times.count; i++)
		out_format(out, "%s%" PRIu64, i == 0 ? "time p10_ns = " : " ",
			baseline->times.items[i]);
	out_text(out, baseline->times.count > 0 ? "\n" : "");
	for (size_t i = 0; i < baseline->rows.count; i++)
		row_write(&baseline->rows.items[i], out);
	ranks_write(baseline, out);
	out_text(out, LAST_LINE "\n");
}

static int say(struct baseline_problem *ret_problem, uint64_t line, const char *text)
{
	ret_problem->line = line;
	(void)snprintf(ret_problem->text, sizeof(ret_problem->text), "%s", text);
	return -ERR_BAD_VALUE;
}

static int read_times(struct baseline *baseline, const char *value)
{
	while (*value != '\0') {
		const char *end = value + strcspn(value, " ");
		uint64_t ns;
		if (!row_read_number(value, end, &ns) || ns == 0)
			return -ERR_BAD_VALUE;
		if (vec_push(&baseline->times, ns) < 0)
			return -ENOMEM;
		value = *end != '\0' ? end + 1 : end;
	}
	return 0;
}

/* "run NAME = VALUE". */
static int read_about(struct baseline *baseline, const char *name, const char *value)
{
	const char *end = value + strlen(value);
	if (strcmp(name, "program") == 0)
		(void)snprintf(baseline->program, sizeof(baseline->program), "%.127s", value);
	else if (strcmp(name, "framework") == 0)
		(void)snprintf(baseline->framework, sizeof(baseline->framework), "%.127s", value);
	else if (strcmp(name, "world_size") == 0)
		return row_read_number(value, end, &baseline->world_size) ? 0 : -ERR_BAD_VALUE;
	else if (strcmp(name, "runs") == 0)
		return row_read_number(value, end, &baseline->runs) ? 0 : -ERR_BAD_VALUE;
	else if (strcmp(name, "steps") == 0)
		return row_read_number(value, end, &baseline->steps) ? 0 : -ERR_BAD_VALUE;
	else if (strcmp(name, "ranks") == 0)
		return ranks_read_names(baseline, value);
	else
		return -ERR_UNKNOWN_NAME;
	return 0;
}

static int read_version(struct baseline *baseline, const char *name, const char *value)
{
	struct baseline_version version;
	(void)snprintf(version.name, sizeof(version.name), "%.127s", name);
	(void)snprintf(version.value, sizeof(version.value), "%.127s", value);
	return vec_push(&baseline->versions, version);
}

/* One line without its end. */
static int read_line(struct baseline *baseline, char *line)
{
	char *equal = NULL;
	for (char *at = line; (at = strstr(at, " = ")) != NULL; at++)
		equal = at; /* the last one: a source text may hold others */
	if (equal == NULL)
		return -ERR_BAD_VALUE;
	*equal = '\0';
	const char *value = equal + 3;
	if (strncmp(line, "total ", 6) == 0 || strncmp(line, "site ", 5) == 0)
		return row_read(&baseline->rows, line, value, baseline->steps);
	if (strncmp(line, "rank ", 5) == 0)
		return ranks_read(baseline, line + 5, value);
	if (strcmp(line, "time p10_ns") == 0)
		return baseline->times.count == 0 ? read_times(baseline, value) : -ERR_BAD_VALUE;
	if (strncmp(line, "version ", 8) == 0)
		return read_version(baseline, line + 8, value);
	return strncmp(line, "run ", 4) == 0 ? read_about(baseline, line + 4, value)
					     : -ERR_UNKNOWN_NAME;
}

/* The whole of it makes sense. */
static int check_whole(struct baseline *baseline, bool ended, struct baseline_problem *ret_problem)
{
	const char *twice = gate_rows_twice(&baseline->rows);
	if (!ended)
		return say(ret_problem, 0, "it is cut off: its last line must be '" LAST_LINE "'");
	if (baseline->program[0] == '\0' || baseline->framework[0] == '\0' ||
		baseline->world_size == 0 || baseline->steps == 0 || baseline->rows.count == 0)
		return say(ret_problem, 0,
			"it does not say of which program, framework, world size and steps it is");
	if (twice != NULL) {
		char text[sizeof(ret_problem->text)];
		(void)snprintf(text, sizeof(text), "the row '%.200s' is there twice", twice);
		return say(ret_problem, 0, text);
	}
	int err = ranks_complete(baseline);
	return err == -ERR_BAD_VALUE ? say(ret_problem, 0, "a row of a rank is there twice") : err;
}

int baseline_read(struct baseline *baseline, const char *text, size_t size,
	struct baseline_problem *ret_problem)
{
	const char *at = text, *end = text + size;
	char line[LINE_BYTES];
	bool ended = false;
	*baseline = (struct baseline){.rank = -1};
	for (uint64_t number = 1; at < end && !ended; number++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop != NULL ? stop : end) - at);
		if (length > 0 && at[length - 1] == '\r')
			length--;
		if (length >= sizeof(line) || memchr(at, '\0', length) != NULL)
			return say(ret_problem, number, "it is no line of a baseline");
		memcpy(line, at, length);
		line[length] = '\0';
		at = stop != NULL ? stop + 1 : end;
		if (number == 1 && strcmp(line, FIRST_LINE) != 0)
			return say(ret_problem, number,
				"the first line of a baseline that is known here is '" FIRST_LINE
				"'");
		ended = strcmp(line, LAST_LINE) == 0;
		int err = line[0] == '#' || length == 0 ? 0 : read_line(baseline, line);
		if (err == -ENOMEM)
			return err;
		if (err < 0)
			return say(ret_problem, number,
				err == -ERR_UNKNOWN_NAME ? "a row of that name is not known"
							 : "a row is 'name = total/steps'");
	}
	return check_whole(baseline, ended, ret_problem);
}
