/* SPDX-License-Identifier: MIT */
/*
 * Sums of time by stack: a tree of frames in which those of one name under one parent are one.
 * Trees are built from the inside out and merged. Names are numbers of the owner's. Nodes come
 * from one store of bounded size; beyond FRAMES_DEPTH frames all that is deeper belongs to the
 * frame at that depth. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_EXPORT_FORMS_FRAMES_H
#define ANALYZER_EXPORT_FORMS_FRAMES_H

#include <stdint.h>

#include "collector/base/vec.h"

#define FRAMES_NONE  0u
#define FRAMES_LIMIT (1u << 20)
#define FRAMES_DEPTH 200u

struct frame {
	uint32_t name, depth; /* depth: of the frames below it */
	uint32_t child, next; /* FRAMES_NONE: none */
	uint64_t self_ns;
};

struct frames {
	VEC(struct frame) items; /* the first one stands for none */
	uint32_t unused;         /* list of given back ones */
};

/* 0 or -ENOMEM. */
int frames_init(struct frames *frames);
void frames_release(struct frames *frames);

/* A frame with its own time, without any below; FRAMES_NONE: there is no room. */
uint32_t frames_new(struct frames *frames, uint32_t name, uint64_t self_ns);

/* Put a frame with all that is below it under a parent. It is the tree's from now on. */
void frames_put(struct frames *frames, uint32_t parent, uint32_t index);

#endif
