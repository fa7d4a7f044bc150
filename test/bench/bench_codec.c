/* SPDX-License-Identifier: MIT */
/*
 * Cost of the format: what the drain thread pays per event (S7), what an event
 * weighs in the file (B1), what reading costs (A2c: decompress and decode against decompress
 * and reading every integer, without the analyzer behind it).
 *
 * Everything runs in interleaved rounds over the same records; a figure is the
 * median of the ratios of the rounds, never a time. BENCH_ROUNDS sets their number.
 * With --once PART a single pass of one part runs and nothing is printed: two runs
 * with N and 2N events under callgrind give instructions per event.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "collector/codec/frame.h"
#include "test/bench/tracegen.h"

#define ROUNDS_LIMIT 101u
#define BASE_FRAME   (1u << 20)

/* The same event as a plain struct, what a simple recorder would write; durations help zstd. */
struct plain {
	uint64_t begin, duration, stream;
	uint32_t name, place, correlation, grid;
	uint16_t kind, call, block, thread;
};
_Static_assert(sizeof(struct plain) == 48, "the comparison is with 48 bytes");

struct piece { /* of the records, as the drain finds them */
	uint32_t thread;
	unsigned count;
	size_t first;
};

struct bench {
	uint64_t events;
	struct record *records;
	struct plain *plain;
	struct tracegen *model;
	struct piece *pieces;
	size_t piece_count;
	double noise_bits;
	uint8_t *raw, *file; /* frames one after the other */
	size_t file_capacity, file_bytes;
	uint8_t *packed;
	struct encoder *encoder;
	struct decoder *decoder;
	struct frame_compressor *compressor;
	struct frame_decompressor *decompressor;
	ZSTD_CCtx *base_context;
	uint64_t sequence;
};

static void need(const void *memory)
{
	if (memory == NULL) {
		fputs("bench_codec: out of memory\n", stderr);
		exit(4);
	}
}

static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void add_piece(struct bench *bench, const struct tracegen_block *block)
{
	bench->pieces[bench->piece_count++] =
		(struct piece){block->thread, block->count, bench->events};
	for (unsigned i = 0; i < block->count; i++) {
		const struct record *record = &block->records[i];
		struct plain *plain = &bench->plain[bench->events];
		bench->records[bench->events++] = *record;
		*plain = (struct plain){record->begin, record->end - record->begin, record->stream,
			record->name, record->place, record->c, (uint32_t)record->a, record->kind,
			record->call, (uint16_t)record->b, (uint16_t)block->thread};
	}
}

static void init(struct bench *bench, uint64_t events)
{
	struct tracegen_options options = tracegen_defaults(events);
	struct tracegen *tracegen = tracegen_new(&options);
	struct tracegen_block block;
	size_t room = events + 4 * CODEC_BLOCK_LIMIT;
	need(tracegen);
	bench->records = malloc(room * sizeof(*bench->records));
	bench->plain = malloc(room * sizeof(*bench->plain));
	bench->pieces = malloc((room / 64 + 64) * sizeof(*bench->pieces));
	bench->file_capacity = 16 * room + (4u << 20);
	bench->file = malloc(bench->file_capacity);
	bench->raw = malloc(CODEC_FRAME_LIMIT);
	bench->packed = malloc(ZSTD_compressBound(BASE_FRAME));
	need(bench->records);
	need(bench->plain);
	need(bench->pieces);
	need(bench->file);
	need(bench->raw);
	need(bench->packed);
	while (tracegen_next(tracegen, &block))
		add_piece(bench, &block);
	bench->noise_bits = tracegen_totals(tracegen)->noise_bits;
	bench->model = tracegen;
	bench->encoder = encoder_new(bench->raw, CODEC_FRAME_LIMIT);
	bench->decoder = decoder_new();
	bench->compressor = frame_compressor_new(1);
	bench->decompressor = frame_decompressor_new();
	bench->base_context = ZSTD_createCCtx();
	need(bench->encoder);
	need(bench->decoder);
	need(bench->compressor);
	need(bench->decompressor);
	need(bench->base_context);
	(void)ZSTD_CCtx_setParameter(bench->base_context, ZSTD_c_compressionLevel, 1);
}

static void finish_frame(struct bench *bench, bool compress)
{
	size_t bytes = 0;
	struct frame_info info = {.version = FRAME_FORMAT_VERSION};
	info.events = (uint32_t)encoder_events(bench->encoder);
	if (compress && frame_pack(bench->compressor, &info, bench->raw,
				encoder_size(bench->encoder), bench->file + bench->file_bytes,
				bench->file_capacity - bench->file_bytes, &bytes) != 0)
		need(NULL);
	bench->file_bytes += bytes;
	encoder_reset(bench->encoder);
}

static void add_definition(void *context, const struct meta *meta)
{
	(void)encoder_add_meta(context, meta); /* they all fit into the first frame */
}

static void write_all(struct bench *bench, bool compress)
{
	bench->file_bytes = 0;
	encoder_reset(bench->encoder);
	tracegen_define(bench->model, add_definition, bench->encoder);
	for (size_t i = 0; i < bench->piece_count; i++) {
		const struct piece *piece = &bench->pieces[i];
		const struct record *records = &bench->records[piece->first];
		if (encoder_add_events(bench->encoder, piece->thread, piece->first, records,
			    piece->count) == 0)
			continue;
		finish_frame(bench, compress);
		(void)encoder_add_events(
			bench->encoder, piece->thread, piece->first, records, piece->count);
	}
	finish_frame(bench, compress);
}

/* The comparison: the structs are copied into a frame and compressed. Returns bytes. */
static size_t write_plain(struct bench *bench)
{
	size_t total = bench->events * sizeof(struct plain), packed = 0;
	for (size_t at = 0; at < total; at += BASE_FRAME) {
		size_t size = total - at < BASE_FRAME ? total - at : BASE_FRAME;
		memcpy(bench->raw, (const char *)bench->plain + at, size);
		packed += ZSTD_compress2(bench->base_context, bench->packed,
			ZSTD_compressBound(BASE_FRAME), bench->raw, size);
	}
	return packed;
}

static uint64_t read_frame(struct bench *bench, const void *raw, size_t bytes)
{
	struct item item;
	uint64_t sum = 0;
	decoder_feed(bench->decoder, raw, bytes);
	while (decoder_next(bench->decoder, &item, NULL) == 0 && item.type != ITEM_END)
		for (unsigned i = 0; i < item.count; i += 64)
			sum += item.records[i].end + item.count;
	return sum;
}

/* One msgpack integer, trusting the bytes: the least that a reader must do. */
static inline const uint8_t *plain_int(const uint8_t *at, int64_t *ret_value)
{
	uint8_t byte = *at;
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	switch (byte) {
	case 0xcc:
		*ret_value = at[1];
		return at + 2;
	case 0xd0:
		*ret_value = (int8_t)at[1];
		return at + 2;
	case 0xcd:
		memcpy(&half, at + 1, 2);
		*ret_value = __builtin_bswap16(half);
		return at + 3;
	case 0xd1:
		memcpy(&half, at + 1, 2);
		*ret_value = (int16_t)__builtin_bswap16(half);
		return at + 3;
	case 0xce:
		memcpy(&word, at + 1, 4);
		*ret_value = __builtin_bswap32(word);
		return at + 5;
	case 0xd2:
		memcpy(&word, at + 1, 4);
		*ret_value = (int32_t)__builtin_bswap32(word);
		return at + 5;
	case 0xcf:
	case 0xd3:
		memcpy(&wide, at + 1, 8);
		*ret_value = (int64_t)__builtin_bswap64(wide);
		return at + 9;
	default:
		*ret_value = (int8_t)byte;
		return at + 1;
	}
}

/* All integers of a frame's columns: where they begin does not matter for their cost. */
static uint64_t read_columns(const uint8_t *raw, size_t bytes)
{
	const uint8_t *at = raw, *end = raw + bytes - 16;
	uint64_t sum = 0, times = 0;
	int64_t value;
	while (at < end) {
		at = plain_int(at, &value);
		times += (uint64_t)value;
		sum ^= times;
	}
	return sum;
}

static uint64_t read_all(struct bench *bench, bool decode)
{
	uint64_t sum = 0;
	for (size_t at = 0; at < bench->file_bytes;) {
		struct frame_info info;
		const void *raw;
		size_t bytes;
		if (frame_parse(bench->file + at, bench->file_bytes - at, &info) != 0 ||
			frame_unpack(bench->decompressor, &info,
				bench->file + at + FRAME_HEADER_BYTES, info.compressed_bytes, &raw,
				&bytes) != 0)
			need(NULL);
		sum += decode ? read_frame(bench, raw, bytes) : read_columns(raw, bytes);
		at += FRAME_HEADER_BYTES + info.compressed_bytes;
	}
	return sum;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void print(
	const char *what, double value, const char *unit, double limit, double gate, double goal)
{
	printf("%s %.3f %s limit %.2f gate %.2f goal %.2f %s\n", what, value, unit, limit, gate,
		goal, value <= gate ? "ok" : "FAIL");
}

static void run_rounds(struct bench *bench, unsigned rounds)
{
	double writer[ROUNDS_LIMIT], reader[ROUNDS_LIMIT], encode[ROUNDS_LIMIT],
		decode[ROUNDS_LIMIT];
	size_t plain_bytes = 0;
	volatile uint64_t sink = 0;
	for (unsigned i = 0; i <= rounds; i++) { /* the first round warms up and is not counted */
		unsigned at = i > 0 ? i - 1 : 0;
		uint64_t t0 = cpu_ns();
		write_all(bench, false);
		uint64_t t1 = cpu_ns();
		write_all(bench, true);
		uint64_t t2 = cpu_ns();
		plain_bytes = write_plain(bench);
		uint64_t t3 = cpu_ns();
		sink += read_all(bench, true);
		uint64_t t4 = cpu_ns();
		sink += read_all(bench, false);
		uint64_t t5 = cpu_ns();
		double events = (double)bench->events;
		encode[at] = (double)(t1 - t0) / events;
		writer[at] = (double)(t2 - t1) / (double)(t3 - t2);
		decode[at] = (double)(t4 - t3) / events;
		reader[at] = (double)(t4 - t3) / (double)(t5 - t4);
	}
	double events = (double)bench->events;
	print("S7 writer", median(writer, rounds), "ratio", 0.25, 0.8, 0.35);
	print("B1 size", (double)bench->file_bytes / events, "bytes/event", 4.7, 9.0, 5.5);
	print("A2c decoder", median(reader, rounds), "ratio", 1.0, 2.5, 1.5);
	printf("# encode %.1f ns/event, unpack and decode %.1f ns/event\n", median(encode, rounds),
		median(decode, rounds));
	printf("# structs of 48 bytes %.2f bytes/event; entropy of the jitter %.2f bytes/event\n",
		(double)plain_bytes / events, bench->noise_bits / 8 / events);
}

static int run_once(struct bench *bench, const char *part)
{
	if (strcmp(part, "none") == 0)
		return 0;
	if (strcmp(part, "plain") == 0)
		return write_plain(bench) == 0;
	write_all(bench, strcmp(part, "encode") != 0);
	if (strcmp(part, "decode") == 0)
		return read_all(bench, true) == 0;
	if (strcmp(part, "columns") == 0)
		return read_all(bench, false) == 0;
	return strcmp(part, "encode") != 0 && strcmp(part, "write") != 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"events", 1, NULL, 'e'}, {"once", 1, NULL, 'o'}, {0}};
	struct bench bench = {0};
	uint64_t events = 1000000;
	const char *once = NULL, *rounds_text = getenv("BENCH_ROUNDS");
	unsigned rounds = rounds_text != NULL ? (unsigned)strtoul(rounds_text, NULL, 10) : 11;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 'e')
			events = strtoull(optarg, NULL, 10);
		else if (option == 'o')
			once = optarg;
		else
			return 2;
	}
	if (events == 0 || events > 100000000 || rounds == 0 || rounds > ROUNDS_LIMIT) {
		fputs("usage: bench_codec [--events N] [--once PART]\n"
		      "PART: none, encode, write, plain, decode, columns\n",
			stderr);
		return 2;
	}
	init(&bench, events);
	if (once != NULL)
		return run_once(&bench, once);
	run_rounds(&bench, rounds);
	return 0;
}
