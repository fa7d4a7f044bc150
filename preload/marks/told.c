/* SPDX-License-Identifier: MIT */
#include "preload/marks/told.h"

#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/nvtx/emit.h"
#include "preload/nvtx/pairs.h"
#include "preload/nvtx/text.h"
#include "preload/python/callsite.h"
#include "preload/thread/thread.h"
#include "preload/window/window.h"

static uint32_t threads;

static uint32_t thread_number(void)
{
	if (thread_state.number == 0)
		thread_state.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	return thread_state.number;
}

/* All but the begin, which is taken last. */
static struct nvtx_range describe(uint32_t flags, const char *text, const void *caller)
{
	struct nvtx_range range = {.flags = flags, .counted = collector_enabled == 0};
	if (!window_sees())
		return range;
	range.domain = collector_name("libtrace", sizeof("libtrace") - 1);
	range.name = nvtx_text_narrow(text);
	range.place = callsite_place(caller);
	range.begin = clock_ticks();
	return range;
}

void told_step(const void *caller)
{
	struct nvtx_range step = describe(RANGE_MARK | RANGE_STEP, "step", caller);
	thread_trains();
	if (step.begin == 0)
		return;
	if (!step.counted)
		nvtx_emit_record(&step, step.begin);
	if (window_counts)
		window_mark(PAUSE_STEPS, 0, 0, !step.counted);
}

uint64_t told_begin(const char *text, const void *caller)
{
	bool lost;
	struct nvtx_range range = describe(RANGE_STARTED, text, caller);
	uint64_t id = nvtx_pairs_start(&range, thread_number(), &lost);
	if (lost && range.begin != 0)
		collector_count(COUNTER_RANGES_LOST, 1);
	return id;
}

void told_end(uint64_t id)
{
	uint64_t now = clock_ticks();
	struct nvtx_range range;
	uint32_t beginner;
	if (!nvtx_pairs_end(id, &range, &beginner))
		return;
	if (beginner != thread_number())
		range.flags |= RANGE_OTHER_THREAD;
	/* another processor's counter, read without a fence: it may be some 100 ns ahead */
	nvtx_emit(&range, now > range.begin ? now : range.begin);
}
