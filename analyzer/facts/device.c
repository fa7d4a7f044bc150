/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/facts.h"
#include "analyzer/facts/name.h"
#include "collector/format/fields.h"

#define STREAMS_BESIDE 8u
/* Of so many kernels one is looked at closely, and stands for all. */
#define SAMPLED 5u

/* The stream of an operation; the last one for all that do not fit. */
static struct fact_stream *stream_of(struct facts *facts, const struct record *record)
{
	uint64_t id = (uint64_t)record_device(record) << 32 | record_DEVICE_KERNEL_stream(record);
	uint8_t *hint = &facts->stream_hints[id % FACTS_STREAMS];
	struct fact_stream *stream = &facts->streams[*hint];
	unsigned at = 0;
	if (stream->id == id && *hint < facts->stream_count)
		return stream;
	while (at < facts->stream_count && facts->streams[at].id != id)
		at++;
	if (at == facts->stream_count && at < FACTS_STREAMS)
		facts->streams[facts->stream_count++] = (struct fact_stream){.id = id};
	*hint = (uint8_t)(at < FACTS_STREAMS ? at : FACTS_STREAMS - 1);
	return &facts->streams[*hint];
}

/* Kernel time times the multiprocessors that have a block, and the time of which that is known. */
static void note_shape(struct facts *facts, const struct record *record, uint64_t ns)
{
	uint64_t blocks =
		(uint64_t)record_grid_x(record) * record_grid_y(record) * record_grid_z(record);
	uint64_t all = facts->gpu.multiprocessors;
	if (blocks == 0 || all == 0)
		return;
	facts->filled_ns += ns * (blocks < all ? blocks : all);
	facts->shaped_ns += ns * all;
}

/* How long the last kernels of other streams ran beside it; of the first few streams. */
static uint64_t overlap(
	const struct facts *facts, const struct fact_stream *own, const struct record *record)
{
	uint64_t sum = 0;
	unsigned count =
		facts->stream_count < STREAMS_BESIDE ? facts->stream_count : STREAMS_BESIDE;
	for (unsigned i = 0; i < count; i++) {
		const struct fact_stream *other = &facts->streams[i];
		if (other->end_ns <= record->begin || other->begin_ns >= record->end ||
			other == own)
			continue;
		uint64_t begin = other->begin_ns > record->begin ? other->begin_ns : record->begin;
		sum += (other->end_ns < record->end ? other->end_ns : record->end) - begin;
	}
	return sum;
}

/* Of the kernels of a batch. */
struct sums {
	uint64_t short_runs, chained, chained_ns, kernel_ns;
	uint64_t samples;   /* looked at closely */
	unsigned unsampled; /* since one was */
};

static inline void take_kernel(struct facts *facts, const struct record *record, struct sums *sums)
{
	uint64_t ns = record->end - record->begin;
	struct fact_name *name = facts_name(facts, record->name);
	struct fact_stream *stream = stream_of(facts, record);
	if (name == NULL)
		return;
	bool elements = (name->words & WORD_ELEMENTS) != 0;
	bool chained = elements & stream->elements;
	name->runs++;
	name->run_ns += ns;
	sums->short_runs += ns < FACTS_SHORT_NS;
	sums->chained += chained;
	sums->chained_ns += ns & -(uint64_t)chained;
	sums->kernel_ns += ns;
	if (++sums->unsampled == SAMPLED) {
		sums->unsampled = 0;
		sums->samples++;
		facts->overlap_ns += SAMPLED * overlap(facts, stream, record);
		note_shape(facts, record, ns);
	}
	stream->elements = elements;
	stream->begin_ns = record->begin;
	stream->end_ns = record->end;
	stream->kernel_ns += ns;
}

static void take_copy(struct facts *facts, const struct record *record)
{
	uint64_t bytes = record_bytes(record), ns = record->end - record->begin;
	unsigned direction = record_direction(record);
	bool in = direction == COPY_HOST_TO_DEVICE;
	uint64_t memory = in ? record_src_memory(record) : record_dst_memory(record);
	if ((!in && direction != COPY_DEVICE_TO_HOST) || bytes < FACTS_LARGE || ns == 0)
		return;
	struct fact_copies *copies = &facts->copies[!in][memory == MEMORY_PINNED];
	double rate = (double)bytes / (double)ns;
	copies->count++;
	copies->bytes += bytes;
	copies->ns += ns;
	if (rate > copies->best)
		copies->best = rate;
}

int facts_device(struct facts *facts, const struct record *records, size_t count)
{
	struct sums sums = {.unsampled = (unsigned)(facts->runs % SAMPLED)};
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];
		if (record->end <= record->begin ||
			(record_device_flags(record) & DEVICE_NO_TIMES) != 0)
			continue;
		if (record->kind == RECORD_DEVICE_KERNEL)
			take_kernel(facts, record, &sums);
		else if (record->kind == RECORD_DEVICE_COPY)
			take_copy(facts, record);
	}
	facts->runs += SAMPLED * sums.samples + sums.unsampled - facts->runs % SAMPLED;
	facts->short_runs += sums.short_runs;
	facts->chained += sums.chained;
	facts->chained_ns += sums.chained_ns;
	facts->kernel_ns += sums.kernel_ns;
	return 0;
}
