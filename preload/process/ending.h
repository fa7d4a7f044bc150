/* SPDX-License-Identifier: MIT */
/*
 * The end of a recording, whichever way the process takes: our destructor, the interposed ways to
 * leave (_exit, quick_exit, exec), or none at all. Every end is idempotent and bounded in time; a
 * vfork child, which runs in its parent's memory, ends nothing.
 *
 * The device's part ends first (activity.c by exit(), here otherwise), then the collector's, then
 * the closing line is said, once per run.
 *
 * Any thread. errno is kept.
 */
#ifndef PRELOAD_ENDING_H
#define PRELOAD_ENDING_H

#include <stdbool.h>

/*
 * The process is about to end, or to become another program ("exec"); reason as in meta.def. True
 * when a recording was finished that ending_undo() has to take up again if the process goes on.
 */
bool ending_begin(const char *reason);

/*
 * exit() is under way: what is registered with atexit() runs, or destructors do. False in a vfork
 * child, whose exit is none of ours.
 */
extern bool ending_by_exit __attribute__((visibility("hidden")));
bool ending_note_exit(void);
void ending_undo(void);

/*
 * The recording ends, if there is one, and nothing is recorded or asked of the kernel any more: the
 * program is about to forbid itself what that needs.
 */
void ending_seal(const char *reason);

/*
 * A context is about to be destroyed: what the device did in it is taken before. False inside
 * another hooked call or the library, where nothing is to be recorded.
 */
bool ending_before_reset(void);

#endif
