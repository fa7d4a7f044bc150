/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The part of a stretch that lies in one step, while it is swept. */
struct range {
	struct sweep *sweep;
	const struct host *host;
	const struct sweep_end *stretch;
	uint64_t *values; /* of the step; scratch when the step is not wanted */
	bool counting;    /* the step is wanted */
	size_t piece;     /* first one that has not ended where the device was last idle */
	size_t summed;    /* first one that reaches into the range */
	uint64_t begin, end;
	uint64_t from_ns; /* where the stretch begins */
	uint64_t device_ns, device_end;
	struct stretch kept; /* to be played again */
};

int sweep_init(struct sweep *sweep, struct spots *spots, const struct steps *steps, uint64_t ns)
{
	*sweep = (struct sweep){.spots = spots, .steps = steps, .at_ns = ns};
	int err = series_init(&sweep->account, SWEEP_VALUE_COUNT);
	if (err == 0)
		err = whatif_init(&sweep->whatif);
	return err;
}

void sweep_release(struct sweep *sweep)
{
	series_release(&sweep->account);
	whatif_release(&sweep->whatif);
	intervals_release(&sweep->intervals);
}

void sweep_restart(struct sweep *sweep)
{
	series_reset(&sweep->account);
	whatif_reset(&sweep->whatif);
	sweep->step = 0;
	sweep->cut_count = 0;
}

bool sweep_cut(struct sweep *sweep, uint64_t ns)
{
	if (sweep->cut_count == STEPS_PENDING)
		return false;
	sweep->cuts[sweep->cut_count++] = ns;
	return true;
}

int sweep_device(
	struct sweep *sweep, enum device_class class, uint64_t begin, uint64_t end, uint32_t spot)
{
	return intervals_put(&sweep->intervals, begin, end, class, spot);
}

/* The device was idle, or only copied, because of a line. */
static void expose(const struct range *range, uint32_t spot, uint64_t ns)
{
	if (range->counting)
		spot_found(
			&range->sweep->spots->items[spot], range->sweep->step, SPOT_EXPOSED_NS, ns);
}

/* The device only copies, for a line. */
static void expose_copy(struct range *range, uint64_t ns)
{
	uint32_t spot = range->sweep->copy_spot;
	struct stretch_copy *copy = stretch_copy(&range->kept, spot);
	expose(range, spot, ns);
	if (copy != NULL)
		copy->device_ns += ns;
}

/* Idle time while the host runs code: as much as lead was lost is the waits'. */
static void charge_code(struct range *range, enum cause cause, uint64_t ns)
{
	uint64_t owed;
	uint32_t spot;
	while (ns > 0 && (owed = lead_charge(&range->sweep->lead, ns, &spot)) > 0) {
		range->values[CAUSE_IDLE_SYNC] += owed;
		expose(range, spot, owed);
		ns -= owed;
	}
	range->values[cause] += ns;
}

static void charge_piece(struct range *range, const struct piece *piece, uint64_t ns)
{
	switch (piece->kind) {
	case PIECE_INPUT:
		range->values[CAUSE_IDLE_INPUT] += ns;
		return;
	case PIECE_ALLOC:
		range->values[CAUSE_IDLE_ALLOC] += ns;
		return;
	case PIECE_WAIT:
		range->values[CAUSE_IDLE_SYNC] += ns;
		expose(range, piece->spot, ns);
		return;
	case PIECE_BLOCKED: /* a full queue: the device works, on what we do not know */
		if (range->stretch->measured) {
			charge_code(range, CAUSE_IDLE_LAUNCH, ns);
			return;
		}
		range->values[CAUSE_DEVICE_COMPUTE] += ns;
		range->device_ns += ns;
		return;
	default:
		charge_code(range, CAUSE_IDLE_LAUNCH, ns);
	}
}

/* What the host does in the gap before the current piece: short ones are part of launching. */
static enum cause gap_cause(const struct range *range)
{
	const struct host *host = range->host;
	uint64_t begin =
		range->piece > 0 ? host->pieces.items[range->piece - 1].end : range->from_ns;
	uint64_t end = range->piece < host->pieces.count ? host->pieces.items[range->piece].begin
							 : range->stretch->to_ns;
	return end - begin <= host->join_ns ? CAUSE_IDLE_LAUNCH : CAUSE_IDLE_HOST;
}

static void charge_idle(struct range *range, uint64_t begin, uint64_t end)
{
	const struct host *host = range->host;
	while (begin < end) {
		while (range->piece < host->pieces.count &&
			host->pieces.items[range->piece].end <= begin)
			range->piece++;
		const struct piece *piece = &host->pieces.items[range->piece];
		bool none = range->piece == host->pieces.count || piece->begin >= end;
		uint64_t until = none ? end : piece->begin;
		if (until > begin) {
			charge_code(range, gap_cause(range), until - begin);
			begin = until;
			continue;
		}
		until = piece->end < end ? piece->end : end;
		charge_piece(range, piece, until - begin);
		begin = until;
	}
}

/* From begin to end no device work starts: what is running goes on, then idle. */
static void advance(struct range *range, uint64_t begin, uint64_t end)
{
	static const enum cause causes[DEVICE_CLASS_COUNT] = {
		[DEVICE_CLASS_COMPUTE] = CAUSE_DEVICE_COMPUTE,
		[DEVICE_CLASS_COMM] = CAUSE_DEVICE_COMM,
		[DEVICE_CLASS_COPY] = CAUSE_DEVICE_COPY,
	};
	struct sweep *sweep = range->sweep;
#pragma GCC unroll 3
	for (unsigned class = 0; class < DEVICE_CLASS_COUNT; class ++) {
		uint64_t until = sweep->busy_until[class] < end ? sweep->busy_until[class] : end;
		if (until <= begin)
			continue;
		range->values[causes[class]] += until - begin;
		range->device_ns += until - begin;
		range->device_end = until;
		if (class == DEVICE_CLASS_COPY && sweep->copy_spot != 0)
			expose_copy(range, until - begin);
		begin = until;
		if (begin == end)
			return;
	}
	charge_idle(range, begin, end);
}

static void sweep_device_work(struct range *range)
{
	struct sweep *sweep = range->sweep;
	uint64_t at = range->begin;
	const struct interval *interval;
	while ((interval = intervals_take(&sweep->intervals, range->end)) != NULL) {
		if (interval->begin > at) {
			advance(range, at, interval->begin);
			at = interval->begin;
		}
		if (interval->end <= sweep->busy_until[interval->class])
			continue;
		sweep->busy_until[interval->class] = interval->end;
		if (interval->class == DEVICE_CLASS_COPY)
			sweep->copy_spot = interval->spot;
	}
	advance(range, at, range->end);
}

static uint64_t overlap(uint64_t begin, uint64_t end, const struct range *range)
{
	begin = begin > range->begin ? begin : range->begin;
	end = end < range->end ? end : range->end;
	return end > begin ? end - begin : 0;
}

/* Sums of the host's pieces in the range, by kind. */
static void sum_pieces(struct range *range, uint64_t *ret_sums)
{
	const struct host *host = range->host;
	memset(ret_sums, 0, PIECE_KIND_COUNT * sizeof(*ret_sums));
	size_t at = range->summed;
	for (; at < host->pieces.count && host->pieces.items[at].begin < range->end; at++) {
		const struct piece *piece = &host->pieces.items[at];
		uint64_t ns = overlap(piece->begin, piece->end, range);
		ret_sums[piece->kind] += ns;
		struct stretch_copy *copy = piece->kind == PIECE_COPY && ns > 0
						    ? stretch_copy(&range->kept, piece->spot)
						    : NULL;
		if (copy != NULL)
			copy->host_ns += ns;
	}
	range->summed = at > 0 && host->pieces.items[at - 1].end > range->end ? at - 1 : at;
}

/* The range as a stretch to be played again. */
static void keep_stretch(struct range *range, const struct sweep_end *end, const uint64_t *sums)
{
	struct stretch *stretch = &range->kept;
	stretch->step = range->sweep->step;
	stretch->host_ns = range->end - range->begin - sums[PIECE_WAIT] - sums[PIECE_BLOCKED];
	stretch->input_ns = sums[PIECE_INPUT];
	stretch->launch_ns = sums[PIECE_LAUNCH];
	stretch->alloc_ns = sums[PIECE_ALLOC];
	stretch->device_ns = range->device_ns;
	if (range->device_ns > 0)
		stretch->tail_ns = range->device_end - range->begin;
	if (range->end == end->to_ns && end->wait_begin_ns < end->to_ns) {
		stretch->wait_ns = end->to_ns - end->wait_begin_ns;
		stretch->spare_ns =
			stretch->wait_ns < end->spare_ns ? stretch->wait_ns : end->spare_ns;
		stretch->spot = end->spot;
	}
	whatif_add(&range->sweep->whatif, stretch);
}

/* The part of a wait in which the device kept the host, at its beginning, lies in the range. */
static void add_wait(const struct range *range, const struct sweep_end *end)
{
	if (!end->exact || end->wait_begin_ns + end->spare_ns >= end->to_ns)
		return;
	range->values[SWEEP_WAITED_NS] +=
		overlap(end->wait_begin_ns, end->to_ns - end->spare_ns, range);
}

/* What is certain about the device in the range. */
static void add_bounds(const struct range *range, const struct sweep_end *end, uint64_t blocked_ns)
{
	uint64_t *values = range->values, length = range->end - range->begin;
	if (end->measured) {
		values[SWEEP_MEASURED_NS] += length;
		values[SWEEP_MEASURED_BUSY_NS] += range->device_ns;
		values[SWEEP_CERTAIN_NS] += range->device_ns;
		values[SWEEP_EMPTY_NS] += length - range->device_ns;
		return;
	}
	values[SWEEP_CERTAIN_NS] += blocked_ns;
	if (end->exact)
		values[SWEEP_CERTAIN_NS] += overlap(end->wait_begin_ns, end->to_ns, range);
	values[SWEEP_EMPTY_NS] += overlap(0, end->empty_ns, range);
}

static void sweep_range(struct range *range, const struct sweep_end *end)
{
	struct sweep *sweep = range->sweep;
	uint64_t scratch[SWEEP_VALUE_COUNT] = {0};
	range->counting = steps_wanted(sweep->steps, sweep->step);
	range->values = range->counting ? series_at(&sweep->account, sweep->step) : scratch;
	range->device_ns = 0;
	range->device_end = range->begin;
	uint64_t sums[PIECE_KIND_COUNT];
	range->kept = (struct stretch){0};
	sum_pieces(range, sums);
	sweep_device_work(range);
	for (unsigned kind = 0; kind < PIECE_KIND_COUNT; kind++)
		range->values[SWEEP_PIECES + kind] += sums[kind];
	add_wait(range, end);
	add_bounds(range, end, sums[PIECE_BLOCKED]);
	if (range->counting)
		keep_stretch(range, end, sums);
}

void sweep_run(struct sweep *sweep, const struct host *host, const struct sweep_end *end)
{
	struct range range = {.sweep = sweep,
		.host = host,
		.stretch = end,
		.begin = sweep->at_ns,
		.from_ns = sweep->at_ns};
	uint32_t cut = 0;
	if (end->to_ns <= sweep->at_ns)
		return;
	while (cut < sweep->cut_count && sweep->cuts[cut] <= end->to_ns) {
		range.end = sweep->cuts[cut++];
		if (range.end > range.begin) {
			sweep_range(&range, end);
			range.begin = range.end;
		}
		sweep->step++;
		lead_step(&sweep->lead);
	}
	range.end = end->to_ns;
	if (range.end > range.begin)
		sweep_range(&range, end);
	sweep->cut_count -= cut;
	if (cut > 0)
		memmove(sweep->cuts, sweep->cuts + cut, sweep->cut_count * sizeof(*sweep->cuts));
	sweep->at_ns = end->to_ns;
	uint64_t waited = end->to_ns - end->wait_begin_ns;
	if (!end->exact || waited <= end->spare_ns || end->wait_begin_ns >= end->to_ns)
		return;
	lead_lose(&sweep->lead, end->spot, waited - end->spare_ns);
	/* the line's call belongs to the step in which it ends */
	if (steps_wanted(sweep->steps, sweep->step))
		spot_found(&sweep->spots->items[end->spot], sweep->step, SPOT_WAITED_NS,
			waited - end->spare_ns);
}
