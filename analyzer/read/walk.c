/* SPDX-License-Identifier: MIT */
#include "analyzer/read/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/memory/memory.h"

#define SEARCH_BYTES (1u << 20)

int walk_open_empty(struct walk *walk)
{
	*walk = (struct walk){.fd = -1};
	walk->decompressor = frame_decompressor_new();
	if (walk->decompressor != NULL)
		return 0;
	memory_note(); /* a library's, and not every reader needs its file */
	return -ENOMEM;
}

int walk_open(struct walk *walk, const char *path)
{
	struct stat status = {0};
	int err = walk_open_empty(walk);
	if (err < 0)
		return err;
	walk->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (walk->fd < 0 || fstat(walk->fd, &status) < 0)
		err = -errno;
	else if (S_ISDIR(status.st_mode))
		err = -EISDIR;
	else if (!S_ISREG(status.st_mode))
		err = -ERR_NOT_A_TRACE;
	if (err < 0) {
		walk_close(walk);
		return err;
	}
	walk->limit = (uint64_t)status.st_size;
	(void)posix_fadvise(walk->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

void walk_close(struct walk *walk)
{
	if (walk->fd >= 0)
		(void)close(walk->fd);
	frame_decompressor_free(walk->decompressor);
	vec_release(&walk->bytes);
	*walk = (struct walk){.fd = -1};
}

void walk_extend(struct walk *walk)
{
	walk->limit = walk_size(walk);
}

uint64_t walk_size(const struct walk *walk)
{
	struct stat status;
	return walk->fd >= 0 && fstat(walk->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Up to size bytes at offset into walk->bytes; fewer only at the end of the file. */
static int read_bytes(struct walk *walk, uint64_t offset, size_t size, size_t *ret_size)
{
	if (vec_reserve(&walk->bytes, size) < 0)
		return -ENOMEM;
	size_t done = 0;
	while (done < size && walk->fd >= 0) {
		ssize_t count = pread(
			walk->fd, walk->bytes.items + done, size - done, (off_t)(offset + done));
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			break;
		done += (size_t)count;
	}
	*ret_size = done;
	return 0;
}

int walk_search(struct walk *walk, uint64_t from, uint64_t *ret_offset)
{
	for (;;) {
		size_t size = 0;
		int err = read_bytes(walk, from, SEARCH_BYTES, &size);
		if (err < 0)
			return err;
		size_t found = frame_find(walk->bytes.items, size, 0);
		if (found < size) {
			*ret_offset = from + found;
			return 1;
		}
		if (size < SEARCH_BYTES) {
			*ret_offset = from + size;
			return 0;
		}
		from += size - (FRAME_HEADER_BYTES - 1); /* one may lie across the border */
	}
}

/* Go on at the next valid header, or at the end; what lies between is lost. */
static int resume(struct walk *walk, uint64_t from, int result)
{
	uint64_t next;
	int found = walk_search(walk, from, &next);
	if (found < 0)
		return found;
	walk->bytes_lost = next - walk->begin;
	walk->offset = next;
	return result;
}

/* The file ends inside a frame; unless a later header shows that bytes were taken out of it. */
static int cut_off(struct walk *walk, uint64_t until, bool has_info)
{
	uint64_t next;
	int found = has_info ? walk_search(walk, walk->begin + FRAME_HEADER_BYTES, &next) : 0;
	if (found < 0)
		return found;
	if (found == 1) {
		walk->bytes_lost = next - walk->begin;
		walk->offset = next;
		return WALK_BAD;
	}
	walk->tail_bytes = until - walk->begin;
	walk->tail_has_info = has_info;
	return WALK_END;
}

static int read_payload(struct walk *walk)
{
	size_t size = 0;
	uint64_t payload = walk->begin + FRAME_HEADER_BYTES;
	int err = read_bytes(walk, payload, walk->info.compressed_bytes, &size);
	if (err < 0)
		return err;
	if (size < walk->info.compressed_bytes)
		return cut_off(walk, payload + size, true);
	err = frame_unpack(walk->decompressor, &walk->info, walk->bytes.items, size, &walk->raw,
		&walk->raw_bytes);
	if (err == -ENOMEM)
		return err;
	if (err < 0)
		return resume(walk, payload, WALK_BAD);
	walk->offset = payload + size;
	return WALK_FRAME;
}

int walk_next(struct walk *walk, bool (*unwanted)(const struct frame_info *info, const void *data),
	const void *data)
{
	size_t size = 0;
	walk->begin = walk->offset;
	walk->bytes_lost = walk->tail_bytes = 0;
	walk->tail_has_info = false;
	if (walk->offset >= walk->limit)
		return WALK_END;
	bool kept = walk->kept;
	walk->kept = false;
	if (kept && (unwanted == NULL || !unwanted(&walk->info, data))) {
		walk->offset += FRAME_HEADER_BYTES + walk->info.compressed_bytes;
		return WALK_FRAME;
	}
	int err = read_bytes(walk, walk->offset, FRAME_HEADER_BYTES, &size);
	if (err < 0)
		return err;
	if (size == 0)
		return WALK_END;
	err = frame_parse(walk->bytes.items, size, &walk->info);
	if (err == -ERR_TRUNCATED)
		return cut_off(walk, walk->begin + size, false);
	if (err == -ERR_NEWER_VERSION) {
		walk->offset += FRAME_HEADER_BYTES + walk->info.compressed_bytes;
		return WALK_NEWER;
	}
	if (err < 0)
		return resume(walk, walk->begin + 1, WALK_DAMAGE);
	if (unwanted == NULL || !unwanted(&walk->info, data))
		return read_payload(walk);
	walk->offset += FRAME_HEADER_BYTES + walk->info.compressed_bytes;
	return WALK_SKIPPED;
}

int walk_check_start(struct walk *walk, struct err_at *reterr)
{
	int result = walk_next(walk, NULL, NULL);
	uint64_t first = walk->offset;
	bool has_tail = walk->tail_bytes > 0;
	while (result > WALK_END && result != WALK_FRAME && result != WALK_NEWER)
		result = walk_next(walk, NULL, NULL);
	walk->offset = 0;
	walk->kept = result == WALK_FRAME && walk->begin == 0;
	if (result < 0)
		return err_place(reterr, result, first, "read");
	if (result == WALK_FRAME)
		return 0;
	if (result == WALK_NEWER)
		return err_place(reterr, -ERR_NEWER_VERSION, walk->begin, "frame header");
	if (has_tail || walk->tail_bytes > 0)
		return err_place(reterr, -ERR_TRUNCATED, walk_size(walk), "no whole frame");
	if (walk_size(walk) == 0)
		return err_place(reterr, -ERR_TRUNCATED, 0, "empty file");
	return err_place(reterr, -ERR_NOT_A_TRACE, 0, "frame header");
}
