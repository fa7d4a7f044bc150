/* SPDX-License-Identifier: MIT */
/*
 * Names of the numbers that calls of the CUDA runtime and driver return (error.def). Pure
 * functions over a constant table.
 */
#ifndef ANALYZER_TABLES_ERROR_H
#define ANALYZER_TABLES_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "cudaErrorNotReady", for the driver "CUDA_ERROR_NOT_READY"; the other's name where one has none.
 * NULL: no such error.
 */
const char *tables_error_name(int32_t number, bool driver);

/* An answer that says "not yet", not that something failed. */
bool tables_error_is_answer(int32_t number);

#endif
