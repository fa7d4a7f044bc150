/* SPDX-License-Identifier: MIT */
/* Stacks and calls of hand-made records, beside their names (model_names.h). */
#ifndef TEST_UNIT_MODEL_CALLS_H
#define TEST_UNIT_MODEL_CALLS_H

#include "test/unit/analyzer/model_names.h"

/* Called from the stack with the next number, up to number 14; 15 from 11, at its line. */
static inline const struct meta_STACK *stack_of(const void *context, uint32_t id)
{
	static struct meta_STACK stack;
	(void)context;
	stack = (struct meta_STACK){.id = id, .place = id, .caller = id < 14 ? id + 1 : 0};
	if (id >= BUILDER_THROUGH) /* in that place, which main() has called */
		stack = (struct meta_STACK){.id = id, .place = id, .caller = 11};
	if (id == 15)
		stack = (struct meta_STACK){.id = id, .place = 11, .caller = 11};
	return &stack;
}

static inline const char *call_of(const void *context, uint16_t id)
{
	(void)context;
	switch (id) {
	case CALL_LOAD:
		return "cuModuleLoadData";
	case CALL_UNLOAD:
		return "cuModuleUnload";
	case CALL_PEER:
		return "cudaDeviceEnablePeerAccess";
	case CALL_CONDITION:
		return "pthread_cond_wait";
	case CALL_SYSCALL:
		return "syscall";
	default:
		return "call";
	}
}

#endif
