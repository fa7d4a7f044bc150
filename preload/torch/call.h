/* SPDX-License-Identifier: MIT */
/*
 * The function around every call of a module: a range from its begin to its end.
 *
 * Called with the interpreter's lock. A module is kept alive while it is open here, whatever the
 * program does with its stacks.
 */
#ifndef PRELOAD_TORCH_CALL_H
#define PRELOAD_TORCH_CALL_H

/* function: torch.nn.Module.__call__, kept for ever. NULL, or why its calls cannot be seen. */
const char *module_call_take(void *function);

/* Nothing is open on this thread any more: in the child of a fork. */
void module_call_forget(void);

#endif
