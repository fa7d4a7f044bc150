/* SPDX-License-Identifier: MIT */
#include "analyzer/model/settle.h"

#include "analyzer/model/pace.h"

#include <errno.h>
#include <string.h>

/* So much may wait for records of the device; beyond, the oldest does not wait any longer. */
#define JOBS_LIMIT   16384u
#define PIECES_LIMIT 131072u
/* A graph has all its records when so many later operations have theirs. */
#define GRAPH_BEHIND 256u
/* A wait for which the device was busy for less than this was for nothing. */
#define WAIT_LEAST_NS 1000u
/* A thread wakes up that late; the device had finished if it had so many times longer to do so. */
#define LATE_MOST_NS 20000u
#define LATE_PART    1000u

/* The wait is longer than one for nothing, but by no more than chance makes it. */
static bool is_late(const struct model *model, const struct model_wait *wait)
{
	uint64_t more_ns = wait->end_ns - wait->begin_ns - wait->spare_ns;
	uint64_t since_ns = model->first_enqueue_ns;
	return more_ns <= LATE_MOST_NS && since_ns != 0 && since_ns < wait->begin_ns &&
	       more_ns * LATE_PART < wait->begin_ns - since_ns;
}

/* A wait shows where the device is; until there the time of what nobody saw is that of others. */
static void end_unseen(struct model *model, const struct model_wait *wait)
{
	if (model->unseen_from_ns == 0 || wait->maybe || wait->begin_ns >= wait->end_ns)
		return;
	if (wait->exact && wait->end_ns > model->unseen_from_ns)
		model->unseen_ns += wait->end_ns - model->unseen_from_ns;
	model->unseen_from_ns = 0;
}

/* The program gives work in an interruption of its steps, which may come to be no part of them. */
static bool is_elsewhere(const struct shape *shape)
{
	return shape->away && shape->gap.launches > 0;
}

/* The streams, bit per index. */
static uint64_t waited(const struct model_wait *wait)
{
	return wait->stream == DEVICE_ALL_STREAMS ? UINT64_MAX : 1ull << wait->stream;
}

/*
 * Steps that ended with another thread's wait, though their own work was not waited for, have left
 * their time to the one that waits next.
 */
static void catch_up(struct model *model, const struct model_wait *wait)
{
	const struct pace *pace = &model->pace;
	if (wait->exact && !wait->foreign && (pace->behind & ~pace->waited & waited(wait)) != 0)
		burst_awaited(&model->stepping.burst, wait->end_ns - wait->begin_ns);
}

int model_settle(struct model *model, const struct model_wait *wait)
{
	end_unseen(model, wait);
	catch_up(model, wait);
	struct device *device = model->device;
	struct model_job job = {.wait = *wait,
		.asked_op = device->first_number + wait->count,
		.away = is_elsewhere(&model->stepping.shape)};
	/* what may have waited closes nothing */
	bool closes = !wait->maybe && job.asked_op > device->closed;
	job.until_op = closes ? job.asked_op : device->closed;
	bool alone = true;
	if (wait->exact && wait->end_ns - wait->begin_ns > wait->spare_ns &&
		!is_late(model, wait)) {
		model->waited_ns += wait->end_ns - wait->begin_ns - wait->spare_ns;
		model->waits++;
	} else if (wait->begin_ns < wait->end_ns && !wait->maybe &&
		   job.until_op - device->closed > 1) {
		model->kept_up += model->steps.count > 0;
	}
	uint32_t first = (uint32_t)(device->closed - device->first_number);
	uint32_t until = (uint32_t)(job.until_op - device->first_number);
	device_await(device, wait->stream, first, until);
	for (uint32_t i = first; i < until; i++) {
		bool waited = device->ops.items[i].awaited;
		job.seen |= waited;
		alone &= waited;
	}
	if (model->empty)
		job.empty_ns =
			model->first_enqueue_ns != 0 ? model->first_enqueue_ns : wait->begin_ns;
	if (circle_push(&model->jobs, job) < 0)
		return -ENOMEM;
	device->closed = job.until_op;
	model->empty =
		wait->begin_ns < wait->end_ns && !wait->maybe && alone && device_open(device) == 0;
	if (model->empty)
		device->since_empty = 0;
	model->first_enqueue_ns = device_open(device) > 0 ? wait->end_ns : 0;
	return model_run_jobs(model, false);
}

/* Everything that will be told about an operation has been told. */
static bool is_resolved(const struct model *model, const struct device_op *op, uint64_t number)
{
	if (op->silent)
		return true;
	if (op->records == 0)
		return !source_is_active(&model->join->source, op->call_ns);
	return !op->graph || (op->nodes > 0 && op->records >= op->nodes) ||
	       model->matched_ops[op->stream] > number || model->matched_op > number + GRAPH_BEHIND;
}

static bool is_ready(struct model *model, const struct model_job *job)
{
	const struct device *device = model->device;
	if (model->join == NULL)
		return model->measured == 0 || model->device_ns >= job->wait.end_ns;
	if (model->resolved < device->first_number)
		model->resolved = device->first_number;
	uint64_t until = job->asked_op > job->until_op ? job->asked_op : job->until_op;
	const struct device_op *op = &device->ops.items[model->resolved - device->first_number];
	for (; model->resolved < until; model->resolved++, op++)
		if (!is_resolved(model, op, model->resolved))
			return false;
	return true;
}

/* Too much waits. */
static bool is_crowded(const struct model *model)
{
	return circle_count(&model->jobs) >= JOBS_LIMIT ||
	       device_count(model->device) >= DEVICE_KEPT_LIMIT ||
	       lines_pieces(&model->lines) >= PIECES_LIMIT || pace_is_full(model);
}

static bool has_times(const struct device_op *op)
{
	return op->measured_end_ns != 0;
}

/*
 * Count a call without a record. True when what it asked for is not to be counted with the stretch:
 * it may have run behind the window, and what the window does not show did not run in it. An
 * operation that was not waited for did so when no later one of its stream was reported.
 */
static bool is_beyond(
	struct model *model, const struct device_op *op, uint64_t number, uint64_t ended_ns)
{
	const struct source *source = &model->join->source;
	uint64_t last = model->matched_ops[op->stream];
	bool window = model->to_ns != 0 && model->to_ns != UINT64_MAX;
	if (!source_is_active(source, op->call_ns))
		return false;
	bool last_seen = window && last > 0 && last < number;
	if (!last_seen && source_covers(source, op->call_ns, ended_ns)) {
		model->calls_expected++;
		return false;
	}
	model->calls_beyond++;
	return last_seen || (window && ended_ns >= model->to_ns);
}

/*
 * Enough of the stretch's operations were reported, with their times. What the device reported
 * makes later guesses better.
 */
static bool is_measured(struct model *model, const struct model_job *job, uint32_t count)
{
	uint64_t wanted = 0, known = 0, ended_ns;
	struct device *device = model->device;
	if (model->join == NULL)
		return model->measured > 0;
	ended_ns = job->wait.open ? UINT64_MAX - 1 : job->wait.end_ns;
	for (uint32_t i = 0; i < count; i++) {
		const struct device_op *op = &device->ops.items[i];
		bool timed = has_times(op);
		/* a copy that holds the host is known by how long the call takes */
		if (timed && (!op->fixed || op->min_end_ns == 0))
			estimate_measure(&device->estimates, op->estimate,
				(double)(op->measured_end_ns - op->measured_begin_ns));
		if (op->silent)
			continue;
		if (op->records == 0 && is_beyond(model, op, device->first_number + i, ended_ns))
			continue;
		model->calls_expected += op->records > 0;
		model->calls_matched += op->records > 0;
		wanted++;
		known += timed;
	}
	if (wanted == 0)
		return source_is_active(&model->join->source, job->wait.end_ns);
	return (double)known * 100 >= (double)wanted * model->options.matched_pct;
}

/* Between what was measured, the rest lies where it fits: not before, not after its neighbours. */
static void place_between(struct device *device, uint32_t count)
{
	uint64_t next_ns[DEVICE_STREAM_LIMIT], free_ns[DEVICE_STREAM_LIMIT];
	memset(next_ns, 0xff, sizeof(next_ns));
	memcpy(free_ns, device->free_ns, sizeof(free_ns));
	for (uint32_t i = count; i-- > 0;) {
		struct device_op *op = &device->ops.items[i];
		uint64_t length = op->end_ns - op->begin_ns;
		op->begin_ns = next_ns[op->stream];
		op->end_ns = length;
		if (has_times(op))
			next_ns[op->stream] = op->measured_begin_ns;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct device_op *op = &device->ops.items[i];
		uint64_t length = op->end_ns, limit_ns = op->begin_ns;
		uint64_t begin_ns = op->ready_ns;
		if (free_ns[op->stream] > begin_ns)
			begin_ns = free_ns[op->stream];
		op->begin_ns = has_times(op) ? op->measured_begin_ns : begin_ns;
		op->end_ns = has_times(op) ? op->measured_end_ns : begin_ns + length;
		if (!has_times(op) && op->end_ns > limit_ns)
			op->end_ns = limit_ns > begin_ns ? limit_ns : begin_ns;
		if (op->end_ns > free_ns[op->stream])
			free_ns[op->stream] = op->end_ns;
	}
}

/* Nothing or not enough was measured: the rest is worked out. */
static int estimate_work(
	struct model *model, const struct model_job *job, uint32_t count, uint32_t *ret_loose)
{
	const struct model_wait *wait = &job->wait;
	struct device *device = model->device;
	struct device_close close = {.wait_begin_ns = wait->begin_ns,
		.end_ns = wait->end_ns,
		.stream = wait->stream,
		.count = count,
		.exact = wait->exact};
	bool some = false;
	*ret_loose = device_fit(device, &close);
	for (uint32_t i = 0; i < count && !some; i++)
		some = has_times(&device->ops.items[i]);
	if (some) {
		place_between(device, count);
		*ret_loose = count;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct device_op *op = &device->ops.items[i];
		/* a line is not blamed for a copy of which nobody knows when it ran */
		uint32_t spot = op->min_end_ns != 0 ? op->spot : 0;
		if (!has_times(op) &&
			sweep_device(&model->sweep, op->class, op->begin_ns, op->end_ns, spot) < 0)
			return -ENOMEM;
	}
	/* what keeps the host may be work that was launched unseen */
	if (!wait->exact || job->seen)
		return 0;
	return sweep_device(&model->sweep, DEVICE_CLASS_COMPUTE, wait->begin_ns, wait->end_ns, 0);
}

/* When the device had done what was asked for before the wait, as it says itself. */
static uint64_t done_ns(const struct model *model, const struct model_wait *wait, uint64_t asked_op)
{
	const struct device *device = model->device;
	uint64_t done_ns = 0;
	for (uint32_t i = 0; i < device->stream_count; i++)
		if ((wait->stream == DEVICE_ALL_STREAMS || wait->stream == i) &&
			device->free_ns[i] > done_ns)
			done_ns = device->free_ns[i];
	const struct device_op *op = device->ops.items;
	for (uint64_t number = device->first_number; number < asked_op; number++, op++) {
		bool waited = wait->stream == DEVICE_ALL_STREAMS || wait->stream == op->stream;
		if (waited && wait->own != number + 1 && op->measured_end_ns > done_ns)
			done_ns = op->measured_end_ns;
	}
	return done_ns;
}

/* The device's times say how long the host really waited: until what it waited for had ended. */
static void measure_wait(const struct model *model, struct model_wait *wait, uint64_t asked_op)
{
	uint64_t busy_ns = done_ns(model, wait, asked_op);
	uint64_t length = wait->end_ns - wait->begin_ns, waited_ns = 0;
	/* a call that is for something else has not waited for what goes on behind it */
	bool waited = !wait->aside || busy_ns <= wait->end_ns;
	if (waited && busy_ns > wait->begin_ns)
		waited_ns = busy_ns - wait->begin_ns;
	if (waited_ns > length)
		waited_ns = length;
	wait->exact = waited_ns >= WAIT_LEAST_NS;
	wait->spare_ns = length - waited_ns;
}

static int run_job(struct model *model, const struct model_job *job)
{
	struct device *device = model->device;
	struct model_wait wait = job->wait;
	uint32_t count = job->until_op > device->first_number
				 ? (uint32_t)(job->until_op - device->first_number)
				 : 0;
	bool measured = model->alone || is_measured(model, job, count);
	if (model->join != NULL && measured) {
		for (uint32_t i = 0; i < count; i++) {
			struct device_op *op = &device->ops.items[i];
			op->begin_ns = op->measured_begin_ns;
			op->end_ns = op->measured_end_ns;
		}
		measure_wait(model, &wait, job->asked_op);
	}
	/* an estimate is not believed beyond the wait that closed it */
	struct pace_work work = {.count = count,
		.open = wait.open,
		.limit_ns = wait.end_ns,
		.loose = count,
		.waited = measured ? UINT64_MAX : waited(&wait),
		.away = job->away};
	int err = measured ? 0 : estimate_work(model, job, count, &work.loose);
	const struct pace_stretch stretch = {.end = {.to_ns = wait.end_ns,
						     .wait_begin_ns = wait.begin_ns,
						     .spare_ns = wait.spare_ns,
						     .spot = wait.spot,
						     .foreign = wait.foreign,
						     .exact = wait.exact,
						     .aside = wait.aside,
						     .empty_ns = job->empty_ns,
						     .measured = measured}};
	if (measured && model->device_ns > wait.end_ns)
		work.limit_ns = model->device_ns;
	pace_retire(model, &work);
	if (err == 0)
		err = pace_sweep(model, &stretch, is_crowded(model));
	if (model->join != NULL)
		join_forget(model->join, device->first_number);
	return err;
}

int model_run_jobs(struct model *model, bool all)
{
	int err = 0;
	while (err == 0 && circle_count(&model->jobs) > 0) {
		const struct model_job job = *circle_at(&model->jobs, model->jobs.first);
		if (!all && !is_ready(model, &job) && !is_crowded(model))
			break;
		model->jobs.first++;
		err = run_job(model, &job);
	}
	return err;
}
