/* SPDX-License-Identifier: MIT */
/* What would be switched shows in the changes that are noted; each test is a process of its own. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/names/opname.h"
#include "preload/window/window.h"

static struct pause_change change;

static bool turns(bool off)
{
	return pause_next(&change) && change.off == off;
}

static void begin(enum window_begin begin, uint64_t first, uint64_t last)
{
	const struct window_options options = {
		.begin = begin, .steps = {.chosen = last > 0, .first = first, .last = last}};
	window_init(&options);
	window_start();
}

Test(window, all_steps_are_the_default_and_nothing_is_counted)
{
	begin(WINDOW_ON, 0, 0);
	cr_assert(not(window_counts));
	cr_assert(not(pause_next(&change)));
}

Test(window, opens_and_closes_at_the_ends_of_steps)
{
	begin(WINDOW_ON, 2, 3);
	cr_assert(window_counts);
	cr_assert(turns(true));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(not(pause_next(&change)), "step 1 is not asked for");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(turns(false));
	cr_assert(eq(u32, change.passed[PAUSE_OPTIMIZERS], 2));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, true);
	cr_assert(not(pause_next(&change)));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, true);
	cr_assert(turns(true), "behind step 3");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	struct pause_stretch stretch;
	cr_assert(pause_stretch(0, &stretch));
	cr_assert(eq(u32, stretch.passed[PAUSE_OPTIMIZERS], 2));
	cr_assert(pause_stretch(1, &stretch));
	cr_assert(eq(u32, stretch.passed[PAUSE_OPTIMIZERS], 1), "it lasts");
	cr_assert(eq(u64, stretch.end_ns, UINT64_MAX));
}

Test(window, of_two_optimizers_on_one_batch_the_second_ends_a_step)
{
	begin(WINDOW_ON, 1, 100);
	cr_assert(turns(true));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	/* until there is another one the first is all that is known */
	cr_assert(turns(false));
	window_mark(PAUSE_OPTIMIZERS, 1, 8, true);
	cr_assert(not(pause_next(&change)), "the same step");
}

Test(window, of_two_optimizers_the_last_one_counts_later_on)
{
	begin(WINDOW_ON, 5, 100);
	cr_assert(turns(true));
	for (int step = 0; step < 4; step++) {
		window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
		window_mark(PAUSE_OPTIMIZERS, 1, 8, false);
	}
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(not(pause_next(&change)));
	window_mark(PAUSE_OPTIMIZERS, 1, 8, false);
	cr_assert(turns(false));
	cr_assert(eq(u32, change.passed[PAUSE_OPTIMIZERS], 5));
}

Test(window, the_one_that_comes_most_often_counts)
{
	begin(WINDOW_ON, 10, 100);
	cr_assert(turns(true));
	for (int step = 0; step < 9; step++) {
		window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
		if (step % 5 == 4)
			window_mark(PAUSE_OPTIMIZERS, 1, 8, false);
	}
	cr_assert(not(pause_next(&change)));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(turns(false));
}

Test(window, what_the_program_says_goes_before_all_marks)
{
	begin(WINDOW_ON, 3, 100);
	cr_assert(turns(true));
	for (int step = 0; step < 2; step++) {
		window_mark(PAUSE_STEPS, 0, 0, false);
		window_mark(PAUSE_MARKS, 1, 0, false);
		window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
		window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	}
	cr_assert(not(pause_next(&change)));
	window_mark(PAUSE_STEPS, 0, 0, false);
	cr_assert(turns(false));
	cr_assert(eq(u32, change.passed[PAUSE_STEPS], 3));
}

Test(window, the_program_switches_and_steps_are_counted_from_then_on)
{
	begin(WINDOW_ON, 0, 0);
	cr_assert(not(window_counts));
	cr_assert(not(pause_is_expected()));
	window_switch(false);
	cr_assert(window_counts);
	cr_assert(pause_is_expected());
	cr_assert(turns(true));
	window_switch(false);
	cr_assert(not(pause_next(&change)), "it is off already");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	window_switch(true);
	cr_assert(turns(false));
	cr_assert(eq(u32, change.passed[PAUSE_OPTIMIZERS], 1));
}

Test(window, an_optimizer_goes_before_the_loader_and_a_mark_before_both)
{
	begin(WINDOW_ON, 3, 100);
	cr_assert(turns(true));
	for (int batch = 0; batch < 3; batch++) {
		window_mark(PAUSE_LOADS, 1, 0, false);
		window_mark(PAUSE_LOADS, 1, 0, false);
		window_mark(PAUSE_OPTIMIZERS, 2, 7, false);
	}
	cr_assert(turns(false), "the third step of the optimizer, not the fourth batch");
	window_mark(PAUSE_MARKS, 100, 0, true);
	cr_assert(turns(true), "by marks it is step 1");
	window_mark(PAUSE_MARKS, 101, 0, false);
	window_mark(PAUSE_MARKS, 102, 0, false);
	cr_assert(turns(false), "each mark has a name of its own");
}

Test(window, the_first_batch_begins_step_0)
{
	begin(WINDOW_ON, 1, 100);
	cr_assert(turns(true));
	window_mark(PAUSE_LOADS, 1, 0, false);
	cr_assert(not(pause_next(&change)));
	window_mark(PAUSE_LOADS, 1, 0, false);
	cr_assert(turns(false));
}

Test(window, ranges_of_the_program_count_when_there_are_enough)
{
	begin(WINDOW_ON, 1, 100);
	cr_assert(turns(true));
	window_range(PAUSE_MARKS, 10, false);
	window_range(PAUSE_MARKS, 20, false);
	window_range(PAUSE_MARKS, 5, false);
	cr_assert(not(pause_next(&change)), "the third is one around the others");
	window_range(PAUSE_MARKS, 30, false);
	cr_assert(turns(false));
}

Test(window, the_profiler_and_the_signal_switch_it)
{
	begin(WINDOW_PROFILER, 0, 0);
	cr_assert(turns(true));
	window_profiler(true);
	cr_assert(turns(false));
	window_profiler(true);
	cr_assert(not(pause_next(&change)));
	window_toggle();
	cr_assert(turns(true));
	window_toggle();
	cr_assert(turns(false));
	window_profiler(false);
	cr_assert(turns(true));
}

Test(window, the_profiler_has_no_say_unless_it_was_asked_for)
{
	begin(WINDOW_OFF, 0, 0);
	cr_assert(turns(true));
	window_profiler(true);
	cr_assert(not(pause_next(&change)));
}

Test(window, both_have_to_want_it)
{
	begin(WINDOW_PROFILER, 1, 2);
	cr_assert(turns(true));
	window_profiler(true);
	cr_assert(not(pause_next(&change)), "it is step 0");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(turns(false));
	window_profiler(false);
	cr_assert(turns(true));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	window_profiler(true);
	cr_assert(not(pause_next(&change)), "it is step 3");
}

Test(window, a_child_has_steps_of_its_own)
{
	begin(WINDOW_ON, 1, 2);
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	while (pause_next(&change))
		;
	window_after_fork();
	cr_assert(turns(true));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(turns(false));
}

Test(window, says_why_nothing_was_recorded)
{
	char text[200];
	begin(WINDOW_ON, 10, 30);
	cr_assert(window_reason(text, sizeof(text)));
	cr_assert(ne(ptr, strstr(text, "no step was seen to end"), NULL));
	cr_assert(not(window_missed()));
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(window_reason(text, sizeof(text)));
	cr_assert(ne(ptr, strstr(text, "only 1 steps"), NULL));
	cr_assert(window_missed());
}

/* What the recorder takes for a step while it is off, the analyzer takes for one. */
Test(window, names_mean_what_they_mean_to_the_analyzer)
{
	static const char *const names[] = {"Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD",
		"ProfilerStep#12", "ProfileStep#3", "enumerate(DataPipe)#x",
		"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "aten::mm", "step",
		"Step", "step 7", "step_7", "step#7", "step: 7", "step:", "step#", "step7x",
		"step 7x", "step x7", "step ##", "iter_x", "iter 7x", "step7 x", "stepping",
		"steps", "step x", "iter", "Iter 3", "iter_", "iteration", "Iteration 5",
		"iterator", "iterx", "train_step", "Train_step 4", "training_step#3",
		"train_iter 2", "training", "STEP 3", "", "s", "forward", "trains"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		unsigned class = opname_class(names[i]);
		size_t length = strlen(names[i]);
		enum pause_kind is = class & OPCLASS_MARK        ? PAUSE_MARKS
				     : class & OPCLASS_OPTIMIZER ? PAUSE_OPTIMIZERS
				     : class & OPCLASS_LOADER    ? PAUSE_LOADS
								 : PAUSE_KINDS;
		bool range = (class & (OPCLASS_MARK | OPCLASS_STEP_RANGE)) != 0;
		cr_expect(eq(int, mark_of_operator(names[i], length), is), "%s", names[i]);
		cr_expect(
			eq(int, mark_of_range(names[i], length), range ? PAUSE_MARKS : PAUSE_KINDS),
			"%s", names[i]);
	}
	cr_assert(eq(int, mark_of_range(NULL, 0), PAUSE_KINDS));
}

static unsigned ended;

static void note_end(void)
{
	ended++;
}

Test(window, ends_of_steps_are_told_while_all_is_recorded)
{
	const struct window_options options = {.begin = WINDOW_ON, .counts = true};
	window_init(&options);
	window_start();
	window_each_step(note_end);
	cr_assert(window_counts);
	cr_assert(not(window_pauses()));
	window_mark(PAUSE_LOADS, 1, 0, true);
	window_mark(PAUSE_LOADS, 1, 0, true);
	cr_expect(eq(u32, ended, 2), "by the loader, while there is no better mark");
	for (unsigned i = 0; i < 5; i++) {
		window_mark(PAUSE_OPTIMIZERS, 1, 7, true);
		window_mark(PAUSE_LOADS, 1, 0, true);
	}
	cr_expect(eq(u32, ended, 7), "a step ends once");
	cr_assert(not(pause_next(&change)), "nothing is switched off");
}

static unsigned changes;
static bool said = true;

static void note_change(bool on)
{
	changes += on != said;
	said = on;
}

Test(window, who_wants_to_know_hears_of_each_change_once)
{
	begin(WINDOW_ON, 1, 2);
	window_each_change(note_change);
	cr_assert(eq(u32, changes, 1));
	cr_assert(not(said), "it is off by now");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(eq(u32, changes, 2));
	cr_assert(said);
	window_mark(PAUSE_OPTIMIZERS, 1, 7, true);
	cr_assert(eq(u32, changes, 2), "nothing has changed");
	window_mark(PAUSE_OPTIMIZERS, 1, 7, true);
	cr_assert(eq(u32, changes, 3));
	cr_assert(not(said));
}

Test(window, a_signal_is_told_when_somebody_looks)
{
	const struct window_options options = {.begin = WINDOW_ON, .toggles = true};
	window_init(&options);
	window_start();
	window_each_change(note_change);
	cr_assert(zero(u32, changes), "it is on, as everybody thinks");
	window_toggle();
	cr_assert(zero(u32, changes), "its handler may call nobody");
	window_tell();
	cr_assert(eq(u32, changes, 1));
	cr_assert(not(said));
	window_toggle();
	window_toggle();
	window_tell();
	cr_assert(eq(u32, changes, 1), "it is as it was");
	window_toggle();
	window_mark(PAUSE_OPTIMIZERS, 1, 7, false);
	cr_assert(eq(u32, changes, 2), "a step's end is no handler");
	cr_assert(said);
}
