/* SPDX-License-Identifier: MIT */
/*
 * The sums of facts.h as data, over the whole run. Of places and operators of a kernel the one
 * that most launches had is kept, with how many had it. Ids above FACTS_NAMES, allocations above
 * FACTS_BLOCKS and streams above FACTS_STREAMS are not looked at.
 */
#ifndef ANALYZER_FACTS_SUMS_H
#define ANALYZER_FACTS_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/compiled/compiled.h"
#include "analyzer/facts/files.h"
#include "analyzer/facts/hot.h"
#include "analyzer/facts/turn.h"
#include "analyzer/links/links.h"
#include "analyzer/pipeline/pipeline.h"
#include "collector/base/slots.h"

#define FACTS_NAMES    65536u
#define FACTS_BLOCKS   65536u
#define FACTS_STREAMS  64u
#define FACTS_LAUNCHES 1024u /* of a thread that are remembered */
#define FACTS_LOADS    4096u
#define FACTS_SETTLED  10u         /* steps after which a program has the memory that it needs */
#define FACTS_SHORT_NS 10000u      /* kernels below are short */
#define FACTS_LARGE    (1u << 20)  /* bytes of a copy that has a bandwidth */
#define FACTS_READ     (64u << 10) /* bytes below which a read is small */

enum word_class {
	WORD_KNOWN = 1 << 0, /* the name has been looked at */
	WORD_OPTIMIZER = 1 << 1,
	WORD_ZERO_GRAD = 1 << 2,
	WORD_LOADER = 1 << 3,
	WORD_PARAMETER = 1 << 4, /* the gradient of a parameter is there */
	WORD_DATA_PARALLEL = 1 << 5,
	WORD_SYNC_NORM = 1 << 6,
	WORD_FILL = 1 << 7, /* makes a tensor of one value */
	WORD_ROOM = 1 << 8, /* only makes room for one, or moves one */
	WORD_MATRIX = 1 << 9,
	WORD_TENSOR = 1 << 10,
	WORD_ELEMENTS = 1 << 11,
	WORD_FOREACH = 1 << 12,
	WORD_SEARCH = 1 << 13,      /* looks for parameters that get no gradient */
	WORD_DISTRIBUTED = 1 << 14, /* the forward pass of what does so */
	WORD_COMPILED = 1 << 15,    /* runs what torch.compile has made */
};

/* The value that most had, and how many had it since it was chosen. */
struct fact_vote {
	uint32_t value, lead, hits;
};

struct fact_name {
	uint16_t words;                     /* bits of enum word_class */
	uint64_t launches, told;            /* while operators were recorded */
	uint64_t runs, run_ns;              /* on the device */
	struct fact_vote place, op, behind; /* behind: the line whose backward pass it is */
};

struct fact_stream {
	uint64_t id; /* device and stream */
	uint64_t kernel_ns;
	uint64_t begin_ns, end_ns; /* of the last kernel */
	bool elements;             /* it went element by element */
};

/* Copies of FACTS_LARGE and more of one direction and memory. */
struct fact_copies {
	uint64_t count, bytes, ns;
	double best; /* bytes per ns */
};

struct fact_place {
	uint64_t count, ns, bytes;
	struct fact_vote place;
};

struct fact_gpu {
	uint64_t major, minor, multiprocessors, memory_bytes;
};

#define FACTS_PARTS   64u
#define FACTS_PART_NS 1000000u /* at first */

/* Memory of the device in a part of the run. */
struct fact_part {
	uint64_t most;           /* bytes asked for at once */
	uint32_t asked, refused; /* calls that allocate: all, those that found none */
};

/* The run in parts of one length, which is doubled when they are too many. */
struct fact_memory {
	uint64_t from_ns, part_ns; /* 0: nothing was asked for */
	uint32_t count;
	struct fact_part parts[FACTS_PARTS];
};

struct facts {
	struct lookup lookup;
	VEC(struct fact_name) names;
	struct fact_stream streams[FACTS_STREAMS];
	unsigned stream_count;
	uint8_t stream_hints[FACTS_STREAMS]; /* where a stream probably is, by its id */
	struct fact_copies copies[2][2];     /* to the device, from it; pageable, pinned */
	struct fact_place held_sets;         /* sets that hold the host */
	struct fact_place filled_copies;     /* to the device, of what the host has just filled */
	struct fact_vote optimizer_place, zeroing_place, distributed_place;
	uint64_t optimizers, optimizer_launches, unfed, zeroings, zeroing_launches;
	uint64_t parameters, fed, captured, parallel_forwards, sync_norms; /* ops of that name */
	enum op_framework framework; /* by versions, else operators; 0: none */
	uint64_t searches, searches_ns, distributed_forwards, compiled;
	struct compiled regions;                                      /* of what is compiled */
	uint64_t loads, load_ns, main_loads, waited_loads, queued_ns; /* begin of a wait in one */
	struct fact_load load_samples[FACTS_LOADS];
	uint64_t pid, user_ns, reads, small_reads, read_bytes;
	struct fact_files files;
	struct work work; /* of the main thread */
	struct hot hot;   /* the same */
	struct links links;
	struct queue queue;
	struct pipeline pipeline;
	struct turns turns;
	struct pin pin;
	uint64_t filled_ns; /* kernel time times the multiprocessors that had a block */
	uint64_t shaped_ns; /* times all of them; of kernels whose shape and device are known */
	uint64_t kernel_ns, runs, short_runs;
	uint64_t chained, chained_ns; /* runs element by element that follow such a one */
	uint64_t overlap_ns;          /* two streams ran kernels at once */
	uint64_t reserved, reserved_peak, reserved_first; /* of the device, from the start */
	struct fact_memory memory;
	VEC(struct fact_block) blocks;
	struct slots block_slots;
	struct fact_gpu gpu;  /* the first that was described */
	bool bare;            /* operators are not recorded now */
	bool launch_blocking; /* the environment asks for it */
	VEC(struct facts_thread *) threads;
	struct facts_thread *last_thread;
	uint32_t last_id;
};

/* What most had, if at least half of count did; else 0. */
static inline uint32_t fact_winner(const struct fact_vote *vote, uint64_t count)
{
	return 2ull * vote->hits >= count ? vote->value : 0;
}

#endif
