/* SPDX-License-Identifier: MIT */
/*
 * A training loop of 40 steps as a recorder would have written it, with what the device
 * reports, for make_trace.c. A step takes 1 ms:
 *
 *   host    launch at 0, copy from pinned memory at 20 (line 12), launch at 40, wait 60 to 860
 *   device  kernel 30 to 230, copy of 4 MB 240 to 640, kernel 650 to 850
 *
 * What may be the matter: the source yields for steps 15 to 24, fails there for good, every fourth
 * step's records are lost, or the kernels are graphs that are known as a whole. "matched" is the
 * same as "training", written in another way: what the device's side says of a call refers to it.
 */
#ifndef TEST_CLI_TRAINING_TRACE_H
#define TEST_CLI_TRAINING_TRACE_H

#include "test/unit/analyzer/trace_maker.h"

/*
 * Append the loop: "training", or what is the matter: "yielded", "failed", "lost", "whole";
 * "matched", or "one" step of it.
 */
void training_make(struct maker *maker, const char *what);

#endif
