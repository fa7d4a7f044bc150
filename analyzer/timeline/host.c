/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/host.h"

#include <errno.h>
#include <string.h>

/* An operator around more pieces than this leaves its gaps as they are. */
#define COVER_LIMIT 64u
void host_init(struct host *host, uint64_t join_ns, uint64_t floor_ns)
{
	*host = (struct host){.join_ns = join_ns, .floor_ns = floor_ns};
}

void host_release(struct host *host)
{
	queue_release(&host->pieces);
	*host = (struct host){0};
}

static struct piece *last_of(struct host *host)
{
	return host->pieces.count > 0 ? &host->pieces.items[host->pieces.count - 1] : NULL;
}

static int append(struct host *host, struct piece piece)
{
	struct piece *last = last_of(host);
	if (piece.end <= piece.begin)
		return 0;
	if (last != NULL && last->kind == PIECE_LAUNCH && piece.kind == PIECE_LAUNCH &&
		piece.begin - last->end <= host->join_ns) {
		last->end = piece.end;
		if (last->first_place == 0)
			last->first_place = piece.first_place;
		if (piece.last_place != 0)
			last->last_place = piece.last_place;
		return 0;
	}
	return queue_push(&host->pieces, piece);
}

/* Being blocked inside a call is part of the call. */
static bool gives_way(unsigned kind)
{
	return kind == PIECE_INPUT || kind == PIECE_STALL;
}

/* Goes on inside of it: pauses of Python's in the making of a batch, waits in a finaliser. */
static bool stays_in(enum piece_kind kind, unsigned inside)
{
	if (kind == PIECE_INPUT)
		return inside == PIECE_GC || inside == PIECE_GIL;
	return kind == PIECE_GC && (inside == PIECE_WAIT || inside == PIECE_BLOCKED ||
					   inside == PIECE_COPY || inside == PIECE_GIL);
}

/* Lay piece around the last kept ones, which are inside of it. */
static int lay_around(struct host *host, struct piece piece, size_t kept)
{
	size_t to = host->pieces.count - kept;
	if (queue_reserve(&host->pieces, kept + 1) < 0)
		return -ENOMEM;
	struct piece *items = host->pieces.items, *inside = items + to + kept + 1;
	uint64_t end = piece.end;
	memmove(inside, items + to, kept * sizeof(*items));
	for (size_t i = 0; i <= kept; i++) {
		piece.end = i < kept ? inside[i].begin : end;
		if (piece.end > piece.begin)
			items[to++] = piece;
		if (i == kept)
			break;
		piece.begin = inside[i].end;
		items[to++] = inside[i];
	}
	host->pieces.count = to;
	return 0;
}

/* Nothing else was done meanwhile, whatever was called. */
static int replace(struct host *host, struct piece piece)
{
	struct piece *items = host->pieces.items;
	size_t count = host->pieces.count, first = count, kept = 0;
	while (first > 0 && items[first - 1].end > piece.begin)
		first--;
	if (first < count && items[first].begin < piece.begin) {
		if (stays_in(piece.kind, items[first].kind))
			piece.begin = items[first].end;
		else
			items[first].end = piece.begin;
		first++;
	}
	for (size_t i = first; i < count; i++)
		if (stays_in(piece.kind, items[i].kind))
			items[first + kept++] = items[i];
	host->pieces.count = first + kept;
	return kept == 0 ? append(host, piece) : lay_around(host, piece, kept);
}

/* replaces: pieces inside of it are part of it, but for those that stay. */
static int add(struct host *host, struct piece piece, bool replaces)
{
	if (piece.begin < host->floor_ns)
		piece.begin = host->floor_ns;
	if (replaces)
		return replace(host, piece);
	while (host->pieces.count > 0) {
		struct piece *last = last_of(host);
		if (last->end <= piece.begin)
			break;
		if (last->begin < piece.begin) {
			if (piece.kind == PIECE_STALL)
				last->end = piece.begin;
			else
				piece.begin = last->end;
			break;
		}
		if (!gives_way(last->kind)) {
			piece.begin = last->end;
			break;
		}
		host->pieces.count--;
	}
	return append(host, piece);
}

int host_settle(struct host *host)
{
	struct piece piece = {.begin = host->code_from_ns, .end = host->code_until_ns};
	if (piece.end == 0)
		return 0;
	bool is_long = piece.end - piece.begin > HOST_CODE_PAUSES * host->join_ns;
	host->code_until_ns = 0;
	piece.kind = is_long ? PIECE_HOST : PIECE_LAUNCH;
	return add(host, piece, false);
}

static int settle_and_add(struct host *host, struct piece piece, bool replaces)
{
	int err = host_settle(host);
	return err < 0 ? err : add(host, piece, replaces);
}

int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot,
	uint32_t place)
{
	/* says why the thread did nothing, whatever was called meanwhile */
	bool replaces = kind == PIECE_INPUT || kind == PIECE_GC || kind == PIECE_GIL;
	const struct piece piece = {.begin = begin,
		.end = end,
		.spot = spot,
		.kind = (uint16_t)kind,
		.first_place = place,
		.last_place = place};
	return settle_and_add(host, piece, replaces);
}

int host_add_around(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end,
	uint32_t spot, uint32_t place)
{
	const struct piece piece = {.begin = begin,
		.end = end,
		.spot = spot,
		.kind = (uint16_t)kind,
		.first_place = place,
		.last_place = place};
	return settle_and_add(host, piece, true);
}

int host_code(struct host *host, uint64_t begin, uint64_t end)
{
	if (host_more_code(host, begin, end))
		return 0;
	int err = host_settle(host);
	host->code_from_ns = begin;
	host->code_until_ns = end;
	return err;
}

/* Index of the first piece that begins at or after begin, seen from the end of the list. */
static size_t first_inside(const struct host *host, uint64_t begin)
{
	size_t at = host->pieces.count;
	while (at > 0 && host->pieces.items[at - 1].begin >= begin &&
		host->pieces.count - at <= COVER_LIMIT)
		at--;
	return at;
}

/* Nothing inside is of another kind: the whole of it is one piece. */
static int cover_alone(struct host *host, struct piece whole, size_t first)
{
	const struct piece *items = host->pieces.items;
	if (first < host->pieces.count) {
		const struct piece *last = &items[host->pieces.count - 1];
		if (last->end > whole.end)
			whole.end = last->end;
		if (items[first].first_place != 0)
			whole.first_place = items[first].first_place;
		if (last->last_place != 0)
			whole.last_place = last->last_place;
	}
	host->pieces.count = first;
	return append(host, whole);
}

/* Inside an operator that launches nothing, short ones looked like the beginning of a launch. */
static bool is_same(unsigned kind, unsigned inside)
{
	return inside == kind || (kind == PIECE_HOST && inside == PIECE_LAUNCH);
}

int host_cover(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot,
	uint32_t place)
{
	if (kind == PIECE_HOST && host->code_from_ns >= begin)
		host->code_until_ns = 0;
	int err = host_settle(host);
	struct piece fill = {
		.spot = spot, .kind = (uint16_t)kind, .first_place = place, .last_place = place};
	if (begin < host->floor_ns)
		begin = host->floor_ns;
	size_t first = first_inside(host, begin);
	size_t inside = host->pieces.count - first;
	if (first > 0 && host->pieces.items[first - 1].end > begin)
		begin = host->pieces.items[first - 1].end;
	if (err < 0 || inside > COVER_LIMIT || (inside == 0 && end <= begin))
		return err;
	struct piece copy[COVER_LIMIT];
	bool alone = true;
	for (size_t i = 0; i < inside; i++) {
		copy[i] = host->pieces.items[first + i];
		alone &= is_same(kind, copy[i].kind);
	}
	fill.begin = begin;
	fill.end = end;
	if (alone)
		return cover_alone(host, fill, first);
	host->pieces.count = first;
	for (size_t i = 0; i < inside && err == 0; i++) {
		fill.begin = begin;
		fill.end = copy[i].begin;
		if (fill.end > fill.begin)
			err = append(host, fill);
		if (kind == PIECE_HOST && is_same(kind, copy[i].kind)) {
			copy[i].kind = PIECE_HOST;
			copy[i].spot = spot;
		}
		if (err == 0)
			err = append(host, copy[i]);
		begin = copy[i].end;
	}
	fill.begin = begin;
	fill.end = end;
	return err < 0 || end <= begin ? err : append(host, fill);
}

void host_drop(struct host *host, uint64_t ns)
{
	size_t gone = 0;
	while (gone < host->pieces.count && host->pieces.items[gone].end <= ns)
		gone++;
	queue_drop(&host->pieces, gone);
	if (host->pieces.count > 0 && host->pieces.items[0].begin < ns)
		host->pieces.items[0].begin = ns;
	if (ns > host->floor_ns)
		host->floor_ns = ns;
}
