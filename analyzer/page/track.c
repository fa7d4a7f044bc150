/* SPDX-License-Identifier: MIT */
#include "analyzer/page/track.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAPACITY 32u

/* What has ended and lies in nothing that has; by ends, as most events come. */
struct ended {
	struct {
		uint64_t begin, end;
	} items[TRACK_CHUNK];
	uint32_t count;
};

struct track_room {
	struct pack *pack;
	struct ended ended;
	uint64_t inside[TRACK_CHUNK], begins[TRACK_CHUNK], lengths[TRACK_CHUNK],
		values[TRACK_CHUNK];
	uint64_t order[TRACK_CHUNK], column[TRACK_CHUNK];
};

struct track_room *track_room_new(struct pack *pack)
{
	struct track_room *room = calloc(1, sizeof(*room));
	if (room != NULL)
		room->pack = pack;
	return room;
}

void track_room_free(struct track_room *room)
{
	free(room);
}

void track_release(struct track *track)
{
	free(track->waiting);
	free(track->bins);
	*track = (struct track){0};
}

/* An event, as far as others must be known for it: what a chunk has of its times. */
struct nested {
	uint64_t inside; /* events of the chunk that ended before and lie in it directly */
	uint64_t begin, ns;
};

/*
 * Of one that has others inside: how much earlier than the first it begins, how much later than
 * the last it ends. Of all others the begin from the end before, and the duration. Both are small,
 * where durations of what is around others are not.
 */
static struct nested nest(struct ended *ended, uint64_t before, const struct track_event *event)
{
	struct nested nested = {0};
	uint64_t end = event->begin + event->ns, first = 0, last = 0;
	for (uint32_t at = ended->count; at > 0; at--) {
		if (ended->items[at - 1].begin < event->begin || ended->items[at - 1].end > end)
			break;
		first = ended->items[at - 1].begin;
		last = nested.inside++ == 0 ? ended->items[at - 1].end : last;
	}
	nested.begin =
		nested.inside > 0 ? first - event->begin : pack_signed(event->begin - before);
	nested.ns = nested.inside > 0 ? end - last : event->ns;
	ended->count -= (uint32_t)nested.inside;
	ended->items[ended->count].begin = event->begin;
	ended->items[ended->count++].end = end;
	return nested;
}

static int compare_keys(const void *left, const void *right)
{
	const uint64_t *one = left, *two = right;
	return *one < *two ? -1 : *one > *two;
}

/*
 * What is alike lies together: by label, those of one label in their order in time. A byte of times
 * takes the less room the more its neighbours are like it, and values of a kind grow alike.
 */
static void sort_by_label(struct track_room *room, const struct track_event *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		room->order[i] = (uint64_t)events[i].label * TRACK_CHUNK + i;
	qsort(room->order, count, sizeof(room->order[0]), compare_keys);
	for (uint32_t i = 0; i < count; i++)
		room->order[i] %= TRACK_CHUNK;
}

static void put_sorted(struct track_room *room, const uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		room->column[i] = values[room->order[i]];
	pack_column(room->pack, room->column, count);
}

/* How far from the last that was not 0, plus one; 0 stays 0. */
static uint64_t step_of(uint64_t value, uint64_t *before)
{
	if (value == 0)
		return 0;
	uint64_t step = pack_signed(value - *before);
	*before = value;
	return step + (step < UINT64_MAX);
}

/*
 * "E", row, count, then labels as the events come; then by label how many lie inside, begins,
 * durations and values.
 */
static void put_chunk(struct track *track, struct track_room *room,
	const struct track_event *events, uint32_t count)
{
	uint64_t before = track->before_ns, value = 0;
	pack_bytes(room->pack, "E", 1);
	pack_u32(room->pack, track->number);
	pack_u32(room->pack, count);
	room->ended.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct nested nested = nest(&room->ended, before, &events[i]);
		room->column[i] = events[i].label;
		room->inside[i] = nested.inside;
		room->begins[i] = nested.begin;
		room->lengths[i] = nested.ns;
		room->values[i] = step_of(events[i].value, &value);
		before = events[i].begin + events[i].ns;
	}
	track->before_ns = before;
	pack_column(room->pack, room->column, count);
	sort_by_label(room, events, count);
	put_sorted(room, room->inside, count);
	put_sorted(room, room->begins, count);
	put_sorted(room, room->lengths, count);
	put_sorted(room, room->values, count);
}

void track_flush(struct track *track, struct track_room *room)
{
	if (track->count > 0)
		put_chunk(track, room, track->waiting, track->count);
	free(track->waiting);
	track->waiting = NULL;
	track->count = track->capacity = 0;
}

static void make_room(struct track *track, struct track_room *room)
{
	uint32_t capacity = track->capacity == 0 ? FIRST_CAPACITY : 2 * track->capacity;
	struct track_event *more = NULL;
	if (capacity <= TRACK_CHUNK)
		more = realloc(track->waiting, capacity * sizeof(*more));
	if (more != NULL) {
		track->waiting = more;
		track->capacity = capacity;
	} else if (track->count > 0) {
		put_chunk(track, room, track->waiting, track->count);
		track->count = 0;
	}
}

void track_event(struct track *track, struct track_room *room, const struct track_event *event)
{
	track->events++;
	if (track->count == track->capacity)
		make_room(track, room);
	if (track->capacity > 0)
		track->waiting[track->count++] = *event;
	else
		put_chunk(track, room, event, 1);
}

int track_sum(struct track *track, const struct track_grid *grid, const struct track_event *event)
{
	if (track->bins == NULL)
		track->bins = calloc(grid->count, sizeof(*track->bins));
	if (track->bins == NULL)
		return -ENOMEM;
	track->events++;
	track->in_bins++;
	uint64_t begin = event->begin > grid->begin_ns ? event->begin - grid->begin_ns : 0;
	uint64_t end = begin + event->ns;
	uint64_t at = begin / grid->width_ns;
	at = at < grid->count ? at : grid->count - 1;
	track->bins[at].events++;
	for (; begin < end && at < grid->count; at++) {
		uint64_t until = (at + 1) * grid->width_ns;
		until = until < end ? until : end;
		if (until > begin)
			track->bins[at].ns += until - begin;
		begin = until;
	}
	return 0;
}

/* "B", row, count, then for each bin how many and how long. */
void track_put_bins(const struct track *track, const struct track_grid *grid, struct pack *pack)
{
	uint64_t column[TRACK_BINS];
	if (track->bins == NULL)
		return;
	pack_bytes(pack, "B", 1);
	pack_u32(pack, track->number);
	pack_u32(pack, grid->count);
	for (uint32_t i = 0; i < grid->count; i++)
		column[i] = track->bins[i].events;
	pack_column(pack, column, grid->count);
	for (uint32_t i = 0; i < grid->count; i++)
		column[i] = track->bins[i].ns;
	pack_column(pack, column, grid->count);
}
