/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program by samples of the stack that lie in time in which the GPU idles. Nothing
 * is owned; what is returned lives as long as the report.
 */
#ifndef ANALYZER_REPORT_SAMPLES_SAMPLED_H
#define ANALYZER_REPORT_SAMPLES_SAMPLED_H

#include "analyzer/read/lookup.h"
#include "analyzer/report/result/result.h"

/* Of which samples. */
enum sampled {
	SAMPLED_CODE,  /* in code of the steady steps */
	SAMPLED_ASIDE, /* in code of what is no step */
	SAMPLED_MAKING /* in the steady steps, while a batch is made or waited for */
};

/* A function of the program, and its line with most samples. */
struct sampled_function {
	const struct spot *spot; /* NULL: of none */
	uint64_t all;            /* samples of all functions */
	uint64_t samples, line_samples;
	uint64_t gap_samples; /* of lines between the same two calls as that one */
	uint64_t apart;       /* CODE: as many as its operators took, which have findings */
};

/*
 * The one with most samples that nothing else tells of; of those between a call at the line of that
 * place and the next call, if it is not NULL.
 */
struct sampled_function sampled_most(
	const struct report *report, enum sampled sampled, const struct meta_PLACE *after);

/* There are enough of them to name the function, and it has a share that matters. */
bool sampled_is_known(const struct report *report, const struct sampled_function *function);

/*
 * Name of the function that a spot is in; NULL: unknown. What has a frame of its own but no name (a
 * comprehension, a lambda) belongs to the function around it.
 */
const char *sampled_name(const struct report *report, const struct spot *spot);

/* Of all samples. */
static inline double sampled_pct(const struct sampled_function *function, uint64_t samples)
{
	return function->all > 0 ? 100.0 * (double)samples / (double)function->all : 0;
}

#endif
