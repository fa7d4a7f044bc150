/* SPDX-License-Identifier: MIT */
/*
 * Regions of torch.compile, from the ranges "Torch-Compiled Region: F/C": F is a frame, a function
 * of the program or what is left of it behind a break of its graph, C counts how often that was
 * compiled. The range of what follows a break lies in the range of what is before it, and its place
 * is the line of the break. A break behind which nothing is compiled is not seen.
 *
 * Ranges of a thread come when they end. Memory is bounded: what does not fit is counted. Not
 * thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_COMPILED_H
#define ANALYZER_COMPILED_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/read/lookup.h"
#include "collector/base/vec.h"
#include "collector/format/record.h"

#define COMPILED_FRAMES 1024u
#define COMPILED_BREAKS 1024u
#define COMPILED_OPEN   64u

struct compiled_frame {
	uint32_t id, place; /* place: that called it last, of which that is known; 0: not known */
	uint32_t last;      /* the highest number of a compilation */
	uint64_t seen;      /* compilations, a bit each; the last bit is all from there on */
	uint64_t calls, ns;
	uint32_t around; /* the frame that it was called in, plus 1; 0: none */
};

/* A line at which a frame is left for another one. */
struct compiled_break {
	uint32_t frame, place, line;
	uint32_t file;
	uint64_t seen; /* compilations of the frame that have it, as above */
	uint64_t calls;
};

/* One that has ended, and may turn out to lie in another one. */
struct compiled_range {
	uint64_t begin_ns;
	uint32_t frame, place;
};

struct compiled_thread {
	uint32_t id, count;
	struct compiled_range ended[COMPILED_OPEN];
};

struct compiled {
	VEC(struct compiled_frame) frames;
	VEC(struct compiled_break) breaks;
	VEC(struct compiled_thread) threads;
	uint64_t left_out; /* calls */
};

/* A range with this name has ended; any name. 0 or -ENOMEM. */
int compiled_end(struct compiled *compiled, const struct lookup *lookup, uint32_t thread,
	const char *name, const struct record *range);

void compiled_release(struct compiled *compiled);

/* How many compilations of those seen. */
static inline unsigned compiled_count(uint64_t seen)
{
	return (unsigned)__builtin_popcountll(seen);
}

/* Lines at which the frame is left; ret_pairs: each times the compilations that have it. */
unsigned compiled_breaks_of(const struct compiled *compiled, uint32_t frame, uint64_t *ret_pairs);

#endif
