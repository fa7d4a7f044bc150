/* SPDX-License-Identifier: MIT */
/*
 * What killed processes of this user have left in /dev/shm (collector/format/live.h) and nobody has
 * read: it must not fill that for ever. The newest are kept, for a day after they were found, the
 * newest of all however large it is.
 */
#ifndef COLLECTOR_BUFFER_LEFTOVER_H
#define COLLECTOR_BUFFER_LEFTOVER_H

#include <stdint.h>

#define LEFTOVER_SECONDS 86400
#define LEFTOVER_BYTES   (256ull << 20)

/*
 * Remove them from the folder: what was found dead longer ago than seconds, and of the rest the
 * oldest ones beyond bytes. Files of processes that live, and of others, are let be. Drain thread
 * only; bounded. Returns how many it removed.
 */
unsigned leftover_remove(const char *path, int64_t seconds, uint64_t bytes);

#endif
