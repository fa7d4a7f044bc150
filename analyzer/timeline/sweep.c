/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The part of a stretch that lies in one step, while it is swept. */
struct range {
	struct sweep *sweep;
	const struct sweep_end *stretch;
	struct charge charge;
	uint64_t begin, end;
	uint64_t device_end;
};

int sweep_init(struct sweep *sweep, struct spots *spots, const struct lookup *lookup,
	const struct steps *steps)
{
	*sweep = (struct sweep){.spots = spots,
		.steps = steps,
		.gaps = {.spots = spots, .lookup = lookup},
		.code = {.spots = spots, .lookup = lookup}};
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
	code_release(&sweep->code);
}

void sweep_restart(struct sweep *sweep)
{
	series_reset(&sweep->account);
	whatif_reset(&sweep->whatif);
	code_restart(&sweep->code);
	sweep->step = 0;
	sweep->cut_count = 0;
	sweep->whatif_step = sweep->whatif_rest = sweep->whatif_part = 0;
	if (sweep->watch != NULL)
		sweep->watch->restart(sweep->watch->context);
}

bool sweep_cut(struct sweep *sweep, uint64_t ns, enum step_cut cut)
{
	if (sweep->cut_count == STEPS_PENDING)
		return false;
	sweep->kinds[sweep->cut_count] = (uint8_t)cut;
	sweep->more[sweep->cut_count] = 0;
	sweep->cuts[sweep->cut_count++] = ns;
	return true;
}

void sweep_cut_more(struct sweep *sweep, uint64_t steps)
{
	if (sweep->cut_count > 0)
		sweep->more[sweep->cut_count - 1] =
			steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
}

/* As advance(), whatever is running. */
static __attribute__((noinline)) void advance_any(struct range *range, uint64_t begin, uint64_t end)
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
		range->charge.values[causes[class]] += until - begin;
		range->charge.device_ns += until - begin;
		range->device_end = until;
		if (sweep->watch != NULL)
			sweep->watch->piece(sweep->watch->context, causes[class], begin, until);
		if (class == DEVICE_CLASS_COPY && sweep->copy_spot != 0)
			charge_copy(&range->charge, sweep->copy_spot, until - begin);
		begin = until;
		if (begin == end)
			return;
	}
	charge_idle(&range->charge, begin, end);
}

/* From begin to end no device work starts: what is running goes on, then idle. */
static inline void advance(struct range *range, uint64_t begin, uint64_t end)
{
	const struct sweep *sweep = range->sweep;
	uint64_t until = sweep->busy_until[DEVICE_CLASS_COMPUTE];
	if (begin >= end || sweep->watch != NULL) {
		advance_any(range, begin, end);
		return;
	}
	if (until > begin) { /* what comes first there is computing */
		until = until < end ? until : end;
		range->charge.values[CAUSE_DEVICE_COMPUTE] += until - begin;
		range->charge.device_ns += until - begin;
		range->device_end = begin = until;
	}
	if (begin == end)
		return;
	if (sweep->busy_until[DEVICE_CLASS_COMM] > begin ||
		sweep->busy_until[DEVICE_CLASS_COPY] > begin)
		advance_any(range, begin, end);
	else
		charge_idle(&range->charge, begin, end);
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
	charge_finish(&range->charge);
}

static uint64_t overlap(uint64_t begin, uint64_t end, const struct range *range)
{
	begin = begin > range->begin ? begin : range->begin;
	end = end < range->end ? end : range->end;
	return end > begin ? end - begin : 0;
}

/* While the device holds the host in a call that is for something else, that is waiting too. */
static void move_wait(const struct range *range, const struct sweep_end *end, uint64_t *sums)
{
	if (!end->aside || !end->exact || end->foreign)
		return;
	uint64_t ns = overlap(end->wait_begin_ns, end->to_ns - end->spare_ns, range);
	if (ns > sums[end->aside])
		ns = sums[end->aside];
	sums[end->aside] -= ns;
	sums[PIECE_WAIT] += ns;
}

/* The range as a stretch to be played again. */
static void keep_stretch(struct range *range, const struct sweep_end *end, const uint64_t *sums)
{
	struct stretch *stretch = &range->charge.kept;
	stretch->step = range->sweep->step;
	stretch->host_ns = range->end - range->begin - sums[PIECE_WAIT] - sums[PIECE_BLOCKED];
	memcpy(stretch->pieces, sums, sizeof(stretch->pieces));
	stretch->device_ns = range->charge.device_ns;
	if (range->charge.device_ns > 0)
		stretch->tail_ns = range->device_end - range->begin;
	bool waits =
		end->wait_begin_ns < end->to_ns && !end->foreign && (!end->aside || end->exact);
	if (range->end == end->to_ns && waits) {
		stretch->wait_ns = end->to_ns - end->wait_begin_ns;
		stretch->spare_ns =
			stretch->wait_ns < end->spare_ns ? stretch->wait_ns : end->spare_ns;
		if (end->aside) { /* what else the call does is the host's time already */
			stretch->wait_ns -= stretch->spare_ns;
			stretch->spare_ns = 0;
		}
		stretch->spot = end->spot;
	}
	whatif_add(&range->sweep->whatif, stretch);
}

/* The part of a wait in which the device kept the host, at its beginning, lies in the range. */
static void add_wait(const struct range *range, const struct sweep_end *end)
{
	if (!end->exact || end->foreign || end->wait_begin_ns + end->spare_ns >= end->to_ns)
		return;
	range->charge.values[SWEEP_WAITED_NS] +=
		overlap(end->wait_begin_ns, end->to_ns - end->spare_ns, range);
}

/* What is certain about the device in the range. */
static void add_bounds(const struct range *range, const struct sweep_end *end, uint64_t blocked_ns)
{
	uint64_t *values = range->charge.values, length = range->end - range->begin;
	if (end->measured) {
		values[SWEEP_MEASURED_NS] += length;
		values[SWEEP_MEASURED_BUSY_NS] += range->charge.device_ns;
		values[SWEEP_CERTAIN_NS] += range->charge.device_ns;
		values[SWEEP_EMPTY_NS] += length - range->charge.device_ns;
		return;
	}
	uint64_t wait_ns = 0, certain_ns;
	if (end->exact)
		wait_ns = overlap(
			end->wait_begin_ns, end->to_ns - (end->aside ? end->spare_ns : 0), range);
	/* two threads may have been kept at once */
	if (end->foreign)
		certain_ns = wait_ns > blocked_ns ? wait_ns : blocked_ns;
	else
		certain_ns = wait_ns + blocked_ns;
	values[SWEEP_CERTAIN_NS] += certain_ns;
	values[SWEEP_EMPTY_NS] += overlap(0, end->empty_ns, range);
}

static void sweep_range(struct range *range, const struct sweep_end *end)
{
	struct sweep *sweep = range->sweep;
	uint64_t scratch[SWEEP_VALUE_COUNT] = {0};
	range->charge.step = sweep->step;
	range->charge.counting = steps_wanted(sweep->steps, sweep->step);
	range->charge.values =
		range->charge.counting ? series_at(&sweep->account, sweep->step) : scratch;
	range->charge.device_ns = range->charge.unfilled_ns = 0;
	range->device_end = range->begin;
	uint64_t sums[PIECE_KIND_COUNT];
	range->charge.kept = (struct stretch){0};
	charge_host(&range->charge, range->begin, range->end, sums);
	move_wait(range, end, sums);
	sweep_device_work(range);
	sums[PIECE_BLOCKED] -= range->charge.unfilled_ns;
	sums[PIECE_LAUNCH] += range->charge.unfilled_ns;
	for (unsigned kind = 0; kind < PIECE_KIND_COUNT; kind++)
		range->charge.values[SWEEP_PIECES + kind] += sums[kind];
	add_wait(range, end);
	add_bounds(range, end, sums[PIECE_BLOCKED]);
	if (range->charge.counting)
		keep_stretch(range, end, sums);
}

/* What has been swept since the last cut is a step, or what the cut says. */
static void end_part(struct sweep *sweep, uint32_t at)
{
	enum step_cut cut = sweep->kinds[at];
	struct whatif *whatif = &sweep->whatif;
	if (sweep->watch != NULL)
		sweep->watch->cut(sweep->watch->context, cut, sweep->step, sweep->cuts[at]);
	series_cut(&sweep->account, sweep->step, cut);
	spots_cut(sweep->spots, sweep->step, cut, true);
	code_cut(&sweep->code, cut);
	if (cut == CUT_ASIDE)
		whatif_forget(whatif, sweep->whatif_part);
	if (cut == CUT_ASIDE_REST)
		whatif_forget(whatif, sweep->whatif_rest);
	if (cut == CUT_ASIDE_ALL || cut == CUT_BROKEN)
		whatif_forget(whatif, sweep->whatif_step);
	sweep->whatif_part = whatif->count;
	if (cut != CUT_PART && cut != CUT_ASIDE)
		sweep->whatif_rest = whatif->count;
	if (cut != CUT_STEP && cut != CUT_BROKEN)
		return;
	sweep->whatif_step = whatif->count;
	sweep->step += 1 + (uint64_t)sweep->more[at];
	lead_step(&sweep->lead);
}

void sweep_finish(struct sweep *sweep)
{
	code_finish(&sweep->code);
	for (uint32_t cut = 0; cut < sweep->cut_count; cut++)
		end_part(sweep, cut);
	sweep->cut_count = 0;
}

void sweep_run(struct sweep *sweep, const struct host *host, const struct sweep_end *end)
{
	struct range range = {.sweep = sweep,
		.stretch = end,
		.charge = {.spots = sweep->spots,
			.host = host,
			.gaps = &sweep->gaps,
			.lead = &sweep->lead,
			.code = &sweep->code,
			.watch = sweep->watch,
			.measured = end->measured,
			.alone = sweep->alone,
			.from_ns = sweep->at_ns,
			.to_ns = end->to_ns},
		.begin = sweep->at_ns};
	uint32_t cut = 0;
	if (end->to_ns <= sweep->at_ns)
		return;
	while (cut < sweep->cut_count && sweep->cuts[cut] <= end->to_ns) {
		range.end = sweep->cuts[cut++];
		if (range.end > range.begin) {
			sweep_range(&range, end);
			range.begin = range.end;
		}
		end_part(sweep, cut - 1);
	}
	range.end = end->to_ns;
	if (range.end > range.begin)
		sweep_range(&range, end);
	sweep->cut_count -= cut;
	if (cut > 0) {
		memmove(sweep->cuts, sweep->cuts + cut, sweep->cut_count * sizeof(*sweep->cuts));
		memmove(sweep->kinds, sweep->kinds + cut, sweep->cut_count);
		memmove(sweep->more, sweep->more + cut, sweep->cut_count * sizeof(*sweep->more));
	}
	sweep->at_ns = end->to_ns;
	gap_pass(&sweep->gaps, host, end->to_ns);
	uint64_t waited = end->to_ns - end->wait_begin_ns;
	if (!end->exact || end->foreign || waited <= end->spare_ns ||
		end->wait_begin_ns >= end->to_ns)
		return;
	lead_lose(&sweep->lead, end->spot, waited - end->spare_ns);
	/* the line's call belongs to the step in which it ends */
	if (steps_wanted(sweep->steps, sweep->step))
		spot_found(&sweep->spots->items[end->spot], sweep->step, SPOT_WAITED_NS,
			waited - end->spare_ns);
}
