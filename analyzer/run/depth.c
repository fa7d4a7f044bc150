/* SPDX-License-Identifier: MIT */
#include "analyzer/run/depth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LATE_NS     1000000u /* clocks of processes, and a write that returns after it was read */
#define ASKS_LEAST  20u
#define OFF         0.15 /* so far the model may be off */
#define GOOD        0.02 /* as good as with any depth */
#define MOST_DEPTH  64u  /* for each worker */
#define WORKERS_MAX 1024u
/* Of a worker, that show whether it is slow. */
#define BATCHES_LEAST 5u

/* A batch that a worker has given, by its number. */
struct given {
	uint64_t at_ns;
	double took_ns;
	unsigned worker; /* who gave it, by order */
};

/* An epoch: what was asked for from one begin to the next. */
struct epoch {
	uint64_t begin_ns;         /* the first batch was asked for */
	size_t count, given_count; /* messages to workers and back */
	uint32_t most;             /* number among the former */
	uint64_t *wanted_ns;       /* by number, 0: not there */
	uint64_t *ordered_ns;      /* by time */
	struct given *given;       /* by number */
	uint64_t *given_ns;        /* by time */
};

struct epochs {
	VEC(struct epoch) items;
};

static void release(struct epochs *epochs)
{
	for (size_t i = 0; i < epochs->items.count; i++) {
		free(epochs->items.items[i].wanted_ns);
		free(epochs->items.items[i].ordered_ns);
		free(epochs->items.items[i].given);
		free(epochs->items.items[i].given_ns);
	}
	vec_release(&epochs->items);
}

static const struct worker *find(const run_workers *workers, uint64_t identity)
{
	for (size_t i = 0; i < workers->count; i++)
		if (workers->items[i].identity == identity)
			return &workers->items[i];
	return NULL;
}

static int by_time(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* count messages from first on have numbers that are all different. */
static int add_epoch(struct epochs *epochs, const struct queue_message *first, size_t count)
{
	struct epoch epoch = {.begin_ns = first->at_ns, .count = count};
	for (size_t i = 0; i < count; i++)
		epoch.most = first[i].number > epoch.most ? first[i].number : epoch.most;
	size_t room = 1 + (epoch.most < count ? epoch.most : count); /* else it is not whole */
	epoch.wanted_ns = calloc(room, sizeof(*epoch.wanted_ns));
	epoch.ordered_ns = calloc(room, sizeof(*epoch.ordered_ns));
	epoch.given = calloc(room, sizeof(*epoch.given));
	epoch.given_ns = calloc(room, sizeof(*epoch.given_ns));
	bool good = epoch.wanted_ns != NULL && epoch.ordered_ns != NULL && epoch.given != NULL &&
		    epoch.given_ns != NULL;
	if (!good || vec_push(&epochs->items, epoch) < 0) {
		free(epoch.wanted_ns);
		free(epoch.ordered_ns);
		free(epoch.given);
		free(epoch.given_ns);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count && epoch.most < count; i++) {
		epoch.wanted_ns[first[i].number] = first[i].at_ns;
		epoch.ordered_ns[i] = first[i].at_ns;
	}
	return 0;
}

static bool is_whole(const struct epoch *epoch)
{
	return epoch->most + 1ull == epoch->count;
}

/* A number that was there already is the next epoch's: they are asked for almost in order. */
static int find_epochs(struct epochs *epochs, const struct queue *queue)
{
	const struct queue_message *messages = queue->messages.items;
	size_t count = queue->messages.count, begin = 0;
	uint32_t *last = NULL; /* by number: the epoch that had it, from 1 */
	uint32_t most = 0;
	int err = 0;
	for (size_t i = 0; i < count; i++)
		if (messages[i].number < QUEUE_LIMIT && messages[i].number > most)
			most = messages[i].number;
	if ((last = calloc((size_t)most + 1, sizeof(*last))) == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count && err == 0; i++) {
		uint32_t number = messages[i].number, now = (uint32_t)epochs->items.count + 1;
		if (number > most)
			continue; /* the epoch will lack it */
		if (last[number] == now) {
			err = add_epoch(epochs, messages + begin, i - begin);
			begin = i;
			now++;
		}
		last[number] = now;
	}
	if (err == 0 && count > begin)
		err = add_epoch(epochs, messages + begin, count - begin);
	free(last);
	return err;
}

/* The last epoch that had begun by then; NULL: none. */
static struct epoch *epoch_at(const struct epochs *epochs, uint64_t at_ns)
{
	size_t from = 0, until = epochs->items.count;
	while (from < until) {
		size_t middle = from + (until - from) / 2;
		if (epochs->items.items[middle].begin_ns <= at_ns)
			from = middle + 1;
		else
			until = middle;
	}
	return from > 0 ? &epochs->items.items[from - 1] : NULL;
}

static bool wants(const struct epoch *epoch, const struct queue_message *message)
{
	return is_whole(epoch) && message->number < epoch->count &&
	       epoch->wanted_ns[message->number] <= message->at_ns + LATE_NS;
}

/* What one worker has given; each batch took it from when it was free and asked. */
static void add_given(struct epochs *epochs, const struct worker *worker, unsigned order)
{
	uint64_t free_ns = 0;
	for (size_t i = 0; i < worker->queue.messages.count; i++) {
		const struct queue_message *message = &worker->queue.messages.items[i];
		struct epoch *epoch = epoch_at(epochs, message->at_ns + LATE_NS);
		if (epoch != NULL && !wants(epoch, message) && epoch > epochs->items.items)
			epoch--;
		if (epoch == NULL || !wants(epoch, message))
			continue;
		uint64_t wanted_ns = epoch->wanted_ns[message->number];
		uint64_t begin_ns = free_ns > wanted_ns ? free_ns : wanted_ns;
		struct given *given = &epoch->given[message->number];
		free_ns = message->at_ns;
		if (given->at_ns != 0)
			continue;
		given->at_ns = message->at_ns;
		given->worker = order;
		given->took_ns = free_ns > begin_ns ? (double)(free_ns - begin_ns) : 0;
		epoch->given_ns[epoch->given_count++] = message->at_ns;
	}
}

/* Loads of an epoch from first on: how many there are. */
static size_t count_asks(const struct epochs *epochs, const struct epoch *epoch,
	const struct queue *queue, size_t first)
{
	size_t i = first;
	while (i < queue->asks.count && epoch_at(epochs, queue->asks.items[i].end_ns) == epoch)
		i++;
	return i - first;
}

/* All batches that were taken had been given, in the order of their numbers. */
static bool fits(const struct epoch *epoch, const struct queue_ask *asks, size_t count)
{
	if (!is_whole(epoch) || count > epoch->given_count + 1)
		return false;
	for (size_t i = 0; i < count && i < epoch->given_count; i++)
		if (epoch->given[i].at_ns == 0 || epoch->given[i].at_ns > asks[i].end_ns + LATE_NS)
			return false;
	return true;
}

static size_t count_until(const uint64_t *times, size_t count, size_t from, uint64_t until_ns)
{
	while (from < count && times[from] <= until_ns)
		from++;
	return from;
}

static void sum_asks(struct depth *depth, const struct epoch *epoch, const struct queue_ask *asks,
	size_t count, double *ret_take_ns, uint64_t *ret_taken)
{
	size_t given = 0, wanted = 0;
	for (size_t i = 0; i < count; i++) {
		given = count_until(epoch->given_ns, epoch->given_count, given, asks[i].begin_ns);
		wanted = count_until(epoch->ordered_ns, epoch->count, wanted, asks[i].begin_ns);
		size_t ready = given > i ? given - i : 0;
		bool is_ready = epoch->given[i].at_ns <= asks[i].begin_ns;
		depth->asks++;
		depth->none += ready == 0;
		depth->missing += !is_ready;
		depth->ready += (double)ready;
		if (wanted > i && wanted - i > depth->most)
			depth->most = (unsigned)(wanted - i);
		if (is_ready) {
			*ret_take_ns += (double)(asks[i].end_ns - asks[i].begin_ns);
			(*ret_taken)++;
		}
	}
}

/*
 * From one batch to the next if so many were asked for ahead: the batches take their workers, who
 * get them in turn, what they took; the loop what it took beside waiting, and take_ns for each.
 */
static double play(const struct epoch *epoch, const struct queue_ask *asks, size_t count,
	const struct depth *depth, unsigned ahead, double *taken_ns)
{
	double free_ns[WORKERS_MAX] = {0}, asked_ns = 0;
	for (size_t i = 0; i < count; i++) {
		double wanted_ns = i < ahead ? 0 : taken_ns[i - ahead];
		double *worker = &free_ns[i % depth->workers];
		*worker = fmax(*worker, wanted_ns) + epoch->given[i].took_ns;
		taken_ns[i] = fmax(asked_ns, *worker) + depth->take_ns;
		asked_ns =
			taken_ns[i] +
			(i + 1 < count ? (double)asks[i + 1].begin_ns - (double)asks[i].end_ns : 0);
	}
	return (taken_ns[count - 1] - taken_ns[0]) / (double)(count - 1);
}

/* How far ahead would be enough, if the model says of what was what was measured. */
static int predict(
	struct depth *depth, const struct epoch *epoch, const struct queue_ask *asks, size_t count)
{
	double measured_ns =
		(double)(asks[count - 1].end_ns - asks[0].end_ns) / (double)(count - 1);
	if (depth->workers == 0 || depth->workers > WORKERS_MAX || depth->most < depth->workers)
		return 0;
	double *taken_ns = calloc(count, sizeof(*taken_ns));
	if (taken_ns == NULL)
		return -ENOMEM;
	unsigned factor = depth->most / depth->workers;
	double best_ns = play(epoch, asks, count, depth, MOST_DEPTH * depth->workers, taken_ns);
	depth->now_ns = depth->then_ns = play(epoch, asks, count, depth, depth->most, taken_ns);
	bool explains = fabs(depth->now_ns - measured_ns) <= OFF * measured_ns;
	while (explains && depth->then_ns > (1 + GOOD) * best_ns && factor < MOST_DEPTH) {
		depth->prefetch = ++factor;
		depth->then_ns = play(epoch, asks, count, depth, factor * depth->workers, taken_ns);
	}
	free(taken_ns);
	return 0;
}

static void sum_given(struct depth *depth, const struct epoch *epoch)
{
	double sum_ns = 0;
	for (size_t i = 0; i < epoch->given_count; i++) {
		sum_ns += epoch->given[i].took_ns;
		depth->longest_ns = fmax(depth->longest_ns, epoch->given[i].took_ns);
	}
	depth->average_ns = sum_ns / (double)epoch->given_count;
}

static int by_length(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* Of what the batches of that worker took, the middle and what all but a quarter take; 0: few. */
static double middle_of(
	const struct epoch *epoch, unsigned worker, double *lengths, double *ret_least_ns)
{
	size_t count = 0;
	for (size_t i = 0; i < epoch->given_count; i++)
		if (epoch->given[i].worker == worker)
			lengths[count++] = epoch->given[i].took_ns;
	*ret_least_ns = 0;
	if (count < BATCHES_LEAST)
		return 0;
	qsort(lengths, count, sizeof(*lengths), by_length);
	*ret_least_ns = lengths[count / 4];
	return lengths[count / 2];
}

/* One worker is slow with nearly all its batches, not with some. */
static int find_slow(struct depth *depth, const struct epoch *epoch, unsigned known)
{
	double least_ns = 0, sum_ns = 0, slow_ns = 0, others_ns = 0, own_least_ns;
	unsigned count = 0;
	double *lengths = calloc(epoch->given_count + 1, sizeof(*lengths));
	if (lengths == NULL)
		return -ENOMEM;
	for (unsigned worker = 0; worker < known; worker++) {
		double ns = middle_of(epoch, worker, lengths, &own_least_ns);
		bool slowest = ns > slow_ns;
		others_ns = fmax(others_ns, slowest ? slow_ns : ns);
		if (slowest) {
			slow_ns = ns;
			least_ns = own_least_ns;
		}
		sum_ns += ns;
		count += ns > 0;
	}
	free(lengths);
	if (count < 2 || count != depth->workers || least_ns <= others_ns)
		return 0;
	depth->slow_ns = slow_ns;
	depth->others_ns = others_ns;
	depth->even_ns = sum_ns / count;
	return 0;
}

static int sum_epochs(
	struct depth *depth, struct epochs *epochs, const struct queue *queue, unsigned known)
{
	const struct epoch *longest = NULL;
	size_t longest_first = 0, longest_count = 0;
	double take_ns = 0;
	uint64_t taken = 0;
	for (size_t i = 0, count; i < queue->asks.count; i += count) {
		const struct queue_ask *asks = &queue->asks.items[i];
		struct epoch *epoch = epoch_at(epochs, asks->end_ns);
		count = epoch != NULL ? count_asks(epochs, epoch, queue, i) : 1;
		size_t got =
			epoch != NULL && count > epoch->given_count ? epoch->given_count : count;
		if (epoch == NULL || got == 0 || !fits(epoch, asks, count)) {
			depth->left_out += count;
			continue;
		}
		qsort(epoch->given_ns, epoch->given_count, sizeof(uint64_t), by_time);
		sum_asks(depth, epoch, asks, got, &take_ns, &taken);
		if (got > longest_count) {
			longest = epoch;
			longest_first = i;
			longest_count = got;
		}
	}
	if (longest == NULL)
		return 0;
	depth->ready /= (double)depth->asks;
	depth->take_ns = taken > 0 ? take_ns / (double)taken : 0;
	sum_given(depth, longest);
	if (find_slow(depth, longest, known) < 0)
		return -ENOMEM;
	return longest_count >= ASKS_LEAST && depth->none + depth->missing > 0
		       ? predict(depth, longest, &queue->asks.items[longest_first], longest_count)
		       : 0;
}

int depth_of(const run_workers *workers, uint64_t identity, struct depth *ret_depth)
{
	const struct worker *parent = find(workers, identity);
	struct epochs epochs = {.items = {.count = 0}};
	*ret_depth = (struct depth){0};
	if (parent == NULL || parent->queue.asks.count == 0 || parent->queue.messages.count == 0)
		return 0;
	unsigned known = 0;
	int err = find_epochs(&epochs, &parent->queue);
	for (size_t i = 0; i < workers->count && err == 0; i++) {
		const struct worker *worker = &workers->items[i];
		if (worker->parent != identity)
			continue;
		add_given(&epochs, worker, known++);
		if (worker->count > ret_depth->workers)
			ret_depth->workers = (unsigned)worker->count;
	}
	if (err == 0)
		err = sum_epochs(ret_depth, &epochs, &parent->queue, known);
	release(&epochs);
	return err;
}
