/* SPDX-License-Identifier: MIT */
#include "preload/python/site.h"

#include <string.h>

#include "collector/describe.h"
#include "preload/python/line.h"

#define FILE_BYTES 2048
#define NAME_BYTES 512

static int32_t int_at(const char *base, uint32_t offset)
{
	int32_t value;
	memcpy(&value, base + offset, sizeof(value));
	return value;
}

/* A frame counts from its first traceable instruction on; a generator's always does. */
static bool is_begun(const struct python_layout *layout, const struct site_source *source)
{
	return layout->frame_owner == PYTHON_NO_FIELD || source->begun ||
	       source->offset >= 2 * int_at(source->code, layout->code_traceable);
}

struct site_names site_names(const struct python_layout *layout, const struct site_source *source)
{
	char file[FILE_BYTES], name[NAME_BYTES];
	size_t file_length = python_text(layout, source->file, file, sizeof(file));
	size_t name_length = python_text(layout, source->name, name, sizeof(name));
	return (struct site_names){.file = collector_name(file, file_length),
		.name = collector_name(name, name_length),
		.user = python_is_user(file, file_length, name, name_length)};
}

uint32_t site_line(const struct python_layout *layout, const struct site_source *source)
{
	struct python_lines lines = {.kind = layout->table,
		.table = (const uint8_t *)source->table + layout->bytes_data,
		.first = int_at(source->code, layout->code_line)};
	memcpy(&lines.size, source->table + layout->bytes_size, sizeof(lines.size));
	if (!is_begun(layout, source))
		return 0;
	int line = python_line(&lines, source->offset);
	return (uint32_t)(line > 0 ? line : lines.first > 0 ? lines.first : 1);
}

struct site_ids site_ids(const struct site_names *names, uint32_t line)
{
	struct site_ids ids = {.file = names->file, .name = names->name, .line = line};
	if (line != 0 && names->user) {
		struct live_place place = {ids.file, ids.name, line, ids.file, ids.name, line, 0};
		ids.place = collector_place(&place);
	}
	return ids;
}
