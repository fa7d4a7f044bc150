/* SPDX-License-Identifier: MIT */
#include "preload/nccl/emit.h"

#include "collector/collector.h"
#include "collector/format/fields.h"
#include "preload/python/callsite.h"
#include "preload/thread/thread.h"

/* 0 for a type that is not known. */
static uint64_t bytes_of(const struct call *call)
{
	static const uint8_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
	bool known = call->type >= 0 && (size_t)call->type < sizeof(sizes);
	return known ? call->count * sizes[call->type] : 0;
}

void call_emit(const struct call *call, const void *stream, unsigned flags)
{
	if (collector_enabled == 0)
		return;
	uint32_t place = callsite_place(call->caller);
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	*record = (struct record){.begin = call->begin,
		.end = call->end,
		.kind = RECORD_COLLECTIVE,
		.place = place,
		.result = call->result,
		.name = call->name,
		.stream = (uint64_t)(uintptr_t)stream,
		.a = bytes_of(call),
		.b = thread_state.device_bits |
		     record_bits_COLLECTIVE_peer((uint64_t)(int64_t)call->peer) |
		     record_bits_COLLECTIVE_rank(call->rank) |
		     record_bits_COLLECTIVE_ranks(call->ranks),
		.c = record_bits_COLLECTIVE_what(call->what) |
		     record_bits_COLLECTIVE_type((uint64_t)(int64_t)call->type) |
		     record_bits_COLLECTIVE_reduction((uint64_t)(int64_t)call->reduction) |
		     record_bits_COLLECTIVE_flags(flags),
		.d = call->number};
	collector_commit();
}
