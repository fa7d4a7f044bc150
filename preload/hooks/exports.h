/* SPDX-License-Identifier: MIT */
/*
 * The names that the library exports, one "EXPORT name" each, when preprocessed. Read by
 * exports.mk and by the test of exported symbols, not by a compiler.
 */
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) EXPORT name
#define WAIT(library, type, name, params, args, descriptor, bytes)        EXPORT name
#define ENDING(library, type, name, params, args, reason, resumes)        EXPORT name
#define OWN(name)                                                         EXPORT name
#define OBSERVE(name, params, args, takes, after)                         EXPORT name
#include "preload/calls/hooks.def"
#include "preload/cupti/observe.def"
