/* SPDX-License-Identifier: MIT */
/*
 * What the hooks remember per thread besides guard.h: small, in static thread-local storage,
 * valid from the thread's first instruction to its last.
 */
#ifndef PRELOAD_THREAD_H
#define PRELOAD_THREAD_H

#include <stdint.h>

extern __thread struct thread_state {
	void *caller;         /* return address of the last hooked CUDA call */
	void *stack;          /* frame of the last one; NULL: the thread has made none */
	uint64_t device_bits; /* the current device, in bits 48 to 63 */
	uint64_t wait_end;    /* of the last wait in libc that was recorded, ticks */
	uint64_t chosen_bits; /* as cudaSetDevice chose it: counts when no context is current */
} thread_state __attribute__((tls_model("initial-exec")));

#endif
