/* SPDX-License-Identifier: MIT */
/*
 * What the hooks remember per thread besides guard.h: small, in static thread-local storage,
 * valid from the thread's first instruction to its last.
 */
#ifndef PRELOAD_THREAD_H
#define PRELOAD_THREAD_H

#include <stdint.h>

extern __thread struct thread_state {
	void *caller;   /* return address of the hooked call in progress */
	void *stack;    /* stack pointer of the outermost hooked call in progress */
	int32_t device; /* as last set by cudaSetDevice */
	uint32_t feeds; /* the thread has made a recorded CUDA call */
} thread_state __attribute__((tls_model("initial-exec")));

#endif
