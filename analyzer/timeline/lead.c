/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/lead.h"

#include <string.h>

/* Take out the line at an index; the later ones move up. */
static struct lead_lost take_out(struct lead *lead, uint32_t at)
{
	struct lead_lost lost = lead->lost[at];
	lead->count--;
	memmove(&lead->lost[at], &lead->lost[at + 1], (lead->count - at) * sizeof(lost));
	return lost;
}

void lead_lose(struct lead *lead, uint32_t spot, uint64_t ns)
{
	struct lead_lost lost = {.spot = spot};
	uint32_t at = 0;
	while (at < lead->count && lead->lost[at].spot != spot)
		at++;
	if (at < lead->count)
		lost = take_out(lead, at);
	else if (lead->count == LEAD_LINES)
		(void)take_out(lead, 0);
	lost.now_ns += ns;
	lead->lost[lead->count++] = lost;
}

uint64_t lead_charge(struct lead *lead, uint64_t ns, uint32_t *ret_spot)
{
	if (lead->count == 0)
		return 0;
	struct lead_lost *lost = &lead->lost[lead->count - 1];
	uint64_t owed = lost->now_ns + lost->before_ns < ns ? lost->now_ns + lost->before_ns : ns;
	uint64_t old = owed > lost->now_ns ? owed - lost->now_ns : 0;
	*ret_spot = lost->spot;
	lost->now_ns -= owed - old;
	lost->before_ns -= old;
	if (lost->now_ns + lost->before_ns == 0)
		lead->count--;
	return owed;
}

void lead_step(struct lead *lead)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < lead->count; i++) {
		struct lead_lost lost = lead->lost[i];
		lost.before_ns = lost.now_ns;
		lost.now_ns = 0;
		if (lost.before_ns > 0)
			lead->lost[kept++] = lost;
	}
	lead->count = kept;
}
