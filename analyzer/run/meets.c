/* SPDX-License-Identifier: MIT */
#include "analyzer/run/meets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/text/field_text.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define SMALLEST 1024u

/* A rank that comes to a collective. */
struct coming {
	uint64_t communicator, host_ns, device_ns;
	uint32_t number, row;
	uint16_t rank, ranks;
	bool own; /* of the process that is shown */
};

/* For whom a row's calls waited. */
struct late {
	uint64_t count, ns;
	uint32_t row;
	uint16_t rank;
};

struct meeting {
	VEC(struct coming) comings;
	VEC(struct late) late;
};

static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0;
	for (; *text != '\0'; text++) {
		hash = hash_mix(hash, (unsigned char)*text);
		hash ^= hash >> 32;
	}
	return hash;
}

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
	struct run_rank *rank, const struct process *process, const struct collectives_row *row)
{
	const char *text = reader_text(process->reader, row->key.communicator);
	char *name = text != NULL && text[0] != '\0' ? strdup(text) : NULL;
	if ((text != NULL && text[0] != '\0' && name == NULL) || vec_push(&rank->names, name) < 0) {
		free(name);
		return -ENOMEM;
	}
	return vec_push(&rank->rows, *row);
}

static int copy_arrival(struct run_rank *rank, const struct process *process,
	const struct collectives_arrival *arrival)
{
	const char *text = reader_text(process->reader, arrival->communicator);
	if (text == NULL || text[0] == '\0' || arrival->row >= rank->rows.count)
		return 0;
	int err = vec_push(&rank->arrivals, *arrival);
	return err < 0 ? err : vec_push(&rank->communicators, hash_text(text));
}

int meets_note(struct run_meets *meets, const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct collectives *from = process->collectives;
	struct run_rank rank = {0};
	int err = 0;
	if (run == NULL || from == NULL || from->rows.count == 0)
		return 0;
	rank.pid = run->pid;
	rank.host = hash_text(run->host != NULL ? run->host : "");
	for (size_t i = 0; i < from->rows.count && err == 0; i++)
		err = copy_row(&rank, process, &from->rows.items[i]);
	for (size_t i = 0; i < from->arrivals.count && err == 0; i++)
		err = copy_arrival(&rank, process, &from->arrivals.items[i]);
	if (err == 0)
		err = vec_push(&meets->ranks, rank);
	if (err < 0)
		release_rank(&rank);
	return err;
}

static int compare(const void *left, const void *right)
{
	const struct coming *a = left, *b = right;
	if (a->communicator != b->communicator)
		return a->communicator < b->communicator ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static int come(
	struct meeting *meeting, const struct run_meets *meets, const struct run_rank *shown)
{
	for (size_t at = 0; at < meets->ranks.count; at++) {
		const struct run_rank *rank = &meets->ranks.items[at];
		for (size_t i = 0; i < rank->arrivals.count && rank->host == shown->host; i++) {
			const struct collectives_arrival *arrival = &rank->arrivals.items[i];
			const struct coming coming = {.communicator = rank->communicators.items[i],
				.host_ns = arrival->host_ns,
				.device_ns = arrival->device_ns,
				.number = arrival->number,
				.row = arrival->row,
				.rank = arrival->rank,
				.ranks = arrival->ranks,
				.own = rank == shown};
			if (vec_push(&meeting->comings, coming) < 0)
				return -ENOMEM;
		}
	}
	if (meeting->comings.count > 0)
		qsort(meeting->comings.items, meeting->comings.count,
			sizeof(meeting->comings.items[0]), compare);
	return 0;
}

static int wait_for(struct meeting *meeting, uint32_t row, uint16_t rank, uint64_t ns)
{
	VEC_FOREACH (late, &meeting->late)
		if (late->row == row && late->rank == rank) {
			late->count++;
			late->ns += ns;
			return 0;
		}
	const struct late late = {.count = 1, .ns = ns, .row = row, .rank = rank};
	return vec_push(&meeting->late, late);
}

/* All ranks of one collective; false: some are missing, or two say that they are the same one. */
static bool is_whole(const struct coming *first, size_t count)
{
	if (count != first->ranks)
		return false;
	for (size_t i = 0; i < count; i++)
		if (first[i].rank != i || first[i].ranks != count)
			return false;
	return true;
}

/* When its kernel began, if that is known of all, else when it called. */
static uint64_t time_of(const struct coming *coming, bool by_device)
{
	return by_device ? coming->device_ns : coming->host_ns;
}

static int meet(
	struct meeting *meeting, struct run_rank *shown, const struct coming *first, size_t count)
{
	const struct coming *last = first, *own = NULL;
	bool by_device = true;
	int err = 0;
	for (size_t i = 0; i < count; i++)
		by_device = by_device && first[i].device_ns > 0;
	for (size_t i = 0; i < count; i++) {
		if (time_of(&first[i], by_device) > time_of(last, by_device))
			last = &first[i];
		own = first[i].own ? &first[i] : own;
	}
	if (own == NULL || !is_whole(first, count))
		return 0;
	uint64_t ns = time_of(last, by_device) - time_of(own, by_device);
	struct collectives_row *row = &shown->rows.items[own->row];
	row->wait.met++;
	row->wait.ns += ns;
	row->wait.most_ns = ns > row->wait.most_ns ? ns : row->wait.most_ns;
	if (ns > 0)
		err = wait_for(meeting, own->row, last->rank, ns);
	return err;
}

static int meet_all(struct meeting *meeting, struct run_rank *shown)
{
	const struct coming *items = meeting->comings.items;
	size_t count = meeting->comings.count, from = 0;
	int err = 0;
	for (size_t i = 1; i <= count && err == 0; i++) {
		if (i < count && items[i].communicator == items[from].communicator &&
			items[i].number == items[from].number)
			continue;
		err = meet(meeting, shown, &items[from], i - from);
		from = i;
	}
	return err;
}

/* For which a row's calls waited longest; NULL: for nobody. */
static const struct late *latest(const struct meeting *meeting, uint32_t row)
{
	const struct late *found = NULL;
	for (size_t i = 0; i < meeting->late.count; i++) {
		const struct late *late = &meeting->late.items[i];
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

static int add_row(struct run_meets *meets, const struct meeting *meeting,
	const struct run_rank *shown, uint32_t index)
{
	const struct collectives_row *row = &shown->rows.items[index];
	const struct late *late = latest(meeting, index);
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
	struct meeting meeting = {0};
	VEC(struct order) orders = {0};
	int err = come(&meeting, meets, shown);
	if (err == 0)
		err = meet_all(&meeting, shown);
	for (uint32_t i = 0; i < shown->rows.count && err == 0; i++) {
		const struct order order = {i, weight_of(&shown->rows.items[i])};
		err = vec_push(&orders, order);
	}
	if (orders.count > 0)
		qsort(orders.items, orders.count, sizeof(orders.items[0]), compare_orders);
	for (size_t i = 0; i < orders.count && err == 0; i++)
		err = add_row(meets, &meeting, shown, orders.items[i].row);
	vec_release(&orders);
	vec_release(&meeting.comings);
	vec_release(&meeting.late);
	return err;
}

int meets_show(struct run_meets *meets, const struct meta_RUN *run, struct tables_source *source)
{
	size_t columns;
	int err = 0;
	(void)tables_columns(TABLES_COLLECTIVES, &columns);
	VEC_FOREACH (rank, &meets->ranks)
		if (run != NULL && rank->pid == run->pid && err == 0)
			err = show(meets, rank);
	source->collectives =
		(struct tables_given){meets->cells.items, meets->cells.count / columns};
	return err;
}
