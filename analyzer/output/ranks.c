/* SPDX-License-Identifier: MIT */
#include "analyzer/output/ranks.h"

#include <stdlib.h>

#define DEPTH 2u /* that of an entry of the report's list */

static struct output_rank *find(const struct output_ranks *ranks, int64_t rank)
{
	for (size_t i = 0; i < ranks->items.count; i++)
		if (ranks->items.items[i].rank == rank)
			return &ranks->items.items[i];
	return NULL;
}

bool output_ranks_trains(const struct output_ranks *ranks, const struct output_process *about)
{
	const struct output_rank *other = find(ranks, about->rank);
	if (other == NULL)
		return true;
	return about->launches != other->launches ? about->launches > other->launches
						  : about->steps > other->steps;
}

static void compose(
	struct out *out, int64_t rank, const struct output_run *run, const struct report *report)
{
	struct json json;
	json_init(&json, out, true);
	json.depth = DEPTH;
	json.after_key = true; /* what stands before it belongs to the list */
	json_object(&json);
	json_add_i64(&json, "rank", rank);
	output_rank_json(&json, run, report);
	json_object_end(&json);
}

int output_ranks_keep(struct output_ranks *ranks, const struct output_process *about,
	const struct output_run *run, const struct report *report)
{
	struct output_rank own = {
		.rank = about->rank, .launches = about->launches, .steps = about->steps};
	struct output_rank *other = find(ranks, about->rank);
	int err = out_open_memory(&own.text);
	if (err < 0)
		return err;
	compose(&own.text, about->rank, run, report);
	err = own.text.error;
	if (err == 0 && other != NULL) {
		(void)out_close(&other->text);
		*other = own;
	} else if (err == 0) {
		err = vec_push(&ranks->items, own);
	}
	if (err < 0)
		(void)out_close(&own.text);
	return err;
}

static int by_rank(const void *a, const void *b)
{
	const struct output_rank *x = a, *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

void output_ranks_json(struct json *json, struct output_ranks *ranks, int64_t main)
{
	json_add_array(json, "other_ranks");
	if (ranks != NULL && ranks->items.count > 0)
		qsort(ranks->items.items, ranks->items.count, sizeof(ranks->items.items[0]),
			by_rank);
	for (size_t i = 0; ranks != NULL && i < ranks->items.count; i++)
		if (ranks->items.items[i].rank != main)
			json_verbatim(json, ranks->items.items[i].text.buffer,
				ranks->items.items[i].text.used);
	json_array_end(json);
}

void output_ranks_release(struct output_ranks *ranks)
{
	VEC_FOREACH (rank, &ranks->items)
		(void)out_close(&rank->text);
	vec_release(&ranks->items);
}
