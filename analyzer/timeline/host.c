/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/host.h"

#include <errno.h>
#include <string.h>

/* An operator around more pieces than this leaves its gaps as they are. */
#define COVER_LIMIT 64u

void host_init(struct host *host, uint64_t join_ns)
{
	*host = (struct host){.join_ns = join_ns};
}

void host_release(struct host *host)
{
	queue_release(&host->pieces);
	*host = (struct host){0};
}

static int append(struct host *host, struct piece piece)
{
	struct piece *last = host->pieces.count > host->closed
				     ? &host->pieces.items[host->pieces.count - 1]
				     : NULL;
	if (piece.end <= piece.begin)
		return 0;
	if (last != NULL && last->kind == PIECE_LAUNCH && piece.kind == PIECE_LAUNCH &&
		piece.begin - last->end <= host->join_ns) {
		last->end = piece.end;
		return 0;
	}
	return queue_push(&host->pieces, piece);
}

/* replaces: pieces inside of it are part of it, whatever they are. */
static int add(struct host *host, struct piece piece, bool replaces)
{
	if (piece.begin < host->floor_ns)
		piece.begin = host->floor_ns;
	while (host->pieces.count > host->closed) {
		struct piece *last = &host->pieces.items[host->pieces.count - 1];
		if (last->end <= piece.begin)
			break;
		if (last->begin < piece.begin) {
			if (replaces)
				last->end = piece.begin;
			else
				piece.begin = last->end;
			break;
		}
		if (!replaces && last->kind != PIECE_INPUT) {
			piece.begin = last->end;
			break;
		}
		host->pieces.count--;
	}
	return append(host, piece);
}

int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot)
{
	/* calls only ever contain waits for input; a loader's range contains anything */
	return add(host, (struct piece){begin, end, spot, kind}, kind == PIECE_INPUT);
}

int host_add_around(
	struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot)
{
	return add(host, (struct piece){begin, end, spot, kind}, true);
}

/* Index of the first piece that begins at or after begin, seen from the end of the list. */
static size_t first_inside(const struct host *host, uint64_t begin)
{
	size_t at = host->pieces.count;
	while (at > host->closed && host->pieces.items[at - 1].begin >= begin)
		at--;
	return at;
}

int host_cover(struct host *host, uint64_t begin, uint64_t end)
{
	if (begin < host->floor_ns)
		begin = host->floor_ns;
	size_t first = first_inside(host, begin);
	size_t inside = host->pieces.count - first;
	if (first > host->closed && host->pieces.items[first - 1].end > begin)
		begin = host->pieces.items[first - 1].end;
	struct piece one = inside == 1 ? host->pieces.items[first] : (struct piece){0};
	if (inside == 0 && end <= begin)
		return 0;
	if (inside == 0 || (inside == 1 && one.kind == PIECE_LAUNCH)) {
		host->pieces.count = first;
		uint64_t until = inside == 1 && one.end > end ? one.end : end;
		return append(
			host, (struct piece){.begin = begin, .end = until, .kind = PIECE_LAUNCH});
	}
	struct piece copy[COVER_LIMIT];
	if (inside > COVER_LIMIT)
		return 0;
	memcpy(copy, &host->pieces.items[first], inside * sizeof(*copy));
	host->pieces.count = first;
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
	while (at < host->pieces.count && host->pieces.items[at].end <= ns)
		at++;
	if (at < host->pieces.count && host->pieces.items[at].begin < ns) {
		if (queue_reserve(&host->pieces, 1) < 0)
			return -ENOMEM;
		struct piece *piece = &host->pieces.items[at];
		memmove(piece + 1, piece, (host->pieces.count - at) * sizeof(*piece));
		host->pieces.count++;
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
	queue_drop(&host->pieces, gone);
	host->closed -= gone;
	host->dropped += gone;
}
