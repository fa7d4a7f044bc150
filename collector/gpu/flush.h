/* SPDX-License-Identifier: MIT */
/*
 * Everything that the library holds is delivered now. The call runs on a thread of its
 * own, because it is known to hang: whoever wants it waits two seconds. Whoever has taken the
 * phase (state.h) calls in here, so one thread at a time; hooks are kept off.
 */
#ifndef COLLECTOR_GPU_FLUSH_H
#define COLLECTOR_GPU_FLUSH_H

/*
 * keep_off is called first on the new thread, NULL is fine. 0; a negative code, and ret_reason
 * (GPU_REASON_BYTES) says why; -ETIMEDOUT: the library is not to be called any more.
 */
int gpu_flush_all(void (*keep_off)(void), char *ret_reason);

#endif
