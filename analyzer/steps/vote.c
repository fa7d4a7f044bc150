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

/* How many in a row there are of what comes now; the row of what came before has ended. */
static void follow(struct vote *vote, uint32_t at)
{
	if (vote->run > 0 && vote->running == vote->marks[at].key) {
		vote->run++;
		return;
	}
	for (uint32_t i = 0; vote->run > 0 && i < vote->count; i++)
		if (vote->marks[i].key == vote->running &&
			(vote->marks[i].shortest == 0 || vote->run < vote->marks[i].shortest))
			vote->marks[i].shortest = vote->run;
	vote->running = vote->marks[at].key;
	vote->run = 1;
}

void vote_count(struct vote *vote, uint64_t key)
{
	uint32_t at = find(vote, key);
	if (at == VOTE_KEYS) {
		forget_rarest(vote);
		at = find(vote, key);
	}
	follow(vote, at);
	if (vote->run > vote->marks[at].run)
		vote->marks[at].run = vote->run;
	vote->marks[at].count++;
	vote->marks[at].thread = vote->thread;
	vote->marks[at].last = vote->seen++;
}

/* Marks that came first when the first one had gone are of a later stage. */
static bool is_later(const struct vote *vote, uint32_t at)
{
	return vote->staged && vote->marks[0].count >= STAGE_FROM &&
	       vote->marks[at].first > vote->marks[0].last;
}

void vote_rank(struct vote *vote, uint64_t key, int32_t rank, uint32_t name)
{
	uint32_t at = find(vote, key);
	if (at == VOTE_KEYS)
		return;
	vote->marks[at].rank = rank;
	vote->marks[at].name = name;
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
	vote->run = 0;
}

uint32_t vote_rival(const struct vote *vote, uint32_t *ret_elected)
{
	uint32_t own = 0, rival = VOTE_KEYS;
	while (own < vote->count && vote->marks[own].key != vote->elected)
		own++;
	if (own == vote->count || vote->marks[own].rank != 0 || vote->marks[own].run < STAGE_FROM)
		return 0;
	for (uint32_t i = 0; i < vote->count; i++)
		if (i != own && vote->marks[i].rank == 0 && vote->marks[i].run >= STAGE_FROM &&
			vote->marks[i].last > vote->marks[own].first &&
			vote->marks[own].last > vote->marks[i].first &&
			(rival == VOTE_KEYS || vote->marks[i].count > vote->marks[rival].count))
			rival = i;
	*ret_elected = vote->marks[own].name;
	return rival < VOTE_KEYS ? vote->marks[rival].name : 0;
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
		vote->marks[at] = (__typeof__(vote->marks[0])){.key = key, .first = vote->seen};
	}
	vote->marks[at].thread = vote->thread;
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

/* Another thread trains meanwhile, which began before the elected one had gone. */
static bool is_beside(const struct vote *vote, uint32_t at)
{
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].key == vote->elected)
			return vote->marks[at].thread != vote->marks[i].thread &&
			       vote->marks[at].thread != 0 && vote->marks[i].thread != 0 &&
			       vote->marks[at].first < vote->marks[i].last;
	return false;
}

/* A mark of a training in stages begins one; vote->missed: so many marks after its first one. */
static bool begins_stage(struct vote *vote, uint64_t key, uint64_t group)
{
	bool fresh = true;
	for (uint32_t i = 0; i < vote->count; i++)
		fresh = fresh && vote->marks[i].key != key;
	bool alone = vote->running == vote->elected && vote->run >= STAGE_FROM;
	uint32_t at = come(vote, key);
	uint32_t in_row =
		vote->marks[at].shortest > 0 ? vote->marks[at].shortest : vote->marks[at].run;
	follow(vote, at);
	if (in_row >= STAGE_FROM || (fresh && alone && group != 0 && group == vote->group)) {
		vote->missed = vote->marks[at].since;
		return true;
	}
	vote->missed = STAGE_FROM - 1;
	return ++vote->marks[at].since == STAGE_FROM && !is_beside(vote, at);
}

/* The elected one does not come any more, and this is what comes instead. */
static bool takes_over(struct vote *vote, uint64_t key, uint64_t group)
{
	if (vote->staged && begins_stage(vote, key, group))
		return true;
	vote->missed = 0;
	if (rank_of(vote, key) < rank_of(vote, vote->elected))
		return false;
	return ++vote->others > OTHERS_MOST && 2 * vote->others > vote->ends;
}

bool vote_ends(struct vote *vote, uint64_t key, uint64_t group)
{
	vote->missed = 0;
	if (vote->staged && (!vote->decided || vote->elected == key))
		follow(vote, come(vote, key));
	if (!vote->decided || (vote->elected != key && takes_over(vote, key, group))) {
		vote->elected = key;
		vote->decided = true;
		vote->ends = vote->ended = 0;
	}
	if (vote->elected != key)
		return false;
	vote->group = group;
	vote->others = 0;
	vote->ended++;
	if (vote->ended > vote->ends)
		vote->ends = vote->ended;
	for (uint32_t i = 0; i < vote->count; i++)
		vote->marks[i].since = 0;
	return true;
}
