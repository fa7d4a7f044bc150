/* SPDX-License-Identifier: MIT */
/*
 * What the device itself reports: begin and end of kernels, copies and sets, and which call
 * asked for them. One implementation for now: CUPTI's activity interface.
 *
 * The library is found at run time and only ever looked up; without it, or when it
 * fails, recording goes on without. Its buffers are handed to the drain thread as they come; all
 * reading of records happens there. A record's times are CLOCK_MONOTONIC ns from the start: the
 * library's clock is replaced by ours. No lock of ours is held across a call of the library.
 *
 * State changes are told as the source "activity" and as SOURCE_STATE records, so that a reader
 * knows for which time the absence of a device record means something.
 *
 * The interface is one per process: another tool that registers its own callbacks takes it
 * from us. gpu_yield() is called when that is about to happen, gpu_resume() when the other has
 * left; meanwhile calls are recorded without device times.
 *
 * Threads: as each function says. errno is kept. In a forked child everything is a no-op.
 */
#ifndef COLLECTOR_GPU_H
#define COLLECTOR_GPU_H

#include <stdbool.h>

#include "collector/gpu/options.h"

/*
 * Begin to record device activity. Called by a thread of the program at its first recorded CUDA
 * call, with hooks kept off, when no dlopen is in progress; later calls do nothing. Never
 * initialises CUDA. 0 or a negative code; the state is told either way.
 */
int gpu_start(const struct gpu_options *options);

/*
 * Everything is delivered to us now, what the device has not finished without times: a context is
 * about to go. Any thread of the program, hooks off; two seconds at most.
 */
void gpu_flush(void);

/*
 * Nothing more is wanted (exit, exec): forced flush, waits until all of it is read, then no
 * records. gpu_continue(): the exec failed, go on. Any thread; three seconds at most.
 */
void gpu_stop(void);
void gpu_continue(void);

/*
 * Another tool takes the interface. who is for the reader ("torch.profiler", a path, ...), static
 * or kept by the caller. gpu_resume(): the interface is free again. Hooks off. Idempotent.
 */
void gpu_yield(const char *who);
void gpu_resume(void);

/* True while a call of ours into the library is in progress on this thread. */
bool gpu_is_calling(void);

/* In the child of a fork: there is no library and never was. */
void gpu_after_fork(void);

#endif
