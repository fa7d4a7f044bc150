/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/whatif.h"

#include <errno.h>
#include <stdlib.h>

int whatif_init(struct whatif *whatif)
{
	*whatif = (struct whatif){0};
	/* not cleared: of a run of few stretches most of it is never touched */
	whatif->stretches = malloc(WHATIF_LIMIT * sizeof(*whatif->stretches));
	return whatif->stretches != NULL ? 0 : -ENOMEM;
}

void whatif_release(struct whatif *whatif)
{
	free(whatif->stretches);
	circle_release(&whatif->pieces);
	circle_release(&whatif->parts);
	*whatif = (struct whatif){0};
}

void whatif_reset(struct whatif *whatif)
{
	whatif->count = 0;
	whatif->pieces.first = whatif->pieces.until;
	whatif->parts.first = whatif->parts.until;
}

/* What the host is said to do beside waiting. */
static void keep_pieces(
	struct whatif *whatif, const struct stretch *stretch, struct stretch_kept *kept)
{
	const unsigned waits = 1u << PIECE_WAIT | 1u << PIECE_BLOCKED;
	if (circle_reserve(&whatif->pieces, PIECE_KIND_COUNT) < 0)
		return;
	for (unsigned kind = 0; kind < PIECE_KIND_COUNT; kind++) {
		if (stretch->pieces[kind] == 0 || (waits >> kind & 1) != 0)
			continue;
		*circle_at(&whatif->pieces, whatif->pieces.until++) =
			(struct stretch_piece){(double)stretch->pieces[kind], kind};
		kept->piece_count++;
	}
}

static void keep_parts(
	struct whatif *whatif, const struct stretch *stretch, struct stretch_kept *kept)
{
	if (circle_reserve(&whatif->parts, WHATIF_PARTS) < 0)
		return;
	for (; kept->part_count < WHATIF_PARTS; kept->part_count++) {
		const struct stretch_part *part = &stretch->parts[kept->part_count];
		if (part->spot == 0)
			break;
		*circle_at(&whatif->parts, whatif->parts.until++) = *part;
	}
}

void whatif_add(struct whatif *whatif, const struct stretch *stretch)
{
	struct stretch_kept *kept = &whatif->stretches[whatif->count % WHATIF_LIMIT];
	if (whatif->count++ >= WHATIF_LIMIT) {
		whatif->pieces.first += kept->piece_count;
		whatif->parts.first += kept->part_count;
	}
	*kept = (struct stretch_kept){.step = stretch->step,
		.host_ns = (double)stretch->host_ns,
		.spare_ns = (double)stretch->spare_ns,
		.device_ns = (double)stretch->device_ns,
		.tail_ns = (double)stretch->tail_ns,
		.spot = stretch->spot,
		.waits = stretch->wait_ns != 0};
	keep_pieces(whatif, stretch, kept);
	keep_parts(whatif, stretch, kept);
}

void whatif_forget(struct whatif *whatif, uint64_t from)
{
	if (whatif->count > WHATIF_LIMIT && from < whatif->count - WHATIF_LIMIT)
		from = whatif->count - WHATIF_LIMIT;
	for (uint64_t i = from; i < whatif->count; i++)
		whatif->stretches[i % WHATIF_LIMIT].step = UINT64_MAX;
}

/* From pinned memory a copy takes at least this share of what it takes from pageable memory. */
#define PINNED_SHARE (1.0 / 3)

/* When the host goes on, when the device has done its work, how long it copied beside that. */
struct clocks {
	double host, device, copies;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

struct stretch_part *stretch_part(struct stretch *stretch, uint32_t spot)
{
	for (unsigned i = 0; i < WHATIF_PARTS && spot != 0; i++) {
		struct stretch_part *copy = &stretch->parts[i];
		if (copy->spot != 0 && copy->spot != spot)
			continue;
		copy->spot = spot;
		return copy;
	}
	return NULL;
}

/* A stretch with what is kept of it apart, from these positions on. */
struct played {
	const struct whatif *whatif;
	const struct stretch_kept *kept;
	uint64_t piece, part;
};

/* What the removed copies took of the host's time, of the device's, and what they still take. */
struct copies {
	double host, device, beside;
};

/* Of no line something may be taken away. */
static bool has(const bool *spots, uint32_t spot)
{
	return spot != 0 && spots != NULL && spots[spot];
}

/* Something of what is kept apart is taken away. */
static bool touches(const struct played *played, const struct removal *removal)
{
	const bool *spots = removal->spots, *pinned = removal->pinned;
	bool any = removal->pieces != 0 && played->kept->piece_count > 0;
	for (uint64_t i = 0; i < played->kept->part_count; i++) {
		uint32_t spot = circle_at(&played->whatif->parts, played->part + i)->spot;
		any |= (spots != NULL && spots[spot]) || (pinned != NULL && pinned[spot]);
	}
	return any;
}

static struct copies removed_copies(const struct played *played, const struct removal *removal)
{
	struct copies copies = {0};
	for (uint64_t i = 0; i < played->kept->part_count; i++) {
		const struct stretch_part *copy =
			circle_at(&played->whatif->parts, played->part + i);
		bool pinned = has(removal->pinned, copy->spot);
		if (!pinned && !has(removal->spots, copy->spot))
			continue;
		double left = (double)copy->device_ns * (copy->host_ns > 0 ? PINNED_SHARE : 1);
		copies.host += (double)copy->host_ns;
		copies.device += (double)copy->device_ns - (pinned ? left : 0);
		copies.beside += pinned ? 0 : left;
	}
	if (copies.host > played->kept->host_ns)
		copies.host = played->kept->host_ns;
	if (copies.device > played->kept->device_ns)
		copies.device = played->kept->device_ns;
	return copies;
}

static double removed_pieces(const struct played *played, const struct removal *removal)
{
	double ns = 0;
	for (uint64_t i = 0; removal->pieces != 0 && i < played->kept->piece_count; i++) {
		const struct stretch_piece *piece =
			circle_at(&played->whatif->pieces, played->piece + i);
		if ((removal->pieces >> piece->kind & 1) != 0)
			ns += piece->ns;
	}
	return ns;
}

/* Of a stretch of which that much was taken away. */
static inline __attribute__((always_inline)) void go_on(struct clocks *clocks,
	const struct stretch_kept *kept, const struct removal *removal, double removed,
	double moved)
{
	double begin = clocks->host, work = kept->device_ns - moved;
	clocks->host += kept->host_ns - removed;
	if (work > 0)
		clocks->device =
			larger(begin + larger(kept->tail_ns - larger(removed, moved), work),
				clocks->device + work);
	if (!kept->waits || has(removal->spots, kept->spot) || has(removal->pinned, kept->spot))
		return;
	clocks->host = larger(clocks->host + kept->spare_ns, clocks->device);
}

static __attribute__((noinline)) void play_without(
	struct clocks *clocks, const struct played *played, const struct removal *removal)
{
	const struct stretch_kept *kept = played->kept;
	struct copies copies = removed_copies(played, removal);
	double removed = copies.host + removed_pieces(played, removal);
	if (removed > kept->host_ns)
		removed = kept->host_ns;
	/* a copy that no longer holds anybody runs beside the kernels */
	clocks->copies += copies.beside;
	go_on(clocks, kept, removal, removed, copies.device);
}

double whatif_length(
	const struct whatif *whatif, const struct removal *removal, uint64_t first, uint64_t until)
{
	struct clocks clocks = {0};
	struct played played = {
		.whatif = whatif, .piece = whatif->pieces.first, .part = whatif->parts.first};
	uint64_t kept = whatif->count < WHATIF_LIMIT ? whatif->count : WHATIF_LIMIT;
	for (uint64_t i = whatif->count - kept; i < whatif->count; i++) {
		played.kept = &whatif->stretches[i % WHATIF_LIMIT];
		unsigned parts = played.kept->part_count;
		if (played.kept->step >= first && played.kept->step < until) {
			if (touches(&played, removal))
				play_without(&clocks, &played, removal);
			else /* most have nothing to be taken away */
				go_on(&clocks, played.kept, removal, 0, 0);
		}
		played.piece += played.kept->piece_count;
		played.part += parts;
	}
	return larger(larger(clocks.host, clocks.device), clocks.copies);
}

double whatif_share(double before, double after)
{
	if (!(before > 0) || !(after < before))
		return 1;
	double share = after / before;
	return share > 1e-6 ? share : 1e-6;
}
