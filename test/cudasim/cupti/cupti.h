/* SPDX-License-Identifier: MIT */
/*
 * Inside of the stand-in CUPTI: numbers of its interface, and one activity on its way from the
 * device to a client's buffer.
 *
 * An activity is made by the thread that makes the call or enqueues the operation (source.c),
 * waits in a queue, and is written into a buffer, in the layout of the version that is
 * played (layout.c), by a thread of CUPTI's own (deliver.c) once it is complete. Times stay those
 * of the truth log, CLOCK_MONOTONIC, until then; timeline.c turns them into the client's.
 *
 * Exported functions are in api.c, activity.c and callback.c. Each asks first for the error that
 * CUDASIM_CUPTI may have ordered for it.
 */
#ifndef CUDASIM_CUPTI_H
#define CUDASIM_CUPTI_H

#include <stddef.h>
#include <stdint.h>

#define CUPTI_EXPORT __attribute__((visibility("default")))
/*
 * What runs for every record lies side by side: between two of them the program has the cache, and
 * fetching code takes longer than running it.
 */
#define CUPTI_HOT __attribute__((hot))

enum cupti_result {
	CUPTI_OK = 0,
	CUPTI_INVALID_PARAMETER = 1,
	CUPTI_SIZE_NOT_SUFFICIENT = 10,
	CUPTI_MAX_LIMIT_REACHED = 12,
	CUPTI_NOT_INITIALIZED = 15,
	CUPTI_QUEUE_EMPTY = 18,
	CUPTI_INVALID_KIND = 21,
	CUPTI_NOT_SUPPORTED = 27,
	CUPTI_INSUFFICIENT_PRIVILEGES = 35,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39,
	CUPTI_UNKNOWN = 999,
};

/*
 * The kinds that are delivered; others can be enabled and stay silent. An alien is what a later
 * release might have invented: no client can know it.
 */
enum cupti_kind {
	KIND_MEMCPY = 1,
	KIND_MEMSET = 2,
	KIND_KERNEL = 3,
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
	KIND_DEVICE = 8,
	KIND_CONTEXT = 9,
	KIND_CONCURRENT_KERNEL = 10,
	KIND_OVERHEAD = 17,
	KIND_MEMCPY2 = 22,
	KIND_CUDA_EVENT = 36,
	KIND_STREAM = 37,
	KIND_SYNCHRONIZATION = 38,
	KIND_EXTERNAL_CORRELATION = 39,
	KIND_MEMORY2 = 49,
	KIND_GRAPH_TRACE = 51,
	KIND_ALIEN = 100,
	KIND_LIMIT = 128
};

enum cupti_api {
	API_RUNTIME,
	API_DRIVER,
	API_COUNT
};

#define MAX_CBID 1024

struct sim_device;

/*
 * Two lines of the cache, which the thread that makes a call has to write. What calls have is in
 * the first: no more is kept of theirs.
 */
struct activity {
	enum cupti_kind kind;
	uint32_t correlation;
	/* cbid, copy kind, synchronization type, external kind, overhead kind, memory operation */
	uint32_t type;
	uint32_t process, thread;
	uint32_t result;
	uint64_t begin_ns, end_ns;
	uint32_t device, context, stream;
	uint8_t source, target; /* numbers of CUpti_ActivityMemoryKind */
	uint8_t asynchronous;
	uint8_t incomplete;                    /* forced out before its end: without times */
	uint32_t value;                        /* of a set; priority of a stream */
	uint16_t source_device, target_device; /* of a copy between devices */

	uint32_t grid[3], block[3];
	uint32_t shared_bytes;
	uint32_t graph;
	uint64_t node;
	uint64_t bytes;
	uint64_t id; /* of the grid, the event; external id */
	union {
		const char *name;               /* of a kernel; lives as long as the process */
		const struct sim_device *facts; /* of a device; the same */
		uint64_t address;               /* of memory */
	};
} __attribute__((aligned(64)));

#define ACTIVITY_CALL_BYTES 64u /* of a call's activity: the first line */

/* Leaves the function with the error that CUDASIM_CUPTI orders for this call of it, if any. */
#define ORDERED_FAILURE()                                                                          \
	do {                                                                                       \
		int ordered = settings_failure(__func__);                                          \
		if (ordered)                                                                       \
			return ordered;                                                            \
	} while (0)

#endif
