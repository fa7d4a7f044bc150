/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/charge.h"

#include <string.h>

/* The device was idle, or only copied, because of a line. */
static void expose(const struct charge *charge, uint32_t spot, uint64_t ns)
{
	if (charge->counting)
		spot_found(&charge->spots->items[spot], charge->step, SPOT_EXPOSED_NS, ns);
}

void charge_copy(struct charge *charge, uint32_t spot, uint64_t ns)
{
	struct stretch_part *part = stretch_part(&charge->kept, spot);
	expose(charge, spot, ns);
	if (part != NULL)
		part->device_ns += ns;
}

/*
 * Idle time while the host runs code: as much as lead was lost is the waits', the rest is the
 * code's.
 */
static void charge_code(struct charge *charge, enum cause cause, uint32_t code, uint64_t ns)
{
	uint64_t owed;
	uint32_t spot;
	while (ns > 0 && (owed = lead_charge(charge->lead, ns, &spot)) > 0) {
		charge->values[CAUSE_IDLE_SYNC] += owed;
		expose(charge, spot, owed);
		ns -= owed;
	}
	charge->values[cause] += ns;
	if (code != 0)
		expose(charge, code, ns);
}

/* Without a device nothing is launched. */
static inline enum cause cause_of_launching(const struct charge *charge)
{
	return charge->alone ? CAUSE_HOST_OPERATORS : CAUSE_IDLE_LAUNCH;
}

static void charge_piece(
	struct charge *charge, const struct piece *piece, uint32_t spot, uint64_t ns)
{
	static const enum cause causes[PIECE_KIND_COUNT] = {
		[PIECE_LAUNCH] = CAUSE_IDLE_LAUNCH,
		[PIECE_WAIT] = CAUSE_IDLE_SYNC,
		[PIECE_BLOCKED] = CAUSE_IDLE_LAUNCH,
		[PIECE_COPY] = CAUSE_IDLE_LAUNCH,
		[PIECE_ALLOC] = CAUSE_IDLE_ALLOC,
		[PIECE_SETUP] = CAUSE_IDLE_HOST,
		[PIECE_INPUT] = CAUSE_IDLE_INPUT,
		[PIECE_HOST] = CAUSE_IDLE_HOST,
		[PIECE_GC] = CAUSE_IDLE_GC,
		[PIECE_GIL] = CAUSE_IDLE_GIL,
		[PIECE_STALL] = CAUSE_IDLE_BLOCKED,
	};
	enum cause cause = causes[piece->kind];
	switch (piece->kind) {
	case PIECE_WAIT:
		charge->values[cause] += ns;
		expose(charge, spot, ns);
		return;
	case PIECE_BLOCKED: /* a full queue: the device works, on what we do not know */
		if (charge->measured) {
			charge->unfilled_ns += ns;
			charge_code(charge, cause, 0, ns);
			return;
		}
		charge->values[CAUSE_DEVICE_COMPUTE] += ns;
		charge->device_ns += ns;
		return;
	case PIECE_LAUNCH:
	case PIECE_COPY:
		charge_code(charge, cause_of_launching(charge), 0, ns);
		return;
	case PIECE_HOST:
		charge_code(charge, charge->alone ? CAUSE_HOST_OPERATORS : cause, spot, ns);
		return;
	case PIECE_ALLOC:
	case PIECE_SETUP:
		charge->values[cause] += ns;
		expose(charge, piece->spot, ns);
		return;
	default: /* has a name of its own */
		charge->values[cause] += ns;
		if (spot != 0)
			expose(charge, spot, ns);
	}
}

/* Samples from begin to end show what idles the device. */
static void sampled(const struct charge *charge, uint64_t begin, uint64_t end, uint32_t gap)
{
	code_charge(charge->code, begin, end, gap, charge->counting ? charge->step : CODE_NO_STEP);
}

/* Python interrupts whatever runs: code is the same code before and behind. */
static bool interrupts(const struct host *host, size_t piece)
{
	unsigned kind = host->pieces.items[piece].kind;
	return kind == PIECE_GC || kind == PIECE_GIL;
}

/* From the end of the piece before to the beginning of this one. */
static uint64_t pause_before(const struct charge *charge, size_t piece)
{
	const struct host *host = charge->host;
	uint64_t begin = piece > 0 ? host->pieces.items[piece - 1].end : charge->from_ns;
	uint64_t end = piece < host->pieces.count ? host->pieces.items[piece].begin : charge->to_ns;
	return end > begin ? end - begin : 0;
}

/* A pause of the host before a piece: short ones are part of launching, unless that is over. */
static bool is_code(const struct charge *charge, size_t piece)
{
	const struct host *host = charge->host;
	uint64_t sum = pause_before(charge, piece);
	size_t first = piece;
	for (; sum <= host->join_ns && first > 0 && interrupts(host, first - 1); first--)
		sum += pause_before(charge, first - 1);
	for (size_t at = piece; sum <= host->join_ns && at < host->pieces.count; at++) {
		if (!interrupts(host, at))
			break;
		sum += pause_before(charge, at + 1);
	}
	return sum > host->join_ns ||
	       (first > 0 && !charge->alone && host->pieces.items[first - 1].kind == PIECE_HOST);
}

/* The spot of the code between two pieces; the device mostly idles in several parts of it. */
static uint32_t spot_of_code(struct charge *charge, size_t before, size_t after)
{
	if (charge->code_before != before + 1 || charge->code_after != after) {
		charge->code_spot = gap_find(charge->gaps, charge->host, before, after);
		charge->code_before = before + 1;
		charge->code_after = after;
	}
	return charge->code_spot;
}

static uint32_t spot_of_pause(struct charge *charge, size_t piece)
{
	return spot_of_code(charge, piece, piece);
}

/* A pause of Python's on a thread without a line is one of the line that waits for it. */
static uint32_t spot_of_interrupt(const struct charge *charge, const struct piece *piece)
{
	if (charge->spots->items[piece->spot].file != 0 || piece->first_place == 0)
		return piece->spot;
	return spot_index(
		charge->spots, spots_find(charge->spots, charge->gaps->lookup, piece->first_place,
				       0, piece->kind == PIECE_GC ? SPOT_COLLECTION : SPOT_LOCK));
}

static inline uint32_t spot_of_piece(struct charge *charge, size_t at)
{
	const struct piece *piece = &charge->host->pieces.items[at];
	switch (piece->kind) {
	case PIECE_HOST:
		if (piece->spot != 0 || charge->alone)
			return piece->spot;
		return spot_of_code(charge, at, at + 1);
	case PIECE_GC:
	case PIECE_GIL:
		return spot_of_interrupt(charge, piece);
	default:
		return piece->spot;
	}
}

void charge_finish(struct charge *charge)
{
	if (charge->wait.ns == 0)
		return;
	charge->values[CAUSE_IDLE_SYNC] += charge->wait.ns;
	expose(charge, charge->wait.spot, charge->wait.ns);
	charge->wait.ns = 0;
}

/* All of it lies within one piece. */
static inline void charge_within(struct charge *charge, uint64_t begin, uint64_t end)
{
	const struct piece *piece = &charge->host->pieces.items[charge->piece];
	if (piece->kind == PIECE_WAIT && charge->watch == NULL) {
		charge_finish(charge);
		charge->wait.begin = piece->begin;
		charge->wait.end = piece->end;
		charge->wait.spot = piece->spot;
		charge->wait.ns = end - begin;
		return;
	}
	if (piece->kind == PIECE_HOST && !charge->alone)
		sampled(charge, begin, end, 0);
	if (piece->kind == PIECE_INPUT)
		sampled(charge, begin, end, CODE_MAKING);
	charge_piece(charge, piece, spot_of_piece(charge, charge->piece), end - begin);
}

/* Who looks is told what a part was given to: what its causes have grown by, one by one. */
static void tell(const struct charge *charge, const uint64_t *before, uint64_t begin, uint64_t end)
{
	static const enum cause first = CAUSE_IDLE_SYNC; /* what waits have cost comes first */
	for (unsigned i = 0; i < CAUSE_COUNT && begin < end; i++) {
		unsigned cause = (first + i) % CAUSE_COUNT;
		uint64_t ns = charge->values[cause] - before[cause];
		if (ns > 0)
			charge->watch->piece(charge->watch->context, cause, begin, begin + ns);
		begin += ns;
	}
}

static void charge_pieces(struct charge *charge, uint64_t begin, uint64_t end)
{
	const struct host *host = charge->host;
	while (begin < end) {
		while (charge->piece < host->pieces.count &&
			host->pieces.items[charge->piece].end <= begin)
			charge->piece++;
		const struct piece *piece = &host->pieces.items[charge->piece];
		bool none = charge->piece == host->pieces.count || piece->begin >= end;
		uint64_t until = none ? end : piece->begin;
		uint64_t before[CAUSE_COUNT];
		if (charge->watch != NULL)
			memcpy(before, charge->values, sizeof(before));
		if (until > begin && is_code(charge, charge->piece)) {
			uint32_t gap = spot_of_pause(charge, charge->piece);
			sampled(charge, begin, until, gap);
			charge_code(charge, CAUSE_IDLE_HOST, gap, until - begin);
		} else if (until > begin) {
			charge_code(charge, cause_of_launching(charge), 0, until - begin);
		} else {
			until = piece->end < end ? piece->end : end;
			charge_within(charge, begin, until);
		}
		if (charge->watch != NULL)
			tell(charge, before, begin, until);
		begin = until;
	}
}

void charge_any_idle(struct charge *charge, uint64_t begin, uint64_t end)
{
	const struct host *host = charge->host;
	const struct piece *piece = &host->pieces.items[charge->piece];
	if (charge->watch == NULL && charge->piece < host->pieces.count && piece->begin <= begin &&
		piece->end >= end && begin < end)
		charge_within(charge, begin, end);
	else
		charge_pieces(charge, begin, end);
}

static uint64_t overlap(uint64_t begin, uint64_t end, const uint64_t *range)
{
	begin = begin > range[0] ? begin : range[0];
	end = end < range[1] ? end : range[1];
	return end > begin ? end - begin : 0;
}

/*
 * The line's part of the host's time. What can only be taken away line by line, and not as all
 * pieces of a kind, is kept to be played again without it.
 */
static void keep(struct charge *charge, enum piece_kind kind, uint32_t spot, uint64_t ns)
{
	bool by_line = kind == PIECE_HOST || kind == PIECE_COPY || kind == PIECE_STALL;
	if (ns == 0 || spot == 0)
		return;
	if (charge->counting)
		spot_found(&charge->spots->items[spot], charge->step, SPOT_LINE_NS, ns);
	struct stretch_part *part = by_line ? stretch_part(&charge->kept, spot) : NULL;
	if (part != NULL)
		part->host_ns += ns;
}

void charge_host(struct charge *charge, uint64_t begin, uint64_t end, uint64_t *ret_sums)
{
	const struct host *host = charge->host;
	const uint64_t range[] = {begin, end};
	size_t at = charge->summed;
	memset(ret_sums, 0, PIECE_KIND_COUNT * sizeof(*ret_sums));
	for (;; at++) {
		bool last = at == host->pieces.count || host->pieces.items[at].begin >= end;
		uint64_t from = at > 0 ? host->pieces.items[at - 1].end : charge->from_ns;
		uint64_t pause = overlap(from, last ? end : host->pieces.items[at].begin, range);
		if (pause > 0 && is_code(charge, at))
			keep(charge, PIECE_HOST, spot_of_pause(charge, at), pause);
		if (last)
			break;
		const struct piece *piece = &host->pieces.items[at];
		uint64_t ns = overlap(piece->begin, piece->end, range);
		ret_sums[piece->kind] += ns;
		if (piece->kind != PIECE_WAIT && piece->kind != PIECE_LAUNCH)
			keep(charge, piece->kind, spot_of_piece(charge, at), ns);
	}
	charge->summed = at > 0 && host->pieces.items[at - 1].end > end ? at - 1 : at;
}
