/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/period.h"

#include <string.h>

#define REPEATS_MIN  3u   /* that many periods must be there */
#define MATCH_MIN    0.6  /* less is no period */
#define MATCH_NEAR   0.98 /* a shorter period may be that much worse than the best */
#define RARE_SHARE   0.05 /* what happens now and then is at most this much of a period */
#define DISTINCT_MIN 3u   /* a step has at least that many different calls ... */
#define SAMPLES      256u /* tokens compared before all are */
#define SAMPLE_ERROR 0.15
#define AT_ONCE      16u   /* tokens compared before it is seen whether that is enough */
#define DOUBT_TOKENS 2048u /* are looked at where nothing but a doubt can come of it */
#define SHORT_PERIOD 8u    /* ... before a longer period is split */

/* The match of a lag, or 0 when it is below limit. */
static double match_at(
	const uint64_t *tokens, uint32_t count, uint32_t lag, uint32_t stride, double limit)
{
	uint32_t pairs = (count - lag + stride - 1) / stride, unequal = 0, left = pairs;
	for (; left >= AT_ONCE; left -= AT_ONCE) {
#pragma GCC unroll 16
		for (uint32_t i = 0; i < AT_ONCE; i++, tokens += stride)
			unequal += tokens[0] != tokens[lag];
		if ((double)(pairs - unequal) / pairs < limit)
			return 0;
	}
	for (; left > 0; left--, tokens += stride)
		unequal += tokens[0] != tokens[lag];
	if ((double)(pairs - unequal) / pairs < limit)
		return 0;
	return (double)(pairs - unequal) / pairs;
}

/* The match of a lag, or less when a few samples show that it is worse than limit. */
static double match_above(const uint64_t *tokens, uint32_t count, uint32_t lag, double limit)
{
	uint32_t stride = count / SAMPLES + 1;
	double least = limit - SAMPLE_ERROR;
	if (stride > 1 && match_at(tokens, count, lag, stride, least) < least)
		return 0;
	return match_at(tokens, count, lag, 1, limit);
}

static uint32_t occurrences(const uint64_t *tokens, uint32_t count, uint64_t token)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; i++)
		found += tokens[i] == token;
	return found;
}

/* So many different calls are there, or more; a loop of one kernel makes this the dear part. */
static bool has_distinct(const uint64_t *tokens, uint32_t count)
{
	uint64_t seen[DISTINCT_MIN];
	uint32_t found = 0;
	for (uint32_t i = 0; i < count && found < DISTINCT_MIN; i++)
		if (found == 0 || occurrences(seen, found, tokens[i]) == 0)
			seen[found++] = tokens[i];
	return found == DISTINCT_MIN;
}

/*
 * A period that is followed by an equal one, the last such: set-up and farewell are not typical.
 * NULL: there is none.
 */
static const uint64_t *repeated_block(const uint64_t *tokens, uint32_t count, uint32_t length)
{
	for (uint32_t at = count - 2 * length; at > 0; at--)
		if (memcmp(tokens + at, tokens + at + length, length * sizeof(*tokens)) == 0)
			return tokens + at;
	return NULL;
}

static const uint64_t *typical_block(const uint64_t *tokens, uint32_t count, uint32_t length)
{
	const uint64_t *block = repeated_block(tokens, count, length);
	return block != NULL ? block : tokens + count - 2 * length;
}

/*
 * Some kernels launched in turn may be anything: a step has different ones, or waits, copies or
 * frees memory.
 */
static bool is_step(const uint64_t *tokens, uint32_t count, uint32_t lag)
{
	const uint64_t *block = repeated_block(tokens, count, lag);
	for (uint32_t i = 0; i < lag && block != NULL; i++)
		if ((block[i] & TOKEN_RANK_MASK) != TOKEN_LAUNCH)
			return true;
	return block != NULL && has_distinct(block, lag);
}

/* The shortest lag that is about as good as the best one, of a step if there is one; 0: none. */
static uint32_t best_lag(const uint64_t *tokens, uint32_t count, double *ret_match)
{
	double best = 0;
	uint32_t last = count / REPEATS_MIN;
	for (uint32_t lag = 1; lag <= last && best < 1; lag++) {
		double match = match_above(tokens, count, lag, best > MATCH_MIN ? best : MATCH_MIN);
		if (match > best)
			best = match;
	}
	if (best < MATCH_MIN)
		return 0;
	uint32_t shortest = 0;
	double shortest_match = 0;
	for (uint32_t lag = 1; lag <= last; lag++) {
		*ret_match = match_above(tokens, count, lag, MATCH_NEAR * best);
		if (*ret_match < MATCH_NEAR * best)
			continue;
		if (is_step(tokens, count, lag))
			return lag;
		if (shortest == 0) {
			shortest = lag;
			shortest_match = *ret_match;
		}
	}
	*ret_match = shortest_match;
	return shortest;
}

/*
 * The token of a period that marks its end best: once in it, of the highest rank, the last such. It
 * is in most of the others, too: a copy of another size each time ends none of them.
 */
static uint64_t find_anchor(
	const uint64_t *tokens, uint32_t count, const uint64_t *block, uint32_t length)
{
	uint64_t anchor = 0;
	/* counting is slow, so only for what is better than what comes later */
	for (uint32_t i = length; i-- > 0;)
		if ((anchor == 0 || (block[i] & TOKEN_RANK_MASK) > (anchor & TOKEN_RANK_MASK)) &&
			occurrences(block, length, block[i]) == 1 &&
			2 * occurrences(tokens, count, block[i]) >= count / length)
			anchor = block[i];
	return anchor;
}

/* How far apart the block's tokens of this kind are, the first behind the last as well; or 0. */
static uint32_t even_distance(const uint64_t *block, uint32_t length, uint32_t first)
{
	uint32_t distance = 0, last = first;
	for (uint32_t i = first + 1; i <= first + length; i++) {
		if (block[i % length] != block[first])
			continue;
		if (distance != 0 && i - last != distance)
			return 0;
		distance = i - last;
		last = i;
	}
	return distance;
}

/*
 * The host waits several times in a period, at even distances, and what is between two of these
 * waits is alike but for what is rare: each is a step, of which some have a variant of a kernel.
 */
static bool divide(const uint64_t *tokens, uint32_t count, struct period *period)
{
	const uint64_t *block = typical_block(tokens, count, period->length);
	for (uint32_t i = 0; i < period->length; i++) {
		uint32_t lag = (block[i] & TOKEN_RANK_MASK) == TOKEN_LAUNCH
				       ? 0
				       : even_distance(block, period->length, i);
		if (lag == 0 || lag == period->length || !has_distinct(block, lag))
			continue;
		double match = match_at(tokens, count, lag, 1, 1 - RARE_SHARE);
		if (match == 0)
			continue;
		*period = (struct period){.length = lag, .anchor = block[i], .match = match};
		return true;
	}
	return false;
}

/*
 * The period without what comes once in the long one; false: keep the long one. That is in doubt
 * where what comes once may be what a step begins with, or what is done now and then.
 */
static bool split(const uint64_t *tokens, uint32_t count, struct period *period)
{
	uint64_t rest[PERIOD_TOKENS] = {0};
	const uint64_t *block = typical_block(tokens, count, period->length);
	uint32_t rare = 0, kept = 0;
	bool reads = true;
	/* what is done now and then is reading a result */
	for (uint32_t i = 0; i < period->length; i++) {
		if (occurrences(block, period->length, block[i]) != 1)
			continue;
		uint64_t rank = block[i] & TOKEN_RANK_MASK;
		reads = reads && (rank == TOKEN_READ || rank == TOKEN_SYNC);
		if (++rare > RARE_SHARE * period->length ||
			(!reads && period->length > DOUBT_TOKENS / REPEATS_MIN))
			return false;
	}
	if (rare == 0)
		return false;
	uint32_t from = reads || count <= DOUBT_TOKENS ? 0 : count - DOUBT_TOKENS;
	for (uint32_t i = from; i < count; i++)
		if (occurrences(block, period->length, tokens[i]) > 1)
			rest[kept++] = tokens[i];
	double match;
	uint32_t lag = best_lag(rest, kept, &match);
	if (lag == 0 || match < MATCH_NEAR || lag > period->length / 2 ||
		!has_distinct(typical_block(rest, kept, lag), lag))
		return false;
	if (!reads) {
		period->doubtful = true;
		return false;
	}
	*period = (struct period){.length = lag,
		.anchor = find_anchor(rest, kept, typical_block(rest, kept, lag), lag),
		.match = match};
	return period->anchor != 0;
}

bool period_find(const uint64_t *tokens, uint32_t count, struct period *ret_period)
{
	if (count > PERIOD_TOKENS) {
		tokens += count - PERIOD_TOKENS;
		count = PERIOD_TOKENS;
	}
	struct period period = {0};
	period.length = best_lag(tokens, count, &period.match);
	if (period.length == 0)
		return false;
	struct period shorter = period;
	if (period.length >= SHORT_PERIOD &&
		(divide(tokens, count, &shorter) || split(tokens, count, &shorter))) {
		period = shorter;
	} else {
		const uint64_t *block = typical_block(tokens, count, period.length);
		period.anchor = find_anchor(tokens, count, block, period.length);
		period.doubtful = shorter.doubtful;
	}
	period.doubtful |=
		!is_step(tokens, count, period.length) &&
		!has_distinct(typical_block(tokens, count, period.length), period.length);
	*ret_period = period;
	return true;
}
