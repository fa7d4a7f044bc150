/* SPDX-License-Identifier: MIT */
/* Writes the small traces of the command line tests: make_trace small|hostile|device FILE. */
#include "test/unit/trace_maker.h"

#define HOSTILE "a\"b\\c</script>\x1b[31m\n\xff\xc3\xbc"

/* Names that would break a terminal, a JSON file or a web page. */
static void make_hostile(struct maker *maker)
{
	struct record record = maker_record(0);
	maker_meta(maker, (struct meta){.kind = META_RUN,
				  .u.run = {.format_version = 1,
					  .pid = maker->pid,
					  .rank = -1,
					  .world_size = -1,
					  .host = HOSTILE,
					  .program = HOSTILE,
					  .begin_ns = MAKER_BEGIN}});
	maker_meta(maker, (struct meta){.kind = META_CALL, .u.call = {1, HOSTILE, "cudart"}});
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {1, HOSTILE}});
	maker_meta(maker, (struct meta){.kind = META_THREAD, .u.thread = {1, 101, HOSTILE}});
	maker_meta(maker, (struct meta){.kind = META_PLACE,
				  .u.place = {.id = 1,
					  .language = "python",
					  .file = 1,
					  .function = 1,
					  .line = 1}});
	MAKER_CHECK(encoder_add_events(maker->encoder, 1, 0, &record, 1) == 0);
	maker->event = 1;
}

/* What only the device side has, times before the begin, reversed times, a loss, a sample. */
static void make_device(struct maker *maker)
{
	static const char name[] = "_ZN2at6native4fillIfEEvPT_i";
	struct record records[] = {
		{.kind = RECORD_DEVICE_KERNEL,
			.begin = MAKER_BEGIN + 1500,
			.end = MAKER_BEGIN + 4750,
			.name = 6,
			.stream = 7,
			.a = 2,
			.b = 128 | 1ull << 48,
			.place = 42},
		{.kind = RECORD_DEVICE_COPY,
			.begin = MAKER_BEGIN + 5000,
			.end = MAKER_BEGIN + 6000,
			.stream = 7,
			.a = 4096,
			.b = COPY_DEVICE_TO_HOST | 1ull << 48,
			.place = 43},
		{.kind = RECORD_SYNC,
			.begin = MAKER_BEGIN - 2000,
			.end = MAKER_BEGIN - 500,
			.call = 9,
			.b = SYNC_DEVICE,
			.result = -7},
		{.kind = RECORD_INPUT,
			.begin = MAKER_BEGIN + 9000,
			.end = MAKER_BEGIN + 8000,
			.a = UINT32_MAX,
			.b = 100},
		{.kind = RECORD_SAMPLE,
			.begin = MAKER_BEGIN + 9000,
			.end = MAKER_BEGIN + 9000,
			.c = SAMPLE_READ_BYTES,
			.a = 1ull << 53},
	};
	maker_definitions(maker);
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {6, name}});
	maker->event = sizeof(records) / sizeof(records[0]);
	MAKER_CHECK(encoder_add_events(maker->encoder, 1, 0, records, (unsigned)maker->event) == 0);
	maker_meta(maker,
		(struct meta){.kind = META_LOST,
			.u.lost = {1, 12, "ring full", MAKER_BEGIN + 7000, MAKER_BEGIN + 8000}});
}

int main(int argc, char **argv)
{
	MAKER_CHECK(argc == 3);
	struct maker *maker = maker_new();
	if (strcmp(argv[1], "hostile") == 0) {
		make_hostile(maker);
	} else if (strcmp(argv[1], "device") == 0) {
		make_device(maker);
	} else {
		maker_definitions(maker);
		maker_events(maker, 1, 0, 3);
		maker_frame(maker);
		maker_events(maker, 2, 0, 2);
		maker_frame(maker);
	}
	maker_end(maker);
	maker_frame(maker);
	FILE *file = fopen(argv[2], "wb");
	MAKER_CHECK(file != NULL);
	MAKER_CHECK(fwrite(maker->bytes, 1, maker->size, file) == maker->size && fclose(file) == 0);
	maker_free(maker);
	return 0;
}
