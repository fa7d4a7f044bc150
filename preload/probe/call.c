/* SPDX-License-Identifier: MIT */
#include "preload/probe/call.h"

#include <stdbool.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/operators/operators.h"
#include "preload/probe/table.h"
#include "preload/thread/guard.h"
#include "preload/thread/peek.h"

#define ARGUMENTS_AT 16u /* above the frame */
#define PAGE_BITS    12u

/* What an unwinder passes and expects (Itanium C++ ABI, level I). */
#define UNWIND_CLEANUP  2
#define UNWIND_CONTINUE 8

uint32_t probe_vectors;

#if defined(__x86_64__)
#define VECTORS_YMM 0x4u
#define VECTORS_ZMM 0x40u

/* CPUID's leaf of extended states: xgetbv tells which are in use. */
#define STATES_LEAF 0xdu
#define STATES_TELL 0x4u

/* Those that the system keeps for each thread, numbered as those in use. */
static uint32_t kept_states(void)
{
	uint32_t low, high;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* Not by the compiler's list of features, which would ask much more at each start of a program. */
void call_prepare(void)
{
	unsigned a, b, c, d;
	__cpuid(1, a, b, c, d);
	if ((c & bit_OSXSAVE) == 0)
		return;
	uint32_t vectors = kept_states() & (VECTORS_YMM | VECTORS_ZMM);
	__cpuid_count(STATES_LEAF, 1, a, b, c, d);
	bool tells = vectors != 0 && (a & STATES_TELL) != 0;
	probe_vectors = tells ? CALL_VECTORS_ASK : vectors;
}
#else
void call_prepare(void)
{
}
#endif

/* What longjmp has left is further down the stack than who calls now. */
static void drop_left_behind(struct operators *own, uintptr_t frame)
{
	while (own->top > own->bottom) {
		const struct operator_open *last = &own->open[(own->top - 1) % OPERATORS_OPEN];
		if (last->framework != OP_PROBE || (uintptr_t)last->key > frame)
			break;
		own->top--;
		collector_count(COUNTER_RANGES_LOST, 1);
	}
}

/* At the outer end of a stack there may be nothing behind the frame. */
static bool has_arguments(struct operators *own, uintptr_t frame)
{
	uintptr_t begin = frame + ARGUMENTS_AT, end = begin + CALL_STACK_BYTES - 1;
	uintptr_t page = end >> PAGE_BITS;
	char byte;
	if (begin >> PAGE_BITS == page)
		return true;
	uintptr_t *seen = &own->stack_pages[page % OPERATORS_STACK_PAGES];
	if (*seen == page)
		return true;
	if (!peek((const void *)end, &byte, sizeof(byte)))
		return false;
	*seen = page;
	return true;
}

struct call_answer probe_enter(uint64_t number, uintptr_t frame)
{
	const struct probe *probe = &table_probes[number];
	struct call_answer answer = {.target = probe->target, .recorded = 0};
	if (collector_enabled == 0 || !guard_enter())
		return answer;
	struct operators *own = operators_of_caller();
	if (own != NULL && has_arguments(own, frame)) {
		drop_left_behind(own, frame);
		struct operator_open *open = operators_push(own, (const void *)frame);
		open->name = probe->name;
		open->place = 0;
		open->scope = OP_FUNCTION;
		open->framework = OP_PROBE;
		open->mark = 0;
		open->recorded = true;
		open->begin = clock_ticks();
		answer.recorded = 1;
	} else {
		collector_count(COUNTER_RANGES_LOST, 1);
	}
	guard_leave();
	return answer;
}

void probe_leave(uintptr_t frame)
{
	uint64_t end = clock_ticks();
	struct operator_open ended;
	if (!guard_enter())
		return;
	if (operators_own != NULL && operators_pop(operators_own, (const void *)frame, &ended))
		operators_emit(&ended, end);
	guard_leave();
}

/*
 * An exception, or the end of the thread, passes through a stub: from the innermost one outwards,
 * so it is the last that is open. There is no landing: the stub has nothing to give back.
 */
int probe_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	struct operators *own = operators_own;
	if ((actions & UNWIND_CLEANUP) == 0 || own == NULL)
		return UNWIND_CONTINUE;
	for (uint64_t at = own->top; at > own->bottom; at--) {
		const struct operator_open *open = &own->open[(at - 1) % OPERATORS_OPEN];
		if (open->key != NULL && open->framework == OP_PROBE) {
			probe_leave((uintptr_t)open->key);
			break;
		}
	}
	return UNWIND_CONTINUE;
}

void call_forget(void)
{
	operators_forget();
}
