/* SPDX-License-Identifier: MIT */
/*
 * Names of the numbers that calls of the CUDA runtime and driver return (error.def). Pure
 * functions over a constant table.
 */
#ifndef ANALYZER_NAMES_ERROR_H
#define ANALYZER_NAMES_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "cudaErrorNotReady", for the driver "CUDA_ERROR_NOT_READY"; the other's name where one has none.
 * NULL: no such error.
 */
const char *error_name(int32_t number, bool driver);

/* An answer that says "not yet", not that something failed. */
bool error_is_answer(int32_t number);

#endif
