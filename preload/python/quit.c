/* SPDX-License-Identifier: MIT */
#include "preload/python/quit.h"

#include <stddef.h>

#include "preload/frameworks/frameworks.h"
#include "preload/python/interpreter.h"

/* By the main thread, between two instructions of its Python code. */
static int leave(void *unused)
{
	(void)unused;
	frameworks.python_raise(*frameworks.python_exit);
	return -1;
}

void quit_python(void)
{
	if (interpreter_find() == 0 || frameworks.python_add_pending == NULL ||
		frameworks.python_raise == NULL || frameworks.python_exit == NULL ||
		!interpreter_is_alive())
		return;
	(void)frameworks.python_add_pending(leave, NULL);
}
