/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/steps/burst.h"
#include "analyzer/steps/figures.h"

/* Steps of 100 ns, of which place 1 takes 60; in one of them place 2 takes more before its end. */
static void run(struct burst *burst, unsigned steps, unsigned unusual, uint64_t more)
{
	uint64_t ns = 1000;
	for (unsigned step = 0; step < steps; step++) {
		burst_call(burst, 1, false, ns);
		burst_call(burst, 2, false, ns + 60);
		ns += 100 + (step == unusual ? more : 0);
		burst_end(burst, step, ns);
	}
}

Test(burst, the_place_at_which_more_was_spent)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	run(burst, 50, 30, 500);
	const struct burst_step *step = burst_find(burst, 30);
	cr_assert(step != NULL);
	cr_expect(eq(u32, step->place, 2));
	cr_expect(eq(u64, step->excess_ns, 500));
	free(burst);
}

Test(burst, says_whether_a_batch_was_drawn_there)
{
	for (unsigned loads = 0; loads < 2; loads++) {
		struct burst *burst = calloc(1, sizeof(*burst));
		uint64_t ns = 1000;
		for (unsigned step = 0; step < 50; step++) {
			burst_call(burst, 1, false, ns);
			burst_call(burst, 2, loads == 1, ns + 60);
			burst_call(burst, 3, loads == 0, ns + 90 + (step == 30 ? 500 : 0));
			ns += 100 + (step == 30 ? 500 : 0);
			burst_end(burst, step, ns);
		}
		const struct burst_step *step = burst_find(burst, 30);
		cr_assert(step != NULL);
		cr_expect(eq(u32, step->place, 2));
		cr_expect(eq(int, step->loads, loads == 1));
		free(burst);
	}
}

Test(burst, a_place_of_every_step_is_no_rare_one)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	uint64_t ns = 1;
	for (uint64_t step = 0; step < 100; step++) {
		burst_call(burst, 7, false, ns);
		if (step % 20 == 10)
			burst_call(burst, 8, false, ns + 50);
		ns += 100 + (step % 20 == 10 ? 1000 : 0);
		burst_end(burst, step, ns);
	}
	cr_expect(burst_is_usual(burst, 7));
	cr_expect(not(burst_is_usual(burst, 8)));
	cr_expect(not(burst_is_usual(burst, 9)));
	cr_expect(not(burst_is_usual(burst, 0)));
	free(burst);
}

Test(burst, the_largest_excesses_stay)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	uint64_t ns = 1;
	for (uint64_t step = 0; step < 1000; step++) {
		burst_call(burst, 7, false, ns);
		ns += 100 + (step % 100 == 50 ? 10000 : step % 7);
		burst_end(burst, step, ns);
	}
	for (uint64_t step = 50; step < 1000; step += 100)
		cr_expect(burst_find(burst, step) != NULL, "%llu", (unsigned long long)step);
	cr_expect(le(u32, burst->kept_count, BURST_KEPT));
	free(burst);
}

Test(burst, more_places_than_are_kept_and_times_that_go_back)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	for (uint32_t i = 1; i < 5000; i++) {
		burst_call(burst, i, false, 5000 - i);
		if (i % 1000 == 0)
			burst_end(burst, i / 1000, 1);
	}
	for (uint32_t i = 0; i < burst->kept_count; i++)
		cr_expect(le(u64, burst->kept[i].excess_ns, 5000));
	cr_expect(lt(u32, burst->running_count, BURST_PLACES));
	burst_forget(burst, 10);
	cr_expect(eq(u32, burst->running_count, 0));
	free(burst);
}

static struct step_outliers outliers_of(unsigned count, unsigned every, uint64_t more)
{
	struct steps *steps = malloc(sizeof(*steps));
	struct steps_summary summary;
	struct step_outliers outliers;
	uint64_t ns = 1;
	steps_init(steps, ns);
	for (unsigned i = 0; i < count; i++) {
		ns += 1000 + i % 3 + (every > 0 && i % every == every - 1 ? more : 0);
		cr_assert(steps_cut(steps, ns));
		steps_end(steps, ns, 0);
	}
	steps_summarise(steps, &summary);
	steps_find_outliers(steps, &summary, &outliers);
	free(steps);
	return outliers;
}

Test(outliers, few_steps_that_take_much_longer)
{
	struct step_outliers found = outliers_of(100, 25, 5000);
	cr_assert(eq(u32, found.count, 4));
	cr_expect(eq(u64, found.items[0].step, 24));
	cr_expect(eq(u64, found.items[3].step, 99));
	cr_expect(ge(u64, found.more_ns, 4 * 4990));
	cr_expect(le(u64, found.more_ns, 4 * 5010));
}

Test(outliers, none_where_none_is_unusual)
{
	cr_expect(eq(u32, outliers_of(100, 0, 0).count, 0));
	cr_expect(eq(u32, outliers_of(100, 25, 50).count, 0));  /* 5 % more */
	cr_expect(eq(u32, outliers_of(100, 3, 5000).count, 0)); /* a third of them */
	cr_expect(eq(u32, outliers_of(6, 6, 5000).count, 0));
	cr_expect(eq(u32, outliers_of(1, 0, 0).count, 0));
	cr_expect(eq(u32, outliers_of(0, 0, 0).count, 0));
}

Test(burst, a_wait_for_results_is_the_work_of_earlier_steps)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	uint64_t ns = 1000;
	for (uint64_t step = 0; step < 50; step++) {
		burst_call(burst, 1, false, ns);
		if (step % 10 == 9)
			burst_awaited(burst, 5000);
		ns += step % 10 == 9 ? 5100 : 100;
		if (step == 25) {
			burst_call(burst, 2, false, ns);
			ns += 9000;
		}
		burst_end(burst, step, ns);
	}
	const struct burst_step *waits = burst_find(burst, 39), *other = burst_find(burst, 25);
	cr_assert(waits != NULL);
	cr_assert(other != NULL);
	cr_expect(waits->awaits);
	cr_expect(not(other->awaits));
	cr_expect(eq(u32, other->place, 2));
	free(burst);
}

/* The device is behind, and other threads' waits have ended steps: the next one has their time. */
Test(burst, a_step_that_catches_up_is_not_unusual)
{
	struct burst *burst = calloc(1, sizeof(*burst));
	run(burst, 50, 30, 500);
	burst_catches(burst, 30, 600);
	burst_catches(burst, 31, 600); /* of which nothing was kept */
	for (uint64_t number = 30; number < 32; number++) {
		const struct burst_step *step = burst_find(burst, number);
		cr_assert(step != NULL);
		cr_expect(burst_is_of_others(burst, step));
	}
	/* where most steps do so it makes none of them long */
	for (uint64_t number = 0; number < 30; number++)
		burst_catches(burst, number, 100);
	cr_expect(not(burst_is_of_others(burst, burst_find(burst, 30))));
	cr_expect(eq(u32, burst_find(burst, 30)->place, 2));
	free(burst);
}
