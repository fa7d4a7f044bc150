/* SPDX-License-Identifier: MIT */
/*
 * The start of the library, in its order. The constructor (construct.c) sees to it before that
 * what is called from here can be called: libc may be covered by a sanitizer that has not begun.
 */
#ifndef PRELOAD_START_H
#define PRELOAD_START_H

#include "preload/thread/late.h"

LATE void start_begin(int argc, char *const *argv, char *const *environment);

#endif
