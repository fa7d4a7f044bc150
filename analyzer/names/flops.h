/* SPDX-License-Identifier: MIT */
/*
 * How many floating-point operations a call of an operator of PyTorch is, by its name and what its
 * inputs are: products of matrices (2 for each multiplication with its sum) and arithmetic element
 * by element. Only operators that do the work themselves are known, so that sums count nothing
 * twice. Convolutions are not: the size of their result depends on more than their inputs. Pure.
 */
#ifndef ANALYZER_FLOPS_H
#define ANALYZER_FLOPS_H

#include <stdbool.h>
#include <stdint.h>

/* Of one call; shapes: its inputs as an OP record has them (FORMAT.md). False: not known. */
bool flops_of(const char *name, const char *shapes, uint64_t *ret_flops);

#endif
