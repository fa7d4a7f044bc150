/* SPDX-License-Identifier: MIT */
/*
 * Checks of the simulated device against the rules of CUDA that matter to a tracer: which calls
 * wait, what order streams impose, what errors do.
 *
 * Each group runs in a process of its own with settings of its own, because the device reads its
 * settings once and an error can stick. Modelled times are long (tens of milliseconds) against
 * what the machine's load can add: a call that must return early may take a third of the modelled
 * time, one that must wait may not end before it.
 */
#ifndef CUDASIM_CONFORMANCE_H
#define CUDASIM_CONFORMANCE_H

#include <stdint.h>

#include "../kernel.h"

#define MS 1000000u

/* Counts a check, and prints the failed ones. */
#define CHECK(condition) check_that((condition) != 0, __FILE__, __LINE__, #condition)
/* The same for a call's result: prints what it returned. */
#define CHECK_RESULT(call, expected) check_result((call), (expected), __FILE__, __LINE__, #call)
#define CHECK_OK(call)               CHECK_RESULT(call, 0)

void check_that(int holds, const char *file, int line, const char *text);
void check_result(int result, int expected, const char *file, int line, const char *text);

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);

/* Did what began at begin_ns end well before, or not before, modelled_ns of time? */
int was_early(uint64_t begin_ns, uint64_t modelled_ns);
int has_waited(uint64_t begin_ns, uint64_t modelled_ns);

/* Kernels: 30 ms, 5 ms, and one that computes y = a * x + y in 50 us. */
void launch_slow(CUstream stream);
void launch_slow_per_thread(void);
void launch_mid(CUstream stream);
void launch_saxpy(float a, const float *x, float *y, int n, CUstream stream);
/* Two kernels of one template: the rule for the float one takes 20 ms. */
void launch_scale_float(void);
void launch_scale_double(void);
#define SCALE_NS (20 * MS)
const void *slow_stub(void);
const void *variable_shadow(void);
#define SLOW_NS (30 * MS)
#define MID_NS  (5 * MS)

void group_copies(void);
void group_overlap(void);
void group_boxes(void);
void group_streams(void);
void group_functions(void);
void group_events(void);
void group_memory(void);
void group_launch(void);
void group_queue(void);
void group_cost(void);
void group_errors(void);
void group_sticky(void);
void group_faults(void);
void group_capture(void);
void group_capture_errors(void);
void group_nodes(void);
void group_fork(void);
void group_entry(void);
void group_log(void);
void group_devices(void);
void group_driver(void);
void group_threads(void);
void group_no_device(void);

#endif
