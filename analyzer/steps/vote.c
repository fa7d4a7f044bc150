/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/vote.h"

#include <string.h>

/* Counts that differ by less come from a round that has begun. */
#define EQUAL_SHARE 0.9
/* After so many marks of others, and half as many as it had, the elected one has gone. */
#define OTHERS_MOST 64u
/* So many marks of one kind without the elected one between them are a stage of their own. */
#define STAGE_FROM 3u

/* Make room where the rarest mark stands, of equals the one that has not come for longest. */
static void forget_rarest(struct vote *vote)
{
	uint32_t rarest = 0;
	for (uint32_t i = 1; i < vote->count; i++)
		if (vote->marks[i].count < vote->marks[rarest].count ||
			(vote->marks[i].count == vote->marks[rarest].count &&
				vote->marks[i].last < vote->marks[rarest].last))
			rarest = i;
	vote->count--;
	memmove(&vote->marks[rarest], &vote->marks[rarest + 1],
		(vote->count - rarest) * sizeof(vote->marks[0]));
}

/* The mark's entry, a new one if there is room; VOTE_KEYS: none. */
static uint32_t find(struct vote *vote, uint64_t key)
{
	uint32_t at = 0;
	while (at < vote->count && vote->marks[at].key != key)
		at++;
	if (at < vote->count || at == VOTE_KEYS)
		return at;
	vote->marks[vote->count++] = (__typeof__(vote->marks[0])){.key = key, .first = vote->seen};
	return at;
}

void vote_count(struct vote *vote, uint64_t key)
{
	uint32_t at = find(vote, key);
	if (at == VOTE_KEYS) {
		forget_rarest(vote);
		at = find(vote, key);
	}
	vote->marks[at].count++;
	vote->marks[at].last = vote->seen++;
}

/* Marks that came first when the first one had gone are of a later stage. */
static bool is_later(const struct vote *vote, uint32_t at)
{
	return vote->staged && vote->marks[0].count >= STAGE_FROM &&
	       vote->marks[at].first > vote->marks[0].last;
}

void vote_rank(struct vote *vote, uint64_t key, int32_t rank)
{
	uint32_t at = find(vote, key);
	if (at < VOTE_KEYS)
		vote->marks[at].rank = rank;
}

/* The highest one of kinds that came more than now and then. */
static int32_t rank_of_all(const struct vote *vote)
{
	int32_t rank = INT32_MIN;
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].count >= STAGE_FROM && vote->marks[i].rank > rank)
			rank = vote->marks[i].rank;
	return rank;
}

void vote_elect(struct vote *vote)
{
	int32_t rank = rank_of_all(vote);
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].count > vote->ends && vote->marks[i].rank >= rank &&
			!is_later(vote, i))
			vote->ends = vote->marks[i].count;
	for (uint32_t i = 0; i < vote->count; i++)
		if (!is_later(vote, i) && vote->marks[i].rank >= rank &&
			(vote->marks[i].count + 1 >= vote->ends ||
				(double)vote->marks[i].count >= EQUAL_SHARE * (double)vote->ends))
			vote->elected = vote->marks[i].key;
	vote->decided = vote->count > 0;
}

/* The mark's entry; where there is no room, that of the one that has not come for longest. */
static uint32_t come(struct vote *vote, uint64_t key)
{
	uint32_t at = find(vote, key), oldest = VOTE_KEYS;
	if (at == VOTE_KEYS) {
		for (uint32_t i = 0; i < VOTE_KEYS; i++)
			if (vote->marks[i].key != vote->elected &&
				(oldest == VOTE_KEYS ||
					vote->marks[i].last < vote->marks[oldest].last))
				oldest = i;
		at = oldest;
		vote->marks[at] = (__typeof__(vote->marks[0])){.key = key};
	}
	vote->marks[at].last = vote->seen++;
	return at;
}

static int32_t rank_of(struct vote *vote, uint64_t key)
{
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].key == key)
			return vote->marks[i].rank;
	return 0;
}

/* The elected one does not come any more, and this is what comes instead. */
static bool takes_over(struct vote *vote, uint64_t key)
{
	uint32_t at = vote->staged ? come(vote, key) : VOTE_KEYS;
	if (at < VOTE_KEYS && ++vote->marks[at].since == STAGE_FROM) {
		vote->missed = STAGE_FROM - 1;
		return true;
	}
	if (rank_of(vote, key) < rank_of(vote, vote->elected))
		return false;
	return ++vote->others > OTHERS_MOST && 2 * vote->others > vote->ends;
}

bool vote_ends(struct vote *vote, uint64_t key)
{
	vote->missed = 0;
	if (!vote->decided || (vote->elected != key && takes_over(vote, key))) {
		vote->elected = key;
		vote->decided = true;
		vote->ends = vote->ended = 0;
	}
	if (vote->elected != key)
		return false;
	vote->others = 0;
	vote->ended++;
	if (vote->ended > vote->ends)
		vote->ends = vote->ended;
	for (uint32_t i = 0; i < vote->count; i++)
		vote->marks[i].since = 0;
	return true;
}
