/* SPDX-License-Identifier: MIT */
#include "collector/codec/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
/* Memory for a context from elsewhere than malloc(). */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "collector/base/banned.h"
#include "collector/codec/crc32c.h"

#define SKIPPABLE_MAGIC 0x184d2a54u
#define FRAME_MAGIC     0x4352544cu /* "LTRC" */
#define CRC_OFFSET      (FRAME_HEADER_BYTES - 4)
#define LEVEL_LOWEST    (-5)
#define LEVEL_HIGHEST   19

/* Frame_Header_Descriptor of zstd (RFC 8878, 3.1.1.1.1): fifth byte of a frame. */
#define ZSTD_DESCRIPTOR_OFFSET 4
#define ZSTD_HAS_CHECKSUM      (1 << 2)

struct frame_compressor {
	ZSTD_CCtx *context;
};

struct frame_decompressor {
	ZSTD_DCtx *context;
	unsigned char *raw;
	size_t capacity;
};

/* Offsets of the header's fields; FORMAT.md has the same table. */
enum frame_offset {
	AT_SKIPPABLE = 0,
	AT_REST = 4,
	AT_MAGIC = 8,
	AT_VERSION = 12,
	AT_CONTENT = 14,
	AT_SEQUENCE = 16,
	AT_RAW_BYTES = 20,
	AT_COMPRESSED_BYTES = 24,
	AT_EVENTS = 28,
	AT_LOST = 32,
	AT_PID = 36,
	AT_FIRST_NS = 40,
	AT_LAST_NS = 48,
	AT_RESERVED = 56,
};

static void put(unsigned char *header, unsigned offset, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++)
		header[offset + i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *header, unsigned offset, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)header[offset + i] << (8 * i);
	return value;
}

/* Before what is handed out stands how long it is, as far as memory of any kind is aligned. */
#define PAGES_HEAD 64u

static void *take_pages(void *unused, size_t size)
{
	(void)unused;
	void *pages = mmap(NULL, size + PAGES_HEAD, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return NULL;
	size += PAGES_HEAD;
	memcpy(pages, &size, sizeof(size));
	return (char *)pages + PAGES_HEAD;
}

static void give_pages(void *unused, void *given)
{
	(void)unused;
	size_t size;
	if (given == NULL)
		return;
	void *pages = (char *)given - PAGES_HEAD;
	memcpy(&size, pages, sizeof(size));
	(void)munmap(pages, size);
}

struct frame_compressor *frame_compressor_new(int level)
{
	/* free() of much memory on a thread opens a file, for a moment as 0 where that is closed */
	const ZSTD_customMem memory = {.customAlloc = take_pages, .customFree = give_pages};
	struct frame_compressor *compressor = calloc(1, sizeof(*compressor));
	if (compressor == NULL)
		return NULL;
	if (level < LEVEL_LOWEST)
		level = LEVEL_LOWEST;
	if (level > LEVEL_HIGHEST)
		level = LEVEL_HIGHEST;
	compressor->context = ZSTD_createCCtx_advanced(memory);
	if (compressor->context == NULL ||
		ZSTD_isError(ZSTD_CCtx_setParameter(
			compressor->context, ZSTD_c_compressionLevel, level)) ||
		ZSTD_isError(ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_checksumFlag, 1))) {
		frame_compressor_free(compressor);
		return NULL;
	}
	return compressor;
}

void frame_compressor_free(struct frame_compressor *compressor)
{
	if (compressor == NULL)
		return;
	(void)ZSTD_freeCCtx(compressor->context);
	free(compressor);
}

size_t frame_bound(size_t raw_bytes)
{
	return FRAME_HEADER_BYTES + ZSTD_compressBound(raw_bytes);
}

static void put_header(unsigned char *header, const struct frame_info *info)
{
	put(header, AT_SKIPPABLE, 4, SKIPPABLE_MAGIC);
	put(header, AT_REST, 4, FRAME_HEADER_BYTES - 8);
	put(header, AT_MAGIC, 4, FRAME_MAGIC);
	put(header, AT_VERSION, 2, info->version);
	put(header, AT_CONTENT, 2, info->content);
	put(header, AT_SEQUENCE, 4, info->sequence);
	put(header, AT_RAW_BYTES, 4, info->raw_bytes);
	put(header, AT_COMPRESSED_BYTES, 4, info->compressed_bytes);
	put(header, AT_EVENTS, 4, info->events);
	put(header, AT_LOST, 4, info->lost);
	put(header, AT_PID, 4, info->pid);
	put(header, AT_FIRST_NS, 8, info->first_ns);
	put(header, AT_LAST_NS, 8, info->last_ns);
	put(header, AT_RESERVED, 4, 0);
	put(header, CRC_OFFSET, 4, crc32c(0, header, CRC_OFFSET));
}

int frame_pack(struct frame_compressor *compressor, struct frame_info *info, const void *raw,
	size_t raw_bytes, void *out, size_t capacity, size_t *ret_bytes)
{
	if (raw_bytes > FRAME_RAW_LIMIT)
		return -EINVAL;
	if (capacity < FRAME_HEADER_BYTES)
		return -ENOSPC;
	unsigned char *header = out;
	size_t packed = ZSTD_compress2(compressor->context, header + FRAME_HEADER_BYTES,
		capacity - FRAME_HEADER_BYTES, raw, raw_bytes);
	if (ZSTD_isError(packed))
		return capacity < frame_bound(raw_bytes) ? -ENOSPC : -EINVAL;
	info->raw_bytes = (uint32_t)raw_bytes;
	info->compressed_bytes = (uint32_t)packed;
	put_header(header, info);
	*ret_bytes = FRAME_HEADER_BYTES + packed;
	return 0;
}

/* Whether the bytes that are there agree with what every header begins with. */
static bool begins_like_header(const unsigned char *bytes, size_t size)
{
	unsigned char start[AT_VERSION];
	put(start, AT_SKIPPABLE, 4, SKIPPABLE_MAGIC);
	put(start, AT_REST, 4, FRAME_HEADER_BYTES - 8);
	put(start, AT_MAGIC, 4, FRAME_MAGIC);
	return memcmp(bytes, start, size < sizeof(start) ? size : sizeof(start)) == 0;
}

int frame_parse(const void *bytes, size_t size, struct frame_info *ret_info)
{
	const unsigned char *header = bytes;
	if (size > 0 && !begins_like_header(header, size))
		return -ERR_NOT_A_TRACE;
	if (size < FRAME_HEADER_BYTES)
		return -ERR_TRUNCATED;
	if (get(header, CRC_OFFSET, 4) != crc32c(0, header, CRC_OFFSET))
		return -ERR_DAMAGED;
	*ret_info = (struct frame_info){
		.version = (uint16_t)get(header, AT_VERSION, 2),
		.content = (uint16_t)get(header, AT_CONTENT, 2),
		.sequence = (uint32_t)get(header, AT_SEQUENCE, 4),
		.raw_bytes = (uint32_t)get(header, AT_RAW_BYTES, 4),
		.compressed_bytes = (uint32_t)get(header, AT_COMPRESSED_BYTES, 4),
		.events = (uint32_t)get(header, AT_EVENTS, 4),
		.lost = (uint32_t)get(header, AT_LOST, 4),
		.first_ns = get(header, AT_FIRST_NS, 8),
		.last_ns = get(header, AT_LAST_NS, 8),
		.pid = (uint32_t)get(header, AT_PID, 4),
	};
	if (ret_info->version > FRAME_FORMAT_VERSION)
		return -ERR_NEWER_VERSION;
	if (ret_info->raw_bytes > FRAME_RAW_LIMIT ||
		ret_info->compressed_bytes > ZSTD_compressBound(FRAME_RAW_LIMIT))
		return -ERR_TOO_LARGE;
	return 0;
}

size_t frame_find(const void *bytes, size_t size, size_t from)
{
	const unsigned char *start = bytes;
	struct frame_info info;
	unsigned char first;
	put(&first, 0, 1, SKIPPABLE_MAGIC);
	while (from < size) {
		const unsigned char *at = memchr(start + from, first, size - from);
		if (at == NULL)
			break;
		from = (size_t)(at - start);
		int error = size - from < FRAME_HEADER_BYTES ? -ERR_TRUNCATED
							     : frame_parse(at, size - from, &info);
		if (error == 0 || error == -ERR_NEWER_VERSION)
			return from;
		from++;
	}
	return size;
}

struct frame_decompressor *frame_decompressor_new(void)
{
	struct frame_decompressor *decompressor = calloc(1, sizeof(*decompressor));
	if (decompressor == NULL)
		return NULL;
	decompressor->context = ZSTD_createDCtx();
	if (decompressor->context == NULL) {
		free(decompressor);
		return NULL;
	}
	return decompressor;
}

void frame_decompressor_free(struct frame_decompressor *decompressor)
{
	if (decompressor == NULL)
		return;
	(void)ZSTD_freeDCtx(decompressor->context);
	free(decompressor->raw);
	free(decompressor);
}

static int make_room(struct frame_decompressor *decompressor, size_t size)
{
	if (size <= decompressor->capacity && decompressor->raw != NULL)
		return 0;
	unsigned char *raw = realloc(decompressor->raw, size > 0 ? size : 1);
	if (raw == NULL)
		return -ENOMEM;
	decompressor->raw = raw;
	decompressor->capacity = size;
	return 0;
}

/* A payload without checksum or with another size is not one that a writer made. */
static bool is_own_payload(const struct frame_info *info, const unsigned char *payload, size_t size)
{
	return size == info->compressed_bytes && size > ZSTD_DESCRIPTOR_OFFSET &&
	       ZSTD_getFrameContentSize(payload, size) == info->raw_bytes &&
	       (payload[ZSTD_DESCRIPTOR_OFFSET] & ZSTD_HAS_CHECKSUM) != 0;
}

int frame_unpack(struct frame_decompressor *decompressor, const struct frame_info *info,
	const void *payload, size_t payload_bytes, const void **ret_raw, size_t *ret_raw_bytes)
{
	if (info->raw_bytes > FRAME_RAW_LIMIT)
		return -ERR_TOO_LARGE;
	if (!is_own_payload(info, payload, payload_bytes))
		return -ERR_DAMAGED;
	int error = make_room(decompressor, info->raw_bytes);
	if (error != 0)
		return error;
	size_t size = ZSTD_decompressDCtx(
		decompressor->context, decompressor->raw, info->raw_bytes, payload, payload_bytes);
	if (ZSTD_isError(size) || size != info->raw_bytes)
		return -ERR_DAMAGED;
	*ret_raw = decompressor->raw;
	*ret_raw_bytes = size;
	return 0;
}
