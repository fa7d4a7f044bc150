/* SPDX-License-Identifier: MIT */
/*
 * Whether the process that has forked this one records, also when it began after the fork: a word
 * in a page that a process shares with those that it forks. Made before the first fork of a process
 * that does not record yet; a process that forks nothing has none. Where it cannot be had, children
 * do not hear of their parent.
 *
 * What runs around a fork is called on the thread that forks; the rest on any. All keep errno.
 */
#ifndef COLLECTOR_OWN_FAMILY_H
#define COLLECTOR_OWN_FAMILY_H

#include <stdbool.h>

/* The calling process forks, and may record later. */
void family_before_fork(void);

/* In the child: what was the own word is its parent's. */
void family_after_fork(void);

/* This process records from now on. */
void family_begin(void);

/* The parent has said so. False where it did before the fork: then there was no need of a word. */
bool family_parent_records(void);

#endif
