/* SPDX-License-Identifier: MIT */
/*
 * What the collector is told before it begins (collector_configure()): plain values, from
 * whoever reads the environment. Kept by the collector for the life of the process; the rooms
 * behind it only read them. Types alone: no code, no state.
 */
#ifndef COLLECTOR_BUFFER_OPTIONS_H
#define COLLECTOR_BUFFER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collector_call {
	const char *name;
	const char *library;
};

struct collector_options {
	const char *out_dir;      /* folder of the run, expanded; made when it is missing */
	size_t ring_bytes;        /* per thread */
	uint64_t max_bytes;       /* of the file, 0: unlimited */
	int compression;          /* zstd level */
	int64_t rank, world_size; /* -1: none */
	const char *role;         /* main, child, worker */
	const char *run_id;       /* the same in every process of the run; kept */
	bool force_monotonic;
	bool may_pause;                     /* collector_enable(false) may come */
	bool without_samples;               /* of the process and the host */
	int log_level;                      /* enum log_level of base/log.h */
	const struct collector_call *calls; /* index = id in records; entry 0 unused; kept */
	unsigned call_count;
	/*
	 * States and versions to write with the run description. The first thing that the drain
	 * thread calls, so also the place to keep hooks off that thread for good.
	 */
	void (*describe)(void);
	/* Called on a thread that is about to record its first event. */
	void (*thread_begins)(void);
	/* Called by the drain thread about every second and once at the end, e.g. to sample. */
	void (*tick)(uint64_t now_ns);
};

#endif
