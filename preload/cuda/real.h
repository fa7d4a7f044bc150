/* SPDX-License-Identifier: MIT */
/*
 * The functions behind the interposed ones: one typed pointer per row of hooks.def.
 *
 * A pointer is never NULL and usable from the first instruction of the process: at first it
 * leads to a stub that looks the function up (RTLD_NEXT, then in CUDA's own libraries that are
 * loaded with local scope, by SONAME; behind.h) and stores what it found. What cannot be found
 * answers with the interface's own "not supported" and is looked up again when
 * another library has been loaded since, and so is what was found before CUDA's own library was
 * there. All rows of a library are resolved together.
 *
 * With two majors of the CUDA runtime in one process a call goes to the one that
 * the calling library is linked with; a caller that is linked with none, or that cannot
 * be told, gets the one that was loaded first.
 *
 * Any thread; looking up takes the loader's lock, as the first call of any
 * function does.
 */
#ifndef PRELOAD_REAL_H
#define PRELOAD_REAL_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "preload/calls/abi.h"
#include "preload/calls/calls.h"
#include "preload/calls/driver_abi.h"

extern struct real {
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags)        type(*name) params;
#define WAIT(library, type, name, params, args, what, descriptor, bytes, object) type(*name) params;
#define BYHAND(library, type, name, params, args)                                type(*name) params;
#define ENDING(library, type, name, params, args, reason, resumes)               type(*name) params;
#include "preload/calls/hooks.def"
} real __attribute__((visibility("hidden")));

/* Resolve libc's rows; idempotent. */
void real_resolve_libc(void);

/*
 * Resolve what the CUDA runtimes in this process offer, and notice a second one. Cheap when no
 * library was loaded since the last time. Returns the number of runtimes seen.
 */
int real_resolve_cuda(void);

/*
 * Resolve the rows of the CUDA driver, once a libcuda is in the process. Returns a handle of it,
 * NULL while there is none.
 */
void *real_resolve_driver(void);

/* Major version of the runtime that id was found in (11, 12, 13), 0 while there is none. */
int real_major(void);

/* The function that the row id stands for in the first runtime, NULL while it is not resolved. */
void *real_address(enum hook_id id);

/* File name of the first CUDA runtime, or NULL. Not to be called from a hook. */
const char *real_runtime_path(void);

#endif
