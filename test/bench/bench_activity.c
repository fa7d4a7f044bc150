/* SPDX-License-Identifier: MIT */
/*
 * Cost of device records in the process: a buffer of CUPTI's is read, its records are encoded and
 * the frame is compressed, against memcpy and zstd -1 of the 48 bytes of each that matter.
 *
 * The buffers hold launches: the call's interval and the kernel, 64 kernels on two streams, gaps
 * and durations that vary. Both sides work on the same launches in interleaved rounds; the figure
 * is the median of the ratios of the rounds, never a time. BENCH_ROUNDS sets their number. For
 * who counts instructions, collect_buffer() and flush_rest() are the work, compress_plain() is what
 * it is held against. The hook has recorded the same calls, unless BENCH_HOOKS is 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "collector/gpu/buffers.h"
#include "collector/gpu/collect.h"
#include "collector/gpu/library.h"

#define LAUNCHES     400000u
#define KERNELS      64u
#define VERSION      27u
#define KERNEL_BYTES 208u
#define CALL_BYTES   40u
#define PAIR_BYTES   (KERNEL_BYTES + CALL_BYTES)
#define ROUNDS_LIMIT 101u
#define BASE_FRAME   (1u << 20)
#define THREAD       1u
#define TID          4711u

struct plain {
	uint64_t begin, duration, stream;
	uint32_t name, correlation, grid, block, thread, kind;
};
_Static_assert(sizeof(struct plain) == 48, "the comparison is with 48 bytes");

static uint8_t *records;     /* as the library fills them */
static struct plain *plain;  /* two for each launch */
static struct record *calls; /* as the hook has them; NULL: it has none */
static char names[KERNELS][160];
static struct gpu_collect collect;
static struct writer writer;
static struct live live;
static struct sink sink;
static uint64_t seed = 88172645463325252ull;

static uint64_t noise(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

static void put(uint8_t *at, size_t offset, uint64_t value, size_t bytes)
{
	memcpy(at + offset, &value, bytes);
}

static void make_launch(unsigned i, uint64_t call_ns, uint64_t begin_ns, uint64_t end_ns)
{
	uint8_t *call = records + (size_t)i * PAIR_BYTES, *kernel = call + CALL_BYTES;
	unsigned which = i % KERNELS, stream = 7 + 6 * (which % 8 == 7), grid = 1 + which * 3;
	uint64_t call_end_ns = call_ns + 2500 + noise(1500);
	put(call, 0, 5, 4);
	put(call, 4, 211, 4);
	put(call, 8, call_ns, 8);
	put(call, 16, call_end_ns, 8);
	put(call, 28, TID, 4);
	put(call, 32, i + 1, 4);
	put(kernel, 0, 10, 4);
	put(kernel, 6, 32, 2);
	put(kernel, 16, begin_ns, 8);
	put(kernel, 24, end_ns, 8);
	put(kernel, 44, 1, 4);
	put(kernel, 48, stream, 4);
	for (unsigned axis = 0; axis < 6; axis++)
		put(kernel, 52 + 4 * axis, axis == 0 ? grid : axis == 3 ? 256 : 1, 4);
	put(kernel, 92, i + 1, 4);
	put(kernel, 104, (uintptr_t)names[which], 8);
	plain[2 * i] = (struct plain){call_ns, call_end_ns - call_ns, 0, 211, i + 1, 0, 0, TID, 5};
	if (calls != NULL)
		calls[i] = (struct record){
			.kind = RECORD_LAUNCH, .begin = call_ns - 150, .end = call_end_ns + 150};
	plain[2 * i + 1] =
		(struct plain){begin_ns, end_ns - begin_ns, stream, which, i + 1, grid, 256, 0, 10};
}

static void make_launches(void)
{
	uint64_t call_ns = 1000000000000ull, free_ns = call_ns;
	records = calloc(LAUNCHES, PAIR_BYTES);
	plain = calloc(2 * LAUNCHES, sizeof(*plain));
	const char *hooks = getenv("BENCH_HOOKS");
	bool has_hooks = hooks == NULL || strcmp(hooks, "0") != 0;
	if (has_hooks)
		calls = calloc(LAUNCHES, sizeof(*calls));
	if (records == NULL || plain == NULL || (has_hooks && calls == NULL))
		exit(4);
	for (unsigned i = 0; i < KERNELS; i++)
		(void)snprintf(names[i], sizeof(names[i]),
			"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_add%uEE"
			"St5arrayIPcLm3EEEEviT0_T1_",
			i);
	for (unsigned i = 0; i < LAUNCHES; i++) {
		uint64_t begin_ns = call_ns + 4000 > free_ns ? call_ns + 4000 : free_ns + 900;
		free_ns = begin_ns + 2000 + 150 * (i % KERNELS) + noise(300);
		make_launch(i, call_ns, begin_ns, free_ns);
		call_ns += 6000 + noise(1000);
	}
}

/* The walk of a library, whose work is not ours. */
static int next_record(uint8_t *buffer, size_t valid, uint8_t **record)
{
	uint32_t kind = 0;
	if (*record != NULL)
		memcpy(&kind, *record, sizeof(kind));
	uint8_t *next =
		*record == NULL ? buffer : *record + (kind == 5 ? CALL_BYTES : KERNEL_BYTES);
	if (next >= buffer + valid)
		return GPU_END_OF_BUFFER;
	*record = next;
	return GPU_OK;
}

static void ready(void)
{
}

static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) uint64_t collect_buffer(
	uint8_t *buffer, size_t size, size_t valid, unsigned first, unsigned count)
{
	uint64_t begin = cpu_ns();
	if (calls != NULL)
		recent_note(writer.recent, THREAD, TID, first, &calls[first], count);
	gpu_buffers_complete(NULL, 0, buffer, size, valid);
	(void)gpu_collect_run(&collect, &writer, 1 + first);
	return cpu_ns() - begin;
}

static __attribute__((noinline)) uint64_t flush_rest(void)
{
	uint64_t begin = cpu_ns();
	(void)writer_flush(&writer, LAUNCHES);
	return cpu_ns() - begin;
}

/* Filling a buffer is the library's work and not counted. */
static uint64_t collect_all(void)
{
	unsigned fit = GPU_BUFFER_BYTES / PAIR_BYTES;
	uint64_t total = 0;
	for (unsigned i = 0; i < LAUNCHES; i += fit) {
		unsigned count = LAUNCHES - i < fit ? LAUNCHES - i : fit;
		uint8_t *buffer;
		size_t size, limit;
		gpu_buffers_request(&buffer, &size, &limit);
		memcpy(buffer, records + (size_t)i * PAIR_BYTES, (size_t)count * PAIR_BYTES);
		total += collect_buffer(buffer, size, (size_t)count * PAIR_BYTES, i, count);
	}
	return total + flush_rest();
}

static __attribute__((noinline)) uint64_t compress_plain(
	ZSTD_CCtx *context, void *frame, void *packed)
{
	size_t bytes = 2 * LAUNCHES * sizeof(*plain);
	uint64_t begin = cpu_ns();
	for (size_t at = 0; at < bytes; at += BASE_FRAME) {
		size_t count = bytes - at < BASE_FRAME ? bytes - at : BASE_FRAME;
		memcpy(frame, (const char *)plain + at, count);
		size_t got = ZSTD_compressCCtx(
			context, packed, ZSTD_compressBound(BASE_FRAME), frame, count, 1);
		if (ZSTD_isError(got))
			exit(4);
	}
	return cpu_ns() - begin;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static int begin(const char *folder)
{
	struct gpu_buffers_options buffers = {.ready = ready, .count = gpu_collect_count};
	struct writer_options options = {.compression = 1, .call_count = 1};
	char path[300];
	gpu_library.cuptiActivityGetNextRecord = next_record;
	gpu_library.version = VERSION;
	(void)snprintf(path, sizeof(path), "%s/bench.msgpack.zst", folder);
	int code = sink_open(&sink, path, &sink_system_calls);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/bench", folder);
	if (code == 0)
		code = live_open(&live, path, LIVE_AUTO);
	if (code == 0)
		code = writer_init(&writer, &live, &sink, &options);
	return code < 0 ? code : gpu_buffers_init(&buffers);
}

int main(int argc, char **argv)
{
	const char *text = getenv("BENCH_ROUNDS");
	unsigned rounds = text != NULL ? (unsigned)strtoul(text, NULL, 10) : 11;
	double ratios[ROUNDS_LIMIT];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	void *frame = malloc(BASE_FRAME), *packed = malloc(ZSTD_compressBound(BASE_FRAME));
	if (argc != 2 || frame == NULL || packed == NULL || begin(argv[1]) < 0)
		return 4;
	make_launches();
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_LIMIT ? ROUNDS_LIMIT : rounds;
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t base = compress_plain(context, frame, packed);
		recent_clear(writer.recent);
		ratios[i] = (double)collect_all() / (double)base;
	}
	live_remove(&live);
	qsort(ratios, rounds, sizeof(ratios[0]), by_value);
	uint64_t expected = 2ull * LAUNCHES * rounds;
	if (collect.reader.counters[GPU_COUNTER_RECORDS] != expected || writer.events != expected)
		return 4;
	printf("ratio %.3f\nbytes %.2f\n", ratios[rounds / 2],
		(double)sink.bytes / (double)expected);
	return 0;
}
