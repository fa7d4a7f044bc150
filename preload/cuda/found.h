/* SPDX-License-Identifier: MIT */
/*
 * What of CUDA is in this process, as the description of a run says it.
 *
 * Not to be called from a hook: asks the loader for a path.
 */
#ifndef PRELOAD_CUDA_FOUND_H
#define PRELOAD_CUDA_FOUND_H

#include <stdbool.h>

struct cuda_found {
	bool runtime;             /* a runtime's functions */
	bool driver;              /* a driver that can be hooked */
	const char *problem;      /* why it cannot be; NULL: nothing to complain */
	bool passed_by;           /* calls of some libraries go past the hooks */
	const char *runtime_path; /* file name of the first runtime, NULL: none */
	const char *simulated;    /* how a simulated driver takes its times; NULL: no such */
};

struct cuda_found cuda_found_now(void);

#endif
