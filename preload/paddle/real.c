/* SPDX-License-Identifier: MIT */
#include "preload/paddle/real.h"

struct forward paddle_functions[PADDLE_COUNT] = {
#define INTERPOSED(id, form, symbol) [PADDLE_##id] = {#symbol, NULL},
#include "preload/paddle/interposed.def"
#undef INTERPOSED
};
