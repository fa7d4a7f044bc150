/* SPDX-License-Identifier: MIT */
/*
 * The drain thread's part of device activity: buffers that have come back are walked with the
 * library's own function (record sizes are its business), read, and given to the writer.
 *
 * They go under two pseudo threads, with tid 0, named "device" and "device calls": the
 * device's operations, and what happens on the host's side of it (write/lane.h). Numbers of events
 * go on from session to session, as those of threads do.
 *
 * What the library dropped and what found no buffer is told as lost, with a cause of its own.
 */
#ifndef COLLECTOR_GPU_COLLECT_H
#define COLLECTOR_GPU_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/gpu/records.h"
#include "collector/write/lane.h"

#define GPU_BLOCK_LIMIT 1024u

struct gpu_collect {
	struct gpu_reader reader;
	struct gpu_collect_lane {
		struct lane lane;
		unsigned count; /* of records that are not written yet */
		struct record records[GPU_BLOCK_LIMIT];
	} lanes[GPU_LANE_COUNT];
	uint64_t dropped_ns; /* when losses were looked at last */
	uint64_t told[GPU_COUNTER_COUNT];
};

/* A session begins. may_pause: recording may be switched off and on. */
void gpu_collect_begin(struct gpu_collect *collect, bool may_pause);

/* Take what has come back, and changes of state. Returns 0 when there was nothing. */
uint64_t gpu_collect_run(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns);

/*
 * Counters and devices that are not in the file yet; _second() asks for losses as well, and gives
 * back memory that is not needed any more.
 */
void gpu_collect_say(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns);
void gpu_collect_second(struct gpu_collect *collect, struct writer *writer, uint64_t now_ns);

/* Everything is to be said once more: the closing frame. */
void gpu_collect_say_again(struct gpu_collect *collect);

/* In the child of a fork. */
void gpu_collect_forget(struct gpu_collect *collect);

/* Ask the library what it has dropped; told with the next run. Any thread. */
void gpu_collect_ask_dropped(void);

/* Records in a buffer, by walking it. Any thread. */
uint64_t gpu_collect_count(uint8_t *data, size_t valid);

#endif
