/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/emit.h"

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/window/window.h"

static void count_step(const struct nvtx_range *range)
{
	size_t length;
	const char *text = collector_name_text(range->name, &length);
	enum pause_kind mark = text != NULL ? mark_of_range(text, length) : PAUSE_KINDS;
	if (mark != PAUSE_KINDS)
		window_range(mark, range->begin, !range->counted);
}

void nvtx_emit_record(const struct nvtx_range *range, uint64_t end)
{
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	*record = (struct record){
		.begin = range->begin,
		.end = end,
		.kind = RECORD_RANGE,
		.place = range->place,
		.name = range->name,
		.a = range->domain,
		.b = range->payload,
		.c = range->category,
		.d = range->flags,
	};
	collector_commit();
}

void nvtx_emit(const struct nvtx_range *range, uint64_t end)
{
	if (range->begin == 0)
		return;
	if (!range->counted && collector_enabled != 0)
		nvtx_emit_record(range, end);
	if (window_counts && (range->flags & RANGE_MARK) == 0)
		count_step(range);
}
