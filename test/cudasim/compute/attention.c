/* SPDX-License-Identifier: MIT */
#include "attention.h"

#include <math.h>
#include <stdlib.h>

/* One query of one head: where it is, and what of the keys it sees. */
struct place {
	int batch, head, query;
	int64_t query_row, key_row; /* first ones of the batch in the tensors */
	int queries, keys;
};

static double get(
	const struct attention *a, const struct attention_view *view, int64_t at, int64_t element)
{
	return type_get(a->type, view->data, at + element);
}

static int64_t at(const struct attention_view *view, int batch, int64_t row, int head)
{
	return batch * view->batch + row * view->row + head * view->head;
}

static int64_t query_at(const struct attention_view *view, const struct place *p)
{
	return at(view, p->batch, p->query_row + p->query, p->head);
}

static int64_t key_at(const struct attention *a, const struct attention_view *view,
	const struct place *p, int key)
{
	return at(view, p->batch, p->key_row + key, p->head / a->heads_per_key);
}

static int is_seen(const struct attention *a, const struct place *p, int key)
{
	int64_t own = p->query + (a->from_end ? p->keys - p->queries : 0);

	return key - own <= a->right && own - key <= a->left;
}

static uint64_t number_of(const struct attention *a, const struct place *p, int key)
{
	uint64_t row = ((uint64_t)p->batch * (uint64_t)a->heads + (uint64_t)p->head) *
			       (uint64_t)a->queries +
		       (uint64_t)p->query;

	return row * (uint64_t)a->keys + (uint64_t)key;
}

/* What dropout makes of a weight. */
static double kept(const struct attention *a, const struct place *p, int key)
{
	if (a->drop <= 0)
		return 1;
	return random_unit(&a->random, number_of(a, p, key)) <= a->drop ? 0 : 1 / (1 - a->drop);
}

/* The weights of all keys before dropout. Returns the logarithm of the sum of exponentials. */
static double weigh(const struct attention *a, const struct place *p, double *weights)
{
	double most = -INFINITY, sum = 0;

	for (int key = 0; key < p->keys; key++) {
		double score = 0;

		for (int i = 0; i < a->width; i++)
			score += get(a, &a->q, query_at(&a->q, p), i) *
				 get(a, &a->k, key_at(a, &a->k, p, key), i);
		score *= a->scale;
		if (a->bias.data)
			score += get(a, &a->bias, at(&a->bias, p->batch, p->query, p->head), key);
		weights[key] = is_seen(a, p, key) ? score : -INFINITY;
		most = fmax(most, weights[key]);
	}
	for (int key = 0; key < p->keys; key++) {
		weights[key] = most == -INFINITY ? 0 : exp(weights[key] - most);
		sum += weights[key];
	}
	for (int key = 0; key < p->keys && sum > 0; key++)
		weights[key] /= sum;
	return sum > 0 ? most + log(sum) : INFINITY;
}

static void forward_of(const struct attention *a, const struct place *p, double *weights)
{
	double lse = weigh(a, p, weights);

	if (a->lse)
		a->lse[p->batch * a->lse_batch + p->head * a->lse_head + p->query] = (float)lse;
	for (int i = 0; i < a->value_width; i++) {
		double sum = 0;

		for (int key = 0; key < p->keys; key++)
			sum += weights[key] * kept(a, p, key) *
			       get(a, &a->v, key_at(a, &a->v, p, key), i);
		type_put(a->type, a->out.data, query_at(&a->out, p) + i, sum);
	}
}

/* Gradients of keys and values have a row for each head, whoever shares the keys. */
static int64_t slope_at(const struct attention_view *view, const struct place *p, int key)
{
	return at(view, p->batch, p->key_row + key, p->head);
}

static void add(const struct attention *a, double *sums, int width, double factor,
	const struct attention_view *view, int64_t from)
{
	for (int i = 0; i < width; i++)
		sums[i] += factor * get(a, view, from, i);
}

/* Sums of one head: gradients of all keys, all values, and of one query behind them. */
struct sums {
	double *weights, *keys, *values, *query;
};

static void backward_of(const struct attention *a, const struct place *p, const struct sums *sums)
{
	const struct attention_view *dout = &a->out_slope;
	double delta = 0;

	(void)weigh(a, p, sums->weights);
	for (int i = 0; i < a->width; i++)
		sums->query[i] = 0;
	for (int i = 0; i < a->value_width; i++)
		delta += get(a, dout, query_at(dout, p), i) *
			 get(a, &a->out, query_at(&a->out, p), i);
	for (int key = 0; key < p->keys; key++) {
		double weight = sums->weights[key], factor = kept(a, p, key), slope = 0;

		for (int i = 0; i < a->value_width; i++)
			slope += get(a, dout, query_at(dout, p), i) *
				 get(a, &a->v, key_at(a, &a->v, p, key), i);
		slope = weight * (slope * factor - delta);
		add(a, sums->values + (int64_t)key * a->value_width, a->value_width,
			weight * factor, dout, query_at(dout, p));
		add(a, sums->keys + (int64_t)key * a->width, a->width, slope * a->scale, &a->q,
			query_at(&a->q, p));
		add(a, sums->query, a->width, slope * a->scale, &a->k, key_at(a, &a->k, p, key));
		if (a->bias_slope.data)
			type_put(a->type, a->bias_slope.data,
				at(&a->bias_slope, p->batch, p->query, p->head) + key, slope);
	}
	for (int i = 0; i < a->width; i++)
		type_put(a->type, a->q_slope.data, query_at(&a->q_slope, p) + i, sums->query[i]);
}

static struct place place_of(const struct attention *a, int batch, int head)
{
	struct place place = {batch, head, 0, 0, 0, a->queries, a->keys};

	if (!a->query_starts)
		return place;
	/* all batches lie one behind the other in one */
	place.query_row = a->query_starts[batch];
	place.key_row = a->key_starts[batch];
	place.queries = a->query_starts[batch + 1] - a->query_starts[batch];
	place.keys = a->key_starts[batch + 1] - a->key_starts[batch];
	return place;
}

void attention_forward(const struct attention *attention)
{
	double *weights = malloc(sizeof(*weights) * ((size_t)attention->keys + 1));

	for (int batch = 0; weights && batch < attention->batches; batch++) {
		for (int head = 0; head < attention->heads; head++) {
			struct place place = place_of(attention, batch, head);

			for (; place.query < place.queries; place.query++)
				forward_of(attention, &place, weights);
		}
	}
	free(weights);
}

static void store_keys(
	const struct attention *a, const struct place *place, const struct sums *sums)
{
	for (int key = 0; key < place->keys; key++) {
		for (int i = 0; i < a->width; i++)
			type_put(a->type, a->k_slope.data, slope_at(&a->k_slope, place, key) + i,
				sums->keys[(int64_t)key * a->width + i]);
		for (int i = 0; i < a->value_width; i++)
			type_put(a->type, a->v_slope.data, slope_at(&a->v_slope, place, key) + i,
				sums->values[(int64_t)key * a->value_width + i]);
	}
}

void attention_backward(const struct attention *attention)
{
	size_t keys = (size_t)attention->keys, width = (size_t)attention->width;
	size_t values = (size_t)attention->value_width;
	size_t count = keys + keys * width + keys * values + width;

	for (int i = 0; i < attention->batches * attention->heads; i++) {
		struct place place =
			place_of(attention, i / attention->heads, i % attention->heads);
		double *memory = calloc(count, sizeof(*memory));
		struct sums sums = {memory, memory + keys, memory + keys + keys * width,
			memory + keys + keys * width + keys * values};

		if (!memory)
			return;
		for (; place.query < place.queries; place.query++)
			backward_of(attention, &place, &sums);
		store_keys(attention, &place, &sums);
		free(memory);
	}
}
