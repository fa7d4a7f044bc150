/* SPDX-License-Identifier: MIT */
/*
 * The names that the library exports, one "EXPORT name" each, when preprocessed. Read by
 * exports.mk and by the test of exported symbols, not by a compiler.
 */
#define HOOK_NAME(library, name)                  EXPORT name
#define OWN(name)                                 EXPORT name
#define OBSERVE(name, params, args, takes, after) EXPORT name
#define INTERPOSED(id, form, symbol)              EXPORT symbol
#include "preload/callbacks/interposed.def"
#include "preload/calls/hooks.def"
#include "preload/cupti/observe.def"
#include "preload/mindspore/interposed.def"
#include "preload/nccl/interposed.def"
#include "preload/paddle/interposed.def"
#include "preload/tensorflow/interposed.def"
