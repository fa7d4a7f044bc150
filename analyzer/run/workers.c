/* SPDX-License-Identifier: MIT */
#include "analyzer/run/workers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/ranks/identity.h"
#include "collector/format/host_value.h"

#define BATCHES_LEAST 20.0
/* Batches that are left out: the first, before which workers start, and the last ones. */
#define FIRST_SHARE 0.15
#define LAST_SHARE  0.05
/* So much of a process's time has to be recorded as something. */
#define EXPLAINED_SHARE 0.7
/* What torch.compile starts to compile in: beside a loader's workers, and waiting like one. */
#define COMPILER "/torch/_inductor/compile_worker"

static uint64_t used(const struct model *model, enum sample_metric metric)
{
	const struct model_metric *found = &model->metrics[metric];
	return found->known ? found->last - found->first : 0;
}

uint64_t workers_cpu_ns(const struct model *model)
{
	return used(model, SAMPLE_USER_NS) + used(model, SAMPLE_SYSTEM_NS);
}

uint64_t workers_host_ns(const struct model *model, uint64_t *ret_busy_ns)
{
	*ret_busy_ns = used(model, SAMPLE_HOST_BUSY_NS);
	return model->metrics[SAMPLE_HOST_IDLE_NS].known
		       ? *ret_busy_ns + used(model, SAMPLE_HOST_IDLE_NS) +
				 used(model, SAMPLE_HOST_IOWAIT_NS)
		       : 0;
}

static void note_hot(struct worker *worker, const struct process *process)
{
	const struct hot *hot = &process->facts->hot;
	const struct hot_line *most = hot_most(hot);
	if (most == NULL)
		return;
	const char *file = reader_text(process->reader, (uint32_t)most->file);
	const char *slash = strrchr(file, '/');
	worker->samples = hot->samples;
	worker->hot_samples = most->samples;
	snprintf(worker->hot, sizeof(worker->hot), "%.80s:%llu in %.60s",
		slash != NULL ? slash + 1 : file, (unsigned long long)most->line,
		reader_text(process->reader, (uint32_t)most->function));
}

static void release_worker(struct worker *worker)
{
	free(worker->work);
	vec_release(&worker->turns);
	vec_release(&worker->queue.messages);
	vec_release(&worker->queue.asks);
}

static int note_turns(struct worker *worker, const struct process *process)
{
	const struct turns *turns = &process->facts->turns;
	for (uint32_t i = 0; i < turns->count; i++) {
		const struct meta_PLACE *place =
			lookup_place(&process->facts->lookup, turns->items[i].place);
		struct worker_turn turn = {.end_ns = turns->items[i].end_ns};
		bool user = place != NULL && place->user_file != 0;
		if (place != NULL && place->line != 0)
			snprintf(turn.loader, sizeof(turn.loader), "%.80s:%llu",
				reader_text(process->reader,
					(uint32_t)(user ? place->user_file : place->file)),
				(unsigned long long)(user ? place->user_line : place->line));
		if (vec_push(&worker->turns, turn) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct queue_message *a = left, *b = right;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* Messages in order of time. */
static int note_queue(struct queue *copy, const struct queue *queue)
{
	int err = vec_reserve(&copy->messages, queue->messages.count);
	if (err == 0)
		err = vec_reserve(&copy->asks, queue->asks.count);
	for (size_t i = 0; i < queue->messages.count && err == 0; i++)
		err = vec_push(&copy->messages, queue->messages.items[i]);
	for (size_t i = 0; i < queue->asks.count && err == 0; i++)
		err = vec_push(&copy->asks, queue->asks.items[i]);
	if (err == 0 && copy->messages.count > 0)
		qsort(copy->messages.items, copy->messages.count, sizeof(struct queue_message),
			by_time);
	return err;
}

int workers_note(run_workers *workers, const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct model *model = process->model;
	if (run == NULL || model->events == 0 || strstr(run->command, COMPILER) != NULL)
		return 0;
	struct worker worker = {.identity = identity_own(run),
		.parent = identity_of(run, run->parent_pid),
		.begin_ns = model->first_ns,
		.end_ns = model->last_ns,
		.looks = process->looks,
		.pin = process->facts->pin,
		.faults = used(model, SAMPLE_MAJOR_FAULTS),
		.number = process->worker.number,
		.count = process->worker.count,
		.cpu_ns = workers_cpu_ns(model)};
	snprintf(worker.name, sizeof(worker.name), "%s", run->program);
	note_hot(&worker, process);
	worker.work = malloc(sizeof(*worker.work));
	if (worker.work == NULL)
		return -ENOMEM;
	*worker.work = process->facts->work;
	work_enter(worker.work, worker.count > 0);
	int err = note_turns(&worker, process);
	if (err == 0)
		err = note_queue(&worker.queue, &process->facts->queue);
	if (err == 0)
		err = vec_push(workers, worker);
	if (err < 0)
		release_worker(&worker);
	return err;
}

const char *workers_loader(const run_workers *workers, const struct worker *worker)
{
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *parent = &workers->items[i];
		for (size_t j = 0; parent->identity == worker->parent && j < parent->turns.count;
			j++)
			if (parent->turns.items[j].end_ns >= worker->begin_ns)
				return parent->turns.items[j].loader;
	}
	return NULL;
}

void workers_release(run_workers *workers)
{
	for (size_t i = 0; i < workers->count; i++)
		release_worker(&workers->items[i]);
	vec_release(workers);
}

/* How many of them live when this one begins. */
static unsigned beside(const run_workers *workers, const struct worker *one)
{
	unsigned count = 0;
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *other = &workers->items[i];
		count += other->parent == one->parent && other->begin_ns <= one->begin_ns &&
			 other->end_ns >= one->begin_ns;
	}
	return count;
}

struct workers_summary workers_of(const run_workers *workers, uint64_t identity)
{
	struct workers_summary summary = {.busy_least_pct = -1, .busy_most_pct = -1};
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *worker = &workers->items[i];
		if (worker->parent != identity)
			continue;
		unsigned count = beside(workers, worker);
		summary.count = count > summary.count ? count : summary.count;
		if (worker->end_ns == worker->begin_ns)
			continue;
		double busy =
			100 * (double)worker->cpu_ns / (double)(worker->end_ns - worker->begin_ns);
		if (summary.busy_least_pct < 0 || busy < summary.busy_least_pct)
			summary.busy_least_pct = busy;
		if (busy > summary.busy_most_pct)
			summary.busy_most_pct = busy;
	}
	return summary;
}

/* When the loop had taken so many batches. */
static uint64_t taken_at(const struct work *loop, double loads)
{
	double sum = 0;
	unsigned i = 0;
	while (i < WORK_PARTS && (sum += loop->parts[i].loads) < loads)
		i++;
	return loop->from_ns + (i + 1) * loop->part_ns;
}

static void add_worker(struct pool *pool, struct work_sums *all, const struct work *work,
	uint64_t from_ns, uint64_t until_ns)
{
	struct work_sums sums = work_between(work, from_ns, until_ns);
	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		all->ns[kind] += sums.ns[kind];
	all->bytes += sums.bytes;
	all->span_ns += sums.span_ns;
	pool->workers += sums.span_ns;
}

/*
 * What a batch takes workers that have been there for a while. Each one's busy time in the second
 * half of its life stands for the batches of that time, as many others as there were did the rest.
 */
static double settled_ns(const run_workers *workers, uint64_t identity, const struct work *loop)
{
	double busy_ns = 0, batches = 0;
	for (size_t i = 0; i < workers->count; i++) {
		const struct work *work = workers->items[i].work;
		if (workers->items[i].parent != identity)
			continue;
		uint64_t until_ns = work->until_ns,
			 from_ns = until_ns - (until_ns - work->from_ns) / 2;
		struct work_sums sums = work_between(work, from_ns, until_ns);
		double lived_ns = 0;
		for (size_t j = 0; j < workers->count; j++)
			if (workers->items[j].parent == identity)
				lived_ns += work_between(workers->items[j].work, from_ns, until_ns)
						    .span_ns;
		busy_ns += sums.span_ns - sums.ns[WORK_IDLE];
		if (lived_ns > 0)
			batches += work_between(loop, from_ns, until_ns).loads * sums.span_ns /
				   lived_ns;
	}
	return batches > 0 ? busy_ns / batches : 0;
}

/* For each batch, by the workers; by the loop, where it makes its batches itself. */
static void add_looks(
	struct pool *pool, const run_workers *workers, uint64_t identity, double batches)
{
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *worker = &workers->items[i];
		if ((pool->workers > 0 ? worker->parent : worker->identity) != identity)
			continue;
		pool->opens += (double)worker->looks.opens / batches;
		pool->stats += (double)worker->looks.stats / batches;
		pool->look_ns += (double)(worker->looks.open_ns + worker->looks.stat_ns) / batches;
	}
}

/* The line at which most of the workers' samples are, of those that are one worker's first. */
static void find_hot(struct pool *pool, const run_workers *workers, uint64_t identity)
{
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *worker = &workers->items[i];
		uint64_t sum = 0;
		if (worker->parent != identity || worker->samples == 0)
			continue;
		pool->samples += worker->samples;
		if (strcmp(worker->hot, pool->hot) == 0)
			continue; /* has been summed up */
		for (size_t j = 0; j < workers->count; j++)
			if (workers->items[j].parent == identity &&
				strcmp(workers->items[j].hot, worker->hot) == 0)
				sum += workers->items[j].hot_samples;
		if (sum <= pool->hot_samples)
			continue;
		pool->hot_samples = sum;
		memcpy(pool->hot, worker->hot, sizeof(pool->hot));
	}
}

static unsigned count_started(const run_workers *workers, uint64_t identity)
{
	unsigned count = 0;
	for (size_t i = 0; i < workers->count; i++)
		count += workers->items[i].parent == identity;
	return count;
}

/* From the first to the last part of its life in which the loop waits in queues, ends cut off. */
static bool waits_between(const struct work *loop, uint64_t *ret_from_ns, uint64_t *ret_until_ns)
{
	unsigned first = WORK_PARTS, last = 0;
	for (unsigned i = 0; i < WORK_PARTS; i++)
		if (loop->parts[i].ns[WORK_IDLE] > 0) {
			first = first == WORK_PARTS ? i : first;
			last = i;
		}
	if (first >= last)
		return false;
	double span_ns = (double)((last - first) * loop->part_ns);
	*ret_from_ns = loop->from_ns + first * loop->part_ns + (uint64_t)(FIRST_SHARE * span_ns);
	*ret_until_ns = loop->from_ns + last * loop->part_ns - (uint64_t)(LAST_SHARE * span_ns);
	return true;
}

/* It is known where the process was: its main thread may be one whose waits are not recorded. */
static bool is_explained(const struct work_sums *sums)
{
	double known_ns = sums->ns[WORK_IDLE] + sums->ns[WORK_FILE] + sums->ns[WORK_OTHER] +
			  sums->ns[WORK_LOCK] + sums->ns[WORK_CPU] + sums->ns[WORK_DELAY];
	return known_ns >= EXPLAINED_SHARE * sums->span_ns;
}

/* A loop that takes from queues of its own, and the processes that it has started. */
static void fill_queue(
	struct pool *pool, const run_workers *workers, uint64_t identity, const struct work *loop)
{
	uint64_t from_ns, until_ns;
	struct work_sums all = {.loads = 0};
	if (!waits_between(loop, &from_ns, &until_ns))
		return;
	struct work_sums own = work_between(loop, from_ns, until_ns);
	pool->busy_least = 1;
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *worker = &workers->items[i];
		if (worker->parent != identity)
			continue;
		struct work_sums sums = work_between(worker->work, from_ns, until_ns);
		if (!is_explained(&sums))
			return;
		double busy = sums.span_ns > 0 ? 1 - sums.ns[WORK_IDLE] / sums.span_ns : 0;
		pool->busy_least = fmin(pool->busy_least, busy);
		pool->busy_most = fmax(pool->busy_most, busy);
		add_worker(pool, &all, worker->work, from_ns, until_ns);
	}
	pool->is_queue = all.span_ns > 0 && own.span_ns > 0;
	pool->batch_ns = own.span_ns;
	pool->workers = own.span_ns > 0 ? pool->workers / own.span_ns : 0;
	pool->load_ns = own.ns[WORK_IDLE];
	pool->work_ns = all.span_ns - all.ns[WORK_IDLE];
	pool->cpu_ns = all.ns[WORK_CPU];
	pool->delay_ns = all.ns[WORK_DELAY];
	pool->lock_ns = all.ns[WORK_LOCK];
	pool->loop_delay_ns = own.ns[WORK_DELAY];
	pool->loop_cpu_ns = own.ns[WORK_CPU];
	pool->idle = all.span_ns > 0 ? all.ns[WORK_IDLE] / all.span_ns : 0;
	find_hot(pool, workers, identity);
}

struct pool workers_pool(
	const run_workers *workers, uint64_t identity, uint64_t processors, const struct work *loop)
{
	struct pool pool = {.started = count_started(workers, identity)};
	struct work_sums whole = work_between(loop, 0, UINT64_MAX), all = {.loads = 0};
	pool.processors = processors;
	if (whole.loads < 1)
		fill_queue(&pool, workers, identity, loop);
	if (whole.loads < BATCHES_LEAST)
		return pool;
	uint64_t from_ns = taken_at(loop, FIRST_SHARE * whole.loads),
		 until_ns = taken_at(loop, (1 - LAST_SHARE) * whole.loads);
	struct work_sums own = work_between(loop, from_ns, until_ns);
	if (own.loads < 1 || until_ns <= from_ns)
		return pool;
	for (size_t i = 0; i < workers->count; i++)
		if (workers->items[i].parent == identity)
			add_worker(&pool, &all, workers->items[i].work, from_ns, until_ns);
	double span_ns = (double)(until_ns - from_ns);
	pool = (struct pool){.batches = own.loads,
		.started = pool.started,
		.processors = processors,
		.workers = pool.workers / span_ns,
		.batch_ns = span_ns / own.loads,
		.load_ns = own.ns[WORK_LOAD] / own.loads,
		.work_ns = (all.span_ns - all.ns[WORK_IDLE]) / own.loads,
		.settled_ns = settled_ns(workers, identity, loop),
		.cpu_ns = all.ns[WORK_CPU] / own.loads,
		.file_ns = all.ns[WORK_FILE] / own.loads,
		.delay_ns = all.ns[WORK_DELAY] / own.loads,
		.lock_ns = all.ns[WORK_LOCK] / own.loads,
		.file_bytes = all.bytes / own.loads,
		.loop_delay_ns = own.ns[WORK_DELAY] / own.loads,
		.loop_cpu_ns = own.ns[WORK_CPU] / own.loads,
		.idle = all.span_ns > 0 ? all.ns[WORK_IDLE] / all.span_ns : 0};
	add_looks(&pool, workers, identity, whole.loads);
	find_hot(&pool, workers, identity);
	return pool;
}
