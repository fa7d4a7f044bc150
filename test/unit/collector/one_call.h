/* SPDX-License-Identifier: MIT */
/* What the only call of a test's records is named. */
#ifndef TEST_UNIT_COLLECTOR_ONE_CALL_H
#define TEST_UNIT_COLLECTOR_ONE_CALL_H

#include "collector/buffer/options.h"

static inline struct collector_call one_call(unsigned id)
{
	return id == 1 ? (struct collector_call){"cudaMemcpy", "cudart"}
		       : (struct collector_call){NULL, NULL};
}

#endif
