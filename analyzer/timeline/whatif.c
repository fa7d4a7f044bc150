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
	*whatif = (struct whatif){0};
}

void whatif_reset(struct whatif *whatif)
{
	whatif->count = 0;
}

void whatif_add(struct whatif *whatif, const struct stretch *stretch)
{
	whatif->stretches[whatif->count++ % WHATIF_LIMIT] = *stretch;
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

/* What the removed copies took of the host's time, of the device's, and what they still take. */
struct copies {
	double host, device, beside;
};

static bool has(const bool *spots, uint32_t spot)
{
	return spots != NULL && spot != 0 && spots[spot];
}

static struct copies removed_copies(const struct stretch *stretch, const struct removal *removal)
{
	struct copies copies = {0};
	if (stretch->parts[0].spot == 0 || (removal->spots == NULL && removal->pinned == NULL))
		return copies;
	for (unsigned i = 0; i < WHATIF_PARTS && stretch->parts[i].spot != 0; i++) {
		const struct stretch_part *copy = &stretch->parts[i];
		bool pinned = has(removal->pinned, copy->spot);
		if (!pinned && !has(removal->spots, copy->spot))
			continue;
		double left = (double)copy->device_ns * (copy->host_ns > 0 ? PINNED_SHARE : 1);
		copies.host += (double)copy->host_ns;
		copies.device += (double)copy->device_ns - (pinned ? left : 0);
		copies.beside += pinned ? 0 : left;
	}
	if (copies.host > (double)stretch->host_ns)
		copies.host = (double)stretch->host_ns;
	if (copies.device > (double)stretch->device_ns)
		copies.device = (double)stretch->device_ns;
	return copies;
}

static void play_one(
	struct clocks *clocks, const struct stretch *stretch, const struct removal *removal)
{
	struct copies copies = removed_copies(stretch, removal);
	double removed = copies.host;
	for (unsigned kinds = removal->pieces; kinds != 0; kinds &= kinds - 1)
		removed += (double)stretch->pieces[__builtin_ctz(kinds)];
	if (removed > (double)stretch->host_ns)
		removed = (double)stretch->host_ns;
	/* a copy that no longer holds anybody runs beside the kernels */
	double work = (double)stretch->device_ns - copies.device;
	double earlier = larger(removed, copies.device);
	clocks->copies += copies.beside;
	double begin = clocks->host;
	clocks->host += (double)stretch->host_ns - removed;
	if (work > 0)
		clocks->device = larger(begin + larger((double)stretch->tail_ns - earlier, work),
			clocks->device + work);
	if (stretch->wait_ns == 0 || has(removal->spots, stretch->spot) ||
		has(removal->pinned, stretch->spot))
		return;
	clocks->host = larger(clocks->host + (double)stretch->spare_ns, clocks->device);
}

double whatif_length(
	const struct whatif *whatif, const struct removal *removal, uint64_t first, uint64_t until)
{
	struct clocks clocks = {0};
	uint64_t kept = whatif->count < WHATIF_LIMIT ? whatif->count : WHATIF_LIMIT;
	for (uint64_t i = whatif->count - kept; i < whatif->count; i++) {
		const struct stretch *stretch = &whatif->stretches[i % WHATIF_LIMIT];
		if (stretch->step >= first && stretch->step < until)
			play_one(&clocks, stretch, removal);
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
