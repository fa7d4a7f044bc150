/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/files.h"

#include "collector/format/fields.h"
#include "collector/format/host_value.h"

static struct fact_file *find(struct fact_files *files, uint32_t name)
{
	if (files->last < files->count && files->items[files->last].name == name)
		return &files->items[files->last];
	if (files->count == 0)
		files->items[files->count++] = (struct fact_file){.name = 0};
	uint32_t i = 0;
	while (i < files->count && files->items[i].name != name)
		i++;
	if (i == FILES_LIMIT)
		return &files->items[0];
	if (i == files->count)
		files->items[files->count++] = (struct fact_file){.name = name};
	files->last = i;
	return &files->items[i];
}

void fact_files_add(struct fact_files *files, const struct record *record)
{
	int64_t bytes = record_INPUT_bytes(record);
	uint64_t ns = record->end - record->begin;
	if (record_INPUT_file(record) == 0)
		return;
	struct fact_file *file = find(files, record_INPUT_file(record));
	file->filesystem = record_INPUT_filesystem(record);
	if (record_INPUT_what(record) != INPUT_READ) {
		file->looks++;
		file->look_ns += ns;
		return;
	}
	file->reads++;
	file->bytes += bytes > 0 ? (uint64_t)bytes : 0;
	file->ns += ns;
	file->longest_ns = ns > file->longest_ns ? ns : file->longest_ns;
}
