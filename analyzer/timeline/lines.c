/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/lines.h"

#include <errno.h>
#include <string.h>

/* So many steps elsewhere make another thread the owner, where one has stepped for long. */
#define TRUST_LIMIT 8u

void lines_init(struct lines *lines, uint64_t join_ns)
{
	*lines = (struct lines){.join_ns = join_ns};
	host_init(&lines->merged, join_ns, 0);
}

void lines_release(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		host_release(&lines->items[i].host);
	host_release(&lines->merged);
	lines->count = 0;
}

/* The line that has been silent for longest, with nothing left to account for; or NULL. */
static struct line *most_silent(struct lines *lines)
{
	struct line *found = NULL;
	for (uint32_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->items[i];
		bool idle = line->host.pieces.count == 0 && line->host.code_until_ns == 0;
		if (idle && line != lines->owner &&
			(found == NULL || line->last_ns < found->last_ns))
			found = line;
	}
	return found;
}

struct line *lines_take(struct lines *lines, struct line **holder, uint64_t floor_ns)
{
	struct line *line =
		lines->count < LINES_LIMIT ? &lines->items[lines->count++] : most_silent(lines);
	if (line == NULL)
		return NULL;
	if (line->holder != NULL)
		*line->holder = NULL;
	host_release(&line->host);
	*line = (struct line){.holder = holder, .last_ns = floor_ns};
	host_init(&line->host, lines->join_ns, floor_ns);
	return *holder = line;
}

void lines_step(struct lines *lines, struct line *line)
{
	line->steps = true;
	line->turns = false;
	if (line == lines->owner) {
		lines->trust += lines->trust < TRUST_LIMIT;
	} else if (lines->trust > 0) {
		lines->trust--;
	} else {
		lines->owner = line;
		lines->trust = 1;
	}
}

bool lines_is_told(const struct lines *lines, uint64_t ns)
{
	return lines->owner == NULL || lines->owner->last_ns >= ns;
}

/* The line has pieces before ns. */
static bool is_heard(const struct host *host, uint64_t ns)
{
	return host->pieces.count > 0 && host->pieces.items[0].begin < ns;
}

/* So many pieces beyond are looked at by who asks what comes after a pause. */
#define AHEAD 16u

/* Make line a copy of the owner's up to ns, and some pieces beyond. */
static int copy_owner(struct host *line, const struct host *owner, uint64_t ns)
{
	size_t count = 0, beyond = 0;
	for (; count < owner->pieces.count && beyond < AHEAD; count++)
		beyond += owner->pieces.items[count].begin >= ns;
	line->pieces.count = 0;
	line->pieces.items = line->pieces.store;
	if (queue_reserve(&line->pieces, count) < 0)
		return -ENOMEM;
	if (count > 0)
		memcpy(line->pieces.items, owner->pieces.items,
			count * sizeof(*line->pieces.items));
	line->pieces.count = count;
	return 0;
}

/* Work, or a wait for the device: not for data of its own or for anybody else. */
static bool is_active(const struct piece *piece)
{
	return piece->kind != PIECE_INPUT && piece->kind != PIECE_STALL;
}

/* What blocks whoever has the turn blocks the owner, too, unless another thread is waited for. */
static bool is_of_turn(const struct piece *piece)
{
	return is_active(piece) || (piece->kind == PIECE_STALL && piece->yields == YIELDS_NOT);
}

/* Where a helper's pieces are taken from, and where they go; some beyond ns are enough. */
struct lay {
	struct host *line;
	const struct host *helper;
	uint64_t ns;
	size_t at; /* of the helper */
	bool turns;
	bool hands; /* only the data that it takes for the owner, else only what it works */
};

static int put(struct host *line, struct piece piece)
{
	return piece.end > piece.begin ? queue_push(&line->pieces, piece) : 0;
}

/* It has begun to work in there: a pause of Python's, or what it ends with, is no turn of its. */
static bool has_turn(const struct lay *lay, uint64_t begin, uint64_t end)
{
	const struct piece *items = lay->helper->pieces.items;
	size_t count = lay->helper->pieces.count;
	for (size_t at = lay->at; at < count && items[at].begin < end; at++)
		if (items[at].begin >= begin && is_active(&items[at]) &&
			items[at].kind != PIECE_GC && items[at].kind != PIECE_GIL)
			return lay->turns;
	return false;
}

/*
 * The helper's work from begin to end, in which the owner has nothing or waits (under). What is
 * left of the wait stays, unless it is for the helper's turn.
 */
static int fill(struct lay *lay, uint64_t begin, uint64_t end, const struct piece *under)
{
	const struct piece *items = lay->helper->pieces.items;
	size_t count = lay->helper->pieces.count, beyond = 0;
	struct piece rest = under != NULL ? *under : (struct piece){0};
	int err = 0;
	while (lay->at < count && items[lay->at].end <= begin)
		lay->at++;
	bool turn = under == NULL || (under->yields != YIELDS_LOCK && has_turn(lay, begin, end));
	for (size_t at = lay->at; at < count && items[at].begin < end && err == 0; at++) {
		struct piece piece = items[at];
		beyond += piece.begin >= lay->ns;
		if (beyond > AHEAD)
			break;
		bool wanted = under != NULL && turn ? is_of_turn(&piece) : is_active(&piece);
		if (lay->hands ? piece.hands == 0 : !wanted)
			continue;
		piece.begin = piece.begin < begin ? begin : piece.begin;
		piece.end = piece.end > end ? end : piece.end;
		if (under != NULL && turn && under->first_place != 0)
			piece.first_place = piece.last_place = under->first_place;
		rest.begin = begin;
		rest.end = piece.begin;
		if (!turn)
			err = put(lay->line, rest);
		if (err == 0)
			err = put(lay->line, piece);
		begin = piece.end;
	}
	rest.begin = begin;
	rest.end = end;
	return err < 0 || turn ? err : put(lay->line, rest);
}

/* Lay helper, which may take turns with the owner, over the line up to ns. */
static int lay_over(
	struct host *line, const struct host *helper, bool turns, bool hands, uint64_t ns)
{
	struct lay lay = {.line = line, .helper = helper, .ns = ns, .turns = turns, .hands = hands};
	size_t count = line->pieces.count;
	struct piece *owner = malloc((count + 1) * sizeof(*owner));
	uint64_t from_ns = 0;
	int err = 0;
	if (owner == NULL)
		return -ENOMEM;
	if (count > 0)
		memcpy(owner, line->pieces.items, count * sizeof(*owner));
	line->pieces.count = 0;
	for (size_t i = 0; i < count && err == 0; i++) {
		uint64_t until_ns = owner[i].begin < ns ? owner[i].begin : ns;
		if (turns && from_ns < until_ns)
			err = fill(&lay, from_ns, until_ns, NULL);
		if (err == 0)
			err = owner[i].yields ? fill(&lay, owner[i].begin, owner[i].end, &owner[i])
					      : put(line, owner[i]);
		from_ns = owner[i].end;
	}
	if (turns && err == 0 && from_ns < ns)
		err = fill(&lay, from_ns, ns, NULL);
	free(owner);
	return err;
}

/* The first line from this one on that is not the owner's and has something to lay over it. */
static struct line *next_other(struct lines *lines, struct line *line, uint64_t ns)
{
	struct line *end = lines->items + lines->count;
	while (line < end && (line == lines->owner || !is_heard(&line->host, ns)))
		line++;
	return line < end ? line : NULL;
}

const struct host *lines_until(struct lines *lines, uint64_t ns)
{
	static const struct host nobody;
	const struct host *owner = lines->owner != NULL ? &lines->owner->host : &nobody;
	for (uint32_t i = 0; i < lines->count; i++)
		if (host_settle(&lines->items[i].host) < 0)
			return owner;
	struct line *other = next_other(lines, lines->items, ns);
	if (lines->owner != NULL && other == NULL)
		return owner;
	if (copy_owner(&lines->merged, owner, ns) < 0)
		return owner;
	for (struct line *hand = lines->hands ? other : NULL; hand != NULL;
		hand = next_other(lines, hand + 1, ns))
		if (lay_over(&lines->merged, &hand->host, false, true, ns) < 0)
			return owner;
	for (; other != NULL; other = next_other(lines, other + 1, ns)) {
		bool turns = lines->owner == NULL || other->turns;
		if (lay_over(&lines->merged, &other->host, turns, false, ns) < 0)
			return owner;
	}
	return &lines->merged;
}

void lines_drop(struct lines *lines, uint64_t ns)
{
	for (uint32_t i = 0; i < lines->count; i++)
		host_drop(&lines->items[i].host, ns);
}

size_t lines_pieces(const struct lines *lines)
{
	size_t count = 0;
	for (uint32_t i = 0; i < lines->count; i++)
		count += lines->items[i].host.pieces.count;
	return count;
}
