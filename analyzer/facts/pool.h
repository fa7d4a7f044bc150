/* SPDX-License-Identifier: MIT */
/*
 * A loop that takes batches, and the processes that make them, while that went evenly: behind the
 * first batches and before the last. What is per batch is a mean. From it follows how fast the loop
 * would be with another number of workers: a batch comes when the slowest of three is ready, the
 * loop itself, the workers side by side, or the processors that all of them share. Plain values.
 */
#ifndef ANALYZER_FACTS_POOL_H
#define ANALYZER_FACTS_POOL_H

#include <stdbool.h>
#include <stdint.h>

#define POOL_HOT 160u

struct pool {
	double batches;       /* 0: not known */
	double workers;       /* alive at a time; 0: the loop makes its batches itself */
	double batch_ns;      /* from one batch to the next */
	double load_ns;       /* of it, waiting for one or making it */
	double work_ns;       /* of all workers for a batch: what they did not spend in queues */
	double settled_ns;    /* the same for batches of the second halves of workers' lives */
	double cpu_ns;        /* of work_ns, on processors */
	double file_ns;       /* of it, in reads of files */
	double delay_ns;      /* of it, ready to run, but without a processor */
	double lock_ns;       /* of it, waiting for what lets in one process at a time */
	double file_bytes;    /* that those brought */
	double opens, stats;  /* files that all opened and looked up, over their lives */
	double look_ns;       /* what that took */
	double loop_delay_ns; /* of the loop, without a processor */
	double loop_cpu_ns;   /* processor time of the loop's process */
	double device_ns;     /* that the device works for a batch, if the caller knows; 0 */
	double idle;          /* share of the workers' time spent in queues */
	char hot[POOL_HOT];   /* where most samples of the workers' stacks are, "": not known */
	uint64_t samples, hot_samples;
	uint64_t processors; /* 0: not known */
	unsigned started;    /* workers in all; known also where nothing else is */
	/* not of a loader: the loop waits in queues, and batches is 0; the others are sums of a
	 * stretch of time; of one worker, what it was busy for at least and at most */
	bool is_queue;
	double busy_least, busy_most;
};

/* What the batches of a loader did when the loop asked for them; asks 0: not known. */
struct depth {
	uint64_t asks, left_out; /* that got a batch; of which it is not known */
	uint64_t none, missing;  /* no batch lay ready; not the one whose turn it was */
	double ready;            /* on average */
	unsigned most;           /* asked for and not taken, at most */
	unsigned workers;
	double take_ns;    /* of asks whose batch lay ready: what taking it takes */
	double longest_ns; /* that a worker took for a batch */
	double average_ns; /* the same on average */
	unsigned prefetch; /* enough for each worker; 0: no more helps, or it is not known */
	/* the middle of what batches take the slowest worker, any other one at most, and all; 0: no
	 * worker is slower than the others with nearly all of its batches */
	double slow_ns, others_ns, even_ns;
	/* from a batch to the next: by the same model as it was, and with that */
	double now_ns, then_ns;
};

/* What the loop needs for a batch beside waiting for it; or the device, where that is more. */
double pool_loop_ns(const struct pool *pool);

/* That is what the device needs, which the loop does not wait for. */
bool pool_is_of_device(const struct pool *pool);

/* What one worker needs for a batch. */
double pool_work_ns(const struct pool *pool);

/* From one batch to the next with so many workers, at least. */
double pool_batch_ns(const struct pool *pool, unsigned workers);

/*
 * The least number of workers of whom the loop waits for none, were there processors enough: a few
 * more than would do if all batches took equally long.
 */
unsigned pool_enough(const struct pool *pool);

/* Of what one worker needs for a batch: at the line at which most samples are; 0: not known. */
double pool_line_ns(const struct pool *pool);

/*
 * What that line may take for a batch, so that the loop waits for none of the workers that there
 * are, and the processors do for them; below 0: they would be too slow without it.
 */
double pool_line_enough_ns(const struct pool *pool);

/* The same loader with that much less to compute for a batch. */
struct pool pool_relieved(const struct pool *pool, double saved_ns);

/* The processors, not the number of workers, would set the pace. */
bool pool_lacks_processors(const struct pool *pool, unsigned workers);

/* Workers or loop are often without a processor: nobody knows what more of them would do. */
bool pool_is_starved(const struct pool *pool);

/*
 * Workers wait for each other, or for somebody else, at a lock: it may be what sets the pace, and
 * how many of them there are makes no difference then.
 */
bool pool_is_locked(const struct pool *pool);

/*
 * Of a queue: the processes wait for about as long as the loop works, and it while they do. They
 * answer what they are asked; more of them would have nothing to do ahead.
 */
bool pool_answers(const struct pool *pool);

/* Loop and workers themselves use up most of the processors. */
bool pool_fills_processors(const struct pool *pool);

/* They set the pace: what others of the machine use of them makes no difference to it. */
bool pool_is_of_processors(const struct pool *pool);

/* What was measured is what the above says for the workers that there were. */
bool pool_explains(const struct pool *pool);

#endif
