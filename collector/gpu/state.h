/* SPDX-License-Identifier: MIT */
/*
 * In which phase the recording of the device is, and who may change it.
 *
 * A change takes the phase (it is then BUSY for all others), does its work, and puts the next one;
 * the taker holds no lock meanwhile, and nobody waits for it longer than two seconds. The next
 * phase is told to the file when it is put: as a SOURCE_STATE record, which the drain thread takes
 * from here, and as the state of the source "activity". A clean end is only a record: the
 * source stays known as active.
 *
 * Any thread. errno may change.
 */
#ifndef COLLECTOR_GPU_STATE_H
#define COLLECTOR_GPU_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/value.h"

enum gpu_phase {
	GPU_IDLE,
	GPU_BUSY,
	GPU_ACTIVE,
	GPU_YIELDED,
	GPU_ABSENT, /* no library was found */
	GPU_FAILED, /* what is delivered is still taken */
	GPU_ENDED,
	GPU_DEAD, /* a forked child, or the library does not answer: it is not called again */
};

#define GPU_BIT(phase) (1u << (phase))

/* Take the phase if it is one of the bits; *ret_was is it. False: it is another one. */
bool gpu_state_take(unsigned phases, enum gpu_phase *ret_was);

/*
 * Put the next phase. reason for ABSENT, FAILED, YIELDED and DEAD, else NULL. A failure that was
 * found meanwhile turns ACTIVE and ENDED into FAILED. Telling is left out when nothing has
 * changed.
 */
void gpu_state_put(enum gpu_phase phase, const char *reason);

enum gpu_phase gpu_state_phase(void);

/* Whether the interface is ours and answers, so that it may be asked for more than a walk. */
void gpu_state_use(bool usable);
bool gpu_state_is_usable(void);

/* Words for a call of the library that answered with an error (GPU_REASON_BYTES). */
void gpu_state_reason(const char *function, int code, char *ret_reason);

/* The drain thread found that a call fails: records may be missing from now on. */
void gpu_state_failed(const char *function, int code);

/* The next change of state, the oldest first; false: there is none. Drain thread only. */
bool gpu_state_next(enum source_state *ret_state, uint64_t *ret_ns);

/* In the child of a fork: true when the parent had begun, which leaves the child without. */
bool gpu_state_after_fork(void);

#endif
