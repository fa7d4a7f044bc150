/* SPDX-License-Identifier: MIT */
/*
 * One trace file analysed: its records merged and modelled, and what its states say
 * about the process. The reader stays open, since the model's texts are the reader's.
 * A run has one such per process; not thread-safe.
 */
#ifndef ANALYZER_PROCESS_H
#define ANALYZER_PROCESS_H

#include "analyzer/beside/beside.h"
#include "analyzer/carry/carry.h"
#include "analyzer/collectives/collectives.h"
#include "analyzer/counts/counts.h"
#include "analyzer/facts/facts.h"
#include "analyzer/history/history.h"
#include "analyzer/model/model.h"
#include "analyzer/read/reader.h"
#include "analyzer/run/states.h"
#include "analyzer/tables/tables.h"

struct process {
	struct reader *reader;
	struct model *model;
	process_states sources, versions, settings, metadata;
	process_states reasons; /* why a source is in its state, by its name */
	struct process_looks looks;
	struct meta_WORKER worker; /* count 0: of no loader, as far as is known */
	process_gpus gpus;         /* that it used or that are described, by id */
	struct facts *facts;
	struct beside *beside;           /* gives the model its records, or NULL */
	struct history *history;         /* NULL: not wanted */
	struct tables *tables;           /* the same */
	struct counts *counts;           /* the same */
	struct collectives *collectives; /* the same */
	struct carry *carry;             /* NULL: operators were recorded in all steps */
	uint64_t odd, late;              /* records with impossible times, records out of order */
	uint64_t threads;
};

struct process_options {
	struct model_options model;
	uint32_t tables;         /* to be filled, bit per enum tables_id; 0: none */
	bool history, counts;    /* wanted */
	bool pieces;             /* of history, too */
	bool crowded;            /* other files keep the processors busy meanwhile */
	bool ranks;              /* there may be others, for which this one waits */
	const char *root;        /* files below it are shown without it; NULL: none */
	uint64_t from_ns, to_ns; /* after the process's first event; 0 and UINT64_MAX: all */
	/* called now and then, NULL: not */
	void (*progress)(void *context, const struct process *process);
	void *progress_context;
};

/* Read and model a whole file. 0 or a negative code; releases itself on failure. */
int process_init(struct process *process, const char *path, const struct process_options *options,
	struct err_at *reterr);
void process_release(struct process *process);

/*
 * The trace would not show what a GPU did: calls were not recorded, or the framework was made for
 * devices of another kind.
 */
bool process_is_blind(const struct process *process);

#endif
