/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/vote.h"

/* Counts that differ by less come from a round that has begun. */
#define EQUAL_SHARE 0.9
/* After so many marks of others the elected one does not come any more. */
#define OTHERS_MOST 64u

void vote_count(struct vote *vote, uint64_t key)
{
	uint32_t at = 0;
	while (at < vote->count && vote->marks[at].key != key)
		at++;
	if (at == VOTE_KEYS)
		return;
	if (at == vote->count) {
		vote->marks[at].key = key;
		vote->marks[at].count = 0;
		vote->count++;
	}
	vote->marks[at].count++;
}

void vote_elect(struct vote *vote)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].count > most)
			most = vote->marks[i].count;
	for (uint32_t i = 0; i < vote->count; i++)
		if (vote->marks[i].count + 1 >= most ||
			(double)vote->marks[i].count >= EQUAL_SHARE * (double)most)
			vote->elected = vote->marks[i].key;
	vote->decided = vote->count > 0;
}

bool vote_ends(struct vote *vote, uint64_t key)
{
	if (!vote->decided || (vote->elected != key && ++vote->others > OTHERS_MOST)) {
		vote->elected = key;
		vote->decided = true;
	}
	if (vote->elected != key)
		return false;
	vote->others = 0;
	return true;
}
