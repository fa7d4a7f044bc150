/* SPDX-License-Identifier: MIT */
#include "analyzer/device/source.h"

void source_set(struct source *source, uint64_t ns, enum source_state state)
{
	struct source_change *changes = source->changes;
	uint32_t at = source->count;
	source->known_to_ns = 0;
	if (at == SOURCE_LIMIT) {
		changes[at - 1].state = state;
		return;
	}
	for (; at > 0 && changes[at - 1].ns > ns; at--)
		changes[at] = changes[at - 1];
	changes[at] = (struct source_change){.ns = ns, .state = state};
	source->count++;
}

void source_set_window(struct source *source, uint64_t from_ns, uint64_t to_ns)
{
	source->from_ns = from_ns;
	source->to_ns = to_ns;
}

/* Number of changes up to then. */
static uint32_t count_until(const struct source *source, uint64_t ns)
{
	uint32_t at = source->count;
	while (at > 0 && source->changes[at - 1].ns > ns)
		at--;
	return at;
}

static bool is_active(const struct source *source, uint32_t count)
{
	return count > 0 ? source->changes[count - 1].state == SOURCE_ACTIVE : source->count == 0;
}

static bool in_window(const struct source *source, uint64_t ns)
{
	return source->to_ns == 0 || (ns >= source->from_ns && ns <= source->to_ns);
}

bool source_is_active(const struct source *source, uint64_t ns)
{
	return in_window(source, ns) && is_active(source, count_until(source, ns));
}

bool source_covers(const struct source *source, uint64_t begin_ns, uint64_t end_ns)
{
	if (!source_is_active(source, begin_ns) || (source->to_ns != 0 && end_ns >= source->to_ns))
		return false;
	uint32_t until = count_until(source, end_ns);
	for (uint32_t at = count_until(source, begin_ns); at < until; at++)
		if (source->changes[at].state != SOURCE_ACTIVE)
			return false;
	return true;
}

void source_note_first(struct source *source, uint64_t ns, uint32_t id)
{
	uint32_t at = count_until(source, ns);
	struct source_change *change = at > 0 ? &source->changes[at - 1] : &source->before;
	if (!change->called || ns < change->call_ns) {
		change->call_ns = ns;
		change->call_id = id;
		change->called = true;
	}
	source->known_from_ns = change->call_ns;
	source->known_to_ns = at < source->count ? source->changes[at].ns : UINT64_MAX;
}

static const struct source_change *change_at(const struct source *source, uint32_t count)
{
	return count > 0 ? &source->changes[count - 1] : &source->before;
}

bool source_is_resumed(const struct source *source, uint64_t ns)
{
	uint32_t at = count_until(source, ns);
	return at > 1 || (source->to_ns != 0 && source->from_ns > change_at(source, at)->ns);
}

bool source_precedes(const struct source *source, uint64_t end_ns, uint32_t id)
{
	uint32_t at = count_until(source, end_ns);
	const struct source_change *change = change_at(source, at);
	if (!is_active(source, at))
		return false;
	return change->called ? (int32_t)(id - change->call_id) < 0
			      : source_is_resumed(source, end_ns);
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
