/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of collectives on arrays of the library's element types, numbered as the callers
 * number them. Sums of 16-bit types are rounded after each addition. Pure functions, any thread;
 * arrays are the caller's and may not overlap.
 */
#ifndef CUDASIM_LIBS_NCCL_REDUCE_H
#define CUDASIM_LIBS_NCCL_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "../compute/types.h"

enum type nccl_type(int type); /* TYPE_NONE: cannot be calculated with */
size_t nccl_type_size(int type);
/* total = op(total, other); the first of them is copied. */
void nccl_combine(int type, int op, void *total, const void *other, uint64_t count);
void nccl_divide(int type, void *total, uint64_t count, int divisor);
void nccl_scale(int type, void *values, uint64_t count, double factor);

#endif
