/* SPDX-License-Identifier: MIT */
/*
 * Sums over all records of a process (sums.h) for the rules that look at the run as a whole. The
 * records of threads come in the order of their ends, those of the device in any.
 *
 * Texts belong to the lookup. Not thread-safe.
 */
#ifndef ANALYZER_FACTS_H
#define ANALYZER_FACTS_H

#include "analyzer/facts/sums.h"

struct facts *facts_new(const struct lookup *lookup); /* NULL when out of memory */
void facts_free(struct facts *facts);                 /* NULL: nothing */

/* Records of a thread of the program. 0 or -ENOMEM. */
int facts_host(struct facts *facts, uint32_t thread, const struct record *records, size_t count);

/* DEVICE_KERNEL, DEVICE_COPY; others are passed over. 0 or -ENOMEM. */
int facts_device(struct facts *facts, const struct record *records, size_t count);

void facts_describe(struct facts *facts, const struct meta_DEVICE *device);
void facts_run(struct facts *facts, const struct meta_RUN *run);
/* One that is not a framework's changes nothing. */
void facts_version(struct facts *facts, const struct meta_VERSION *version);
void facts_setting(struct facts *facts, const struct meta_SETTING *setting);

/* What is compiled, as long as facts are. */
const struct compiled *facts_regions(const struct facts *facts);

/* The stages of the data set, as long as facts are. */
const struct pipeline *facts_pipeline(const struct facts *facts);

/* The loads sampled, the shortest first; and how many there are. */
size_t facts_loads(struct facts *facts, const struct fact_load **ret_loads);

#endif
