/* SPDX-License-Identifier: MIT */
/*
 * What PyTorch calls back at the begin and end of operators and ranges.
 */
#ifndef PRELOAD_TORCH_OBSERVE_H
#define PRELOAD_TORCH_OBSERVE_H

/* Have PyTorch call back, whose symbols are known. Once. */
void observe_begin(const char *version);

/* Nothing is recorded any more. */
void observe_end(void);

#endif
