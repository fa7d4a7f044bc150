/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <errno.h>
#include <string.h>

#include "analyzer/tables/store.h"

void beneath_release(struct tables_beneath *beneath)
{
	around_release(&beneath->around);
	circle_release(&beneath->waiting);
	vec_release(&beneath->turns);
}

int beneath_cover(struct tables_beneath *beneath, uint64_t from_ns, bool covered)
{
	size_t count = beneath->turns.count;
	bool now = count == 0 || beneath->turns.items[count - 1].covered;
	if (now == covered)
		return 0;
	if (count == BENEATH_TURNS) {
		memmove(beneath->turns.items, &beneath->turns.items[count / 2],
			(count - count / 2) * sizeof(*beneath->turns.items));
		beneath->turns.count -= count / 2;
	}
	const struct beneath_turn turn = {from_ns, covered};
	return vec_push(&beneath->turns, turn);
}

/* A time had all of its operators. */
static bool is_covered(const struct tables_beneath *beneath, uint64_t at_ns)
{
	size_t i = beneath->turns.count;
	while (i > 0 && beneath->turns.items[i - 1].from_ns > at_ns)
		i--;
	return i > 0 ? beneath->turns.items[i - 1].covered
		     : i == beneath->turns.count || !beneath->turns.items[0].covered;
}

static int settle(void *owner, uint64_t given_ns)
{
	int err = 0;
	for (struct tables_row *row = owner; row != NULL && err == 0; row = row->whole)
		err = tables_hist_add(&row->hists[OPERATOR_DEVICE], given_ns);
	return err;
}

int beneath_op(
	struct tables *tables, uint32_t thread, const struct record *op, struct tables_row *row)
{
	tables->beneath.around.settle = settle;
	return around_end(&tables->beneath.around, thread, op->begin, op->end, row);
}

static uint64_t name_of(const struct around_found *found)
{
	const struct tables_row *row = found->owner;
	if (row == NULL)
		return found->gone ? KEY_OPERATOR_GONE : KEY_OPERATOR_NONE;
	if (row->whole != NULL)
		row = row->whole;
	return row->others ? KEY_OPERATOR_OTHER : row->key[0];
}

static int count_work(
	struct tables *tables, const struct beneath_work *work, const struct around_found *found)
{
	for (struct tables_row *row = found->owner; row != NULL; row = row->whole)
		row->sum_ns += work->ns;
	if ((tables->wanted >> TABLES_OPERATOR_KERNELS & 1) == 0)
		return 0;
	const uint64_t key[TABLES_KEY] = {name_of(found), work->kind, work->detail};
	struct tables_row *row = tables_set_find(
		&tables->sets[TABLES_OPERATOR_KERNELS], TABLES_OPERATOR_KERNELS, key);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	return tables_hist_add(&row->hists[0], work->ns);
}

static int count_oldest(struct tables *tables)
{
	struct tables_beneath *beneath = &tables->beneath;
	const struct beneath_work work = *circle_at(&beneath->waiting, beneath->waiting.first);
	beneath->waiting.first++;
	const struct around_found found =
		around_give(&beneath->around, work.thread, work.at_ns, work.ns);
	return count_work(tables, &work, &found);
}

int beneath_work(struct tables *tables, uint32_t thread, const struct record *call,
	const struct record *operation)
{
	struct tables_beneath *beneath = &tables->beneath;
	uint64_t key[TABLES_KEY];
	if (!is_covered(beneath, call->begin))
		return 0;
	key_of_activity(operation, key);
	const struct beneath_work work = {.at_ns = call->begin,
		.ns = operation->end > operation->begin ? operation->end - operation->begin : 0,
		.thread = thread,
		.kind = (uint32_t)key[0],
		.detail = key[1]};
	const struct around_found found =
		around_give(&beneath->around, thread, work.at_ns, work.ns);
	if (found.owner != NULL || found.gone)
		return count_work(tables, &work, &found);
	int err = circle_count(&beneath->waiting) >= BENEATH_WAITING ? count_oldest(tables) : 0;
	return err < 0 ? err : circle_push(&beneath->waiting, work);
}

int beneath_finish(struct tables *tables)
{
	int err = 0;
	while (err == 0 && circle_count(&tables->beneath.waiting) > 0)
		err = count_oldest(tables);
	tables->beneath.around.settle = settle;
	return err < 0 ? err : around_finish(&tables->beneath.around);
}
