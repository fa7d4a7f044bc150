/* SPDX-License-Identifier: MIT */
/* Which steps have operators: programs whose steps and whose cost of operators are known. */
#include "preload/torch/budget.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define STEPS 100000u
#define STEP  1000000u /* ticks */

static struct budget budget;
static bool on[STEPS];

struct program {
	double cost;            /* by which a step with operators is longer */
	double noise;           /* of a step, either way */
	unsigned slow_every;    /* a step takes three times as long; 0: none */
	unsigned stalled_every; /* a step of so many has to wait for ten others; 0: none */
	double hooks;           /* of a step, what calls take */
	double change;          /* by which the first step of a burst is longer than that */
	double behind;          /* by which the steps behind a burst are longer, in sum */
	bool shared; /* others have the processor, too: steps take 1.5 to 4.5 times as long */
	bool waits;  /* for a device: steps are no longer for what operators work */
};

static uint64_t random_state = 88172645463325252ull;

static double random_share(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) / (double)(1ull << 53);
}

/* The part of what is left of a burst that a step without operators has: half of it the first. */
static double behind_burst(unsigned step)
{
	static const double parts[] = {0.5, 0.25, 0.125, 0.125};
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]) && i < step && !on[step]; i++)
		if (on[step - 1 - i])
			return parts[i];
	return 0;
}

/* By how much recording makes so many steps of the program longer; fills on. */
static double run_steps(const struct program *program, double share, uint64_t seed, unsigned steps)
{
	double plain = 0, with = 0;
	budget_begin(&budget, share, seed);
	on[0] = true;
	for (unsigned i = 0; i < steps; i++) {
		double ticks = STEP * (1 + program->noise * (2 * random_share() - 1));
		if (program->slow_every > 0 && i % program->slow_every == 0)
			ticks *= 3;
		if (program->stalled_every > 0 && random_share() * program->stalled_every < 1)
			ticks *= 10;
		double longer = ticks + STEP * (program->hooks + (on[i] ? program->cost : 0));
		longer += STEP * (on[i] && i > 0 && !on[i - 1] ? program->change : 0);
		longer += STEP * program->behind * behind_burst(i);
		plain += ticks;
		with += longer;
		double took = program->waits ? ticks : longer, work = longer;
		if (program->shared) {
			took *= 1.5 + 3 * random_share();
			work *= 1 + 0.3 * random_share();
		}
		bool next = budget_step(
			&budget, (uint64_t)took, (uint64_t)work, (uint64_t)(STEP * program->hooks));
		if (i + 1 < STEPS)
			on[i + 1] = next;
	}
	return with / plain - 1;
}

static double run(const struct program *program, double share, uint64_t seed)
{
	return run_steps(program, share, seed, STEPS);
}

static double share_on(unsigned period, unsigned phase)
{
	unsigned steps = 0, covered = 0;
	for (unsigned i = BUDGET_FIRST; i < STEPS; i++)
		if (i % period == phase) {
			steps++;
			covered += on[i];
		}
	return (double)covered / steps;
}

Test(budget, is_kept_whatever_the_program_is_like)
{
	static const struct program programs[] = {{.cost = 0.3}, {.cost = 0.25, .noise = 0.2},
		{.cost = 0.1, .noise = 0.1}, {.cost = 2}, {.cost = 0.3, .slow_every = 50},
		{.cost = 0.3, .noise = 0.1, .stalled_every = 10}, {.cost = 0.3, .hooks = 0.01}};
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		double longer = run(&programs[i], 0.03, i + 1);
		cr_expect(lt(dbl, longer, 0.037), "program %u: %.4f", i, longer);
		cr_expect(gt(dbl, longer, 0.012), "program %u: %.4f", i, longer);
		for (unsigned step = 0; step < BUDGET_FIRST; step++)
			cr_expect(on[step], "the first steps have all");
		double measured = budget_cost(&budget);
		cr_expect(gt(dbl, measured, 0.7 * programs[i].cost - 0.05), "program %u: %.3f", i,
			measured);
		cr_expect(lt(dbl, measured, 1.3 * programs[i].cost + 0.05), "program %u: %.3f", i,
			measured);
	}
}

Test(budget, pays_for_the_first_steps_and_for_each_change)
{
	static const struct program programs[] = {{.cost = 0.3},
		{.cost = 0.17, .noise = 0.05, .change = 0.3},
		{.cost = 0.2, .noise = 0.1, .hooks = 0.02}};
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			double longer = run_steps(&programs[i], 0.03, seed, 2000);
			cr_expect(lt(dbl, longer, 0.035), "program %u: %.4f", i, longer);
			longer = run(&programs[i], 0.03, seed);
			cr_expect(lt(dbl, longer, 0.031), "program %u: %.4f", i, longer);
		}
}

Test(budget, pays_for_what_is_left_of_a_burst_behind_it)
{
	static const struct program programs[] = {{.cost = 0.17, .change = 0.15, .behind = 0.3},
		{.cost = 0.1, .noise = 0.05, .behind = 0.4}};
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			double longer = run(&programs[i], 0.03, seed);
			cr_expect(lt(dbl, longer, 0.032), "program %u: %.4f", i, longer);
			cr_expect(gt(dbl, longer, 0.02), "program %u: %.4f", i, longer);
		}
}

/* For an evaluation or a file of weights: what calls take of the steps is not less for that. */
Test(budget, is_not_larger_for_a_pause_of_the_program)
{
	double share[2];
	for (unsigned pauses = 0; pauses < 2; pauses++) {
		budget_begin(&budget, 0.03, 9);
		unsigned with = 0;
		for (unsigned i = 0; i < STEPS; i++) {
			with += budget.on;
			uint64_t ticks = STEP + (budget.on ? STEP / 5 : 0) + STEP / 50;
			if (pauses != 0 && i % 100 == 99)
				ticks += 1000ull * STEP;
			(void)budget_step(&budget, ticks, 0, STEP / 50);
		}
		share[pauses] = (double)with / STEPS;
	}
	cr_expect(lt(dbl, share[1], 1.15 * share[0]), "%.4f, without pauses %.4f", share[1],
		share[0]);
}

/*
 * While others start beside it: afterwards calls are more of a step than they were until then.
 * They count as two thirds of the share: with more of them the first steps, which slow ones would
 * have paid for, are not paid for by then.
 */
Test(budget, is_not_larger_for_a_slow_beginning)
{
	unsigned with[2] = {0};
	for (unsigned slow = 0; slow < 2; slow++) {
		budget_begin(&budget, 0.03, 9);
		for (unsigned i = 0; i < 6000; i++) {
			with[slow] += budget.on && i >= 2000;
			uint64_t ticks = STEP + (budget.on ? STEP / 5 : 0) + STEP / 333;
			if (slow != 0 && i < 1000)
				ticks *= 8;
			(void)budget_step(&budget, ticks, 0, STEP / 333);
		}
	}
	cr_expect(lt(uint, with[1], with[0] + with[0] / 20), "%u, else %u", with[1], with[0]);
}

Test(budget, gives_nearly_all_where_operators_cost_nothing)
{
	const struct program waits = {.cost = 0}, cheap = {.cost = 0.02, .noise = 0.02};
	(void)run(&waits, 0.03, 5);
	cr_expect(gt(dbl, share_on(1, 0), 0.85));
	cr_expect(lt(dbl, share_on(1, 0), 0.99), "some are without, to compare with");
	(void)run(&cheap, 0.03, 6);
	cr_expect(gt(dbl, share_on(1, 0), 0.8));
}

/* By the clock the cost is anything there, and by what processors work it is what it is. */
Test(budget, is_kept_where_others_have_the_processor_too)
{
	const struct program program = {.cost = 0.12, .change = 0.1, .shared = true};
	for (uint64_t seed = 1; seed <= 20; seed++) {
		double longer = run_steps(&program, 0.03, seed, 4000);
		cr_expect(lt(dbl, longer, 0.034), "seed %lu: %.4f", (unsigned long)seed, longer);
		cr_expect(gt(dbl, longer, 0.02), "seed %lu: %.4f", (unsigned long)seed, longer);
	}
}

Test(budget, takes_no_work_for_cost_that_the_device_hides)
{
	const struct program program = {.cost = 0.3, .noise = 0.01, .waits = true};
	(void)run(&program, 0.03, 10);
	cr_expect(gt(dbl, share_on(1, 0), 0.85), "%.3f", share_on(1, 0));
}

Test(budget, never_meets_the_rhythm_of_an_epoch)
{
	static const unsigned periods[] = {2, 7, 16, 48, 50, 64, 100};
	const struct program program = {.cost = 0.3, .slow_every = 50};
	(void)run(&program, 0.03, 7);
	double all = share_on(1, 0);
	for (unsigned i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		for (unsigned phase = 0; phase < periods[i]; phase++) {
			double share = share_on(periods[i], phase);
			cr_expect(gt(dbl, share, 0.25 * all), "%u of %u: %.3f of %.3f", phase,
				periods[i], share, all);
		}
}

Test(budget, goes_where_steps_are_slow)
{
	const struct program program = {.cost = 0.3, .slow_every = 997};
	unsigned followed = 0, slow = 0;
	(void)run(&program, 0.03, 8);
	for (unsigned i = 997; i + 1 < STEPS; i += 997) {
		slow++;
		followed += on[i + 1];
	}
	cr_expect(ge(u32, followed, slow * 3 / 4), "%u of %u", followed, slow);
}

Test(budget, is_told_in_percent)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t permille;
	} rows[] = {{"off", true, 0}, {"3%", true, 30}, {"0.1%", true, 1}, {"50%", true, 500},
		{"2.5%", true, 25}, {"0%", false, 7}, {"0.0%", false, 7}, {"51%", false, 7},
		{"3", false, 7}, {"", false, 7}, {"%", false, 7}, {"-3%", false, 7},
		{"3%%", false, 7}, {"2.55%", false, 7}, {"on", false, 7}, {" 3%", false, 7},
		{"99999999999999999999%", false, 7}};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t permille = 7;
		bool good = budget_parse(rows[i].text, &permille);
		cr_expect(eq(int, good, rows[i].good), "%s", rows[i].text);
		cr_expect(eq(u32, permille, rows[i].permille), "%s", rows[i].text);
	}
}
