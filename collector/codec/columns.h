/* SPDX-License-Identifier: MIT */
/*
 * The columns of an event block on the encoder's side: which site each event is of, its times
 * as differences from what its site is expected to take (mean.h), and the fields that are sent
 * with every event. Each function appends to memory that has room for it. Inline: this is the hot
 * loop of the encoder, and the ends of the columns are to stay in registers. Part of encoder.c.
 */
#ifndef COLLECTOR_CODEC_COLUMNS_H
#define COLLECTOR_CODEC_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/codec/layout.h"
#include "collector/codec/mean.h"
#include "collector/codec/pack.h"

/* Ends of the columns of a block; a local copy in the hot loop, which stores through them. */
struct columns {
	uint8_t *site, *end, *dur, *extra;
	unsigned extra_count;
	uint32_t previous_site;
	uint64_t previous_end;
	uint64_t first_ns, last_ns;
};

/* Sites are numbered in the order of first use: mostly the next one. */
static inline void columns_add_site(struct columns *columns, uint32_t id)
{
	int32_t step = (int32_t)(id - columns->previous_site);
	if (step < -32 || step > 127)
		columns->site = pack_column_int(columns->site, step);
	else
		*columns->site++ = (uint8_t)step;
	columns->previous_site = id;
}

/* Most columns are the correlation of a device record: a whole slot of 32 bits. */
static inline uint64_t columns_value(const struct record *record, const struct record_field *field)
{
	uint32_t word;
	if (field->bits != 32 || field->size != 4 || field->type == FIELD_INT)
		return record_get(record, field);
	memcpy(&word, (const char *)record + field->offset, sizeof(word));
	return word;
}

static inline void columns_add_extra(struct columns *columns, const struct record *record,
	const struct layout_kind *kind, uint64_t *last)
{
	for (unsigned i = 0; i < kind->column_count; i++) {
		uint64_t value = columns_value(record, kind->column[i]);
		columns->extra = pack_small_int(columns->extra, value - last[i]);
		last[i] = value;
	}
	columns->extra_count += kind->column_count;
}

/* The first event of a block says nothing about the gap of its site. */
static inline void columns_add_times(
	struct columns *columns, const struct record *record, struct means *means, bool is_first)
{
	uint64_t begin = record->begin, end = record->end;
	int64_t dur_rest = (int64_t)(end - begin - (uint64_t)means->dur.value);
	int64_t gap_rest = (int64_t)(end - columns->previous_end);
	mean_update(&means->dur, dur_rest);
	if (!is_first) {
		gap_rest = (int64_t)((uint64_t)gap_rest - (uint64_t)means->gap.value);
		mean_update(&means->gap, gap_rest);
	}
	columns->end = pack_column_int(columns->end, gap_rest);
	columns->dur = pack_column_int(columns->dur, dur_rest);
	columns->previous_end = end;
	if (__builtin_expect(begin > end, 0)) {
		begin = end;
		end = record->begin;
	}
	columns->first_ns = begin < columns->first_ns ? begin : columns->first_ns;
	columns->last_ns = end > columns->last_ns ? end : columns->last_ns;
}

#endif
