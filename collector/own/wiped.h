/* SPDX-License-Identifier: MIT */
/*
 * What must not hold in a child of which no handler of fork() hears (_Fork, clone, a system call):
 * such a child has its parent's rings and files mapped, and would write into them. These flags lie
 * in a page of their own that the kernel hands to a child zeroed, so that testing them costs what
 * testing a variable costs. A child in the parent's memory (vfork, threads) sees the page as it is.
 *
 * Written at start and in the handlers of fork(); read on any thread.
 */
#ifndef COLLECTOR_OWN_WIPED_H
#define COLLECTOR_OWN_WIPED_H

#if defined(__aarch64__)
#define WIPED_BYTES 65536
#else
#define WIPED_BYTES 4096
#endif

extern struct wiped {
	int recording; /* collector_enabled */
	int tracking;  /* process_tracking; 1 until it is said otherwise */
	int own;       /* what is mapped from files is this process's; 1 at first */
} __attribute__((aligned(WIPED_BYTES))) wiped __attribute__((visibility("hidden")));

/*
 * Have the kernel wipe the page in children from now on. Where it cannot (before Linux 4.14), it
 * stays a variable. Keeps errno.
 */
void wiped_begin(void);

#endif
