/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace file. The first byte chooses: as they are; with every checksum put
 * right, so that what lies behind it is reached as well; or as the live file of an empty
 * trace. Whatever comes out goes through dump's printing or
 * the exporter.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/export/timeline.h"
#include "analyzer/read/reader.h"
#include "analyzer/text/field_text.h"
#include "collector/codec/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum mode {
	MODE_PLAIN,
	MODE_REPACKED,
	MODE_LIVE,
	MODE_COUNT
};

/* The bytes as the contents of frames of at most 4 KiB. */
static size_t repack(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
	struct frame_compressor *compressor = frame_compressor_new(-5);
	size_t used = 0;
	for (uint32_t sequence = 0; size > 0 && compressor != NULL; sequence++) {
		size_t part = size < 4096 ? size : 4096, packed = 0;
		struct frame_info info = {
			.version = FRAME_FORMAT_VERSION, .sequence = sequence, .pid = 1};
		if (frame_pack(compressor, &info, bytes, part, out + used, capacity - used,
			    &packed) < 0)
			break;
		used += packed;
		bytes += part;
		size -= part;
	}
	frame_compressor_free(compressor);
	return used;
}

static void print_item(struct out *out, struct field_names *names, const struct item *item)
{
	struct json json;
	json_init(&json, out, false);
	json_object(&json);
	if (item->type == ITEM_META) {
		field_print_meta(out, &item->meta);
		field_json_meta(&json, &item->meta);
	}
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		const struct record_kind_info *info = &record_kinds[item->records[i].kind];
		for (unsigned f = 0; f < info->field_count; f++) {
			field_print(out, names, &item->records[i], &info->fields[f]);
			field_json(&json, names, &item->records[i], &info->fields[f]);
		}
	}
	json_object_end(&json);
	out->used = 0;
}

static void export_path(const char *path, const struct timeline_writer *writer)
{
	struct reader *reader;
	struct item item;
	struct out out;
	if (reader_open(path, &reader, NULL) < 0)
		return;
	if (out_open_memory(&out) < 0)
		abort();
	struct timeline *timeline = timeline_new(writer, &out, 0, DEMANGLE_SHORT);
	if (timeline == NULL)
		abort();
	reader_read_ahead(reader);
	timeline_begin_file(timeline, reader, NULL);
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		if (timeline_item(timeline, &item) < 0)
			abort();
	if (timeline_end_file(timeline) < 0)
		abort();
	timeline_finish(timeline);
	timeline_free(timeline);
	(void)out_close(&out);
	reader_close(reader);
}

static void dump_path(const char *path)
{
	struct reader *reader;
	struct item item;
	struct out out;
	struct field_names names = {0};
	if (reader_open(path, &reader, NULL) < 0)
		return;
	names.reader = reader;
	if (out_open_memory(&out) < 0)
		abort();
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		print_item(&out, &names, &item);
	demangle_cache_release(&names.cache);
	(void)out_close(&out);
	reader_close(reader);
}

/* A file NAME.live in a folder of its own; made once. */
static const char *live_path(void)
{
	static char path[64];
	if (path[0] != '\0')
		return path;
	char folder[] = "/tmp/fuzz_reader.XXXXXX";
	if (mkdtemp(folder) == NULL)
		abort();
	(void)snprintf(path, sizeof(path), "%s/x.live", folder);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static uint8_t packed[4 << 20];
	static int memory = -1, live = -1;
	char path[64];
	if (size == 0)
		return 0;
	enum mode mode = bytes[0] % MODE_COUNT;
	bool exported = bytes[0] / MODE_COUNT % 8 == 1; /* dearer, so not always */
	bytes++;
	size--;
	if (memory < 0)
		memory = memfd_create("fuzz", 0);
	if (live < 0)
		live = open(live_path(), O_RDWR | O_CREAT, 0600);
	int fd = mode == MODE_LIVE ? live : memory;
	if (mode == MODE_REPACKED) {
		size = repack(bytes, size, packed, sizeof(packed));
		bytes = packed;
	}
	if (ftruncate(fd, 0) < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const char *name = mode == MODE_LIVE ? live_path() : path;
	if (exported)
		export_path(name, size % 2 == 0 ? &writer_chrome : &writer_perfetto);
	else
		dump_path(name);
	return 0;
}
