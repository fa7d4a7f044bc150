/* SPDX-License-Identifier: MIT */
#include "preload/operators/operators.h"

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/python/python.h"
#include "preload/thread/threadmem.h"

/* So long takes what is worth a line of the program; no clock ticks slower than 1 GHz. */
#define PLACE_LEAST_TICKS 100000u

static struct threadmem pool;
__thread struct operators *operators_own;

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

void operators_took(struct operators *own, uint64_t ticks)
{
	own->until_sample = own->sampled = (uint32_t)collector_took(ticks, own->sampled + 1);
}

void operators_emit(struct operator_open *ended, uint64_t end)
{
	if (__builtin_expect(end - ended->begin >= PLACE_LEAST_TICKS, 0) && ended->place == 0)
		ended->place = python_place();
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	struct operators *own = operators_own;
	if (ended->forward != 0)
		own->sequence = ended->sequence;
	uint32_t sequence = own == NULL ? 0 : own->sequence; /* what stays costs no byte */
	record->begin = ended->begin;
	record->end = end;
	record->kind = RECORD_OP;
	record->call = 0;
	record->place = ended->place;
	record->name = ended->name;
	record->result = 0;
	record->stream = record_bits_OP_forward(ended->forward);
	record->a = record_bits_OP_sequence(sequence) | record_bits_OP_line(ended->line);
	record->b = record_bits_OP_object(ended->object);
	record->c = record_bits_OP_scope(ended->scope) | record_bits_OP_framework(ended->framework);
	record->d = 0;
	collector_commit();
}
