/* SPDX-License-Identifier: MIT */
/*
 * What the stubs (stub_x86_64.S) ask: before a call which function it is for and whether it is to
 * be recorded, and what is told when it has returned or an exception has left it.
 *
 * Any thread, and inside any function of the program's: no lock, no heap, errno is kept.
 */
#ifndef PRELOAD_PROBE_CALL_H
#define PRELOAD_PROBE_CALL_H

#include <stdint.h>

/* So much of what lies on the caller's stack is handed on as arguments. */
#define CALL_STACK_BYTES 512

/* What the processor has of vectors; before the first stub is called. */
void call_prepare(void);

/*
 * Which upper parts of vector registers are in use, as the processor numbers them (XINUSE); ASK: it
 * can tell at any time. 0: it has none.
 */
#define CALL_VECTORS_ASK 1u
extern uint32_t probe_vectors __attribute__((visibility("hidden")));

struct call_answer {
	const void *target;
	uint64_t recorded; /* probe_leave() is to be called with the same frame */
};

/* number: of the stub; frame: of the call, its arguments on the stack are 16 bytes above. */
struct call_answer probe_enter(uint64_t number, uintptr_t frame);

void probe_leave(uintptr_t frame);

/* What an unwinder asks when it passes through a stub. */
int probe_personality(int version, int actions, uint64_t class, void *exception, void *context)
	__attribute__((visibility("hidden")));

/* Nothing is open on this thread any more: in the child of a fork. */
void call_forget(void);

/* The first of TABLE_LIMIT stubs, and how far they lie apart. */
extern const char probe_stubs[] __attribute__((visibility("hidden")));
#define CALL_STUB_BYTES 16u

#endif
