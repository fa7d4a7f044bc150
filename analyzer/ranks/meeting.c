/* SPDX-License-Identifier: MIT */
#include "analyzer/ranks/meeting.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct coming *a = left, *b = right;
	if (a->communicator != b->communicator)
		return a->communicator < b->communicator ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

int meeting_of(
	struct meeting *ret_meeting, const struct run_meets *meets, const struct run_rank *shown)
{
	*ret_meeting = (struct meeting){0};
	for (size_t at = 0; at < meets->ranks.count; at++) {
		const struct run_rank *rank = &meets->ranks.items[at];
		for (size_t i = 0; i < rank->arrivals.count && rank->host == shown->host; i++) {
			const struct collectives_arrival *arrival = &rank->arrivals.items[i];
			const struct coming coming = {.communicator = rank->communicators.items[i],
				.host_ns = arrival->host_ns,
				.device_ns = arrival->device_ns,
				.identity = rank->identity,
				.number = arrival->number,
				.row = arrival->row,
				.step = arrival->step,
				.rank = arrival->rank,
				.ranks = arrival->ranks,
				.own = rank == shown};
			if (vec_push(&ret_meeting->comings, coming) < 0)
				return -ENOMEM;
		}
	}
	if (ret_meeting->comings.count > 0)
		qsort(ret_meeting->comings.items, ret_meeting->comings.count,
			sizeof(ret_meeting->comings.items[0]), compare);
	return 0;
}

void meeting_release(struct meeting *meeting)
{
	vec_release(&meeting->comings);
}

/* All ranks of one collective; false: some are missing, or two say that they are the same one. */
static bool is_whole(const struct coming *first, size_t count)
{
	if (count != first->ranks)
		return false;
	for (size_t i = 0; i < count; i++)
		if (first[i].rank != i || first[i].ranks != count)
			return false;
	return true;
}

/* When its kernel began, if that is known of all, else when it called. */
static uint64_t time_of(const struct coming *coming, bool by_device)
{
	return by_device ? coming->device_ns : coming->host_ns;
}

static bool meet(const struct coming *first, size_t count, struct met *ret_met)
{
	struct met met = {.first = first, .last = first, .count = count, .by_device = true};
	for (size_t i = 0; i < count; i++)
		met.by_device = met.by_device && first[i].device_ns > 0;
	for (size_t i = 0; i < count; i++) {
		if (time_of(&first[i], met.by_device) > time_of(met.last, met.by_device))
			met.last = &first[i];
		met.own = first[i].own ? &first[i] : met.own;
	}
	if (met.own == NULL || !is_whole(first, count))
		return false;
	uint64_t last_ns = time_of(met.last, met.by_device);
	met.own_ns = time_of(met.own, met.by_device);
	met.ns = last_ns - met.own_ns;
	met.gap_ns = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t gap_ns = last_ns - time_of(&first[i], met.by_device);
		if (&first[i] != met.last && gap_ns < met.gap_ns)
			met.gap_ns = gap_ns;
	}
	*ret_met = met;
	return true;
}

bool meeting_next(const struct meeting *meeting, size_t *at, struct met *ret_met)
{
	const struct coming *items = meeting->comings.items;
	size_t count = meeting->comings.count, from = *at;
	while (from < count) {
		size_t until = from + 1;
		while (until < count && items[until].communicator == items[from].communicator &&
			items[until].number == items[from].number)
			until++;
		*at = until;
		if (meet(&items[from], until - from, ret_met))
			return true;
		from = until;
	}
	return false;
}
