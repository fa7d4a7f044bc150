/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"
#include "analyzer/tables/tables.h"
#include "analyzer/text/field_text.h"

static const char *range_label(const struct tables_source *source, uint64_t id)
{
	const char *text = lookup_text(source->lookup, (uint32_t)id);
	return text == NULL || text[0] == '\0' ? "(range without a name)" : text;
}

const char *stretch_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row)
{
	if (id != TABLES_STEP_PHASES)
		return range_label(source, row->key[0]);
	return row->key[0] < STAGE_COUNT ? stage_names[row->key[0]] : "other";
}

static const char *label_of(const struct fill *fill, enum tables_id id)
{
	return fill->row->others ? "others" : stretch_label(fill->source, id, fill->row);
}

static const char *domain_label(const struct tables_source *source, uint64_t domain)
{
	if ((domain & KEY_FRAMEWORK) != 0)
		return field_value_name(RECORD_OP, "framework", (uint32_t)domain);
	return domain != 0 ? lookup_text(source->lookup, (uint32_t)domain) : NULL;
}

void stretch_fill_range(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	bool measured = tables_measured(fill->source->tables);
	fill_add(fill, row->hists[RANGES_HOST].sum);
	fill_add(fill, row->count);
	fill_add_spread(fill, &row->hists[RANGES_HOST]);
	fill_add_if(fill, measured, row->hists[RANGES_DEVICE].sum);
	fill_add_if(fill, measured, row->hists[RANGES_SPAN].sum);
	fill_add_spread(fill, &row->hists[RANGES_SPAN]);
	fill_add_text(fill, row->others ? NULL : domain_label(fill->source, row->key[1]));
	fill_add_text(fill, label_of(fill, TABLES_RANGES));
}

void stretch_fill_module(struct fill *fill)
{
	const struct tables_hist *hists = fill->row->hists;
	bool measured = tables_measured(fill->source->tables);
	uint64_t device_ns = hists[RANGES_DEVICE].sum, inside_ns = hists[MODULES_INSIDE].sum;
	fill_add_share(fill, hists[MODULES_SELF].sum, fill->whole_ns);
	fill_add(fill, hists[MODULES_SELF].sum);
	fill_add(fill, hists[RANGES_HOST].sum);
	fill_add(fill, fill->row->count);
	fill_add_spread(fill, &hists[RANGES_HOST]);
	fill_add_if(fill, measured, device_ns > inside_ns ? device_ns - inside_ns : 0);
	fill_add_if(fill, measured, device_ns);
	fill_add_spread(fill, &hists[RANGES_SPAN]);
	fill_add_text(
		fill, fill->row->others ? NULL : domain_label(fill->source, fill->row->key[1]));
	fill_add_text(fill, label_of(fill, TABLES_MODULES));
}

/* The device's time in all phases. */
static uint64_t device_of_phases(const struct tables *tables)
{
	const struct tables_set *set = &tables->sets[TABLES_STEP_PHASES];
	uint64_t ns = 0;
	for (size_t i = 0; i < set->rows.count; i++)
		ns += set->rows.items[i]->hists[RANGES_DEVICE].sum;
	return ns;
}

void stretch_fill_phase(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_source *source = fill->source;
	bool measured = tables_measured(source->tables), known = row->key[0] < STAGE_COUNT;
	uint64_t steps = source->steps, device_ns = row->hists[RANGES_DEVICE].sum;
	const struct tables_hist none = {0};
	fill_add_if(fill, known, row->count);
	fill_add(fill, row->hists[RANGES_HOST].sum);
	fill_add_share(fill, row->hists[RANGES_HOST].sum, fill->whole_ns);
	fill_add_if(fill, steps > 0, steps > 0 ? row->hists[RANGES_HOST].sum / steps : 0);
	fill_add_spread(fill, known ? &row->hists[RANGES_HOST] : &none);
	fill_add_if(fill, measured, device_ns);
	fill_add_share(fill, device_ns, measured ? device_of_phases(source->tables) : 0);
	fill_add_if(fill, measured && steps > 0, steps > 0 ? device_ns / steps : 0);
	fill_add_spread(fill, &row->hists[RANGES_SPAN]);
	fill_add_text(fill, label_of(fill, TABLES_STEP_PHASES));
}
