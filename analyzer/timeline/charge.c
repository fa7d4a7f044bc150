/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/charge.h"

/* The device was idle, or only copied, because of a line. */
static void expose(const struct charge *charge, uint32_t spot, uint64_t ns)
{
	if (charge->counting)
		spot_found(&charge->spots->items[spot], charge->step, SPOT_EXPOSED_NS, ns);
}

void charge_copy(struct charge *charge, uint32_t spot, uint64_t ns)
{
	struct stretch_copy *copy = stretch_copy(&charge->kept, spot);
	expose(charge, spot, ns);
	if (copy != NULL)
		copy->device_ns += ns;
}

/* Idle time while the host runs code: as much as lead was lost is the waits'. */
static void charge_code(struct charge *charge, enum cause cause, uint64_t ns)
{
	uint64_t owed;
	uint32_t spot;
	while (ns > 0 && (owed = lead_charge(charge->lead, ns, &spot)) > 0) {
		charge->values[CAUSE_IDLE_SYNC] += owed;
		expose(charge, spot, owed);
		ns -= owed;
	}
	charge->values[cause] += ns;
}

static void charge_piece(struct charge *charge, const struct piece *piece, uint64_t ns)
{
	static const enum cause causes[PIECE_KIND_COUNT] = {
		[PIECE_LAUNCH] = CAUSE_IDLE_LAUNCH,
		[PIECE_WAIT] = CAUSE_IDLE_SYNC,
		[PIECE_BLOCKED] = CAUSE_IDLE_LAUNCH,
		[PIECE_COPY] = CAUSE_IDLE_LAUNCH,
		[PIECE_ALLOC] = CAUSE_IDLE_ALLOC,
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
		expose(charge, piece->spot, ns);
		return;
	case PIECE_BLOCKED: /* a full queue: the device works, on what we do not know */
		if (charge->measured) {
			charge_code(charge, cause, ns);
			return;
		}
		charge->values[CAUSE_DEVICE_COMPUTE] += ns;
		charge->device_ns += ns;
		return;
	case PIECE_LAUNCH:
	case PIECE_COPY:
	case PIECE_HOST:
		charge_code(charge, cause, ns);
		return;
	case PIECE_ALLOC:
		charge->values[cause] += ns;
		expose(charge, piece->spot, ns);
		return;
	default: /* has a name of its own */
		charge->values[cause] += ns;
	}
}

/* What the host does in the gap before the current piece: short ones are part of launching. */
static enum cause gap_cause(const struct charge *charge)
{
	const struct host *host = charge->host;
	uint64_t begin =
		charge->piece > 0 ? host->pieces.items[charge->piece - 1].end : charge->from_ns;
	uint64_t end = charge->piece < host->pieces.count ? host->pieces.items[charge->piece].begin
							  : charge->to_ns;
	return end - begin <= host->join_ns ? CAUSE_IDLE_LAUNCH : CAUSE_IDLE_HOST;
}

void charge_idle(struct charge *charge, uint64_t begin, uint64_t end)
{
	const struct host *host = charge->host;
	while (begin < end) {
		while (charge->piece < host->pieces.count &&
			host->pieces.items[charge->piece].end <= begin)
			charge->piece++;
		const struct piece *piece = &host->pieces.items[charge->piece];
		bool none = charge->piece == host->pieces.count || piece->begin >= end;
		uint64_t until = none ? end : piece->begin;
		if (until > begin) {
			charge_code(charge, gap_cause(charge), until - begin);
			begin = until;
			continue;
		}
		until = piece->end < end ? piece->end : end;
		charge_piece(charge, piece, until - begin);
		begin = until;
	}
}
