/* SPDX-License-Identifier: MIT */
/*
 * Training steps one by one: what each consists of, from the ends of steps, the stages of training
 * and the device's work, which all come at times of their own. Of a longer run the steps behind
 * TRACE_STEPS are only counted.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TABLES_TRACE_H
#define ANALYZER_TABLES_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/stages/stages.h"
#include "collector/base/vec.h"

#define TRACE_STEPS 65536u
#define TRACE_PARTS (8 * TRACE_STEPS)

struct trace_step {
	uint64_t step, begin_ns, end_ns;
	uint64_t ns[STAGE_COUNT];
	uint64_t forward_ns, backward_ns; /* begin of the first, end of the last; 0: none */
};

struct trace_part {
	enum stage stage;
	uint64_t begin_ns, end_ns;
};

/* What the device did for calls of a step, added up. */
struct trace_work {
	uint64_t device_ns, communication_ns;
};

struct tables_trace {
	VEC(struct trace_step) steps; /* ascending */
	VEC(struct trace_part) parts;
	VEC(struct trace_work) work;  /* by the step's number */
	uint64_t more_steps, more_ns; /* that are only counted */
};

void trace_release(struct tables_trace *trace);

/* A step, a stretch of a stage, work of the device. 0 or -ENOMEM. */
int trace_step(struct tables_trace *trace, uint64_t step, uint64_t begin_ns, uint64_t end_ns);
int trace_part(struct tables_trace *trace, enum stage stage, uint64_t begin_ns, uint64_t end_ns);
int trace_work(struct tables_trace *trace, uint64_t step, uint64_t ns, bool communicates);

/* Other steps follow. */
void trace_forget_steps(struct tables_trace *trace);

/* Nothing more comes: steps get their parts. */
void trace_join(struct tables_trace *trace);

#endif
