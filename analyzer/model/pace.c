/* SPDX-License-Identifier: MIT */
#include "analyzer/model/pace.h"

#include <errno.h>

_Static_assert(DEVICE_STREAM_LIMIT <= 64, "a bit for every stream");

void pace_release(struct pace *pace)
{
	circle_release(&pace->cuts);
	circle_release(&pace->stretches);
}

void pace_restart(struct pace *pace)
{
	pace->cuts.first = pace->cuts.until;
	pace->first_end = pace->until_end;
	pace->loose = (struct step_loose){0};
	pace->away = false;
}

bool pace_is_full(const struct model *model)
{
	return circle_count(&model->pace.cuts) + model->sweep.cut_count >= STEPS_PENDING;
}

/* When the device had done what is retired, on some streams. */
static uint64_t done_ns(const struct device *device, uint64_t streams)
{
	uint64_t ns = 0;
	for (; streams != 0; streams &= streams - 1) {
		uint64_t free_ns = device->free_ns[__builtin_ctzll(streams)];
		if (free_ns > ns)
			ns = free_ns;
	}
	return ns;
}

/* The oldest step of which that is not known ends with the operations that are retired. */
static void end_step(struct model *model)
{
	struct pace *pace = &model->pace;
	struct sweep *sweep = &model->sweep;
	const struct pace_cut *cut = circle_at(&pace->cuts, pace->cuts.first++);
	uint64_t end_ns = done_ns(model->device, cut->streams);
	/* nothing behind the window is shown: it does not hold this step's end, nor any later */
	if (model->to_ns != 0 && (pace->is_beyond || end_ns >= model->to_ns)) {
		pace->is_beyond = true;
		return;
	}
	if (end_ns > pace->limit_ns)
		end_ns = pace->limit_ns;
	if (end_ns < cut->host_ns)
		end_ns = cut->host_ns;
	if (end_ns < sweep->at_ns)
		end_ns = sweep->at_ns;
	/* what a step before it has left running is none of the step's any more */
	/* but one that asked for nothing, because recording was off, says nothing of them */
	bool ends = cut->kind == CUT_STEP || (cut->kind == CUT_BROKEN && cut->streams != 0);
	for (uint32_t i = sweep->cut_count; i > 0 && ends && sweep->cuts[i - 1] > end_ns; i--)
		sweep->cuts[i - 1] = end_ns;
	if (sweep->cut_count > 0 && sweep->cuts[sweep->cut_count - 1] > end_ns)
		end_ns = sweep->cuts[sweep->cut_count - 1];
	pace->ends[pace->until_end++ % STEPS_PENDING] =
		(struct pace_end){cut->host_ns, cut->more, cut->kind, cut->phase, pace->loose,
			(cut->streams & pace->behind & pace->waited) != 0};
	pace->behind |= cut->streams & ~pace->waited;
	pace->loose = (struct step_loose){0};
	(void)sweep_cut(sweep, end_ns, cut->kind); /* there is room: pace_is_full() */
	sweep_cut_more(sweep, cut->more);
}

/* Steps that end by ns have ended. */
static void tell_ends(struct model *model, uint64_t ns)
{
	struct pace *pace = &model->pace;
	const struct sweep *sweep = &model->sweep;
	const struct observer *observer = model->options.observer;
	for (uint32_t i = 0; i < sweep->cut_count && sweep->cuts[i] <= ns; i++) {
		const struct pace_end *end = &pace->ends[pace->first_end++ % STEPS_PENDING];
		uint64_t lag_ns = sweep->cuts[i] - end->host_ns;
		if (observer != NULL && observer->step != NULL && end->kind == CUT_STEP)
			observer->step(observer->context, model->steps.ended, model->steps.begin_ns,
				sweep->cuts[i]);
		if (end->catches && end->kind == CUT_STEP)
			burst_catches(&model->stepping.burst, model->steps.ended,
				sweep->cuts[i] - model->steps.begin_ns);
		steps_loosen(&model->steps, &end->loose);
		steps_put(&model->steps, end->kind, end->phase, sweep->cuts[i], lag_ns);
		steps_skipped(&model->steps, end->more);
	}
}

static void run_sweep(struct model *model, const struct sweep_end *end)
{
	if (end->to_ns <= model->sweep.at_ns)
		return;
	tell_ends(model, end->to_ns);
	sweep_run(&model->sweep, lines_until(&model->lines, end->to_ns), end);
}

/* Account for the time up to ns, in which the host has done nothing more. */
static void sweep_until(struct model *model, uint64_t ns)
{
	const struct sweep_end end = {
		.to_ns = ns, .wait_begin_ns = ns, .measured = model->pace.measured};
	run_sweep(model, &end);
}

int pace_cut(struct model *model, const struct pace_cut *made)
{
	const struct sweep *sweep = &model->sweep;
	/* the device is that many steps behind: account for one of them ahead of the host */
	if (pace_is_full(model))
		sweep_until(
			model, sweep->cuts[0] > sweep->at_ns ? sweep->cuts[0] : sweep->at_ns + 1);
	struct pace *pace = &model->pace;
	const struct device_op *next = device_op(model->device, made->until_op);
	struct pace_cut cut = *made;
	cut.streams = pace->kernels != 0 ? pace->kernels : pace->copies;
	/* a step is done with all its parts */
	if (cut.kind != CUT_PART && cut.kind != CUT_TAIL && !cut_leaves_parts(cut.kind))
		pace->kernels = pace->copies = 0;
	if (next != NULL)
		pace_note(pace, next);
	return circle_push(&pace->cuts, cut);
}

/* All that the cut's step asked the device for has ended, as far as that can be known. */
static bool is_done(const struct model *model, const struct pace_cut *cut, bool open)
{
	const struct device_op *op = open ? device_op(model->device, cut->until_op - 1) : NULL;
	return op == NULL || op->silent || op->measured_end_ns != 0 || model->join == NULL ||
	       !source_is_active(&model->join->source, op->call_ns);
}

/*
 * All between two waits is of steps, or nothing is: the waits show how long one of them takes
 * without the other.
 */
static bool is_unmixed(const struct model *model, uint64_t until_op, bool away)
{
	const struct pace *pace = &model->pace;
	if (!model->stepping.shape.known || pace->away != away)
		return false;
	for (uint64_t i = pace->cuts.first; i < pace->cuts.until; i++) {
		const struct pace_cut *cut = circle_at(&pace->cuts, i);
		if (cut->until_op >= until_op)
			break;
		if (away || (cut->kind != CUT_STEP && cut->kind != CUT_BROKEN))
			return false;
	}
	return true;
}

/* Of operations between two waits: from which one on nothing but their sum is known. */
struct undivided {
	uint64_t from_op, until_op, ns;
};

static struct undivided find_undivided(struct model *model, const struct pace_work *work)
{
	struct device *device = model->device;
	struct undivided all = {.from_op = device->first_number + work->loose,
		.until_op = device->first_number + work->count};
	if (all.from_op < all.until_op && is_unmixed(model, all.until_op, work->away))
		device_part(device, all.from_op, all.until_op);
	model->pace.away = work->away;
	all.ns = device_loose_ns(device, all.from_op, all.until_op);
	return all;
}

/*
 * The device does what is left of it before a cut, or until the end. That may have taken less, and
 * the rest more, or more at the cost of the rest.
 */
static void divide(struct model *model, struct undivided *all, uint64_t until_op)
{
	uint64_t until = until_op < all->until_op ? until_op : all->until_op;
	if (until <= all->from_op)
		return;
	uint64_t ns = device_loose_ns(model->device, all->from_op, until);
	if (ns > 0 && ns < all->ns) {
		model->pace.loose.less_ns += ns;
		model->pace.loose.more_ns += all->ns - ns;
	}
	all->from_op = until;
}

void pace_retire(struct model *model, const struct pace_work *work)
{
	struct pace *pace = &model->pace;
	struct device *device = model->device;
	uint64_t until = device->first_number + work->count;
	struct undivided all = find_undivided(model, work);
	pace->limit_ns = work->limit_ns;
	pace->behind &= ~pace->waited; /* with what was retired before */
	pace->waited = work->waited;
	while (circle_count(&pace->cuts) > 0) {
		const struct pace_cut *cut = circle_at(&pace->cuts, pace->cuts.first);
		if (cut->until_op > until || !is_done(model, cut, work->open))
			break;
		divide(model, &all, cut->until_op);
		if (cut->until_op > device->first_number)
			device_retire(device, (uint32_t)(cut->until_op - device->first_number));
		end_step(model);
	}
	divide(model, &all, until);
	device_retire(device, (uint32_t)(until - device->first_number));
}

static void run_stretch(struct model *model, const struct pace_stretch *stretch)
{
	run_sweep(model, &stretch->end);
	lines_drop(&model->lines, stretch->end.to_ns);
	model->pace.measured = stretch->end.measured;
}

/* A step ends within the stretch, and it is not known when. */
static bool has_to_wait(const struct pace *pace, const struct pace_stretch *stretch)
{
	return circle_count(&pace->cuts) > 0 &&
	       circle_at(&pace->cuts, pace->cuts.first)->host_ns < stretch->end.to_ns;
}

/* What the host did in the stretch is known, or nobody can wait for that any longer. */
static bool is_told(const struct model *model, const struct pace_stretch *stretch, bool crowded)
{
	return crowded || circle_count(&model->pace.stretches) > PACE_STRETCHES ||
	       lines_is_told(&model->lines, stretch->end.to_ns);
}

int pace_sweep(struct model *model, const struct pace_stretch *stretch, bool crowded)
{
	struct pace *pace = &model->pace;
	if (circle_count(&pace->stretches) == 0 && !has_to_wait(pace, stretch) &&
		is_told(model, stretch, crowded)) {
		run_stretch(model, stretch);
		return 0;
	}
	if (circle_push(&pace->stretches, *stretch) < 0)
		return -ENOMEM;
	while (circle_count(&pace->stretches) > 0) {
		stretch = circle_at(&pace->stretches, pace->stretches.first);
		if (has_to_wait(pace, stretch)) {
			if (!crowded && circle_count(&pace->stretches) < PACE_STRETCHES)
				break;
			end_step(model);
			continue;
		}
		if (!is_told(model, stretch, crowded))
			break;
		pace->stretches.first++;
		run_stretch(model, stretch);
	}
	return 0;
}

void pace_finish(struct model *model)
{
	struct pace *pace = &model->pace;
	/* steps that are not known to have ended are none */
	pace->cuts.first = pace->cuts.until;
	for (; circle_count(&pace->stretches) > 0; pace->stretches.first++)
		run_stretch(model, circle_at(&pace->stretches, pace->stretches.first));
	if (model->sweep.cut_count > 0)
		sweep_until(model, model->sweep.cuts[model->sweep.cut_count - 1]);
	/* those that have nothing left to account for */
	tell_ends(model, UINT64_MAX);
	sweep_finish(&model->sweep);
}
