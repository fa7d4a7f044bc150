/* SPDX-License-Identifier: MIT */
/* A second module that embeds NVTX. */
#include "test/run/nvtx/client.h"

int other_push(const char *text);
int other_pop(void);

int other_push(const char *text)
{
	return nvtxRangePushA(text);
}

int other_pop(void)
{
	return nvtxRangePop();
}
