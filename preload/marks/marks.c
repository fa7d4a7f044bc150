/* SPDX-License-Identifier: MIT */
#include "preload/marks/marks.h"

#include <errno.h>
#include <pthread.h>

#include "collector/base/log.h"
#include "collector/describe.h"
#include "preload/marks/told.h"
#include "preload/nvtx/pairs.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/window/window.h"

static uint32_t notes;

/* Somebody is there; ranges that are open in a parent are none in its child. */
static uint64_t greet(void)
{
	static uint32_t once;
	if (__atomic_exchange_n(&once, 1, __ATOMIC_RELAXED) == 0)
		(void)pthread_atfork(NULL, NULL, nvtx_pairs_clear);
	window_may_pause();
	return 1;
}

static void note(const char *name, const char *value)
{
	if (name == NULL || name[0] == '\0')
		return;
	if (__atomic_fetch_add(&notes, 1, __ATOMIC_RELAXED) < MARKS_NOTES)
		collector_metadata(name, value);
	else
		log_error("metadata: %u values are kept, later ones are not", MARKS_NOTES);
}

static uint64_t take(
	uint32_t what, const char *text, const char *value, uint64_t number, const void *caller)
{
	switch (what) {
	case MARKS_HELLO:
		return greet();
	case MARKS_STEP:
		told_step(caller);
		return 0;
	case MARKS_BEGIN:
		return told_begin(text, caller);
	case MARKS_END:
		told_end(number);
		return 0;
	case MARKS_PAUSE:
	case MARKS_RESUME:
		window_switch(what == MARKS_RESUME);
		return 0;
	case MARKS_NOTE:
		note(text, value);
		return 0;
	default:
		return 0;
	}
}

uint64_t libtrace_mark(uint32_t what, const char *text, const char *value, uint64_t number)
{
	int saved = errno;
	if (process_tracking == 0 || !guard_enter())
		return 0;
	uint64_t answer = take(what, text, value, number, __builtin_return_address(0));
	guard_leave();
	errno = saved;
	return answer;
}
