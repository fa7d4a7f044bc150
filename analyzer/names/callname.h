/* SPDX-License-Identifier: MIT */
/*
 * How calls and copies are called where they stand for many: the names that nvprof's users know.
 * Pure; texts are constant.
 */
#ifndef ANALYZER_CALLNAME_H
#define ANALYZER_CALLNAME_H

#include <stdbool.h>
#include <stdint.h>

/* A copy by its direction (enum copy_direction). */
const char *callname_copy(uint64_t direction);

/* Whose function it is: driver, runtime or other. */
const char *callname_api(const char *function, bool driver);

#endif
