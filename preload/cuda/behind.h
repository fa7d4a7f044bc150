/* SPDX-License-Identifier: MIT */
/*
 * Which definition of a function of CUDA a hook forwards to: the one behind ours in the global
 * scope, which may be another preloaded tracer's, else that of CUDA's own library.
 *
 * Libraries that are opened later with global scope may bring definitions too: TensorFlow's
 * export the names of the driver and of the runtime, jumps that open CUDA's libraries when they
 * are first used. Such a one is used only until CUDA's own library is there. Nobody is left out
 * by that: it would ask that library for the same function. What others look up there (cuBLAS,
 * cuDNN) is then what the hook forwards to, and so can be exchanged for the hook.
 */
#ifndef PRELOAD_CUDA_BEHIND_H
#define PRELOAD_CUDA_BEHIND_H

/*
 * library: handle of CUDA's own, NULL: not there yet. Returns NULL when there is none. To be called
 * after linker_init().
 */
void *behind_find(void *library, const char *name);

#endif
