/* SPDX-License-Identifier: MIT */
/*
 * Numbers of API functions: from the exported name to the number and back. The table is cbid.def.
 *
 * A name's number is found by its content the first time and by its address afterwards, because
 * the calls that the truth log names always name themselves with the same string. Any thread.
 */
#ifndef CUDASIM_CUPTI_CBID_H
#define CUDASIM_CUPTI_CBID_H

#include "cupti.h"

/* 0 if CUPTI does not know such a function. */
uint32_t cbid_of(enum cupti_api api, const char *function);

/* "cudaMalloc_v3020", "cuMemAlloc_v2"; NULL if there is none of that number. */
const char *cbid_name(enum cupti_api api, uint32_t id);

#endif
