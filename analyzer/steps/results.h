/* SPDX-License-Identifier: MIT */
/*
 * Functions that were compiled as a whole: which of them ends a step (vote.h), and what a wait for
 * results waits for, as they may only begin their work when they are called. That is what was
 * called since the wait before. The program's own say more than those that a library calls for it,
 * to look up an element or to convert a number. Pure; an all-zero struct has seen nothing.
 */
#ifndef ANALYZER_STEPS_RESULTS_H
#define ANALYZER_STEPS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/steps/vote.h"

struct results {
	struct vote votes[2]; /* on functions that a library calls, that the program itself does */
	uint32_t name;        /* of the first one that is waited for; 0: none was called */
	bool own;             /* the program calls it, and no library does */
	bool several;         /* others are waited for, too, that count as much */
	bool ahead;           /* the program goes on, and may wait in another step */
	bool waited;          /* for these: what is called next begins anew */
	/* of the beginning: calls, and batches that threads without a line have taken */
	uint64_t calls, loads;
	uint64_t taken; /* such batches since the last call */
	uint32_t place; /* of the last call */
	/* calls that count, and those of them before which others had been waited for */
	uint64_t counted, after_wait;
	bool owes; /* something else has begun, before which results of steps were not waited for */
	uint64_t since_ns, last_ns,
		waited_ns; /* begins of such calls; time of waits between them */
};

/*
 * Compiled functions take their batches themselves, about one in each call: a call ends a step, and
 * waits for the batch; one that got none has only found the end of the data. Where they take many,
 * each of these may end one.
 */
bool results_take_loads(const struct results *results);

/*
 * The program hardly ever waits for what it has called before it calls more, and then for long: a
 * wait in one place is for the work of many.
 */
bool results_run_ahead(const struct results *results);

/*
 * The steps are interrupted (says and leaves), or that has ended (says): true while the running
 * step goes on until results are waited for, because it has run ahead; that wait is its own. The
 * call that says so took call_ns.
 */
bool results_owe(struct results *results, bool says, bool leaves, uint64_t call_ns);

/* A compiled function of that name was called. */
void results_call(struct results *results, uint32_t name, bool own);

/* It counts for what results_run_ahead() says, and began then. */
void results_count(struct results *results, uint64_t begin_ns);

/* A call has ended: false where it got no batch. */
bool results_took(struct results *results);

/* They are waited for so long: the name of what is, 0 if it is more than one or unknown. */
uint32_t results_wait(struct results *results, uint64_t ns);

#endif
