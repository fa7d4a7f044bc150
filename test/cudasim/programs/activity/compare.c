/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "activity.h"

/* A busy machine can interrupt the reading of two clocks; the modelled times are far longer. */
#define CLOCK_NS 50000

static int near(uint64_t a, uint64_t b)
{
	return a - b + CLOCK_NS <= 2 * CLOCK_NS;
}

static int has_times(const struct taken *record, size_t offset, const struct truth *truth)
{
	uint64_t begin_ns = get64(record, offset), end_ns = get64(record, offset + 8);
	return near(begin_ns, truth->begin_ns) &&
	       end_ns - begin_ns == truth->end_ns - truth->begin_ns;
}

static const struct truth *find(const struct truth *lines, size_t count, const struct taken *record)
{
	static const struct {
		uint32_t kind;
		const char *what;
		size_t node;
	} operations[] = {{KERNEL, "kernel", 144}, {MEMCPY, "memcpy", 64}, {MEMSET, "memset", 64}};
	for (size_t i = 0; i < count; i++) {
		const struct truth *line = &lines[i];
		if (line->call != correlation(record))
			continue;
		if (record->kind == RUNTIME && line->is_call && strcmp(line->layer, "runtime") == 0)
			return line;
		for (size_t k = 0; k < 3 && !line->is_call; k++) {
			if (operations[k].kind == record->kind &&
				strcmp(operations[k].what, line->what) == 0 &&
				get32(record, operations[k].node) == line->node)
				return line;
		}
	}
	return NULL;
}

static void compare_kernel(const struct taken *record, const struct truth *truth)
{
	const char *name;
	memcpy(&name, record->bytes + 104, sizeof(name));
	CHECK(name && strcmp(name, truth->name) == 0);
	CHECK(has_times(record, 16, truth));
	CHECK(get64(record, 32) == get64(record, 24));
	CHECK(get32(record, 40) == truth->device);
	CHECK(get32(record, 44) == truth->context);
	CHECK(get32(record, 48) == truth->stream);
	CHECK(get32(record, 52) == (strcmp(truth->name, "_Z4slowv") ? 5 : 3));
	CHECK(get32(record, 64) == (strcmp(truth->name, "_Z4slowv") ? 32 : 64));
	CHECK(get32(record, 80) == (strcmp(truth->name, "_Z4slowv") ? 0 : 128));
	CHECK(get32(record, 156) == truth->graph);
}

static void compare_copy(const struct taken *record, const struct truth *truth)
{
	CHECK(get64(record, 8) == truth->bytes);
	CHECK(has_times(record, 16, truth));
	CHECK(get32(record, 32) == truth->device);
	CHECK(get32(record, 36) == truth->context);
	CHECK(get32(record, 40) == truth->stream);
	CHECK(get32(record, 72) == truth->graph);
	if (record->kind == MEMSET) {
		CHECK(get32(record, 48) >> 16 == 3); /* memory of the device */
		CHECK(get32(record, 4) == (truth->graph ? 3 : 7));
		return;
	}
	/* host to device from pinned memory, asynchronous; the other way round into pageable */
	if (record->bytes[4] == 1)
		CHECK(memcmp(record->bytes + 4, "\1\2\3\1", 4) == 0);
	else
		CHECK(memcmp(record->bytes + 4, "\2\3\1\0", 4) == 0);
}

static void compare_api(const struct taken *record, const struct truth *truth)
{
	const char *name = NULL;
	CHECK_OK(cupti.cuptiGetCallbackName(2, get32(record, 4), &name));
	CHECK(name && strncmp(name, truth->what, strlen(truth->what)) == 0);
	CHECK(has_times(record, 8, truth));
	CHECK(get32(record, 28) == truth->tid);
	CHECK(get32(record, 36) == truth->result);
}

static size_t count_lines(const struct truth *lines, size_t count, const char *what)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += lines[i].is_call ? strcmp(lines[i].layer, what) == 0
					  : strcmp(lines[i].what, what) == 0;
	return found;
}

/* How many waits the driver was asked for. */
static size_t count_waits(const struct truth *lines, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += !strcmp(lines[i].what, "cuStreamSynchronize") ||
			 !strcmp(lines[i].what, "cuEventSynchronize") ||
			 !strcmp(lines[i].what, "cuCtxSynchronize") ||
			 !strcmp(lines[i].what, "cuStreamWaitEvent");
	return found;
}

void compare_all(void)
{
	size_t count;
	struct truth *lines = truth_read(&count);
	CHECK(client_count(KERNEL) == count_lines(lines, count, "kernel"));
	CHECK(client_count(MEMCPY) == count_lines(lines, count, "memcpy"));
	CHECK(client_count(MEMSET) == count_lines(lines, count, "memset"));
	CHECK(client_count(RUNTIME) == count_lines(lines, count, "runtime"));
	CHECK(client_count(SYNCHRONIZATION) == count_waits(lines, count));
	CHECK(client_count(KERNEL) >= 10 && client_count(MEMCPY) == 2 && client_count(MEMSET) == 3);
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		if (record->kind == SYNCHRONIZATION || record->kind == OVERHEAD)
			continue;
		const struct truth *truth = find(lines, count, record);
		CHECK(truth != NULL);
		if (!truth)
			continue;
		if (record->kind == KERNEL)
			compare_kernel(record, truth);
		else if (record->kind == RUNTIME)
			compare_api(record, truth);
		else
			compare_copy(record, truth);
	}
	free(lines);
}
