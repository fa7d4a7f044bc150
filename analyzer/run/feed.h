/* SPDX-License-Identifier: MIT */
/*
 * What the model sees is given on to the counts, tables and collectives of a process: one struct
 * feed for each, on one thread.
 */
#ifndef ANALYZER_RUN_FEED_H
#define ANALYZER_RUN_FEED_H

#include "analyzer/collectives/collectives.h"
#include "analyzer/counts/counts.h"
#include "analyzer/model/model.h"
#include "analyzer/tables/tables.h"

/* The last three: NULL where not wanted. */
struct feed {
	const struct model *model;
	struct counts *counts;
	struct tables *tables;
	struct collectives *collectives;
};

/* For a model that reads no longer than feed is there; its model is set before the first record. */
struct observer feed_observer(struct feed *feed);

#endif
