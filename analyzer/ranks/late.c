/* SPDX-License-Identifier: MIT */
#include "analyzer/ranks/late.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/ranks/meeting.h"

/* A collective in which a process waits, or lets others wait. */
struct wait {
	uint64_t from_ns, until_ns, gap_ns, identity;
	uint32_t step, rank;
	bool own; /* it came last itself */
};
typedef VEC(struct wait) wait_list;

/* The time that a rank let the process wait. */
struct rank_late {
	uint64_t identity, count, ns, next_ns;
	uint32_t rank;
};
typedef VEC(struct rank_late) rank_lates;

static int gather(const struct meeting *meeting, uint64_t first, uint64_t until, wait_list *waits)
{
	struct met met;
	for (size_t at = 0; meeting_next(meeting, &at, &met);) {
		const struct wait wait = {.from_ns = met.own_ns,
			.until_ns = met.own_ns + met.ns,
			.gap_ns = met.gap_ns,
			.identity = met.last->identity,
			.step = met.own->step,
			.rank = met.last->rank,
			.own = met.own == met.last};
		if (met.by_device && met.own->step >= first && met.own->step < until &&
			met.own->step != COLLECTIVES_NO_STEP && vec_push(waits, wait) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;
	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return (a->until_ns > b->until_ns) - (a->until_ns < b->until_ns);
}

static int blame(rank_lates *lates, const struct wait *wait, uint64_t ns)
{
	struct rank_late *found = NULL;
	VEC_FOREACH (late, lates)
		if (late->identity == wait->identity)
			found = late;
	if (found == NULL) {
		const struct rank_late late = {.identity = wait->identity, .rank = wait->rank};
		if (vec_push(lates, late) < 0)
			return -ENOMEM;
		found = &lates->items[lates->count - 1];
	}
	found->count++;
	found->ns += ns;
	found->next_ns += wait->gap_ns < ns ? wait->gap_ns : ns;
	return 0;
}

/* In order of time: where several wait at once, the first of them has the time. */
static int add_up(const wait_list *waits, struct late *late)
{
	rank_lates lates = {0};
	uint64_t covered_ns = 0, own_ns = 0;
	uint32_t step = COLLECTIVES_NO_STEP;
	int err = 0;
	for (size_t i = 0; i < waits->count && err == 0; i++) {
		const struct wait *wait = &waits->items[i];
		uint64_t from = wait->from_ns > covered_ns ? wait->from_ns : covered_ns;
		uint64_t ns = wait->until_ns > from ? wait->until_ns - from : 0;
		late->met++;
		late->steps += wait->step != step;
		step = wait->step;
		if (wait->own) { /* the others waited before it came */
			uint64_t since = wait->from_ns > own_ns ? wait->from_ns - own_ns : 0;
			late->own_count++;
			late->own_ns += wait->gap_ns < since ? wait->gap_ns : since;
			own_ns = wait->from_ns;
		} else {
			err = blame(&lates, wait, ns);
		}
		late->waited_ns += ns;
		covered_ns = wait->until_ns > covered_ns ? wait->until_ns : covered_ns;
	}
	VEC_FOREACH (each, &lates)
		if (each->ns > late->ns) {
			late->count = each->count;
			late->ns = each->ns;
			late->next_ns = each->next_ns;
			late->identity = each->identity;
			late->rank = each->rank;
		}
	vec_release(&lates);
	return err;
}

int late_of(const struct run_meets *meets, uint64_t identity, uint64_t first, uint64_t until,
	struct late *ret_late)
{
	const struct run_rank *shown = NULL;
	struct meeting meeting = {0};
	wait_list waits = {0};
	*ret_late = (struct late){0};
	for (size_t i = 0; i < meets->ranks.count; i++)
		if (meets->ranks.items[i].identity == identity)
			shown = &meets->ranks.items[i];
	if (shown == NULL || shown->arrivals.count == 0)
		return 0;
	int err = meeting_of(&meeting, meets, shown);
	if (err == 0)
		err = gather(&meeting, first, until, &waits);
	if (err == 0 && waits.count > 0) {
		qsort(waits.items, waits.count, sizeof(waits.items[0]), compare);
		err = add_up(&waits, ret_late);
	}
	vec_release(&waits);
	meeting_release(&meeting);
	return err;
}
