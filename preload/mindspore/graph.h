/* SPDX-License-Identifier: MIT */
/*
 * Runs of compiled graphs, which are steps of optimisers where the graph is one of theirs. The
 * caller holds the guard; any thread.
 */
#ifndef PRELOAD_MINDSPORE_GRAPH_H
#define PRELOAD_MINDSPORE_GRAPH_H

#include <stdint.h>

/*
 * A graph ran, between two times of the clock (clock_ticks()). phase: the str that says which, NULL
 * where no interpreter reads it; the caller has the interpreter's lock. Allocates names.
 */
void graph_ran(void *phase, uint64_t begun, uint64_t end);

/* The thread did what no optimiser does: the next of its graphs is another step. */
void graph_worked(void);

#endif
