/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/export/timeline.h"
#include "test/unit/analyzer/trace_maker.h"

#define SOURCE 6u /* id of its name */

/* Operations that were written without a call, while the file was still being read. */
static uint64_t written_at_once(const char *source)
{
	struct maker *maker = maker_new();
	struct record records[2] = {maker_record(0), maker_record(1)};
	struct reader *reader;
	struct item item;
	struct out out;
	char path[64];
	records[0].kind = RECORD_SOURCE_STATE;
	records[0].name = SOURCE;
	records[1].kind = RECORD_DEVICE_KERNEL;
	maker_definitions(maker);
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {SOURCE, source}});
	cr_assert(eq(int, encoder_add_events(maker->encoder, 1, 0, records, 2), 0));
	maker_end(maker);
	maker_frame(maker);
	int fd = maker_file(maker->bytes, maker->size, path, sizeof(path));
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	cr_assert(eq(int, out_open_memory(&out), 0));
	struct timeline *timeline = timeline_new(&writer_chrome, &out, 0, DEMANGLE_SHORT);
	cr_assert(ne(ptr, timeline, NULL));
	timeline_begin_file(timeline, reader, NULL);
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		cr_assert(eq(int, timeline_item(timeline, &item), 0));
	uint64_t without = timeline_counts(timeline)->without;
	cr_assert(eq(int, timeline_end_file(timeline), 0));
	timeline_finish(timeline);
	cr_expect(eq(u64, timeline_counts(timeline)->without, 1));
	timeline_free(timeline);
	(void)out_close(&out);
	reader_close(reader);
	(void)close(fd);
	maker_free(maker);
	return without;
}

/* Only the device's own source says that its records will be told a call. */
Test(timeline, operations_wait_for_calls_where_the_device_tells_them)
{
	cr_expect(eq(u64, written_at_once("nvtx"), 1));
	cr_expect(eq(u64, written_at_once("activity"), 0));
}
