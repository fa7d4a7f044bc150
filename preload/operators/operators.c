/* SPDX-License-Identifier: MIT */
#include "preload/operators/operators.h"

#include "collector/describe.h"
#include "preload/python/python.h"
#include "preload/thread/threadmem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "kinds has the lowest byte first");

static struct threadmem pool;

void operators_forget(void)
{
	if (operators_own == NULL)
		return;
	operators_own->bottom = operators_own->top;
	operators_own->thread = 0;
}

struct operators *operators_make(void)
{
	if (operators_own == NULL) {
		operators_own = threadmem_take(&pool, sizeof(*operators_own));
		operators_forget();
	}
	return operators_own;
}

__attribute__((cold)) void operators_lose_oldest(struct operators *own)
{
	if (own->open[own->bottom++ % OPERATORS_OPEN].key != NULL)
		collector_count(COUNTER_RANGES_LOST, 1);
}

__attribute__((noinline)) bool operators_pop_inner(
	struct operators *own, const void *key, struct operator_open *ret_operator)
{
	uint64_t at = own->top;
	while (at > own->bottom && own->open[(at - 1) % OPERATORS_OPEN].key != key)
		at--;
	if (at == own->bottom)
		return false;
	struct operator_open *found = &own->open[(at - 1) % OPERATORS_OPEN];
	*ret_operator = *found;
	found->key = NULL;
	own->holes = true;
	return true;
}

void operators_close_holes(struct operators *own)
{
	while (own->top > own->bottom && own->open[(own->top - 1) % OPERATORS_OPEN].key == NULL)
		own->top--;
	if (own->top == own->bottom)
		own->holes = false;
}

uint64_t operators_work(unsigned multiplications)
{
	uint64_t least = UINT64_MAX, product = 1;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t begin = clock_ticks();
		for (unsigned n = 0; n < multiplications; n++) {
			product *= begin | 1;
			__asm__ volatile("" : "+r"(product)); /* one after the other */
		}
		uint64_t ticks = clock_ticks() - begin;
		least = ticks < least ? ticks : least;
	}
	return least;
}

void operators_took(struct operators *own, uint64_t ticks)
{
	own->until_sample = own->sampled = (uint32_t)collector_took(ticks, own->sampled + 1);
}

void operators_emit(struct operator_open *ended, uint64_t end)
{
	if (__builtin_expect(end - ended->begin >= OPERATORS_PLACE_TICKS, 0) && ended->place == 0)
		ended->place = python_place();
	operators_put(operators_own, ended, end);
}
