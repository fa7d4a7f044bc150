/* SPDX-License-Identifier: MIT */
/*
 * A framework whose library is looked for until it is loaded, and then looked at once: what the
 * sources of events of such frameworks have in common. The constants are the source's; the rest is
 * all 0 at first. For attaching only, any thread.
 */
#ifndef PRELOAD_FRAMEWORKS_WHEEL_H
#define PRELOAD_FRAMEWORKS_WHEEL_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/frameworks/frameworks.h"

struct wheel {
	const char *source; /* as LIBTRACE_SOURCES names it */
	const char
		*libraries[2]; /* the beginning of its file's name; the second, if any, otherwise */
	const char *absent;    /* what is told while there is none */
	/* the text file beside the library with its version, and what is before that; or NULL */
	const char *version_file, *version_mark;

	struct frameworks_search search;
	char version[64]; /* "": not known */
	int attached;     /* it was looked at, with success or without */
	bool off, told;
};

/*
 * Call attach if libraries were loaded since the last time, until it has found the wheel's; cheap
 * otherwise. One thread at a time does it. errno is kept.
 */
void wheel_attach(struct wheel *wheel, void (*attach)(void));

/*
 * For attach alone: the library's handle and its path (cut to size), and its version is told. NULL:
 * it is not loaded, which is told the first time.
 */
void *wheel_find(struct wheel *wheel, char *ret_path, size_t size);

/* Switch on or off (LIBTRACE_SOURCES), before anything attaches; on is the default. */
void wheel_enable(struct wheel *wheel, bool on);

#endif
