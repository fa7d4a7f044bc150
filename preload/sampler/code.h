/* SPDX-License-Identifier: MIT */
/*
 * Positions in code objects that another thread holds, as ids. The objects may be freed or made
 * anew at any time, so they are read with copies that cannot fault, must be of their types, and a
 * position that was read before counts only while the same file, function and table are there.
 *
 * One user; no allocation, no lock, no fault.
 */
#ifndef PRELOAD_SAMPLER_CODE_H
#define PRELOAD_SAMPLER_CODE_H

#include <stdbool.h>

#include "preload/python/site.h"
#include "preload/sampler/chain.h"

/*
 * The ids of a frame's position; *ret_ids has line 0 for a frame that does not count. False: there
 * is no code object at its place, or the position is outside of it.
 */
bool code_ids(const struct chain_source *source, const struct chain_frame *frame,
	struct site_ids *ret_ids);

/* In the child of a fork: what is known may have been in the middle of a change. */
void code_after_fork(void);

#endif
