/* SPDX-License-Identifier: MIT */
/*
 * May this process make the system calls that recording needs? A filter (seccomp) that refuses one
 * with an error is met where the call is made; one that ends whoever makes it must not be met at
 * all. So where a filter is in force, a child that shares nothing tries them first.
 *
 * What is asked once holds until the process sets its first filter. Without a filter it costs one
 * system call. Not in a signal handler; keeps errno; the program hears nothing of the child.
 */
#ifndef COLLECTOR_OWN_SANDBOX_H
#define COLLECTOR_OWN_SANDBOX_H

#include <stdbool.h>

/* False: some call would be the last one. */
bool sandbox_permits(void);

/*
 * The same as it would be behind this system call, which sets a filter: a child makes it and tries
 * the others. True also where the kernel refuses to set it.
 */
bool sandbox_would_permit(long number, long a, long b, long c);

/*
 * There is a filter that would not permit them, or that nobody has tried. From then on, in children
 * too, none is made for forks and loads, until sandbox_permits() says yes.
 */
void sandbox_refuse(void);

/* So it is, or sandbox_permits() has said no. No system call. */
bool sandbox_refuses(void);

#endif
