/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/gap.h"

#include <stdbool.h>
#include <string.h>

/* So many pieces on either side are asked for a line. */
#define REACH 16u

static bool is_native(const struct gaps *gaps, uint32_t id)
{
	const struct meta_PLACE *place = lookup_place(gaps->lookup, id);
	return place == NULL || strcmp(place->language, "native") == 0;
}

/* Places as they are found: the first of the script counts, else the first native one. */
struct sides {
	uint32_t script, native;
};

static void note(const struct gaps *gaps, struct sides *sides, uint32_t place)
{
	if (place == 0 || sides->script != 0)
		return;
	if (!is_native(gaps, place))
		sides->script = place;
	else if (sides->native == 0)
		sides->native = place;
}

static struct sides look_back(const struct gaps *gaps, const struct host *host, size_t until)
{
	struct sides sides = {0};
	for (size_t at = until; at > 0 && until - at < REACH && sides.script == 0; at--)
		note(gaps, &sides, host->pieces.items[at - 1].last_place);
	return sides;
}

uint32_t gap_find(const struct gaps *gaps, const struct host *host, size_t before, size_t after)
{
	struct sides from = look_back(gaps, host, before), to = {0};
	for (size_t at = after; at < host->pieces.count && at - after < REACH; at++)
		note(gaps, &to, host->pieces.items[at].first_place);
	if (from.script == 0)
		from.script = gaps->script;
	if (from.native == 0)
		from.native = gaps->native;
	uint32_t first = from.script != 0 ? from.script : from.native;
	uint32_t last = to.script != 0 ? to.script : to.native;
	if (first == 0 && last == 0)
		return 0;
	return spot_index(gaps->spots, spots_find_gap(gaps->spots, gaps->lookup, first, last));
}

void gap_pass(struct gaps *gaps, const struct host *host, uint64_t ns)
{
	size_t until = 0;
	while (until < host->pieces.count && host->pieces.items[until].begin < ns)
		until++;
	struct sides sides = look_back(gaps, host, until);
	if (sides.script != 0)
		gaps->script = sides.script;
	if (sides.native != 0)
		gaps->native = sides.native;
}
