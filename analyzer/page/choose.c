/* SPDX-License-Identifier: MIT */
#include "analyzer/page/choose.h"

#include <stdlib.h>

#define CHOSEN_LIMIT 256u

static uint64_t length(const struct history_step *step)
{
	return step->end_ns - step->begin_ns;
}

static int by_length(const void *left, const void *right)
{
	const struct history_step *const *a = left, *const *b = right;
	uint64_t one = length(*a), two = length(*b);
	return one != two ? (one > two) - (one < two) : ((*a)->number > (*b)->number) * 2 - 1;
}

static int by_number(const void *left, const void *right)
{
	const struct chosen_step *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

/* Once; the first reason stays. */
static int choose(chosen_steps *chosen, const struct history_step *step, const char *why)
{
	VEC_FOREACH (other, chosen)
		if (other->number == step->number)
			return 0;
	return vec_push(
		chosen, (struct chosen_step){step->begin_ns, step->end_ns, step->number, why});
}

/* Of each cause for which the device is idle, the step that lost most to it. */
static int choose_worst(
	const struct history *history, const struct choose_options *options, chosen_steps *chosen)
{
	int err = 0;
	for (unsigned cause = CAUSE_IDLE_INPUT; cause < CAUSE_COUNT && err == 0; cause++) {
		const struct history_step *worst = NULL, *step = history->steps.items;
		for (size_t i = 0; i < history->steps.count; i++, step++)
			if (!step->aside && step->number >= options->first &&
				step->number < options->until && step->cause_ns[cause] > 0 &&
				(worst == NULL || step->cause_ns[cause] > worst->cause_ns[cause]))
				worst = step;
		if (worst != NULL)
			err = choose(chosen, worst, cause_infos[cause].name);
	}
	return err;
}

static int choose_typical(
	const struct history *history, const struct choose_options *options, chosen_steps *chosen)
{
	size_t count = 0;
	const struct history_step *step = history->steps.items;
	const struct history_step **steady = calloc(history->steps.count + 1, sizeof(void *));
	if (steady == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < history->steps.count; i++, step++)
		if (!step->aside && step->number >= options->first && step->number < options->until)
			steady[count++] = step;
	int err = 0;
	if (count > 0) {
		err = choose(chosen, steady[0], "first steady");
		qsort(steady, count, sizeof(void *), by_length);
		if (err == 0)
			err = choose(chosen, steady[count / 2], "median");
		if (err == 0)
			err = choose(chosen, steady[count - 1], "longest");
	}
	free(steady);
	return err;
}

int choose_steps(const struct history *history, const struct choose_options *options,
	chosen_steps *ret_steps)
{
	int err = 0;
	if (options->named == NULL) {
		err = choose_typical(history, options, ret_steps);
		if (err == 0)
			err = choose_worst(history, options, ret_steps);
	}
	for (size_t i = 0; i < history->steps.count; i++) {
		const struct history_step *step = &history->steps.items[i];
		if (err == 0 && options->named != NULL && !step->aside &&
			ret_steps->count < CHOSEN_LIMIT &&
			options->named(options->context, step->number))
			err = choose(ret_steps, step, "named");
	}
	if (ret_steps->count > 0)
		qsort(ret_steps->items, ret_steps->count, sizeof(*ret_steps->items), by_number);
	return err;
}
