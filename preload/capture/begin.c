/* SPDX-License-Identifier: MIT */
#include "preload/capture/begin.h"

#include "preload/loader/loader.h"

#include <errno.h>

_Static_assert((uint32_t)HOOK_DRIVER == (uint32_t)RECORD_DRIVER, "one bit says it in both");

bool capture_attach(void)
{
	int saved = errno;
	/* Our own frame: any dlopen in progress began above it. */
	loader_attach(__builtin_frame_address(0));
	bool attached = collector_attach();
	errno = saved;
	return attached;
}

struct record *capture_slot(void)
{
	if (collector_thread.ring == NULL && !capture_attach())
		return NULL;
	return collector_reserve_slow();
}

struct record *capture_record(CAPTURE_CALL, enum record_kind kind)
{
	if (!collector_enabled)
		return NULL;
	struct record *record = capture_begin(call, result, kind);
	if (record == NULL)
		return NULL;
	record->name = 0;
	record->stream = 0;
	record->a = 0;
	record->b = 0;
	record->c = 0;
	record->d = 0;
	return record;
}
