/* SPDX-License-Identifier: MIT */
#include "analyzer/ranks/meets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/ranks/identity.h"
#include "analyzer/ranks/meeting.h"
#include "analyzer/text/field_text.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define SMALLEST 1024u

/* For whom a row's calls waited. */
struct row_late {
	uint64_t count, ns;
	uint32_t row;
	uint16_t rank;
};

typedef VEC(struct row_late) row_lates;

static void release_rank(struct run_rank *rank)
{
	VEC_FOREACH (name, &rank->names)
		free(*name);
	vec_release(&rank->names);
	vec_release(&rank->rows);
	vec_release(&rank->arrivals);
	vec_release(&rank->communicators);
}

void meets_release(struct run_meets *meets)
{
	VEC_FOREACH (rank, &meets->ranks)
		release_rank(rank);
	vec_release(&meets->ranks);
	vec_release(&meets->cells);
}

static int copy_row(
	struct run_rank *rank, const struct reader *reader, const struct collectives_row *row)
{
	const char *text = reader_text(reader, row->key.communicator);
	char *name = text != NULL && text[0] != '\0' ? strdup(text) : NULL;
	if ((text != NULL && text[0] != '\0' && name == NULL) || vec_push(&rank->names, name) < 0) {
		free(name);
		return -ENOMEM;
	}
	return vec_push(&rank->rows, *row);
}

static int copy_arrival(struct run_rank *rank, const struct reader *reader,
	const struct collectives_arrival *arrival)
{
	const char *text = reader_text(reader, arrival->communicator);
	if (text == NULL || text[0] == '\0' || arrival->row >= rank->rows.count)
		return 0;
	int err = vec_push(&rank->arrivals, *arrival);
	return err < 0 ? err : vec_push(&rank->communicators, hash_text(0, text));
}

int meets_note(struct run_meets *meets, const struct reader *reader, const struct collectives *from)
{
	const struct meta_RUN *run = reader_run(reader);
	struct run_rank rank = {0};
	int err = 0;
	if (run == NULL || from == NULL || from->rows.count == 0)
		return 0;
	rank.identity = identity_own(run);
	rank.host = identity_host(run);
	for (size_t i = 0; i < from->rows.count && err == 0; i++)
		err = copy_row(&rank, reader, &from->rows.items[i]);
	for (size_t i = 0; i < from->arrivals.count && err == 0; i++)
		err = copy_arrival(&rank, reader, &from->arrivals.items[i]);
	if (err == 0)
		err = vec_push(&meets->ranks, rank);
	if (err < 0)
		release_rank(&rank);
	return err;
}

static int wait_for(row_lates *lates, uint32_t row, uint16_t rank, uint64_t ns)
{
	VEC_FOREACH (late, lates)
		if (late->row == row && late->rank == rank) {
			late->count++;
			late->ns += ns;
			return 0;
		}
	const struct row_late late = {.count = 1, .ns = ns, .row = row, .rank = rank};
	return vec_push(lates, late);
}

static int meet_all(const struct meeting *meeting, struct run_rank *shown, row_lates *lates)
{
	struct met met;
	int err = 0;
	for (size_t at = 0; err == 0 && meeting_next(meeting, &at, &met);) {
		uint64_t ns = met.ns;
		struct collectives_row *row = &shown->rows.items[met.own->row];
		row->wait.met++;
		row->wait.ns += ns;
		row->wait.most_ns = ns > row->wait.most_ns ? ns : row->wait.most_ns;
		if (ns > 0)
			err = wait_for(lates, met.own->row, met.last->rank, ns);
	}
	return err;
}

/* For which a row's calls waited longest; NULL: for nobody. */
static const struct row_late *latest(const row_lates *lates, uint32_t row)
{
	const struct row_late *found = NULL;
	for (size_t i = 0; i < lates->count; i++) {
		const struct row_late *late = &lates->items[i];
		if (late->row == row && (found == NULL || late->ns > found->ns))
			found = late;
	}
	return found;
}

static const char *name_of(const struct collectives_row *row)
{
	if (row->key.what == COLLECTIVES_TRANSFERS)
		return "send, receive";
	const char *name = field_value_name(RECORD_COLLECTIVE, "what", row->key.what);
	return name != NULL ? name : "others";
}

static struct tables_cell number(uint64_t number)
{
	return (struct tables_cell){.known = true, .number = number};
}

static struct tables_cell number_if(bool known, uint64_t number)
{
	return (struct tables_cell){.known = known, .number = known ? number : 0};
}

static struct tables_cell text(const char *text)
{
	return (struct tables_cell){.known = text != NULL, .text = text};
}

static struct tables_cell rate(bool known, uint64_t bytes, uint64_t ns)
{
	known = known && ns > 0;
	return number_if(known, known ? (uint64_t)((__uint128_t)bytes * 1000000000 / ns) : 0);
}

static int add_row(struct run_meets *meets, const row_lates *lates, const struct run_rank *shown,
	uint32_t index)
{
	const struct collectives_row *row = &shown->rows.items[index];
	const struct row_late *late = latest(lates, index);
	bool timed = row->device.entries > 0, met = row->wait.met > 0, known = row->key.what != 0;
	const struct tables_cell cells[] = {number_if(timed, row->device.ns), number(row->calls),
		number(row->entries), number(row->host_ns), number(row->bytes),
		number_if(known, (uint64_t)SMALLEST << 2 * row->key.scale),
		number_if(timed, timed ? row->device.ns / row->device.entries : 0),
		number_if(timed, row->most_ns), number(row->device.entries),
		rate(timed && !row->bus_unknown, row->device.bytes, row->device.ns),
		rate(timed && !row->bus_unknown, row->device.bus_bytes, row->device.ns),
		number(row->wait.met), number_if(met, row->wait.ns),
		number_if(met, row->wait.most_ns), number_if(late != NULL, late ? late->rank : 0),
		number_if(late != NULL, late ? late->count : 0),
		number_if(late != NULL, late ? late->ns : 0), number(row->captured),
		number(row->failed), number_if(row->key.ranks > 0, row->key.ranks),
		text(shown->names.items[index]), text(name_of(row))};
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		if (vec_push(&meets->cells, cells[i]) < 0)
			return -ENOMEM;
	return 0;
}

struct order {
	uint32_t row;
	uint64_t weight;
};

static uint64_t weight_of(const struct collectives_row *row)
{
	return row->device.entries > 0 ? row->device.ns : row->host_ns;
}

static int compare_orders(const void *left, const void *right)
{
	const struct order *a = left, *b = right;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int show(struct run_meets *meets, struct run_rank *shown)
{
	struct meeting meeting;
	row_lates lates = {0};
	VEC(struct order) orders = {0};
	int err = meeting_of(&meeting, meets, shown);
	if (err == 0)
		err = meet_all(&meeting, shown, &lates);
	for (uint32_t i = 0; i < shown->rows.count && err == 0; i++) {
		const struct order order = {i, weight_of(&shown->rows.items[i])};
		err = vec_push(&orders, order);
	}
	if (orders.count > 0)
		qsort(orders.items, orders.count, sizeof(orders.items[0]), compare_orders);
	for (size_t i = 0; i < orders.count && err == 0; i++)
		err = add_row(meets, &lates, shown, orders.items[i].row);
	vec_release(&orders);
	meeting_release(&meeting);
	vec_release(&lates);
	return err;
}

int meets_show(struct run_meets *meets, const struct meta_RUN *run, struct tables_source *source)
{
	size_t columns;
	int err = 0;
	(void)tables_columns(TABLES_COLLECTIVES, &columns);
	VEC_FOREACH (rank, &meets->ranks)
		if (run != NULL && rank->identity == identity_own(run) && err == 0)
			err = show(meets, rank);
	source->collectives =
		(struct tables_given){meets->cells.items, meets->cells.count / columns};
	return err;
}
