/* SPDX-License-Identifier: MIT */
/*
 * Reads, opens and look-ups of files by what they read (INPUT): the folder, or a path where the
 * recorder told it. Only those that held a thread for long enough to be recorded with a name.
 * Beyond FILES_LIMIT names they go to the first one, without a name. Plain data; an all-zero struct
 * is empty.
 */
#ifndef ANALYZER_FACTS_FILES_H
#define ANALYZER_FACTS_FILES_H

#include <stdint.h>

#include "collector/format/record.h"

#define FILES_LIMIT 256u

struct fact_file {
	uint32_t name, filesystem;
	uint64_t reads, bytes, ns, longest_ns;
	uint64_t looks, look_ns; /* times that it was opened or looked up */
};

struct fact_files {
	struct fact_file items[FILES_LIMIT];
	uint32_t count, last;
};

void fact_files_add(struct fact_files *files, const struct record *record);

#endif
