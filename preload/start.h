/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the library in a process: the only place that orders them.
 *
 * Our constructor reads the settings and hands them on; it starts no thread and makes no
 * file. Other libraries' constructors may call hooks before it: those forward. The end comes
 * from our destructor, from the interposed ways to leave (_exit, quick_exit, exec), or not
 * at all; every end is idempotent. A vfork child runs in its parent's memory: whatever could
 * end or record asks start_is_own_process() first.
 */
#ifndef PRELOAD_START_H
#define PRELOAD_START_H

#include <stdbool.h>

/* The constructor has run and the library is enabled. */
bool start_is_done(void);

/* False in a child of vfork() and of a fork that ran no handlers. One system call. */
bool start_is_own_process(void);

/* Before a thread's first record: look for what can be attached, where that is safe. */
void start_first_record(void);

/*
 * A context is about to be destroyed: what the device did in it is taken before. False inside
 * another hooked call or the library, where nothing is to be recorded. Keeps errno.
 */
bool start_before_reset(void);

/*
 * The process is about to end, or to become another program ("exec"). True when a recording was
 * finished that start_resume() has to take up again if the process goes on. Keeps errno.
 */
bool start_finish(const char *reason);
void start_resume(void);

#endif
