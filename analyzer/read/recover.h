/* SPDX-License-Identifier: MIT */
/*
 * The live file of a trace that has no clean end (collector/format/live.h): what the
 * recorder had not written yet. Everything in it is checked against the size of the
 * file, since the process may have died at any moment, or still run and change it
 * while we read: bytes are copied first and the counters read again after.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_RECOVER_H
#define ANALYZER_RECOVER_H

#include <stdbool.h>

#include "analyzer/read/definitions.h"
#include "collector/format/live.h"

struct recover;

/*
 * Open a live file, or the one that a pointer file names. pid: of the trace, 0: any. 0, -errno
 * (-ESTALE: the pointer leads nowhere), -ERR_NOT_A_TRACE, -ERR_NEWER_VERSION, -ERR_TRUNCATED.
 */
int recover_open(const char *path, uint32_t pid, struct recover **ret_recover);
void recover_close(struct recover *recover);

uint32_t recover_pid(const struct recover *recover);

/* Number of the pending frame as it is now. */
uint32_t recover_sequence(struct recover *recover);

/* Add the names, places and functions that the file holds and definitions lack. 0 or -errno. */
int recover_definitions(struct recover *recover, struct definitions *definitions);

/*
 * A copy of the pending frame, valid until the next call; *ret_size is 0 when it is empty. Fails
 * with -EAGAIN when the recorder has begun another frame meanwhile.
 */
int recover_pending(
	struct recover *recover, uint32_t sequence, const void **ret_bytes, size_t *ret_size);

/* Parts that are not as they were written, since this was asked last. */
unsigned recover_take_damage(struct recover *recover);

unsigned recover_ring_count(const struct recover *recover);

/* A ring's counters as they are now; false: free, private, or not sane. */
bool recover_ring(struct recover *recover, unsigned index, struct live_ring *ret_ring);

/*
 * Copy at most limit published records of a ring into records, from number from on (raised when
 * those are overwritten already), times in ns. Returns how many, *ret_first the number of the
 * first.
 */
unsigned recover_records(struct recover *recover, unsigned index, uint64_t from,
	struct record *records, unsigned limit, uint64_t *ret_first);

/* Events that found no ring and that nothing else tells of, as of now. */
void recover_unowned(const struct recover *recover, struct live_unowned *ret_unowned);

/* Ticks of the recorder's clock in ns. */
uint64_t recover_ns(const struct recover *recover, uint64_t ticks);

#endif
