/* SPDX-License-Identifier: MIT */
/*
 * The Python interpreter of this process: of the program itself or, in one that embeds Python, of
 * its library. Whoever wants more of it than its version takes the symbols from frameworks.h,
 * which are all looked up when it is found.
 *
 * Looking takes the loader's lock, so it is done where libraries are looked for, never on a
 * hook's path. Once found it stays: its library is kept loaded. Any thread.
 */
#ifndef PRELOAD_PYTHON_INTERPRETER_H
#define PRELOAD_PYTHON_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

/* PY_VERSION_HEX of the interpreter, looked for if need be; 0: there is none. */
uint32_t interpreter_find(void);

/* A build without the interpreter's lock. After interpreter_find(). */
bool interpreter_is_free_threaded(void);

/*
 * The interpreter is made and has not begun to end: its functions may be called. False without one.
 */
bool interpreter_is_alive(void);

#endif
