/* SPDX-License-Identifier: MIT */
/* What a sentence says of the GPUs of a process that feeds several of them. */
#ifndef ANALYZER_REPORT_GPUS_H
#define ANALYZER_REPORT_GPUS_H

#include <stddef.h>

#include "analyzer/report/result/result.h"

/*
 * Append to a text on how busy "the GPU" is which of them that is: any, and how much each computes
 * where they take turns. Of one GPU, or where the device's records tell of one: nothing.
 */
void gpus_tell(const struct report *report, char *text, size_t size);

#endif
