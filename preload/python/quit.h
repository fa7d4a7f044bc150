/* SPDX-License-Identifier: MIT */
/*
 * Ends a Python program as sys.exit() in its main thread would: what is open is closed, what was
 * printed is written. For users who asked for it; whoever catches SystemExit goes on.
 */
#ifndef PRELOAD_PYTHON_QUIT_H
#define PRELOAD_PYTHON_QUIT_H

/*
 * Soon, once the main thread runs Python code again. Any thread, also without the interpreter's
 * lock; may be called again. Nothing happens without an interpreter, or at its end.
 */
void quit_python(void);

#endif
