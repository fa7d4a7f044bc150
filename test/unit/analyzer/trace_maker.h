/* SPDX-License-Identifier: MIT */
/*
 * Small traces made by hand for tests of the reading side: frames of known events in
 * memory and a file without a name that holds them. Every function is static. Any
 * failure of the equipment aborts the test.
 */
#ifndef TEST_UNIT_TRACE_MAKER_H
#define TEST_UNIT_TRACE_MAKER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/codec/codec.h"
#include "collector/codec/frame.h"

#define MAKER_FRAMES 16
#define MAKER_BYTES  (1u << 20)
#define MAKER_PID    4711u
#define MAKER_BEGIN  1000000u

struct maker {
	uint8_t bytes[MAKER_BYTES];
	size_t size;
	size_t frame_at[MAKER_FRAMES + 1]; /* where each frame begins, then the end */
	unsigned frame_events[MAKER_FRAMES];
	unsigned frames;
	uint32_t sequence; /* of the next frame */
	uint32_t pid;
	uint16_t version;
	uint64_t event; /* events made so far */
	uint8_t raw[CODEC_FRAME_LIMIT];
	struct encoder *encoder;
	struct frame_compressor *compressor;
};

#define MAKER_CHECK(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "trace_maker: " #condition "\n");                          \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static inline struct maker *maker_new(void)
{
	struct maker *maker = calloc(1, sizeof(*maker));
	MAKER_CHECK(maker != NULL);
	maker->encoder = encoder_new(maker->raw, sizeof(maker->raw));
	maker->compressor = frame_compressor_new(1);
	maker->pid = MAKER_PID;
	maker->version = FRAME_FORMAT_VERSION;
	return maker;
}

static inline void maker_free(struct maker *maker)
{
	encoder_free(maker->encoder);
	frame_compressor_free(maker->compressor);
	free(maker);
}

/* Event number n of a run: everything about it follows from n. Thread 1 and 2 in turn. */
static inline struct record maker_record(uint64_t n)
{
	return (struct record){.begin = MAKER_BEGIN + n * 1000,
		.end = MAKER_BEGIN + n * 1000 + 300 + n % 7,
		.kind = RECORD_LAUNCH,
		.call = 1,
		.place = 1 + (uint32_t)(n % 2),
		.name = 1 + (uint32_t)(n % 3),
		.stream = 7,
		.a = 1 + n % 5,
		.b = 256};
}

#include "test/unit/analyzer/trace_maker_meta.h"

/* count events of a thread, numbered from first in its ring and from maker->event in the run. */
static inline void maker_events(
	struct maker *maker, uint32_t thread, uint64_t first, unsigned count)
{
	struct record records[256];
	MAKER_CHECK(count <= 256);
	for (unsigned i = 0; i < count; i++)
		records[i] = maker_record(maker->event++);
	MAKER_CHECK(encoder_add_events(maker->encoder, thread, first, records, count) == 0);
}

/* The frame that the encoder holds, appended to the bytes. */
static inline void maker_frame(struct maker *maker)
{
	size_t size = 0;
	struct frame_info info = {.version = maker->version,
		.content = (uint16_t)encoder_content(maker->encoder),
		.sequence = maker->sequence++,
		.events = (uint32_t)encoder_events(maker->encoder),
		.first_ns = encoder_first_ns(maker->encoder),
		.last_ns = encoder_last_ns(maker->encoder),
		.pid = maker->pid};
	MAKER_CHECK(maker->frames < MAKER_FRAMES);
	MAKER_CHECK(frame_pack(maker->compressor, &info, maker->raw, encoder_size(maker->encoder),
			    maker->bytes + maker->size, MAKER_BYTES - maker->size, &size) == 0);
	maker->frame_at[maker->frames] = maker->size;
	maker->frame_events[maker->frames++] = info.events;
	maker->size += size;
	maker->frame_at[maker->frames] = maker->size;
	encoder_reset(maker->encoder);
}

/*
 * A whole trace: frame 0 with definitions and events, then frames of events, each with per_thread
 * events of both threads; the last one with the end.
 */
static inline struct maker *maker_trace(unsigned frames, unsigned per_thread)
{
	struct maker *maker = maker_new();
	maker_definitions(maker);
	for (unsigned i = 0; i < frames; i++) {
		maker_events(maker, 1, (uint64_t)i * per_thread, per_thread);
		maker_events(maker, 2, (uint64_t)i * per_thread, per_thread);
		if (i + 1 == frames)
			maker_end(maker);
		maker_frame(maker);
	}
	return maker;
}

/* A file without a name with these bytes, and the path by which it can be opened. */
static inline int maker_file(const void *bytes, size_t size, char *path, size_t path_size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	MAKER_CHECK(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
	(void)snprintf(path, path_size, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
