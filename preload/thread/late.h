/* SPDX-License-Identifier: MIT */
/*
 * What must not be entered before the libraries of the program work.
 *
 * The interposed dlopen and dlsym run when nothing else does: a sanitizer looks up through them the
 * functions of libc that it stands in for, and until it has them a call of any of those jumps to
 * nowhere. So the way into the library calls the loader alone, decides, and only then enters a
 * function that is LATE. scripts/check_early.py holds the objects to it.
 */
#ifndef PRELOAD_LATE_H
#define PRELOAD_LATE_H

#define LATE __attribute__((noinline, section(".text.late")))

#endif
