/* SPDX-License-Identifier: MIT */
#include "preload/torch/budget.h"

#include <stdlib.h>
#include <string.h>

#define GUESS      0.3 /* what a step with operators costs more, until it is known */
#define KNOWN_FROM 3u  /* bursts */
#define LEAST      0.1 /* of the share stays for operators, whatever calls cost */
/*
 * Samples see so much of what recording takes in all steps: nothing of what the program loses in
 * the caches, nor of CUPTI's work on its threads. 0.15 to 0.55 of it in the loops of docs/cost.md,
 * of which the least counts: the share is what recording may take, not what it has to.
 */
#define SEEN 0.15
/* Of the steps; always some with and some without, so that the cost is known when it changes. */
#define SHARE_LEAST 0.004
#define SHARE_MOST  0.94
#define SLOWER      2    /* a step that takes so many times what others take is slow */
#define RECENT      512u /* steps: what calls took in earlier ones counts half, then a quarter */
#define LOOK_EVERY  8u /* bursts, once BUDGET_RATIOS are known: what is worked is compared again */

bool budget_parse(const char *text, uint32_t *ret_permille)
{
	char *end;
	if (strcmp(text, "off") == 0) {
		*ret_permille = 0;
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	unsigned long tenths = strtoul(text, &end, 10);
	tenths = tenths > 100 ? 1000 : 10 * tenths;
	if (end[0] == '.' && end[1] >= '0' && end[1] <= '9') {
		tenths += (unsigned long)(end[1] - '0');
		end += 2;
	}
	if (strcmp(end, "%") != 0 || tenths < 1 || tenths > 500)
		return false;
	*ret_permille = (uint32_t)tenths;
	return true;
}

void budget_begin(struct budget *budget, double share, uint64_t seed)
{
	*budget = (struct budget){.share = share,
		.seed = seed | 1,
		.on = true,
		.fresh = true,
		.left = BUDGET_FIRST,
		.cost = -1};
}

/* From 0.5 to 1.5, by chance. */
static double chance(struct budget *budget)
{
	budget->seed ^= budget->seed << 13;
	budget->seed ^= budget->seed >> 7;
	budget->seed ^= budget->seed << 17;
	return 0.5 + (double)(budget->seed >> 11) / (double)(1ull << 53);
}

static uint64_t known(const struct budget_ratios *ratios)
{
	return ratios->count < BUDGET_RATIOS ? ratios->count : BUDGET_RATIOS;
}

/* The median, and by how much it may be off: two standard errors. */
static double median_ratio(const struct budget_ratios *ratios, double *ret_doubt)
{
	double sorted[BUDGET_RATIOS] = {0};
	uint64_t count = known(ratios);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i;
		for (; at > 0 && sorted[at - 1] > ratios->ratios[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = ratios->ratios[i];
	}
	double deviation = (sorted[3 * count / 4] - sorted[count / 4]) / 1.35, root = 1;
	while (root * root < (double)count)
		root += 0.25;
	*ret_doubt = 2 * 1.25 * deviation / root;
	return count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/*
 * So much more of a burst is left in the steps behind it. What may be chance is none, and chance is
 * given more room than elsewhere: while the cost is thought high, bursts are rare and it stays so.
 */
static double left_behind(const struct budget *budget)
{
	double doubt;
	if (known(&budget->left_behind) < BUDGET_RATIOS)
		return 0;
	double ratio = median_ratio(&budget->left_behind, &doubt);
	return ratio > 2 * doubt ? ratio : 0;
}

/*
 * What the processor says, as far as the times leave that open, and nothing below what may be
 * chance: where steps scatter, the first few bursts would make it none.
 */
static double measured(const struct budget *budget)
{
	double by_time_doubt, doubt;
	if (known(&budget->by_time) < KNOWN_FROM)
		return -1;
	double ratio = median_ratio(&budget->by_time, &by_time_doubt);
	doubt = by_time_doubt;
	if (known(&budget->by_cpu) >= KNOWN_FROM) {
		double least = ratio - by_time_doubt, most = ratio + by_time_doubt;
		ratio = median_ratio(&budget->by_cpu, &doubt);
		ratio = ratio < least ? least : ratio > most ? most : ratio;
		doubt = doubt < by_time_doubt ? doubt : by_time_doubt;
	}
	return left_behind(budget) + (ratio > 1 + doubt ? ratio - 1 : doubt);
}

double budget_cost(const struct budget *budget)
{
	return budget->cost;
}

static double cost_or_guess(const struct budget *budget)
{
	return budget->cost < 0 ? GUESS : budget->cost;
}

/* Of the time, what operators may take. */
static double allowed(const struct budget *budget)
{
	double left = budget->share;
	if (budget->plain > 0 && budget->plain_steps > 0)
		left -= (double)budget->plain_hooks / (double)budget->plain_steps /
			(double)budget->plain / SEEN;
	return left > LEAST * budget->share ? left : LEAST * budget->share;
}

/* Of the steps, those that are to have operators. */
static double wanted(const struct budget *budget)
{
	double cost = cost_or_guess(budget), left = allowed(budget);
	double share = cost * SHARE_MOST <= left ? SHARE_MOST : left / cost;
	return share < SHARE_LEAST ? SHARE_LEAST : share;
}

/* A step has ended. What is not spent is kept for one burst, not more. */
static void account(struct budget *budget)
{
	double cost = cost_or_guess(budget);
	budget->with += budget->on;
	budget->debt += (budget->on ? cost : 0) - allowed(budget);
	if (budget->debt < -(cost * BUDGET_BURST))
		budget->debt = -(cost * BUDGET_BURST);
}

static void note(struct budget_steps *steps, uint64_t took)
{
	steps->took[steps->count++ % BUDGET_BEFORE] = took;
}

/* The median of the last ones; 0: there are none. */
static uint64_t usual(const struct budget_steps *steps)
{
	uint64_t sorted[BUDGET_BEFORE];
	uint64_t count = steps->count < BUDGET_BEFORE ? steps->count : BUDGET_BEFORE;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i;
		for (; at > 0 && sorted[at - 1] > steps->took[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = steps->took[i];
	}
	return count > 0 ? sorted[count / 2] : 0;
}

/* What steps without operators take: looked at again when all that are compared are new. */
static uint64_t usual_plain(struct budget *budget)
{
	uint64_t count = budget->time.before.count;
	if (count >= budget->looked + BUDGET_BEFORE || count < BUDGET_BEFORE) {
		budget->plain = usual(&budget->time.before);
		budget->looked = count;
	}
	return budget->plain;
}

static uint64_t at_most(uint64_t ticks, uint64_t most)
{
	return ticks < most ? ticks : most;
}

/* Of all steps: the first one is dearer, in others there may be anything. */
static double sum(const struct budget_steps *steps)
{
	uint64_t each = usual(steps);
	return (double)each * (double)steps->count + (double)at_most(steps->first, SLOWER * each);
}

static void add(struct budget_ratios *ratios, double ratio)
{
	ratios->ratios[ratios->count++ % BUDGET_RATIOS] = ratio;
}

/* What the steps of a burst take to what the ones before it took. False: they are not known. */
static bool compare(struct budget_ratios *ratios, const struct budget_times *times)
{
	uint64_t plain = usual(&times->before);
	if (plain == 0 || times->before.count < BUDGET_BEFORE || times->burst.count == 0)
		return false;
	add(ratios, sum(&times->burst) / ((double)plain * (double)(times->burst.count + 1)));
	return true;
}

/* As much of a burst as in compare(). */
static void compare_behind(struct budget *budget)
{
	double plain = (double)usual(&budget->time.before);
	double steps = (double)(budget->time.burst.count + 1);
	double longer = 0;
	if (budget->behind.count > 0)
		longer = sum(&budget->behind) - plain * (double)(budget->behind.count + 1);
	add(&budget->left_behind, longer / (plain * steps));
}

/* All that there is of a burst is known. */
static void settle(struct budget *budget)
{
	bool was_known = budget->cost >= 0;
	if (!budget->slow && budget->time.burst.count > 0) {
		if (compare(&budget->by_time, &budget->time))
			compare_behind(budget);
		(void)compare(&budget->by_cpu, &budget->cpu);
		budget->cost = measured(budget);
		/* so far it was a guess */
		if (!was_known && budget->cost >= 0)
			budget->debt += (budget->cost - GUESS) * (double)budget->with;
	}
	budget->time.burst.count = budget->cpu.burst.count = 0;
	budget->behind.count = budget->behind_left = 0;
}

/* By so many steps a gap of that length is longer, or shorter where less was spent than may be. */
static double repaid(const struct budget *budget, double length)
{
	/* a burst that came earlier is paid for by what is owed */
	double steps = budget->debt / allowed(budget) - (double)budget->owed;
	if (budget->cost < 0)
		return 0; /* first to know what is to be paid */
	if (steps > length)
		return length;
	return steps < -length / 2 ? -length / 2 : steps;
}

static void turn(struct budget *budget, bool slow)
{
	if (!budget->on)
		settle(budget);
	double share = wanted(budget), length = BUDGET_BURST;
	budget->on = !budget->on;
	budget->fresh = true;
	if (budget->on)
		budget->slow = slow;
	if (budget->on && share > 0.5)
		length *= share / (1 - share) * chance(budget);
	else if (!budget->on && share <= 0.5)
		length *= (1 - share) / share * chance(budget);
	if (!budget->on)
		length += repaid(budget, length);
	budget->left = length < BUDGET_BURST ? BUDGET_BURST : (uint64_t)length;
	if (!budget->on) {
		budget->left += budget->owed;
		budget->owed = 0;
		budget->behind_left =
			budget->left < 2 * BUDGET_BEHIND ? budget->left / 2 : BUDGET_BEHIND;
	}
}

bool budget_compares(const struct budget *budget)
{
	uint64_t bursts = budget->by_time.count;
	if (bursts >= BUDGET_RATIOS && bursts % LOOK_EVERY != 0)
		return false;
	return (budget->fresh && budget->on) || budget->left <= BUDGET_BEFORE;
}

static void note_time(struct budget *budget, struct budget_steps *steps, uint64_t took)
{
	if (budget->fresh)
		steps->first = took;
	else if (took > 0)
		note(steps, took);
}

static void note_step(struct budget *budget, uint64_t ticks, uint64_t cpu_ns)
{
	if (budget->behind_left > 0) {
		note_time(budget, &budget->behind, ticks);
		if (--budget->behind_left == 0)
			settle(budget);
		return;
	}
	note_time(budget, budget->on ? &budget->time.burst : &budget->time.before, ticks);
	note_time(budget, budget->on ? &budget->cpu.burst : &budget->cpu.before, cpu_ns);
}

/* Of late, by steps: others may make one longer, but not what calls take of it. */
static void note_hooks(struct budget *budget, uint64_t hooks)
{
	if (++budget->plain_steps == RECENT) {
		budget->plain_steps /= 2;
		budget->plain_hooks /= 2;
	}
	budget->plain_hooks += hooks;
}

bool budget_step(struct budget *budget, uint64_t ticks, uint64_t cpu_ns, uint64_t hooks)
{
	uint64_t plain = usual_plain(budget);
	/* every other burst comes by chance: what slow steps are like is not what all are like */
	bool slow = !budget->on && !budget->slow && budget->time.before.count >= BUDGET_BEFORE &&
		    ticks > SLOWER * plain;
	budget->steps++;
	/* what a pause of the program takes, for an evaluation say, is no part of a usual step */
	if (!budget->on && plain > 0 && ticks <= SLOWER * plain)
		note_hooks(budget, hooks);
	account(budget);
	note_step(budget, ticks, cpu_ns);
	budget->fresh = false;
	if (--budget->left == 0) {
		turn(budget, false);
	} else if (slow) {
		budget->owed = budget->left;
		turn(budget, true);
	}
	return budget->on;
}
