/* SPDX-License-Identifier: MIT */
/*
 * Operators and ranges of a framework between their begin and their end on a thread: what
 * preload/torch, its like and preload/probe have in common. Each is known by an address that is its
 * own while it is open. Out of order, as ranges of Python generators end, is fine; what
 * ends on another thread than it began on is left out.
 *
 * Any thread; the caller holds the guard for begin and end. errno is kept.
 */
#ifndef PRELOAD_OPERATORS_H
#define PRELOAD_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/collector.h"
#include "collector/format/fields.h"
#include "preload/operators/names.h"

#define OPERATORS_OPEN        128u /* at once per thread, a power of two */
#define OPERATORS_STACK_PAGES 8u

/* key is NULL once it has ended before an inner one. */
struct operator_open {
	const void *key;
	uint64_t begin, object;
	uint32_t place, name;    /* as the record has them */
	uint32_t sequence, line; /* too */
	uint32_t forward;        /* too; 0: none of these */
	uint32_t shapes;         /* too */
	union {
		struct {
			uint8_t scope, framework, mark; /* the mark is the caller's */
			bool recorded;                  /* too */
		};
		uint32_t kinds; /* the four at once: OPERATORS_KINDS() */
	};
} __attribute__((aligned(64)));

#define OPERATORS_KINDS(scope, framework, mark, recorded)                                          \
	((scope) | (framework) << 8 | (mark) << 16 | (uint32_t)(recorded) << 24)

/* Of a thread: numbers bottom to top - 1 are open, modulo OPERATORS_OPEN. */
struct operators {
	uint64_t bottom, top;
	bool holes;                     /* some of them have ended */
	uint32_t sequence;              /* the last one that was recorded */
	uint32_t thread;                /* as the framework numbers it; 0: not asked yet */
	uint32_t sampled, until_sample; /* begins since the last sample of their cost, and to go */
	uintptr_t stack_pages[OPERATORS_STACK_PAGES]; /* that were seen to be there */
	struct {
		uint32_t name, place;
		bool worked; /* the thread has done something else since */
	} stepped;           /* the optimiser's step made last, where parts of it look alike */
	struct operator_open open[OPERATORS_OPEN];
	struct operator_names names;
};

#define operators_own (thread_block.state.operators)

/* Those of the calling thread, made at the first call; NULL: no memory. */
struct operators *operators_make(void);

static inline struct operators *operators_of_caller(void)
{
	struct operators *own = operators_own;
	return __builtin_expect(own != NULL, 1) ? own : operators_make();
}

/* In the child of a fork: nothing is open on this thread any more. */
void operators_forget(void);

/* What a begin takes is sampled: when this one's began, 0 for most; then operators_took(). */
static inline uint64_t operators_sample(struct operators *own)
{
	return __builtin_expect(own->until_sample-- == 0, 0) ? clock_ticks() : 0;
}
void operators_took(struct operators *own, uint64_t ticks);

/* Ticks of so many multiplications, one after the other: a measure for what cannot be timed. */
uint64_t operators_work(unsigned multiplications);

void operators_lose_oldest(struct operators *own);

/* What begins: the caller sets begin last. The oldest gives way, and is counted as lost. */
static inline struct operator_open *operators_push(struct operators *own, const void *key)
{
	if (__builtin_expect(own->top - own->bottom == OPERATORS_OPEN, 0))
		operators_lose_oldest(own);
	struct operator_open *open = &own->open[own->top++ % OPERATORS_OPEN];
	open->key = key;
	open->object = 0;
	open->forward = open->shapes = open->line = 0;
	return open;
}

/* False: it is not open here. */
bool operators_pop_inner(
	struct operators *own, const void *key, struct operator_open *ret_operator);
void operators_close_holes(struct operators *own);

static inline bool operators_pop(
	struct operators *own, const void *key, struct operator_open *ret_operator)
{
	if (own->top == own->bottom)
		return false;
	const struct operator_open *last = &own->open[(own->top - 1) % OPERATORS_OPEN];
	if (__builtin_expect(last->key != key, 0))
		return operators_pop_inner(own, key, ret_operator);
	*ret_operator = *last;
	own->top--;
	if (__builtin_expect(own->holes, 0))
		operators_close_holes(own);
	return true;
}

/* So long takes what is worth a line of the program; no clock ticks slower than 1 GHz. */
#define OPERATORS_PLACE_TICKS 100000u

/* Record it; of one that took long the line is looked up if it has none. */
void operators_emit(struct operator_open *ended, uint64_t end);

/* The same without the look-up. own may be NULL. */
static inline void operators_put(
	struct operators *own, const struct operator_open *ended, uint64_t end)
{
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
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
	record->stream =
		record_bits_OP_forward(ended->forward) | record_bits_OP_shapes(ended->shapes);
	record->a = record_bits_OP_sequence(sequence) | record_bits_OP_line(ended->line);
	record->b = record_bits_OP_object(ended->object);
	record->c = record_bits_OP_scope(ended->scope) | record_bits_OP_framework(ended->framework);
	record->d = 0;
	collector_commit();
}

#endif
