/* SPDX-License-Identifier: MIT */
#include "collector/drain/tell.h"

#include <string.h>

#include "collector/drain/process.h"
#include "collector/drain/procstat.h"

void tell_begin(struct tell *tell, const struct collector_options *options,
	const struct clock_triple *first)
{
	tell->options = options;
	tell->begin_ns = first->monotonic_ns;
	tell->begin_realtime_ns = first->realtime_ns;
	tell_again(tell);
}

void tell_again(struct tell *tell)
{
	tell->described = false;
	memset(tell->told, 0, sizeof(tell->told));
	memset(tell->counters_told, 0, sizeof(tell->counters_told));
}

static void tell_run(struct tell *tell, struct writer *writer, uint64_t now_ns)
{
	struct meta meta = {.kind = META_RUN};
	struct meta_RUN *run = &meta.u.run;
	const struct collector_options *options = tell->options;
	process_describe(!options->without_command, run);
	run->format_version = FRAME_FORMAT_VERSION;
	run->tool_version = LIBTRACE_VERSION;
	run->role = options->role;
	run->run_id = options->run_id != NULL ? options->run_id : "";
	run->rank = options->rank;
	run->world_size = options->world_size;
	if (options->rank < 0)
		run->rank = state_rank(&run->world_size);
	run->begin_ns = tell->begin_ns;
	run->begin_realtime_ns = tell->begin_realtime_ns;
	run->clock = clock_use_tsc ? "tsc" : "monotonic";
	run->ring_bytes = options->ring_bytes;
	run->ring_memory = live_memory(writer->live);
	if (writer_meta(writer, &meta, now_ns) < 0)
		return;
	tell->described = true;
	tell->described_memory = run->ring_memory;
	tell->described_rank = run->rank;
}

void tell_states(struct tell *tell, struct writer *writer, uint64_t now_ns)
{
	int64_t rank = tell->options->rank < 0 ? state_rank(NULL) : tell->options->rank;
	if (!tell->described || tell->described_rank != rank ||
		tell->described_memory != live_memory(writer->live))
		tell_run(tell, writer, now_ns);
	for (unsigned i = 0; i < state_count(); i++) {
		struct meta meta;
		if (!tell->told[i] && state_get(i, &meta))
			tell->told[i] = writer_meta(writer, &meta, now_ns) == 0;
	}
}

void tell_clock(struct writer *writer, const struct slew *slew, uint64_t now_ns)
{
	struct clock_triple triple;
	clock_read_triple(&triple);
	struct meta meta = {.kind = META_CLOCK,
		.u.clock = {.ns = slew_ns(slew, triple.ticks),
			.monotonic_ns = triple.monotonic_ns,
			.realtime_ns = triple.realtime_ns}};
	(void)writer_meta(writer, &meta, now_ns);
}

static int tell_count(struct writer *writer, const char *name, uint64_t value, uint64_t now_ns)
{
	struct meta meta = {.kind = META_COUNT, .u.count = {.name = name, .value = value}};
	return writer_meta(writer, &meta, now_ns);
}

void tell_counters(struct tell *tell, struct writer *writer, uint64_t now_ns)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		enum state_counter counter = (enum state_counter)i;
		uint64_t value = state_counter(counter);
		if (value != tell->counters_told[i] &&
			tell_count(writer, state_counter_name(counter), value, now_ns) == 0)
			tell->counters_told[i] = value;
	}
	(void)tell_count(writer, "collector_cpu_ns", procstat_thread_ns(), now_ns);
}
