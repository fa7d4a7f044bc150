/* SPDX-License-Identifier: MIT */
/*
 * memcpy and its kin as this library calls them: never another library's.
 *
 * The names are defined here, known inside the library alone, and libc's own functions stand
 * behind them. A sanitizer in libc's place would crash when it is called before it has begun, and
 * would take what the recorder's thread reads for races of the program, since it does not see the
 * atomic operations in between. Until memory_init() they are loops.
 */
#ifndef PRELOAD_LINKER_MEMORY_H
#define PRELOAD_LINKER_MEMORY_H

/* Take libc's functions; idempotent. From the constructor. */
void memory_init(void);

#endif
