/* SPDX-License-Identifier: MIT */
/* A library that takes its time at the end of a process, as one that writes what it has does. */
#include <unistd.h>

static __attribute__((destructor)) void late(void)
{
	(void)usleep(20000);
}
