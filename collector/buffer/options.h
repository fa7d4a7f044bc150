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

/* What a call is named; id is below call_count. Any thread. */
typedef struct collector_call collector_call_of(unsigned id);

/* A thread's stack as ids, filled by read_stack. */
struct collector_stack {
	uint32_t place; /* collector_place(): as its records would have it now */
	uint32_t stack; /* collector_stack(), 0: no room */
	uint32_t flags; /* enum stack_flags */
};

enum collector_stack_result {
	COLLECTOR_STACK_NONE, /* the thread has no frames now */
	COLLECTOR_STACK_READ,
	COLLECTOR_STACK_TORN, /* it changed too much while it was read */
};

struct collector_options {
	const char *out_dir;       /* folder of the run, expanded; made when it is missing */
	size_t ring_bytes;         /* per thread */
	uint64_t max_bytes;        /* of the file, 0: unlimited */
	int compression;           /* zstd level */
	int64_t rank, world_size;  /* -1: none */
	const char *role;          /* main, child, worker */
	const char *run_id;        /* the same in every process of the run; kept */
	uint32_t source_bytes;     /* of source lines to keep at most, 0: none */
	const char *source_folder; /* where relative paths of source files begin; kept */
	unsigned file_mode;        /* of the files, folders alike: 0600 and what others may */
	bool without_command;      /* the command line stays out of the trace */
	bool rings_on_disk;        /* in the folder, not in /dev/shm */
	bool force_monotonic;
	bool may_pause;             /* collector_enable(false) may come */
	bool without_samples;       /* of the process and the host */
	int log_level;              /* enum log_level of base/log.h */
	collector_call_of *call_of; /* of the ids in records, from 1 */
	unsigned call_count;
	/*
	 * States and versions to write with the run description. The first thing that the drain
	 * thread calls, so also the place to keep hooks off that thread for good.
	 */
	void (*describe)(void);
	unsigned sample_hz; /* stacks per second of a thread that is watched, 0: none */
	bool helps; /* set by the collector: a recorded process has forked this one for help */
	/*
	 * By the drain thread: read the stack of another thread, which goes on meanwhile or is
	 * gone; subject and mark are those of collector_watch(). NULL: none are read.
	 */
	enum collector_stack_result (*read_stack)(
		const void *subject, uint64_t mark, struct collector_stack *ret_stack);
	/* Called on a thread that is about to record its first event. */
	void (*thread_begins)(void);
	/* Called by the drain thread about every second and once at the end, e.g. to sample. */
	void (*tick)(uint64_t now_ns);
	/* Called by the drain thread when it has looked at the rings: every 40 ms in use. */
	void (*looked)(void);
};

#endif
