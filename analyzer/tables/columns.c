/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/columns.h"

#include <string.h>

/* clang-format off */
const struct tables_info tables_infos[TABLES_COUNT] = {
#define HOST   false
#define DEVICE true
#define TABLE(id, name, title, hists, rows, needs, remark) \
	[TABLES_##id] = {name, title, remark, needs},
#define COLUMN(id, type, name, heading)
#include "analyzer/tables/columns.def"
#undef TABLE
#undef COLUMN
#undef HOST
#undef DEVICE
};

static const struct tables_column all_columns[] = {
#define TABLE(id, name, title, hists, rows, needs, remark)
#define COLUMN(id, type, name, heading) {TABLES_##id, TABLES_##type, name, heading},
#include "analyzer/tables/columns.def"
#undef TABLE
#undef COLUMN
};
/* clang-format on */

const struct tables_column *tables_columns(enum tables_id id, size_t *ret_count)
{
	const size_t all = sizeof(all_columns) / sizeof(all_columns[0]);
	size_t first = 0, end;
	while (all_columns[first].table != id)
		first++;
	for (end = first; end < all && all_columns[end].table == id; end++)
		continue;
	*ret_count = end - first;
	return &all_columns[first];
}

enum tables_id tables_id_of(const char *name, size_t length)
{
	for (unsigned id = 0; id < TABLES_COUNT; id++)
		if (strlen(tables_infos[id].name) == length &&
			memcmp(tables_infos[id].name, name, length) == 0)
			return id;
	return TABLES_COUNT;
}

bool tables_have_column(uint32_t tables, const char *name)
{
	for (size_t i = 0; i < sizeof(all_columns) / sizeof(all_columns[0]); i++)
		if ((tables >> all_columns[i].table & 1) != 0 &&
			strcmp(all_columns[i].name, name) == 0)
			return true;
	return false;
}
