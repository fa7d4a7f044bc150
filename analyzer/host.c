/* SPDX-License-Identifier: MIT */
#include "analyzer/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/vec.h"

/* An operator around more pieces than this leaves its gaps as they are. */
#define COVER_LIMIT 64u

int host_init(struct host *host, uint64_t join_ns)
{
	*host = (struct host){.capacity = 1024, .join_ns = join_ns};
	host->pieces = malloc(host->capacity * sizeof(*host->pieces));
	return host->pieces != NULL ? 0 : -ENOMEM;
}

void host_release(struct host *host)
{
	free(host->pieces);
	*host = (struct host){0};
}

static int append(struct host *host, struct piece piece)
{
	struct piece *last = host->count > 0 ? &host->pieces[host->count - 1] : NULL;
	if (piece.end <= piece.begin)
		return 0;
	if (last != NULL && last->kind == PIECE_LAUNCH && piece.kind == PIECE_LAUNCH &&
		piece.begin - last->end <= host->join_ns) {
		last->end = piece.end;
		return 0;
	}
	if (host->count == host->capacity) {
		struct piece *grown = vec_grow(
			host->pieces, &host->capacity, host->count + 1, sizeof(*host->pieces));
		if (grown == NULL)
			return -ENOMEM;
		host->pieces = grown;
	}
	host->pieces[host->count++] = piece;
	return 0;
}

int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot)
{
	struct piece piece = {.begin = begin, .end = end, .spot = spot, .kind = kind};
	if (piece.begin < host->floor_ns)
		piece.begin = host->floor_ns;
	/* calls only ever contain waits for input; a loader's range contains anything */
	while (host->count > 0) {
		struct piece *last = &host->pieces[host->count - 1];
		if (last->end <= piece.begin)
			break;
		if (last->begin < piece.begin) {
			if (kind == PIECE_INPUT)
				last->end = piece.begin;
			else
				piece.begin = last->end;
			break;
		}
		if (kind != PIECE_INPUT && last->kind != PIECE_INPUT) {
			piece.begin = last->end;
			break;
		}
		host->count--;
	}
	return append(host, piece);
}

/* Index of the first piece that begins at or after begin, seen from the end of the list. */
static size_t first_inside(const struct host *host, uint64_t begin)
{
	size_t at = host->count;
	while (at > 0 && host->pieces[at - 1].begin >= begin)
		at--;
	return at;
}

int host_cover(struct host *host, uint64_t begin, uint64_t end)
{
	if (begin < host->floor_ns)
		begin = host->floor_ns;
	size_t first = first_inside(host, begin);
	size_t inside = host->count - first;
	if (first > 0 && host->pieces[first - 1].end > begin)
		begin = host->pieces[first - 1].end;
	struct piece one = inside == 1 ? host->pieces[first] : (struct piece){0};
	if (inside == 0 && end <= begin)
		return 0;
	if (inside == 0 || (inside == 1 && one.kind == PIECE_LAUNCH)) {
		host->count = first;
		uint64_t until = inside == 1 && one.end > end ? one.end : end;
		return append(
			host, (struct piece){.begin = begin, .end = until, .kind = PIECE_LAUNCH});
	}
	struct piece copy[COVER_LIMIT];
	if (inside > COVER_LIMIT)
		return 0;
	memcpy(copy, &host->pieces[first], inside * sizeof(*copy));
	host->count = first;
	int err = 0;
	for (size_t i = 0; i < inside && err == 0; i++) {
		if (copy[i].begin > begin)
			err = append(host, (struct piece){.begin = begin,
						   .end = copy[i].begin,
						   .kind = PIECE_LAUNCH});
		if (err == 0)
			err = append(host, copy[i]);
		begin = copy[i].end;
	}
	if (err < 0)
		return err;
	if (end <= begin)
		return 0;
	return append(host, (struct piece){.begin = begin, .end = end, .kind = PIECE_LAUNCH});
}

void host_drop(struct host *host, uint64_t ns)
{
	size_t gone = 0;
	while (gone < host->count && host->pieces[gone].end <= ns)
		gone++;
	memmove(host->pieces, host->pieces + gone, (host->count - gone) * sizeof(*host->pieces));
	host->count -= gone;
	if (host->count > 0 && host->pieces[0].begin < ns)
		host->pieces[0].begin = ns;
	if (ns > host->floor_ns)
		host->floor_ns = ns;
}
