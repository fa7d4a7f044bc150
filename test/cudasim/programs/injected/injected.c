/* SPDX-License-Identifier: MIT */
/* A tool to be named by CUDA_INJECTION64_PATH: counts in INJECTED how often it was started. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
	static unsigned starts;
	char text[16];
	snprintf(text, sizeof(text), "%u", ++starts);
	setenv("INJECTED", text, 1);
	return 1;
}
