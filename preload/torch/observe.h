/* SPDX-License-Identifier: MIT */
/*
 * What PyTorch calls back at the begin and end of operators and ranges.
 */
#ifndef PRELOAD_TORCH_OBSERVE_H
#define PRELOAD_TORCH_OBSERVE_H

#include <stdint.h>

#define OBSERVE_SWITCHED 3u

/*
 * Have PyTorch call back, whose symbols are known. Once. Returns how many callbacks may be switched
 * off and on, which are those of operators, not of ranges.
 */
unsigned observe_begin(const char *version, uint64_t ret_switched[OBSERVE_SWITCHED]);

/* Nothing is recorded any more. */
void observe_end(void);

#endif
