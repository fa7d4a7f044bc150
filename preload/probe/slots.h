/* SPDX-License-Identifier: MIT */
/*
 * Writes the address in a slot of a loaded module while other threads may call through it: one
 * store, and where the page is read-only it is so again afterwards.
 */
#ifndef PRELOAD_PROBE_SLOTS_H
#define PRELOAD_PROBE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* What the dynamic linker makes read-only, all at once, when the module is linked. */
struct slots_relro {
	uintptr_t begin, end;
};

/* Modules may have gone and come since the last time. */
void slots_restart(void);

/*
 * relro: of the slot's module. False: the kernel does not let the page be written. One thread at a
 * time; errno may change.
 */
bool slots_write(uintptr_t *slot, uintptr_t value, const struct slots_relro *relro);

#endif
