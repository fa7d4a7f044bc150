/* SPDX-License-Identifier: MIT */
/*
 * One thing that the device was asked to do: when the host asked, how long it is taken to
 * last, and what the device itself reported about it. Times are CLOCK_MONOTONIC ns. Plain
 * data, kept by device.h.
 */
#ifndef ANALYZER_DEVICE_OP_H
#define ANALYZER_DEVICE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum device_class {
	DEVICE_CLASS_COMPUTE,
	DEVICE_CLASS_COMM,
	DEVICE_CLASS_COPY,
	DEVICE_CLASS_COUNT
};

struct device_op {
	uint64_t ready_ns;   /* enqueued */
	uint64_t min_end_ns; /* known not to have ended before; 0: nothing known */
	uint64_t after;      /* number of an operation that must have ended, or DEVICE_NO_OP */
	uint64_t begin_ns, end_ns;                   /* fitted, or as measured */
	uint64_t call_ns;                            /* begin of the call */
	uint64_t step;                               /* in which it was made */
	uint64_t measured_begin_ns, measured_end_ns; /* of the first and last record with times */
	uint32_t records;                            /* of the device that belong to it */
	uint32_t nodes;                              /* a graph's; 0: unknown */
	uint32_t estimate;                           /* index */
	uint32_t spot;                               /* the line to which a copy belongs; 0: none */
	uint16_t stream;                             /* index */
	uint8_t class;                               /* enum device_class */
	bool fixed;                                  /* a copy: its estimate is not scaled */
	bool graph;
	bool silent;  /* it has nothing to do, so no record is expected */
	bool awaited; /* by the wait that was looked at last (device_await()) */
};

#endif
