/* SPDX-License-Identifier: MIT */
#include "analyzer/device/source.h"

void source_set(struct source *source, uint64_t ns, enum source_state state)
{
	struct source_change *changes = source->changes;
	uint32_t at = source->count;
	if (at == SOURCE_LIMIT) {
		changes[at - 1].state = state;
		return;
	}
	for (; at > 0 && changes[at - 1].ns > ns; at--)
		changes[at] = changes[at - 1];
	changes[at] = (struct source_change){.ns = ns, .state = state};
	source->count++;
}

bool source_is_active(const struct source *source, uint64_t ns)
{
	uint32_t at = source->count;
	if (at == 0)
		return true;
	while (at > 0 && source->changes[at - 1].ns > ns)
		at--;
	return at > 0 && source->changes[at - 1].state == SOURCE_ACTIVE;
}

uint64_t source_state_ns(
	const struct source *source, enum source_state state, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum_ns = 0;
	for (uint32_t i = 0; i < source->count; i++) {
		uint64_t from = source->changes[i].ns, to = end_ns;
		if (source->changes[i].state != state)
			continue;
		if (i + 1 < source->count && source->changes[i + 1].ns < to)
			to = source->changes[i + 1].ns;
		if (from < begin_ns)
			from = begin_ns;
		if (to > from)
			sum_ns += to - from;
	}
	return sum_ns;
}
