/* SPDX-License-Identifier: MIT */
/*
 * The frameworks beside PyTorch, each of which is looked for when libraries may have come. Their
 * rooms say by themselves what they found.
 */
#ifndef PRELOAD_LOADER_OTHERS_H
#define PRELOAD_LOADER_OTHERS_H

/* Cheap when no library came. Any thread; keeps errno. */
void others_attach(void);

#endif
