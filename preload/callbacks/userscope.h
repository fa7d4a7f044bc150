/* SPDX-License-Identifier: MIT */
/*
 * Calls for ranges, of optimisers, loaders and the program, that cost nothing in between. A
 * callback that is registered is one that PyTorch puts into its lists anew twice for each function
 * of a backward pass, whatever its scope is: of a step of small kernels that is a hundredth. So
 * there is none; but where PyTorch asks which callbacks a range has, which it does by way of us, it
 * hears of one more.
 */
#ifndef PRELOAD_CALLBACKS_USERSCOPE_H
#define PRELOAD_CALLBACKS_USERSCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/frameworks/frameworks.h"

/*
 * Have ranges call these. By one thread, at start; what is called may come at once. False: PyTorch
 * does not come by us, or answers with something else than is known, and nothing is called.
 */
bool userscope_begin(const struct torch_callback *callback);

/* No more. Any thread. */
void userscope_end(void);

/*
 * at::getStepCallbacks(): an at::StepCallbacks of a scope, in memory of the caller, which is
 * returned. Any thread.
 */
typedef void *userscope_asked(void *ret_answer, uint8_t scope);

/* Somebody asks for that by way of us. What the real one throws passes through. */
void *userscope_answer(userscope_asked *real, void *ret_answer, uint8_t scope);

#endif
