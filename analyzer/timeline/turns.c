/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/turns.h"

#include <errno.h>
#include <string.h>

/* So many pieces beyond are looked at by who asks what comes after a pause. */
#define AHEAD 16u

int turns_begin(struct host *line, const struct host *owner, uint64_t ns)
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

/* Work, or a wait for the device: not for data or for anybody else. */
static bool is_active(const struct piece *piece)
{
	return piece->kind != PIECE_INPUT && piece->kind != PIECE_STALL;
}

/* Where a helper's pieces are taken from, and where they go. */
struct lay {
	struct host *line;
	const struct host *helper;
	size_t at; /* of the helper */
	bool turns;
};

static int put(struct host *line, struct piece piece)
{
	return piece.end > piece.begin ? queue_push(&line->pieces, piece) : 0;
}

/*
 * The helper's work from begin to end, in which the owner has nothing or waits (under). What is
 * left of the wait stays, unless the helper takes turns and worked in it.
 */
static int fill(struct lay *lay, uint64_t begin, uint64_t end, const struct piece *under)
{
	const struct piece *items = lay->helper->pieces.items;
	size_t count = lay->helper->pieces.count, first = lay->line->pieces.count;
	struct piece rest = under != NULL ? *under : (struct piece){0};
	int err = 0;
	while (lay->at < count && items[lay->at].end <= begin)
		lay->at++;
	for (size_t at = lay->at; at < count && items[at].begin < end && err == 0; at++) {
		struct piece piece = items[at];
		if (!is_active(&piece))
			continue;
		piece.begin = piece.begin < begin ? begin : piece.begin;
		piece.end = piece.end > end ? end : piece.end;
		if (under != NULL && lay->turns && under->first_place != 0)
			piece.first_place = piece.last_place = under->first_place;
		rest.begin = begin;
		rest.end = piece.begin;
		if (under != NULL && !lay->turns)
			err = put(lay->line, rest);
		if (err == 0)
			err = put(lay->line, piece);
		begin = piece.end;
	}
	bool worked = lay->line->pieces.count > first;
	rest.begin = begin;
	rest.end = end;
	if (err < 0 || under == NULL || (lay->turns && worked))
		return err;
	return put(lay->line, rest);
}

int turns_lay(struct host *line, const struct host *helper, bool turns, uint64_t ns)
{
	struct lay lay = {.line = line, .helper = helper, .turns = turns};
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
