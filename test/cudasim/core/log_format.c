/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

#define MAX_STRING 12000 /* longer names are cut, so that a line always fits */

static const char *const layers[] = {"runtime", "driver", "library"};
static const char *const kinds[] = {"h2h", "h2d", "d2h", "d2d", "default"};
static const char *const memories[] = {"pageable", "pinned", "device", "managed"};
static const char *const arrays[] = {"none", "source", "target", "both"};

/* A line under construction; full is set when something did not fit. */
struct line {
	char *text;
	size_t used;
	size_t size;
	int full;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int count = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
	va_end(arguments);
	if (count < 0 || (size_t)count >= line->size - line->used)
		line->full = 1;
	else
		line->used += (size_t)count;
}

static void add_string(struct line *line, const char *key, const char *value)
{
	if (!value)
		return;
	add(line, ",\"%s\":\"", key);
	size_t limit = line->used + MAX_STRING < line->size ? line->used + MAX_STRING : line->size;
	for (; *value && line->used + 8 < limit; value++) {
		unsigned char byte = (unsigned char)*value;
		if (byte == '"' || byte == '\\')
			line->text[line->used++] = '\\';
		if (byte < 0x20)
			add(line, "\\u%04x", byte);
		else
			line->text[line->used++] = (char)byte;
	}
	add(line, "\"");
}

static void add_copy(struct line *line, const struct sim_detail *detail)
{
	if (detail->set & SIM_SET_KIND)
		add_string(line, "kind", detail->kind < 5 ? kinds[detail->kind] : "invalid");
	if (detail->set & SIM_SET_BYTES)
		add(line, ",\"bytes\":%llu", (unsigned long long)detail->bytes);
	if (detail->set & SIM_SET_MEMORY) {
		add_string(line, "source", memories[detail->source & 3]);
		add_string(line, "target", memories[detail->target & 3]);
	}
	if (detail->set & SIM_SET_MEMORY && detail->arrays)
		add_string(line, "array", arrays[detail->arrays & 3]);
	if (detail->set & SIM_SET_PEER)
		add(line, ",\"source_device\":%u,\"target_device\":%u", detail->source_device,
			detail->target_device);
}

static void add_kernel(struct line *line, const struct sim_detail *detail)
{
	add_string(line, "kernel", detail->name);
	add(line, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%u", detail->grid[0],
		detail->grid[1], detail->grid[2], detail->block[0], detail->block[1],
		detail->block[2], detail->shared_bytes);
}

static void add_detail(struct line *line, const struct sim_detail *detail)
{
	uint32_t set = detail->set;
	if (set & SIM_SET_DEVICE)
		add(line, ",\"device\":%u", detail->device);
	if (set & SIM_SET_STREAM)
		add(line, ",\"stream\":%u", detail->stream);
	add_copy(line, detail);
	if (set & SIM_SET_KERNEL)
		add_kernel(line, detail);
	else if (set & SIM_SET_TEXT)
		add_string(line, "name", detail->name);
	if (set & SIM_SET_EVENT)
		add(line, ",\"event\":%llu", (unsigned long long)detail->event);
	if (set & SIM_SET_GRAPH)
		add(line, ",\"graph\":%llu", (unsigned long long)detail->graph);
	if (set & SIM_SET_ADDRESS)
		add(line, ",\"address\":%llu", (unsigned long long)detail->address);
	if (set & SIM_SET_FLAGS)
		add(line, ",\"flags\":%u", detail->flags);
	if (set & SIM_SET_CAPTURED)
		add(line, ",\"captured\":true");
	if (set & SIM_SET_WAITS)
		add(line, ",\"waits\":true");
}

static void add_call(struct line *line, const struct log_record *record)
{
	add(line, "{\"type\":\"call\",\"layer\":\"%s\",\"function\":\"%s\",\"call\":%llu",
		layers[record->layer], record->what, (unsigned long long)record->id);
	if (record->parent)
		add(line, ",\"parent\":%llu", (unsigned long long)record->parent);
	add(line, ",\"result\":%d", record->result);
}

static void add_operation(struct line *line, const struct log_record *record)
{
	add(line,
		"{\"type\":\"op\",\"op\":\"%s\",\"call\":%llu,\"driver_call\":%llu,\"context\":%u",
		record->what, (unsigned long long)record->id, (unsigned long long)record->parent,
		record->context);
	if (record->node)
		add(line, ",\"node\":%llu", (unsigned long long)record->node);
	if (record->detail->set & SIM_SET_KERNEL)
		add(line, ",\"computed\":%s", record->computed ? "true" : "false");
}

size_t log_format(const struct log_record *record, char *text, size_t size)
{
	struct line line = {.text = text, .size = size};
	if (record->type == LOG_CALL)
		add_call(&line, record);
	else if (record->type == LOG_OP)
		add_operation(&line, record);
	else
		add(&line, "{\"type\":\"note\",\"note\":\"%s\"", record->what);
	add(&line, ",\"pid\":%d", getpid());
	if (record->tid)
		add(&line, ",\"tid\":%u", record->tid);
	add(&line, ",\"begin_ns\":%llu", (unsigned long long)record->begin_ns);
	if (record->end_ns)
		add(&line, ",\"end_ns\":%llu", (unsigned long long)record->end_ns);
	add_detail(&line, record->detail);
	add(&line, "}\n");
	return line.full ? 0 : line.used;
}
