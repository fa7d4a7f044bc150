/* SPDX-License-Identifier: MIT */
/* Another tool's library for NVTX: says that it was asked, and wants nothing. */
#include <stdio.h>

int InitializeInjectionNvtx2(const void *(*get_table)(unsigned));

int InitializeInjectionNvtx2(const void *(*get_table)(unsigned))
{
	(void)get_table;
	puts("the other tool");
	return 0;
}
