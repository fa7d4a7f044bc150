/* SPDX-License-Identifier: MIT */
/*
 * The type of compiled functions, changed as it is made: its objects get room for an address of
 * ours behind what they have, and the interpreter is told to find what it calls there. Ours calls
 * what the object itself holds. The caller has the interpreter's lock.
 */
#ifndef PRELOAD_JAX_CALL_H
#define PRELOAD_JAX_CALL_H

/* type: just made, without objects. NULL, or why its calls are not seen; then it is unchanged. */
const char *call_take(void *type);

/* Record from now on, or not any more. */
void call_record(int on);

#endif
