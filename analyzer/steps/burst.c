/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/burst.h"

#include <stddef.h>
#include <string.h>

/* A place is one of every step when so many of them have it. */
#define USUAL_SHARE 0.75

/* The place's entry, which is made if there is room; NULL: there is none. */
static struct burst_place *find(
	struct burst_place *places, uint32_t limit, uint32_t *count, uint32_t place)
{
	uint32_t at = (place * 0x9e3779b1u >> 16) % limit;
	while (places[at].place != 0 && places[at].place != place)
		at = (at + 1) % limit;
	if (places[at].place == 0) {
		if (*count >= limit / 4 * 3)
			return NULL;
		++*count;
		places[at].place = place;
	}
	return &places[at];
}

static void spend(struct burst *burst, uint64_t ns)
{
	struct burst_place *place =
		burst->since_ns != 0 && burst->place != 0 && ns > burst->since_ns
			? find(burst->running, BURST_PLACES, &burst->running_count, burst->place)
			: NULL;
	if (place != NULL) {
		place->ns += ns - burst->since_ns;
		place->loads = burst->loads;
	}
	burst->since_ns = ns;
}

void burst_call(struct burst *burst, uint32_t place, bool loads, uint64_t ns)
{
	if (place == burst->place && burst->since_ns != 0)
		return;
	spend(burst, ns);
	burst->place = place;
	burst->loads = loads;
}

void burst_awaited(struct burst *burst, uint64_t ns)
{
	burst->awaited_ns += ns;
}

void burst_forget(struct burst *burst, uint64_t ns)
{
	burst->awaited_ns = 0;
	memset(burst->running, 0, sizeof(burst->running));
	burst->running_count = 0;
	burst->since_ns = ns;
	burst->place = 0;
}

/* A slot for a step of that excess, NULL when all that are kept have more. */
static struct burst_step *slot_for(struct burst *burst, uint64_t excess_ns)
{
	if (burst->kept_count < BURST_KEPT)
		return &burst->kept[burst->kept_count++];
	struct burst_step *least = &burst->kept[0];
	for (uint32_t i = 1; i < BURST_KEPT; i++)
		if (burst->kept[i].excess_ns < least->excess_ns)
			least = &burst->kept[i];
	return least->excess_ns < excess_ns ? least : NULL;
}

/* The time between two calls has the waits in it, so half of it is enough. */
static void end_awaited(struct burst *burst, struct burst_step *most)
{
	uint64_t usual_ns = burst->steps > 0 ? burst->total_awaited_ns / burst->steps : 0;
	uint64_t ns = burst->awaited_ns;
	if (ns > usual_ns && ns - usual_ns > most->excess_ns / 2)
		*most = (struct burst_step){
			.step = most->step, .excess_ns = ns - usual_ns, .awaits = true};
	burst->total_awaited_ns += ns;
	burst->awaited_ns = 0;
}

void burst_end(struct burst *burst, uint64_t step, uint64_t ns)
{
	struct burst_step most = {.step = step};
	spend(burst, ns);
	for (uint32_t i = 0; i < BURST_PLACES; i++) {
		struct burst_place *own = &burst->running[i], *total;
		total = own->place != 0
				? find(burst->totals, BURST_TOTALS, &burst->total_count, own->place)
				: NULL;
		if (total == NULL)
			continue;
		uint64_t usual_ns = burst->steps > 0 ? total->ns / burst->steps : 0;
		if (own->ns > usual_ns && own->ns - usual_ns > most.excess_ns) {
			most.excess_ns = own->ns - usual_ns;
			most.place = own->place;
			most.loads = own->loads;
		}
		total->ns += own->ns;
		total->steps++;
	}
	end_awaited(burst, &most);
	burst->steps++;
	memset(burst->running, 0, sizeof(burst->running));
	burst->running_count = 0;
	/* the first steps are compared with nothing */
	struct burst_step *slot =
		most.excess_ns > 0 && burst->steps > 1 ? slot_for(burst, most.excess_ns) : NULL;
	if (slot != NULL)
		*slot = most;
}

static uint32_t find_kept(const struct burst *burst, uint64_t step)
{
	uint32_t at = 0;
	while (at < burst->kept_count && burst->kept[at].step != step)
		at++;
	return at;
}

const struct burst_step *burst_find(const struct burst *burst, uint64_t step)
{
	uint32_t at = find_kept(burst, step);
	return at < burst->kept_count ? &burst->kept[at] : NULL;
}

void burst_catches(struct burst *burst, uint64_t step, uint64_t ns)
{
	uint32_t at = find_kept(burst, step);
	bool known = at < burst->kept_count;
	struct burst_step *slot = known ? &burst->kept[at] : slot_for(burst, ns);
	burst->catches++;
	if (slot != NULL && !known)
		*slot = (struct burst_step){.step = step, .excess_ns = ns};
	if (slot != NULL)
		slot->catches = true;
}

bool burst_is_of_others(const struct burst *burst, const struct burst_step *step)
{
	return step->awaits || (step->catches && 2 * burst->catches < burst->steps);
}

bool burst_is_usual(const struct burst *burst, uint32_t place)
{
	for (uint32_t i = 0; i < BURST_TOTALS; i++)
		if (place != 0 && burst->totals[i].place == place)
			return burst->totals[i].steps >= USUAL_SHARE * (double)burst->steps;
	return false;
}
