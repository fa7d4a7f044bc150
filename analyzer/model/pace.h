/* SPDX-License-Identifier: MIT */
/*
 * When the steps of a model end. A step is done when the host has made its calls and the device
 * has done what they asked for, whichever is later: where the host waits for the device in each
 * step that is the host's time, and where it runs ahead it is the device's, so that steps follow
 * each other at the pace of the slower one.
 *
 * The calls end at a cut; when the device has done their work is known once the operations before
 * the cut have their times. Of the streams only those count that were given kernels in the step, if
 * there are any, so that a copy which goes on beside the kernels of later steps delays nothing; and
 * a step has ended when the next one has. Until the end is known no time behind the cut may be
 * given to a step, so stretches of time (sweep.h) that reach over it wait: at most PACE_STRETCHES
 * of them, and as many cuts as the sweep may have pending. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_PACE_H
#define ANALYZER_MODEL_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/state.h"

void pace_release(struct pace *pace);

/* The running step has asked for an operation. */
static inline void pace_note(struct pace *pace, const struct device_op *op)
{
	uint64_t *streams = op->class == DEVICE_CLASS_COPY ? &pace->copies : &pace->kernels;
	*streams |= 1ull << op->stream;
}

/* The cuts were made by a poorer kind of mark: forget them, not what the step has asked for. */
void pace_restart(struct pace *pace);

/* There are as many cuts as can be kept. */
bool pace_is_full(const struct model *model);

/*
 * A step's calls end at cut->host_ns, with the operations up to number cut->until_op; streams are
 * filled in. 0 or -ENOMEM.
 */
int pace_cut(struct model *model, const struct pace_cut *cut);

/* Operations that have their times. */
struct pace_work {
	uint32_t count;    /* the oldest ones */
	bool open;         /* what was not measured may still run: steps with it have not ended */
	uint64_t limit_ns; /* none of it is believed to have ended later */
	uint64_t waited;   /* streams that were waited for, bit per index: others may be behind */
	uint32_t loose;    /* from that one on only the sum of their times is known */
	bool away;         /* the host ends in what may be no step */
};

/* The operations are retired, and steps end with them. */
void pace_retire(struct model *model, const struct pace_work *work);

/* A stretch is ready; account for it and what waited for it. crowded: at once. 0 or -ENOMEM. */
int pace_sweep(struct model *model, const struct pace_stretch *stretch, bool crowded);

/* All operations are retired: account for the rest, up to the end of the last step. */
void pace_finish(struct model *model);

#endif
