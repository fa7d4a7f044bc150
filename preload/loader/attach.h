/* SPDX-License-Identifier: MIT */
/*
 * Everything that waits for a library to be there: called when one may have come, and before the
 * first record of a thread. Takes the loader's lock; errno may change.
 */
#ifndef PRELOAD_LOADER_ATTACH_H
#define PRELOAD_LOADER_ATTACH_H

void attach_all(void);

#endif
