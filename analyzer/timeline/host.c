/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/vec.h"

/* An operator around more pieces than this leaves its gaps as they are. */
#define COVER_LIMIT 64u

int host_init(struct host *host, uint64_t join_ns)
{
	*host = (struct host){.capacity = 1024, .join_ns = join_ns};
	host->pieces = host->store = malloc(host->capacity * sizeof(*host->store));
	return host->store != NULL ? 0 : -ENOMEM;
}

void host_release(struct host *host)
{
	free(host->store);
	*host = (struct host){0};
}

/* Room for one more: what was dropped makes room, else the store grows. */
static int reserve(struct host *host)
{
	size_t head = (size_t)(host->pieces - host->store);
	if (head + host->count < host->capacity)
		return 0;
	if (head < host->capacity / 2) {
		struct piece *grown = vec_grow(
			host->store, &host->capacity, head + host->count + 1, sizeof(*host->store));
		if (grown == NULL)
			return -ENOMEM;
		host->store = grown;
		host->pieces = grown + head;
		return 0;
	}
	memmove(host->store, host->pieces, host->count * sizeof(*host->pieces));
	host->pieces = host->store;
	return 0;
}

static int append(struct host *host, struct piece piece)
{
	struct piece *last = host->count > host->closed ? &host->pieces[host->count - 1] : NULL;
	if (piece.end <= piece.begin)
		return 0;
	if (last != NULL && last->kind == PIECE_LAUNCH && piece.kind == PIECE_LAUNCH &&
		piece.begin - last->end <= host->join_ns) {
		last->end = piece.end;
		return 0;
	}
	if (reserve(host) < 0)
		return -ENOMEM;
	host->pieces[host->count++] = piece;
	return 0;
}

int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot)
{
	struct piece piece = {.begin = begin, .end = end, .spot = spot, .kind = kind};
	if (piece.begin < host->floor_ns)
		piece.begin = host->floor_ns;
	/* calls only ever contain waits for input; a loader's range contains anything */
	while (host->count > host->closed) {
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
	while (at > host->closed && host->pieces[at - 1].begin >= begin)
		at--;
	return at;
}

int host_cover(struct host *host, uint64_t begin, uint64_t end)
{
	if (begin < host->floor_ns)
		begin = host->floor_ns;
	size_t first = first_inside(host, begin);
	size_t inside = host->count - first;
	if (first > host->closed && host->pieces[first - 1].end > begin)
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

int host_close(struct host *host, uint64_t ns, uint64_t *ret_until)
{
	size_t at = host->closed;
	while (at < host->count && host->pieces[at].end <= ns)
		at++;
	if (at < host->count && host->pieces[at].begin < ns) {
		if (reserve(host) < 0)
			return -ENOMEM;
		struct piece *piece = &host->pieces[at];
		memmove(piece + 1, piece, (host->count - at) * sizeof(*piece));
		host->count++;
		piece[0].end = piece[1].begin = ns;
		at++;
	}
	host->closed = at;
	if (ns > host->floor_ns)
		host->floor_ns = ns;
	*ret_until = host->dropped + at;
	return 0;
}

void host_drop(struct host *host, uint64_t until)
{
	size_t gone = until > host->dropped ? (size_t)(until - host->dropped) : 0;
	if (gone > host->closed)
		gone = host->closed;
	host->pieces += gone;
	host->count -= gone;
	host->closed -= gone;
	host->dropped += gone;
	if (host->count == 0)
		host->pieces = host->store;
}
