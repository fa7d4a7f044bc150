/* SPDX-License-Identifier: MIT */
/*
 * Structures that every start of every program writes lie together, on few pages: each page that
 * is touched first costs as much as thousands of instructions.
 *
 * The library is linked with its variables in the order of their alignment. A compiler aligns a
 * structure or an array as it pleases, which puts it among the large ones; with this it stands
 * among the single numbers.
 */
#ifndef COLLECTOR_BASE_SMALL_H
#define COLLECTOR_BASE_SMALL_H

#define SMALL __attribute__((aligned(8), section(".bss.start")))

#endif
