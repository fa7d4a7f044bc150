/* SPDX-License-Identifier: MIT */
#include "analyzer/names/stepname.h"

#include <string.h>

/* Ids above are not counted: a trace may use any. */
#define ID_LIMIT (1u << 20)

#define OTHERS_LIMIT 8u
#define ALIKE        (1ull << 32) /* is worth more than any count */

void stepname_release(struct stepname *names)
{
	for (unsigned kind = 0; kind < STEPNAME_KINDS; kind++)
		vec_release(&names->counts[kind]);
}

static const char *text_of(const struct lookup *lookup, unsigned kind, uint32_t id)
{
	return kind == STEPNAME_CALL ? lookup_call(lookup, (uint16_t)id) : lookup_text(lookup, id);
}

static void count(struct stepname *names, enum stepname_kind kind, uint32_t id)
{
	size_t known = names->counts[kind].count;
	if (id >= ID_LIMIT)
		return;
	if (id >= known) {
		if (vec_reserve(&names->counts[kind], id + 1) < 0)
			return;
		names->counts[kind].count = names->counts[kind].capacity;
		memset(names->counts[kind].items + known, 0,
			(names->counts[kind].count - known) * sizeof(uint32_t));
	}
	names->counts[kind].items[id]++;
}

bool stepname_is(struct stepname *names, const struct lookup *lookup, const char *wanted,
	enum stepname_kind kind, uint32_t id)
{
	count(names, kind, id);
	return strcmp(text_of(lookup, kind, id), wanted) == 0;
}

static bool is_alike(const char *text, const char *wanted)
{
	return strcasestr(text, wanted) != NULL || strcasestr(wanted, text) != NULL;
}

size_t stepname_others(const struct stepname *names, const struct lookup *lookup,
	const char *wanted, const char **ret_names, size_t most)
{
	uint64_t worth[OTHERS_LIMIT];
	size_t found = 0;
	if (most > OTHERS_LIMIT)
		most = OTHERS_LIMIT;
	for (unsigned kind = 0; kind < STEPNAME_KINDS; kind++)
		for (uint32_t id = 0; id < names->counts[kind].count; id++) {
			uint64_t value = names->counts[kind].items[id];
			const char *text = value > 0 ? text_of(lookup, kind, id) : "";
			if (text[0] == '\0')
				continue;
			value += is_alike(text, wanted) ? ALIKE : 0;
			size_t at = found;
			for (; at > 0 && worth[at - 1] < value; at--)
				if (at < most) {
					worth[at] = worth[at - 1];
					ret_names[at] = ret_names[at - 1];
				}
			if (at == most)
				continue;
			worth[at] = value;
			ret_names[at] = text;
			found += found < most;
		}
	return found;
}
