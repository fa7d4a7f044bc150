/* SPDX-License-Identifier: MIT */
/* Whose line an idle device is charged to, and how much of it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/timeline/lead.h"

static uint64_t charge(struct lead *lead, uint64_t ns, uint32_t spot)
{
	uint32_t charged = UINT32_MAX;
	uint64_t owed = lead_charge(lead, ns, &charged);
	cr_expect(owed == 0 || charged == spot, "%u instead of %u", charged, spot);
	return owed;
}

Test(lead, nothing_was_lost)
{
	struct lead lead = {0};
	lead_step(&lead);
	cr_expect(eq(u64, charge(&lead, 100, 0), 0));
}

Test(lead, each_nanosecond_is_charged_once)
{
	struct lead lead = {0};
	lead_lose(&lead, 3, 50);
	cr_expect(eq(u64, charge(&lead, 20, 3), 20));
	cr_expect(eq(u64, charge(&lead, 100, 3), 30));
	cr_expect(eq(u64, charge(&lead, 100, 3), 0));
}

/* 50 before the step's end, 30 behind it: the younger loss goes first, the older is forgotten. */
Test(lead, a_step_remembers_what_the_one_before_lost)
{
	static const struct {
		uint64_t idle_ns, rest_ns;
	} cases[] = {{0, 30}, {10, 20}, {30, 0}, {40, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lead lead = {0};
		lead_lose(&lead, 3, 50);
		lead_step(&lead);
		lead_lose(&lead, 3, 30);
		cr_expect(eq(u64, charge(&lead, cases[i].idle_ns, 3), cases[i].idle_ns));
		lead_step(&lead);
		cr_expect(eq(u64, charge(&lead, 1000, 3), cases[i].rest_ns));
	}
}

Test(lead, the_latest_line_comes_first)
{
	struct lead lead = {0};
	lead_lose(&lead, 1, 10);
	lead_lose(&lead, 2, 10);
	lead_lose(&lead, 1, 10);
	cr_expect(eq(u64, charge(&lead, 15, 1), 15));
	cr_expect(eq(u64, charge(&lead, 15, 1), 5));
	cr_expect(eq(u64, charge(&lead, 15, 2), 10));
}

Test(lead, of_many_lines_the_oldest_is_given_up)
{
	struct lead lead = {0};
	for (uint32_t spot = 0; spot <= LEAD_LINES; spot++)
		for (unsigned again = 0; again < 3; again++)
			lead_lose(&lead, spot, 1);
	for (uint32_t spot = LEAD_LINES; spot > 0; spot--)
		cr_expect(eq(u64, charge(&lead, 100, spot), 3));
	cr_expect(eq(u64, charge(&lead, 100, 0), 0));
}
