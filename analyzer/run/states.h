/* SPDX-License-Identifier: MIT */
/*
 * What a trace says about its process in states: sources of events, versions, devices. The last
 * one sent of a name or id holds. At most STATES_LIMIT of each are kept. Not thread-safe; all-zero
 * lists are empty.
 */
#ifndef ANALYZER_RUN_STATES_H
#define ANALYZER_RUN_STATES_H

#include "analyzer/tables/source.h"
#include "collector/base/vec.h"

#define PROCESS_NAME  64u
#define PROCESS_VALUE 256u
#define STATES_LIMIT  64u

/* The state of a source, why it has it, or a version. */
struct process_state {
	char name[PROCESS_NAME], value[PROCESS_VALUE];
};

typedef VEC(struct process_state) process_states;
typedef VEC(struct tables_gpu) process_gpus; /* ascending ids */

/* 0 or -ENOMEM. */
int states_set(process_states *states, const char *name, const char *value);

/* The value of a name, or NULL. */
const char *states_value(const process_states *states, const char *name);

/* A device is described. 0 or -ENOMEM. */
int gpus_describe(process_gpus *gpus, const struct meta_DEVICE *device);

/* A device is known by its id alone, unless it is described. 0 or -ENOMEM. */
int gpus_add(process_gpus *gpus, uint64_t id);

/* Files that the process opened and looked up, and what that took. */
struct process_looks {
	uint64_t opens, open_ns, stats, stat_ns;
};

/* A running counter of the recorder: the last one holds. */
void states_count(struct process_looks *looks, const struct meta_COUNT *count);

#endif
