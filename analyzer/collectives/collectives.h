/* SPDX-License-Identifier: MIT */
/*
 * What the calls of NCCL of one process moved: a row for each kind, communicator, and size of
 * message (traffic.h), with the time of the host in the calls and that of the device for them.
 *
 * An entry is what is launched together: a call, or a group of calls, whose size is that of all its
 * calls, of transfers the larger of what is sent and received. The device's time is from the begin
 * of an entry's first kernel to the end of its last, and has in it that a kernel waits for other
 * ranks. Kernels are those that the calling thread launched while the call ran, and that are named
 * like communication. What is captured into a graph is counted and not measured.
 *
 * Bounded: rows (what does not fit shares one without a kind), entries that wait for the device's
 * records, arrivals. Not thread-safe.
 */
#ifndef ANALYZER_COLLECTIVES_H
#define ANALYZER_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/names/opname.h"
#include "analyzer/projection/projection.h"
#include "analyzer/read/lookup.h"
#include "collector/base/circle.h"
#include "collector/base/vec.h"
#include "collector/format/collective.h"
#include "collector/format/record.h"

#define COLLECTIVES_ROWS     1024u
#define COLLECTIVES_WAITING  65536u
#define COLLECTIVES_ARRIVALS (1u << 20)
#define COLLECTIVES_FEW      (1u << 14) /* arrivals that tell for whom a rank waits */

/* what of a row beside those of calls: a group of several kinds, or of transfers both ways */
#define COLLECTIVES_MIXED     COLLECTIVE_GROUP
#define COLLECTIVES_TRANSFERS COLLECTIVE_SIMULATED

struct collectives_key {
	uint32_t communicator; /* its name; 0: not known, or several */
	uint16_t ranks;        /* 0: not known */
	uint8_t what;
	uint8_t scale; /* messages of up to 1 KiB times 4 to that power */
};

struct collectives_row {
	struct collectives_key key;
	uint64_t calls, entries, failed, captured; /* captured ones are no entries */
	uint64_t host_ns, bytes;                   /* of the entries */
	struct {
		uint64_t entries, ns, bytes, bus_bytes;
	} device; /* of those whose kernels are known */
	bool bus_unknown;
	uint64_t most_ns;
	struct {
		uint64_t met, ns, last, most_ns;
	} wait; /* of those that all ranks are known of (meet.h): last: it came as the last one */
};

#define COLLECTIVES_NO_STEP UINT32_MAX

/* When this rank came to a collective of a communicator. */
struct collectives_arrival {
	uint32_t communicator, number;
	uint32_t step; /* COLLECTIVES_NO_STEP: before steps were counted as they are now */
	uint64_t host_ns, device_ns; /* its call; its kernel, 0: not known */
	uint32_t row, thread;
	uint16_t rank, ranks;
};

/* The group that a thread has open, or a single call. */
struct collectives_open {
	struct collectives_key key; /* of its calls */
	uint64_t calls, host_ns, size, bus_bytes, sent, received;
	bool bus_unknown;
	size_t arrivals; /* there were so many before it */
};

struct collectives_thread {
	uint32_t id;
	struct collectives_open open;
};

/* An entry until its kernels are known. */
struct collectives_entry {
	uint32_t row, thread;
	uint64_t begin_ns, end_ns, size, bus_bytes;
	size_t arrivals_from, arrivals_until;
};

struct collectives {
	struct lookup lookup;
	struct opname_cache names;
	struct projection kernels; /* by the thread that launched them */
	VEC(struct collectives_row) rows;
	VEC(struct collectives_thread) threads;
	VEC(struct collectives_arrival) arrivals;
	size_t arrivals_most; /* later ones are left out */
	CIRCLE(struct collectives_entry) waiting;
};

/* The lookup's context must outlive it. arrivals: so many are kept. NULL when out of memory. */
struct collectives *collectives_new(const struct lookup *lookup, size_t arrivals);
void collectives_free(struct collectives *collectives); /* NULL: nothing */

/* Empty again. */
void collectives_restart(struct collectives *collectives);

/* Steps are counted anew; what came before stays. */
void collectives_recount(struct collectives *collectives);

/* COLLECTIVE, in the order of their ends. 0 or -ENOMEM, as all of them. */
int collectives_call(
	struct collectives *collectives, uint64_t step, uint32_t thread, const struct record *call);

/* A kernel, with the call that launched it. */
int collectives_kernel(struct collectives *collectives, uint32_t thread, const struct record *call,
	const struct record *kernel);

/* Nothing more comes. 0 or -ENOMEM. */
int collectives_finish(struct collectives *collectives);

#endif
