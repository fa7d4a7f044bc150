/* SPDX-License-Identifier: MIT */
/*
 * What a finding says about a loader and its workers: where these spend their time, how many of
 * them would be enough, and what a step would take then. It says a number only where what was
 * measured follows from the same arithmetic (analyzer/facts/pool.h).
 */
#ifndef ANALYZER_REPORT_WHOLE_POOL_H
#define ANALYZER_REPORT_WHOLE_POOL_H

#include "analyzer/report/rules/row.h"

/* A loader gives the data, and other processes make them for it. */
bool pool_has_workers(const struct report *report);

/* Reads of files hold them for most of the time that they are busy. */
bool pool_is_of_files(const struct report *report);

/* The loader's workers have hardly anything else to do. */
bool pool_is_busy(const struct report *report);

/* The machine is busy all the time, and neither the loop nor its workers are why. */
bool pool_is_crowded(const struct report *report);

/* The loader's workers, or the loop that makes its batches itself, kept the pace that is seen. */
bool pool_known(const struct report *report);

/* The loader's pool with what the device does for a batch. */
struct pool pool_of(const struct report *report);

/* What the device does in a step at least; 0: not known, or there is none. */
double pool_device_ns(const struct report *report);

/*
 * Batches that lie ready take the loop so long to take that this sets its pace too, while workers
 * are busy with code of their own: each is handed over by the worker that made it.
 */
bool pool_hands_over(const struct report *report);

/* A step with so many workers. */
uint64_t pool_step_ns(const struct report *report, unsigned workers);

/* Append what a batch costs, how many workers would be enough, and what a step would take then. */
void pool_predict(const struct report *report, struct finding *finding);

/*
 * Append what of that the line takes at which the workers' samples are, and how fast it would have
 * to be for the workers that there are to be enough. Where that is not known, nothing.
 */
void pool_tell_line(const struct report *report, struct finding *finding);

/* Append what handing over takes, where that sets the pace too. */
void pool_tell_handing(const struct report *report, struct finding *finding);

/* Append how many files are opened for a batch. */
void pool_tell_looks(const struct report *report, struct finding *finding);

/* Say how fast files come, and how fast they would have to. */
void pool_tell_files(const struct report *report, struct finding *finding);

#endif
