/* SPDX-License-Identifier: MIT */
/*
 * Reads of a tensor's value by the host (item, numpy; float and bool come to one of them): methods
 * of the type that PaddlePaddle makes for Python, which are no functions that others could call.
 * The library asks the interpreter to make the type; in between we put ours in the list of its
 * methods, each of which is a recorded operator around the true one.
 */
#ifndef PRELOAD_PADDLE_READ_H
#define PRELOAD_PADDLE_READ_H

#include <stdint.h>

/*
 * The library whose file is path is known, and makes its types after this. NULL, or what cannot be
 * seen and why. Takes the loader's lock.
 */
const char *read_attach(const char *path);

#endif
