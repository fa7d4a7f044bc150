/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/middle.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double summary_middle(
	const struct summary *runs, size_t count, summary_number *get, double *ret_spread_pct)
{
	double *values = count > 0 ? calloc(count, sizeof(*values)) : NULL;
	double middle = -1, spread_pct = -1;
	size_t known = 0;
	for (size_t i = 0; i < count && values != NULL; i++)
		if ((values[known] = get(&runs[i])) >= 0)
			known++;
	if (known > 0) {
		qsort(values, known, sizeof(*values), ascending);
		middle = known % 2 != 0 ? values[known / 2]
					: (values[known / 2 - 1] + values[known / 2]) / 2;
		if (known > 1 && middle > 0)
			spread_pct = 100 * (values[known - 1] - values[0]) / middle;
	}
	free(values);
	if (ret_spread_pct != NULL)
		*ret_spread_pct = spread_pct;
	return middle;
}

double summary_step(const struct summary *run)
{
	return run->mean_ns != SUMMARY_UNKNOWN ? (double)run->mean_ns : -1;
}

double summary_reader(const struct summary *run)
{
	return run->reader_pct;
}

double summary_busy(const struct summary *run)
{
	return run->busy_pct;
}

double summary_host(const struct summary *run)
{
	return run->host_pct;
}
