/* SPDX-License-Identifier: MIT */
/*
 * Of a comparison of several ranks, the rows whose counts did not change alike on all of them: what
 * one of them alone does now. Times are left out, since they are not the same on any two.
 */
#ifndef ANALYZER_COMPARE_UNEVEN_H
#define ANALYZER_COMPARE_UNEVEN_H

#include "analyzer/compare/compare.h"

/* 0 or -ENOMEM. */
int uneven_find(struct comparison *comparison);

#endif
