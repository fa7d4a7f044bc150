/* SPDX-License-Identifier: MIT */
#include "analyzer/read/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/vec.h"
#include "collector/codec/crc32c.h"

#define RING_HEADER_BYTES  4096u
#define RING_RECORDS_LIMIT (1u << 26)
#define SCALE_TRIES        100
#define NAME_LIMIT         (64u << 10)
#define PLACE_LEAST        offsetof(struct live_place, library_file) /* of the first traces */

struct recover {
	int fd;
	struct live_header
		header; /* as it was when it was opened; scale_generation even if it could be */
	unsigned damaged;
	bool ring_damaged[LIVE_RING_LIMIT]; /* and counted */
	VEC(char) bytes;                    /* the copy of the pending frame, or one chunk */
};

/* Exactly size bytes at offset, or false. */
static bool read_at(const struct recover *recover, uint64_t offset, void *bytes, size_t size)
{
	size_t done = 0;
	if (offset > INT64_MAX - size)
		return false;
	while (done < size) {
		ssize_t count = pread(
			recover->fd, (char *)bytes + done, size - done, (off_t)(offset + done));
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		done += (size_t)count;
	}
	return true;
}

/* Descriptor of a live file, through a pointer file where there is one. -errno; -ESTALE: it leads
 * nowhere. */
static int open_live(const char *path)
{
	char line[sizeof(LIVE_POINTER_TAG) + PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	ssize_t size = pread(fd, line, sizeof(line) - 1, 0);
	size_t tag = strlen(LIVE_POINTER_TAG);
	if (size < (ssize_t)tag || memcmp(line, LIVE_POINTER_TAG, tag) != 0)
		return fd;
	(void)close(fd);
	line[size] = '\0';
	line[strcspn(line, "\n")] = '\0';
	/* it may be years old and /dev/shm is anybody's: no links, and the caller checks pid */
	fd = open(line + tag, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -ESTALE : fd;
}

static int read_header(struct recover *recover)
{
	struct live_header *header = &recover->header;
	for (int i = 0; i < SCALE_TRIES; i++) {
		uint32_t again;
		if (!read_at(recover, 0, header, sizeof(*header)))
			return -ERR_TRUNCATED;
		if (!read_at(recover, offsetof(struct live_header, scale_generation), &again,
			    sizeof(again)))
			return -ERR_TRUNCATED;
		if (again == header->scale_generation && again % 2 == 0)
			break;
	}
	if (header->magic != LIVE_MAGIC)
		return -ERR_NOT_A_TRACE;
	if (header->version > LIVE_VERSION)
		return -ERR_NEWER_VERSION;
	if (header->ring_count > LIVE_RING_LIMIT)
		header->ring_count = LIVE_RING_LIMIT;
	if (header->chunk_count > LIVE_CHUNK_LIMIT)
		header->chunk_count = LIVE_CHUNK_LIMIT;
	return 0;
}

int recover_open(const char *path, uint32_t pid, struct recover **ret_recover)
{
	struct stat status;
	struct recover *recover = calloc(1, sizeof(*recover));
	if (recover == NULL)
		return -ENOMEM;
	recover->fd = open_live(path);
	int err = recover->fd < 0 ? recover->fd : 0;
	if (err == 0 && (fstat(recover->fd, &status) < 0 || !S_ISREG(status.st_mode)))
		err = -ERR_NOT_A_TRACE;
	if (err == 0)
		err = read_header(recover);
	if (err == 0 && pid != 0 && recover->header.pid != pid)
		err = -ERR_NOT_A_TRACE;
	if (err < 0)
		recover_close(recover);
	else
		*ret_recover = recover;
	return err;
}

void recover_close(struct recover *recover)
{
	if (recover == NULL)
		return;
	if (recover->fd >= 0)
		(void)close(recover->fd);
	vec_release(&recover->bytes);
	free(recover);
}

uint32_t recover_pid(const struct recover *recover)
{
	return recover->header.pid;
}

uint32_t recover_sequence(struct recover *recover)
{
	(void)read_at(recover, offsetof(struct live_header, pending_sequence),
		&recover->header.pending_sequence, sizeof(uint32_t));
	return recover->header.pending_sequence;
}

uint64_t recover_ns(const struct recover *recover, uint64_t ticks)
{
	const struct clock_scale *scale = &recover->header.scale;
	return scale->mult == 0 ? ticks : clock_ticks_to_ns(scale, ticks);
}

/* What an entry defines; false when it makes no sense. text: NAME_LIMIT + 1 bytes for the name. */
static bool read_definition(
	const struct live_definition *entry, const char *payload, char *text, struct meta *ret_meta)
{
	if (entry->kind == LIVE_PLACE && entry->bytes >= PLACE_LEAST) {
		struct live_place place = {0};
		memcpy(&place, payload,
			entry->bytes < sizeof(place) ? entry->bytes : sizeof(place));
		*ret_meta = (struct meta){.kind = META_PLACE,
			.u.place = {entry->id, place.address == 0 ? "python" : "native", place.file,
				place.function, place.line, place.user_file, place.user_function,
				place.user_line, place.address, 0, place.library_file,
				place.library_function, place.library_line}};
		return true;
	}
	if (entry->kind == LIVE_STACK && entry->bytes >= sizeof(struct live_stack)) {
		struct live_stack stack;
		memcpy(&stack, payload, sizeof(stack));
		*ret_meta = (struct meta){
			.kind = META_STACK, .u.stack = {entry->id, stack.place, stack.caller}};
		return true;
	}
	size_t size = entry->bytes < NAME_LIMIT ? entry->bytes : NAME_LIMIT;
	memcpy(text, payload, size);
	text[size] = '\0';
	if (entry->kind == LIVE_NAME) {
		*ret_meta = (struct meta){.kind = META_NAME, .u.name = {entry->id, text}};
		return true;
	}
	char *colon = strchr(text, ':');
	if (entry->kind != LIVE_CALL || colon == NULL)
		return false;
	*colon = '\0';
	*ret_meta = (struct meta){.kind = META_CALL, .u.call = {entry->id, colon + 1, text}};
	return true;
}

static int read_chunk(const char *chunk, size_t size, char *text, struct definitions *definitions,
	unsigned *damaged)
{
	size_t at = 0;
	while (at + sizeof(struct live_definition) <= size) {
		struct live_definition entry;
		struct meta meta;
		memcpy(&entry, chunk + at, sizeof(entry));
		at += sizeof(entry);
		if (entry.bytes == 0 || entry.bytes > size - at)
			break;
		int err = 0;
		if (entry.kind != 0 && entry.check != 0 &&
			entry.check != crc32c_part(entry.kind, entry.id, chunk + at, entry.bytes)) {
			++*damaged;
			entry.kind = 0;
		}
		if (entry.kind != 0 && read_definition(&entry, chunk + at, text, &meta))
			err = definitions_add_missing(definitions, &meta);
		if (err == -ENOMEM)
			return err;
		at += ((size_t)entry.bytes + 7) & ~(size_t)7;
	}
	return 0;
}

int recover_definitions(struct recover *recover, struct definitions *definitions)
{
	char *text = malloc(NAME_LIMIT + 1);
	int err = text != NULL && vec_reserve(&recover->bytes, LIVE_CHUNK_BYTES) == 0 ? 0 : -ENOMEM;
	for (unsigned i = 0; i < recover->header.chunk_count && err == 0; i++) {
		uint64_t offset = recover->header.chunk_offset[i];
		if (offset != 0 && read_at(recover, offset, recover->bytes.items, LIVE_CHUNK_BYTES))
			err = read_chunk(recover->bytes.items, LIVE_CHUNK_BYTES, text, definitions,
				&recover->damaged);
	}
	free(text);
	return err;
}

int recover_pending(
	struct recover *recover, uint32_t sequence, const void **ret_bytes, size_t *ret_size)
{
	uint64_t check = 0, size, again;
	const uint64_t at = offsetof(struct live_header, pending_bytes);
	*ret_size = 0;
	if (recover->header.pending_offset == 0 || !read_at(recover, at, &size, sizeof(size)))
		return 0;
	(void)read_at(recover, offsetof(struct live_header, pending_check), &check, sizeof(check));
	/* both are changed for the next one, the checked size first; without checks it is 0 */
	if (check != 0)
		size = check >> 32;
	if (size > CODEC_FRAME_LIMIT)
		size = CODEC_FRAME_LIMIT;
	if (vec_reserve(&recover->bytes, (size_t)size) < 0)
		return -ENOMEM;
	if (!read_at(recover, recover->header.pending_offset, recover->bytes.items, (size_t)size))
		return 0;
	if (recover_sequence(recover) != sequence || !read_at(recover, at, &again, sizeof(again)) ||
		(check == 0 && again < size) || (check != 0 && again == 0 && size != 0))
		return -EAGAIN;
	if (check != 0 && crc32c(0, recover->bytes.items, (size_t)size) != (uint32_t)check) {
		recover->damaged++;
		return 0;
	}
	*ret_bytes = recover->bytes.items;
	*ret_size = (size_t)size;
	return 0;
}

unsigned recover_take_damage(struct recover *recover)
{
	unsigned damaged = recover == NULL ? 0 : recover->damaged;
	if (recover != NULL)
		recover->damaged = 0;
	return damaged;
}

unsigned recover_ring_count(const struct recover *recover)
{
	return recover->header.ring_count;
}

bool recover_ring(struct recover *recover, unsigned index, struct live_ring *ret_ring)
{
	uint64_t offset = recover->header.ring_offset[index];
	if (offset == 0 || !read_at(recover, offset, ret_ring, sizeof(*ret_ring)))
		return false;
	uint64_t capacity = ret_ring->capacity;
	if (ret_ring->check != 0 && ret_ring->check != crc32c_part(index, capacity, NULL, 0)) {
		recover->damaged += !recover->ring_damaged[index];
		recover->ring_damaged[index] = true;
		return false;
	}
	if (capacity == 0 || capacity > RING_RECORDS_LIMIT || (capacity & (capacity - 1)) != 0)
		return false;
	ret_ring->name[sizeof(ret_ring->name) - 1] = '\0';
	return ret_ring->thread != 0 && ret_ring->head >= ret_ring->first_sequence_of_thread;
}

/* Records first to first + count out of the ring, in at most two pieces. */
static bool copy_records(const struct recover *recover, unsigned index, uint64_t capacity,
	uint64_t first, unsigned count, struct record *records)
{
	uint64_t base = recover->header.ring_offset[index] + RING_HEADER_BYTES;
	uint64_t slot = first & (capacity - 1);
	uint64_t part = capacity - slot < count ? capacity - slot : count;
	return read_at(recover, base + slot * sizeof(*records), records, part * sizeof(*records)) &&
	       read_at(recover, base, records + part, (count - part) * sizeof(*records));
}

unsigned recover_records(struct recover *recover, unsigned index, uint64_t from,
	struct record *records, unsigned limit, uint64_t *ret_first)
{
	struct live_ring ring, later;
	if (!recover_ring(recover, index, &ring))
		return 0;
	if (from < ring.first_sequence_of_thread)
		from = ring.first_sequence_of_thread;
	if (ring.head > ring.capacity && from < ring.head - ring.capacity)
		from = ring.head - ring.capacity;
	if (from >= ring.head)
		return 0;
	unsigned count = ring.head - from < limit ? (unsigned)(ring.head - from) : limit;
	if (!copy_records(recover, index, ring.capacity, from, count, records) ||
		!recover_ring(recover, index, &later) || later.thread != ring.thread)
		return 0;
	/* the owner may have come round: the slot it writes now is the one after its head */
	unsigned stale = 0;
	while (stale < count && later.head != ring.head &&
		from + stale + ring.capacity <= later.head)
		stale++;
	memmove(records, records + stale, (count - stale) * sizeof(*records));
	for (unsigned i = 0; i < count - stale; i++) {
		records[i].begin = recover_ns(recover, records[i].begin);
		records[i].end = recover_ns(recover, records[i].end);
	}
	*ret_first = from + stale;
	return count - stale;
}

void recover_unowned(const struct recover *recover, struct live_unowned *ret_unowned)
{
	*ret_unowned = (struct live_unowned){0};
	(void)read_at(
		recover, offsetof(struct live_header, unowned), ret_unowned, sizeof(*ret_unowned));
}
