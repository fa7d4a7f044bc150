/* SPDX-License-Identifier: MIT */
#include "preload/torch/budget.h"

#include <stdlib.h>
#include <string.h>

#define GUESS      0.3  /* what a step with operators costs more, until it is known */
#define KNOWN_FROM 3u   /* bursts */
#define LEAST      0.25 /* of the share stays for operators, whatever calls cost */
/* Of the steps; always some with and some without, so that the cost is known when it changes. */
#define SHARE_LEAST 0.004
#define SHARE_MOST  0.94
#define SLOWER      2 /* a step that takes so many times what others take is slow */

bool budget_parse(const char *text, uint32_t *ret_permille)
{
	char *end;
	*ret_permille = 0;
	if (strcmp(text, "off") == 0)
		return true;
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
	*budget = (struct budget){
		.share = share, .seed = seed | 1, .on = true, .fresh = true, .left = BUDGET_FIRST};
}

/* From 0.5 to 1.5, by chance. */
static double chance(struct budget *budget)
{
	budget->seed ^= budget->seed << 13;
	budget->seed ^= budget->seed >> 7;
	budget->seed ^= budget->seed << 17;
	return 0.5 + (double)(budget->seed >> 11) / (double)(1ull << 53);
}

static double median_ratio(const struct budget *budget, uint64_t count)
{
	double sorted[BUDGET_RATIOS];
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i;
		for (; at > 0 && sorted[at - 1] > budget->ratios[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = budget->ratios[i];
	}
	return count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double budget_cost(const struct budget *budget)
{
	uint64_t count = budget->ratio_count < BUDGET_RATIOS ? budget->ratio_count : BUDGET_RATIOS;
	if (count < KNOWN_FROM)
		return -1;
	double ratio = median_ratio(budget, count);
	return ratio > 1 ? ratio - 1 : 0;
}

/* Of the steps, those that are to have operators. */
static double wanted(const struct budget *budget)
{
	double cost = budget_cost(budget), left = budget->share;
	if (cost < 0)
		cost = GUESS;
	if (budget->plain_ticks > 0)
		left -= (double)budget->plain_hooks / (double)budget->plain_ticks;
	if (left < LEAST * budget->share)
		left = LEAST * budget->share;
	double share = cost * SHARE_MOST <= left ? SHARE_MOST : left / cost;
	return share < SHARE_LEAST ? SHARE_LEAST : share;
}

static void note(struct budget_steps *steps, uint64_t ticks)
{
	steps->ticks[steps->count++ % BUDGET_BEFORE] = ticks;
}

/* The median of the last ones; 0: there are none. */
static uint64_t usual(const struct budget_steps *steps)
{
	uint64_t sorted[BUDGET_BEFORE];
	uint64_t count = steps->count < BUDGET_BEFORE ? steps->count : BUDGET_BEFORE;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i;
		for (; at > 0 && sorted[at - 1] > steps->ticks[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = steps->ticks[i];
	}
	return count > 0 ? sorted[count / 2] : 0;
}

/* What the burst that ends says of the cost. */
static void compare(struct budget *budget)
{
	uint64_t plain = usual(&budget->before), with = usual(&budget->burst);
	if (plain > 0 && budget->before.count >= BUDGET_BEFORE && with > 0 && !budget->slow)
		budget->ratios[budget->ratio_count++ % BUDGET_RATIOS] =
			(double)with / (double)plain;
	budget->burst.count = 0;
}

static void turn(struct budget *budget, bool slow)
{
	if (budget->on)
		compare(budget);
	double share = wanted(budget), length = BUDGET_BURST;
	budget->on = !budget->on;
	budget->fresh = true;
	if (budget->on)
		budget->slow = slow;
	if (budget->on && share > 0.5)
		length *= share / (1 - share) * chance(budget);
	else if (!budget->on && share <= 0.5)
		length *= (1 - share) / share * chance(budget);
	budget->left = length < BUDGET_BURST ? BUDGET_BURST : (uint64_t)length;
	if (!budget->on) {
		budget->left += budget->owed;
		budget->owed = 0;
	}
}

bool budget_step(struct budget *budget, uint64_t ticks, uint64_t hooks)
{
	uint64_t plain = usual(&budget->before);
	/* every other burst comes by chance: what slow steps are like is not what all are like */
	bool slow = !budget->on && !budget->slow && budget->before.count >= BUDGET_BEFORE &&
		    ticks > SLOWER * plain;
	budget->steps++;
	if (!budget->on) {
		budget->plain_ticks += ticks;
		budget->plain_hooks += hooks;
	}
	/* the first one has the change itself in it */
	if (!budget->fresh)
		note(budget->on ? &budget->burst : &budget->before, ticks);
	budget->fresh = false;
	if (--budget->left == 0) {
		turn(budget, false);
	} else if (slow) {
		budget->owed = budget->left;
		turn(budget, true);
	}
	return budget->on;
}
