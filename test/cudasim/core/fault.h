/* SPDX-License-Identifier: MIT */
/*
 * Errors to order: CUDASIM_FAULT='FUNCTION:N=ERROR;...'.
 *
 * FUNCTION is an exported name of runtime or driver (cudaMalloc, cuMemAlloc_v2, ...); N counts
 * its calls in this process from 1, * means every call; ERROR is a number or a name of either
 * interface (2, cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY). The call returns the error
 * and does nothing else.
 */
#ifndef CUDASIM_CORE_FAULT_H
#define CUDASIM_CORE_FAULT_H

/* Counts a call of function. Returns the error ordered for it, or 0. Any thread. */
int fault_check(const char *function);

#endif
