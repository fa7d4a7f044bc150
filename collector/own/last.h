/* SPDX-License-Identifier: MIT */
/*
 * Is the drain thread the last one? The main thread left by pthread_exit() and so did all others of
 * the program: the process would have ended, were it not for us and for what we have begun.
 */
#ifndef COLLECTOR_OWN_LAST_H
#define COLLECTOR_OWN_LAST_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised. */
struct last {
	uint64_t looked_ns; /* when other threads were looked at */
};

/*
 * True when nothing of the program is left; threads of the name ours were made for us. Drain thread
 * only; cheap enough for every turn without work.
 */
bool last_is_alone(struct last *last, uint64_t now_ns, const char *ours);

#endif
