/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/pool.h"

#include <math.h>

/* So far a pace may be off without another cause. */
#define OFF 0.15
/* Workers, or the loop, without a processor for so much of the time that they are busy. */
#define STARVED 0.15
/* So much of the time that workers are busy goes to waiting for a lock. */
#define LOCKED 0.15
/* Processes that wait for so much of the time that the loop works take turns with it. */
#define ALTERNATES 0.5
/* Processors that are used for so much of the time have none to spare. */
#define FILLED 0.7
/* Workers that are busy for more than this share are late now and then, and the loop waits. */
#define LOADED 0.9
/* What may be off by so much is as good as reached. */
#define SLACK        0.02
#define MOST_WORKERS 1024.0

double pool_loop_ns(const struct pool *pool)
{
	return fmax(pool->batch_ns - pool->load_ns, pool->device_ns);
}

bool pool_is_of_device(const struct pool *pool)
{
	return pool->device_ns > pool->batch_ns - pool->load_ns;
}

double pool_work_ns(const struct pool *pool)
{
	return pool->workers > 0 ? pool->work_ns : pool->load_ns;
}

static double processors_ns(const struct pool *pool)
{
	return pool->processors > 0 ? (pool->cpu_ns + pool->loop_cpu_ns) / (double)pool->processors
				    : 0;
}

static double pace_ns(const struct pool *pool, double workers)
{
	double loop_ns = pool_loop_ns(pool), each_ns = pool_work_ns(pool) / workers;
	return each_ns > loop_ns ? each_ns : loop_ns;
}

double pool_batch_ns(const struct pool *pool, unsigned workers)
{
	double pace = pace_ns(pool, workers > 0 ? workers : 1), least = processors_ns(pool);
	return pace > least ? pace : least;
}

unsigned pool_enough(const struct pool *pool)
{
	double loop_ns = pool_loop_ns(pool);
	double wanted = loop_ns > 0 ? pool_work_ns(pool) / loop_ns / LOADED : MOST_WORKERS;
	wanted = ceil(wanted < MOST_WORKERS ? wanted : MOST_WORKERS);
	return wanted > 1 ? (unsigned)wanted : 1;
}

double pool_line_ns(const struct pool *pool)
{
	return pool->samples > 0 ? pool->work_ns * (double)pool->hot_samples / (double)pool->samples
				 : 0;
}

double pool_line_enough_ns(const struct pool *pool)
{
	double loop_ns = pool_loop_ns(pool);
	double workers = pool->work_ns - LOADED * loop_ns * pool->workers;
	double processors = (processors_ns(pool) - loop_ns) * (double)pool->processors;
	return pool_line_ns(pool) - fmax(0, fmax(workers, processors));
}

struct pool pool_relieved(const struct pool *pool, double saved_ns)
{
	struct pool relieved = *pool;
	relieved.work_ns = fmax(0, pool->work_ns - saved_ns);
	relieved.cpu_ns = fmax(0, pool->cpu_ns - saved_ns);
	return relieved;
}

bool pool_lacks_processors(const struct pool *pool, unsigned workers)
{
	return processors_ns(pool) > (1 + SLACK) * pace_ns(pool, workers > 0 ? workers : 1);
}

bool pool_is_starved(const struct pool *pool)
{
	return pool->delay_ns > STARVED * pool->work_ns ||
	       pool->loop_delay_ns > STARVED * pool->batch_ns;
}

bool pool_is_locked(const struct pool *pool)
{
	return pool->lock_ns > LOCKED * pool->work_ns;
}

bool pool_answers(const struct pool *pool)
{
	double loop_ns = pool->batch_ns - pool->load_ns;
	return (1 - pool->busy_most) * pool->batch_ns >= ALTERNATES * loop_ns;
}

bool pool_fills_processors(const struct pool *pool)
{
	return processors_ns(pool) >= FILLED * pool->batch_ns;
}

bool pool_is_of_processors(const struct pool *pool)
{
	return fabs(processors_ns(pool) - pool->batch_ns) <= OFF * pool->batch_ns;
}

bool pool_explains(const struct pool *pool)
{
	if (pool->batches <= 0 || pool->batch_ns <= 0 || pool_loop_ns(pool) <= 0)
		return false;
	double expected = pool->workers > 0 ? pace_ns(pool, pool->workers) : pool->batch_ns;
	double least = processors_ns(pool);
	expected = expected > least ? expected : least;
	return fabs(expected - pool->batch_ns) <= OFF * pool->batch_ns;
}
