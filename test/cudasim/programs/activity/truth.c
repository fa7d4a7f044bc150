/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "activity.h"

/* The value after "key": in a line of the log, NULL if there is none. */
static const char *value_of(const char *line, const char *key)
{
	char pattern[64];
	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	const char *found = strstr(line, pattern);
	return found ? found + strlen(pattern) : NULL;
}

static uint64_t number_of(const char *line, const char *key)
{
	const char *value = value_of(line, key);
	return value ? strtoull(value, NULL, 10) : 0;
}

static void text_of(const char *line, const char *key, char *text, size_t size)
{
	const char *value = value_of(line, key);
	size_t length = value ? strcspn(value + 1, "\"") : 0;
	if (length >= size)
		length = size - 1;
	if (value)
		memcpy(text, value + 1, length);
	text[length] = '\0';
}

static int parse(const char *line, struct truth *truth)
{
	char type[8];
	memset(truth, 0, sizeof(*truth));
	text_of(line, "type", type, sizeof(type));
	truth->is_call = strcmp(type, "call") == 0;
	if (!truth->is_call && strcmp(type, "op"))
		return 0;
	text_of(line, truth->is_call ? "function" : "op", truth->what, sizeof(truth->what));
	text_of(line, "layer", truth->layer, sizeof(truth->layer));
	text_of(line, "kernel", truth->name, sizeof(truth->name));
	truth->call = number_of(line, "call");
	truth->parent = number_of(line, "parent");
	truth->begin_ns = number_of(line, "begin_ns");
	truth->end_ns = number_of(line, "end_ns");
	truth->bytes = number_of(line, "bytes");
	truth->context = number_of(line, "context");
	truth->device = number_of(line, "device");
	truth->stream = number_of(line, "stream");
	truth->graph = number_of(line, "graph");
	truth->node = number_of(line, "node");
	truth->event = number_of(line, "event");
	truth->address = number_of(line, "address");
	truth->tid = number_of(line, "tid");
	truth->result = number_of(line, "result");
	return number_of(line, "pid") == (uint64_t)getpid();
}

struct truth *truth_read(size_t *ret_count)
{
	struct truth *lines = NULL, line;
	char text[4096];
	void (*dump)(void);
	void *symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cudasim_dump_log");
	memcpy(&dump, &symbol, sizeof(symbol));
	dump();
	FILE *file = fopen(getenv("CUDASIM_LOG"), "r");
	*ret_count = 0;
	while (file && fgets(text, sizeof(text), file)) {
		if (!parse(text, &line))
			continue;
		lines = realloc(lines, (*ret_count + 1) * sizeof(*lines));
		lines[(*ret_count)++] = line;
	}
	if (file)
		fclose(file);
	CHECK(*ret_count > 0);
	return lines;
}

size_t truth_operations(void)
{
	size_t count, found = 0;
	struct truth *lines = truth_read(&count);
	for (size_t i = 0; i < count; i++)
		found += !lines[i].is_call;
	return found;
}
