/* SPDX-License-Identifier: MIT */
#include "analyzer/output/scope.h"

#include <stdio.h>

#include "analyzer/output/paragraph.h"

static const char *name_of(const struct output_run *run, uint32_t thread)
{
	const struct reader *reader = run->traced->reader;
	const struct meta_THREAD *found = reader != NULL ? reader_thread(reader, thread) : NULL;
	return found != NULL && found->name != NULL ? found->name : "";
}

/* "10 to 30 and 50 to 59": the steps of which the trace has calls. */
static void write_recorded(const struct steps *steps, char *text, size_t size)
{
	const struct step_skips *skips = &steps->skips;
	uint64_t from = 0;
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i <= skips->count && used < size; i++) {
		uint64_t until = i < skips->count ? skips->items[i].first : steps->count;
		if (until > from)
			used += (size_t)snprintf(text + used, size - used,
				until > from + 1 ? "%s%llu to %llu" : "%s%llu",
				used > 0 ? ", " : "", (unsigned long long)from,
				(unsigned long long)until - 1);
		if (i < skips->count)
			from = skips->items[i].first + skips->items[i].count;
	}
}

static void print_recorded(struct out *out, const struct term *term, const struct steps *steps)
{
	char text[400], numbers[240];
	const struct step_skips *skips = &steps->skips;
	if (skips->steps == 0)
		return;
	write_recorded(steps, numbers, sizeof(numbers));
	snprintf(text, sizeof(text),
		"recorded: %s%s; %llu of %llu steps passed while recording was off and were only "
		"counted; one in which it was switched on has no known beginning and is left out",
		numbers[0] != '\0' ? "steps " : "no step", numbers,
		(unsigned long long)skips->steps, (unsigned long long)steps->count);
	out_text(out, "  ");
	paragraph_print(out, term->width, text, 2, 4);
	out_char(out, '\n');
}

void output_scope_text(struct out *out, const struct term *term, const struct output_run *run,
	const struct report *report)
{
	const struct report_stepping *stepping = &report->stepping;
	char text[200];
	print_recorded(out, term, &report->model->steps);
	if (!stepping->known)
		return;
	const char *name = name_of(run, stepping->thread);
	size_t used = (size_t)snprintf(text, sizeof(text), "steps of thread %u%s%.40s%s",
		stepping->tid, name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "");
	if (stepping->others > 0)
		snprintf(text + used, sizeof(text) - used,
			"; %u other%s %s too, whose own waiting is no part of this",
			stepping->others, stepping->others > 1 ? "s" : "",
			report->model->alone   ? "run operators"
			: stepping->others > 1 ? "give the GPU work"
					       : "gives the GPU work");
	out_text(out, "  ");
	paragraph_print(out, term->width, text, 2, 4);
	out_char(out, '\n');
}

/* Where the program ran, and as one of how many. */
static void print_job(struct json *json, const struct output_run *run)
{
	const struct reader *reader = run->traced->reader;
	const struct meta_RUN *about = reader != NULL ? reader_run(reader) : NULL;
	json_add_text(json, "directory", about != NULL ? about->directory : NULL);
	if (about != NULL && about->world_size > 0)
		json_add_u64(json, "world_size", (uint64_t)about->world_size);
	else
		json_add_null(json, "world_size");
}

void output_scope_json(struct json *json, const struct output_run *run, const struct report *report)
{
	const struct report_stepping *stepping = &report->stepping;
	print_job(json, run);
	if (!stepping->known) {
		json_add_null(json, "stepping_thread");
		return;
	}
	const char *name = name_of(run, stepping->thread);
	json_add_object(json, "stepping_thread");
	json_add_u64(json, "tid", stepping->tid);
	json_add_text(json, "name", name[0] != '\0' ? name : NULL);
	json_add_u64(json, "other_launching_threads", stepping->others);
	json_object_end(json);
}

void output_scope_steps_json(struct json *json, const struct report *report)
{
	const struct step_skips *skips = &report->model->steps.skips;
	json_add_u64(json, "not_recorded", skips->steps);
	json_add_array(json, "not_recorded_ranges");
	for (uint32_t i = 0; i < skips->count; i++) {
		json_object(json);
		json_add_u64(json, "first", skips->items[i].first);
		json_add_u64(json, "count", skips->items[i].count);
		json_object_end(json);
	}
	json_array_end(json);
	const struct bare *bare = &report->model->bare;
	if (bare->covered == bare->steps) {
		json_add_null(json, "operators");
		return;
	}
	json_add_object(json, "operators");
	json_add_u64(json, "steps", bare->covered);
	json_add_u64(json, "of", bare->steps);
	if (bare->cost > 0)
		json_add_tenths(json, "longer_pct", (bare->cost - 1) / 10.0);
	else
		json_add_null(json, "longer_pct");
	json_add_u64(json, "calls_without", bare->calls);
	json_add_u64(json, "carried_over", bare->known);
	json_object_end(json);
}
