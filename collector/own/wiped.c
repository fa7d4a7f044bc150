/* SPDX-License-Identifier: MIT */
#include "collector/own/wiped.h"

#include <errno.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct wiped) == WIPED_BYTES, "nothing else is in the page");

struct wiped wiped = {.tracking = 1, .own = 1};

void wiped_begin(void)
{
	int saved = errno;
	int recording = wiped.recording, tracking = wiped.tracking, own = wiped.own;
	/* The kernel wipes anonymous memory only. */
	if (mmap(&wiped, sizeof(wiped), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
		wiped.recording = recording;
		wiped.tracking = tracking;
		wiped.own = own;
		(void)madvise(&wiped, sizeof(wiped), MADV_WIPEONFORK);
	}
	errno = saved;
}
