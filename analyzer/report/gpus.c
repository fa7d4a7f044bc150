/* SPDX-License-Identifier: MIT */
#include "analyzer/report/gpus.h"

#include <stdio.h>
#include <string.h>

/* Streams with less of the kernels' time are none to speak of. */
#define SHARE_LEAST_PCT 5.0
/* They take turns when less of the least one's time is beside others. */
#define BESIDE_PCT 5.0

struct gpu {
	uint64_t id, kernel_ns;
};

struct gpus {
	struct gpu items[FACTS_STREAMS];
	unsigned count;
	uint64_t least_ns; /* of a stream */
};

static void add(struct gpus *gpus, uint64_t id, uint64_t kernel_ns)
{
	unsigned at = 0;
	while (at < gpus->count && gpus->items[at].id != id)
		at++;
	if (at == gpus->count)
		gpus->items[gpus->count++] = (struct gpu){.id = id};
	gpus->items[at].kernel_ns += kernel_ns;
	if (gpus->least_ns == 0 || kernel_ns < gpus->least_ns)
		gpus->least_ns = kernel_ns;
}

static struct gpus find_gpus(const struct facts *facts)
{
	struct gpus gpus = {.count = 0};
	for (unsigned i = 0; i < facts->stream_count; i++) {
		const struct fact_stream *stream = &facts->streams[i];
		if (report_share(stream->kernel_ns, facts->kernel_ns) >= SHARE_LEAST_PCT)
			add(&gpus, stream->id >> 32, stream->kernel_ns);
	}
	return gpus;
}

void gpus_tell(const struct report *report, char *text, size_t size)
{
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->kernel_ns == 0)
		return;
	struct gpus gpus = find_gpus(facts);
	size_t used = strlen(text);
	if (gpus.count < 2)
		return;
	if (report_share(facts->overlap_ns, gpus.least_ns) >= BESIDE_PCT) {
		(void)snprintf(text + used, size - used,
			"; busy means that any of its %u GPUs is, and each of them may be less",
			gpus.count);
		return;
	}
	(void)snprintf(text + used, size - used,
		"; these are %u GPUs that take turns: of the kernels' time", gpus.count);
	for (unsigned i = 0; i < gpus.count; i++) {
		used = strlen(text);
		(void)snprintf(text + used, size - used, "%s GPU %llu has %.0f %%",
			i == 0               ? ""
			: i + 1 < gpus.count ? ","
					     : " and",
			(unsigned long long)gpus.items[i].id,
			report_share(gpus.items[i].kernel_ns, facts->kernel_ns));
	}
	used = strlen(text);
	(void)snprintf(text + used, size - used, ", and each idles for the rest");
}
