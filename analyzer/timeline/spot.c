/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/spot.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/hash.h"

_Static_assert(SPOT_LIMIT < UINT16_MAX, "an index fits where launches are counted");

/* Places above are looked up each time: a trace may use any id. */
#define PLACE_LIMIT (1u << 18)

struct spots *spots_new(void)
{
	/* an item is made when it is found: most programs have few */
	struct spots *spots = malloc(sizeof(*spots));
	if (spots == NULL)
		return NULL;
	memset(&spots->items[0], 0, sizeof(spots->items[0]));
	memset((char *)spots + sizeof(spots->items), 0, sizeof(*spots) - sizeof(spots->items));
	struct spot *other = &spots->items[0];
	spots->count = 1;
	if (series_init(&other->counted, SPOT_VALUE_COUNT) < 0) {
		spots_free(spots);
		return NULL;
	}
	series_init_unused(&other->found, SPOT_FINDING_COUNT);
	return spots;
}

void spots_free(struct spots *spots)
{
	if (spots == NULL)
		return;
	for (uint32_t i = 0; i < spots->count; i++) {
		series_release(&spots->items[i].counted);
		series_release(&spots->items[i].found);
	}
	slots_release(&spots->slots);
	vec_release(&spots->by_place);
	launches_release(&spots->launches);
	free(spots);
}

void spots_reset(struct spots *spots)
{
	launches_forget(&spots->launches);
	for (uint32_t i = 0; i < spots->count; i++) {
		struct spot *spot = &spots->items[i];
		spot->last_step = spot->put_step = spot->tail_step = 0;
		spots->items[i].aside = 0;
		series_reset(&spots->items[i].counted);
		series_reset(&spots->items[i].found);
	}
	spots->parted[0] = spots->parted[1] = false;
}

/* Lines of a package make it another spot: what launches would have hundreds of them. */
static bool is_apart(enum spot_kind kind)
{
	return kind == SPOT_WAIT || kind == SPOT_COPY_IN || kind == SPOT_COPY_FREE;
}

static struct spot describe(
	const struct lookup *lookup, uint32_t place, uint16_t call, enum spot_kind kind)
{
	struct spot spot = {.kind = kind, .place = place, .call = call};
	const struct meta_PLACE *found = place != 0 ? lookup_place(lookup, place) : NULL;
	if (found == NULL)
		return spot;
	spot.native = strcmp(found->language, "native") == 0;
	bool user = found->user_file != 0;
	spot.file = (uint32_t)(user ? found->user_file : found->file);
	spot.function = (uint32_t)(user ? found->user_function : found->function);
	spot.line = user ? found->user_line : found->line;
	spot.address = spot.native ? found->address : 0;
	if (user && is_apart(kind)) {
		spot.library_file = (uint32_t)found->library_file;
		spot.library_function = (uint32_t)found->library_function;
		spot.library_line = found->library_line;
	}
	return spot;
}

/* A line is the same line whatever was called there; without a line the function counts. */
static bool same(const struct spot *a, const struct spot *b)
{
	if (a->kind != b->kind || a->file != b->file || a->line != b->line ||
		a->address != b->address || a->function != b->function || a->name != b->name ||
		a->last_file != b->last_file || a->last_line != b->last_line ||
		a->library_file != b->library_file || a->library_line != b->library_line)
		return false;
	return a->file != 0 || a->name != 0 || a->call == b->call;
}

static uint32_t hash_of(const struct spot *spot)
{
	const uint64_t words[] = {(uint64_t)spot->name << 32 | spot->kind,
		(uint64_t)spot->last_file << 32 | spot->file, spot->line + spot->address,
		spot->function, spot->last_line + ((uint64_t)spot->library_line << 32),
		spot->file == 0 && spot->name == 0 ? spot->call : 0};
	return (uint32_t)(hash_words(words, sizeof(words) / sizeof(words[0])) >> 32);
}

/* Index of the spot that is the same, or SLOTS_NONE. */
static uint32_t find_same(const struct spots *spots, const struct spot *wanted)
{
	const uint32_t hash = hash_of(wanted);
	uint32_t at = slots_begin(&spots->slots, hash), item;
	do {
		item = slots_match(&spots->slots, hash, &at);
	} while (item != SLOTS_NONE && !same(&spots->items[item], wanted));
	return item;
}

static uint32_t find_or_add(struct spots *spots, const struct spot *wanted)
{
	uint32_t known = find_same(spots, wanted);
	if (known != SLOTS_NONE)
		return known;
	if (spots->count == SPOT_LIMIT) {
		spots->dropped++;
		return 0;
	}
	struct spot *spot = &spots->items[spots->count];
	*spot = *wanted;
	series_init_unused(&spot->counted, SPOT_VALUE_COUNT);
	if (series_use(&spot->counted) < 0 ||
		slots_add(&spots->slots, hash_of(wanted), spots->count) < 0) {
		series_release(&spot->counted);
		return 0;
	}
	series_init_unused(&spot->found, SPOT_FINDING_COUNT);
	return spots->count++;
}

/* Remember index for a place; without memory it is simply looked up again. */
static void remember(struct spots *spots, size_t key, uint32_t index)
{
	size_t known = spots->by_place.count;
	if (key >= (size_t)PLACE_LIMIT * SPOT_KIND_COUNT)
		return;
	if (key >= known) {
		if (vec_reserve(&spots->by_place, key + 1) < 0)
			return;
		spots->by_place.count = spots->by_place.capacity;
		memset(spots->by_place.items + known, 0,
			(spots->by_place.count - known) * sizeof(*spots->by_place.items));
	}
	spots->by_place.items[key] = (uint16_t)(index + 1);
}

struct spot *spots_look_up(struct spots *spots, const struct lookup *lookup, uint32_t place,
	uint16_t call, enum spot_kind kind)
{
	size_t key = (size_t)place * SPOT_KIND_COUNT + kind;
	struct spot wanted = describe(lookup, place, call, kind);
	uint32_t index = find_or_add(spots, &wanted);
	if (place != 0 && wanted.file != 0)
		remember(spots, key, index);
	return &spots->items[index];
}

void spots_launch(struct spots *spots, const struct lookup *lookup, uint32_t place, uint16_t call,
	uint64_t step, uint64_t host_ns)
{
	struct spot *spot = spots_find(spots, lookup, place, call, SPOT_LAUNCH);
	size_t key = (size_t)place * SPOT_KIND_COUNT + SPOT_LAUNCH;
	uint64_t *values = series_at(&spot->counted, step);
	values[SPOT_CALLS]++;
	values[SPOT_HOST_NS] += host_ns;
	if (key < spots->by_place.count && spots->by_place.items[key] != 0)
		launches_know(&spots->launches, place, (uint16_t)spot_index(spots, spot));
}

void spots_tell_launches(struct spots *spots, uint64_t step)
{
	VEC_FOREACH (place, &spots->launches.running) {
		const struct launches_of_place *own = &spots->launches.places.items[*place];
		uint64_t *values = series_at(&spots->items[own->spot - 1].counted, step);
		values[SPOT_CALLS] += own->calls;
		values[SPOT_HOST_NS] += own->host_ns;
	}
	launches_forget(&spots->launches);
}

struct spot *spots_find_named(struct spots *spots, const struct lookup *lookup, uint32_t place,
	uint32_t name, enum spot_kind kind)
{
	struct spot wanted = describe(lookup, place, 0, kind);
	wanted.name = name;
	return &spots->items[find_or_add(spots, &wanted)];
}

struct spot *spots_find_gap(
	struct spots *spots, const struct lookup *lookup, uint32_t place, uint32_t last_place)
{
	struct spot wanted = describe(lookup, place, 0, SPOT_GAP);
	struct spot last = describe(lookup, last_place, 0, SPOT_GAP);
	wanted.last_file = last.file;
	wanted.last_line = last.native ? last.address : last.line;
	return &spots->items[find_or_add(spots, &wanted)];
}

const struct spot *spots_partner(
	const struct spots *spots, const struct spot *spot, enum spot_kind kind)
{
	struct spot wanted = {.kind = kind,
		.call = spot->call,
		.file = spot->file,
		.function = spot->function,
		.line = spot->line,
		.address = spot->address};
	if (is_apart(kind)) {
		wanted.library_file = spot->library_file;
		wanted.library_line = spot->library_line;
	}
	uint32_t found = find_same(spots, &wanted);
	return found != SLOTS_NONE ? &spots->items[found] : NULL;
}

/* A step has the line's calls when what counts of it has some. */
static void cut_steps(struct spot *spot, uint64_t step, enum step_cut cut)
{
	if (cut == CUT_PART || cut == CUT_TAIL)
		spot->put_step = spot->last_step;
	if (cut == CUT_TAIL)
		spot->tail_step = spot->last_step;
	if (cut == CUT_ASIDE_REST)
		spot->put_step = spot->tail_step;
	if (cut == CUT_ASIDE_ALL || (cut_leaves_parts(cut) && spot->put_step != step + 1))
		spot->last_step = 0;
}

void spots_cut(struct spots *spots, uint64_t step, enum step_cut cut, bool found)
{
	if (cut == CUT_STEP && !spots->parted[found])
		return;
	for (uint32_t i = 0; i < spots->count; i++) {
		struct spot *spot = &spots->items[i];
		if (found && spot->kind == SPOT_CODE && spot->found.rows > 0 &&
			(cut_leaves_parts(cut) || cut == CUT_ASIDE_ALL))
			spot->aside += (uint32_t)series_at(&spot->found, step)[SPOT_SAMPLES];
		series_cut(found ? &spot->found : &spot->counted, step, cut);
		if (!found)
			cut_steps(spot, step, cut);
	}
	spots->parted[found] = cut_has_parts(cut, spots->parted[found]);
}

void spots_finish(struct spots *spots, bool tail)
{
	for (uint32_t i = 0; i < spots->count; i++) {
		series_finish(&spots->items[i].counted, tail);
		series_finish(&spots->items[i].found, tail);
	}
}

void spot_count(struct spot *spot, uint64_t step, enum spot_value value, uint64_t amount)
{
	uint64_t *values = series_at(&spot->counted, step);
	values[value] += amount;
	if (value != SPOT_CALLS || spot->last_step == step + 1)
		return;
	spot->last_step = step + 1;
	values[SPOT_STEPS]++;
}
