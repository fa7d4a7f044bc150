/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/place.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/names/library.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

static void write_where(struct finding *finding, bool native, uint64_t address)
{
	size_t size = sizeof(finding->where);
	const char *function = finding->function != NULL ? finding->function : "";
	if (!native)
		snprintf(finding->where, size, "%.200s:%llu", base_name(finding->file),
			(unsigned long long)finding->line);
	else if (function[0] != '\0')
		snprintf(
			finding->where, size, "%.200s(%.200s)", base_name(finding->file), function);
	else
		snprintf(finding->where, size, "%.200s+0x%llx", base_name(finding->file),
			(unsigned long long)address);
}

static const char *text_or_null(const struct report *report, uint64_t id)
{
	const char *text = id != 0 ? lookup_text(&report->model->lookup, (uint32_t)id) : NULL;
	return text != NULL && text[0] != '\0' ? text : NULL;
}

/* From the package's name on; of one that is not in site-packages file and folder. */
static const char *package_path(const char *path)
{
	static const char *const marks[] = {"/site-packages/", "/dist-packages/"};
	for (size_t i = 0; path != NULL && i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(path, marks[i]);
		if (at != NULL)
			return at + strlen(marks[i]);
	}
	const char *slash = path != NULL ? strrchr(path, '/') : NULL;
	while (slash != NULL && slash > path && slash[-1] != '/')
		slash--;
	return slash != NULL ? slash : path;
}

/* Of a package, which was called by the line of the program. */
static void name_library(const struct report *report, uint64_t file, uint64_t function,
	uint64_t line, struct finding *finding)
{
	char called_from[FINDING_TEXT];
	const char *path = package_path(text_or_null(report, file));
	if (path == NULL || finding->file == NULL)
		return;
	finding->library = path;
	finding->library_function = text_or_null(report, function);
	finding->library_line = line;
	snprintf(called_from, sizeof(called_from), "%s", finding->where);
	snprintf(finding->where, sizeof(finding->where), "%.150s:%llu (called from %.150s)", path,
		(unsigned long long)line, called_from);
}

static void through_library(const struct subject *subject, struct finding *finding)
{
	const struct spot *spot = subject->spot;
	name_library(subject->report, spot->library_file, spot->library_function,
		spot->library_line, finding);
	if (finding->library == NULL)
		return;
	const char *path = finding->library, *function = finding->library_function;
	const char *advice = library_advice(path, function != NULL ? function : "");
	if (advice != NULL)
		snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
}

bool place_is_around(const struct spot *spot)
{
	return spot->last_file == spot->file && spot->last_line == spot->line;
}

/* The code from one line to another, or around the loop from one to the same. */
static void write_between(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	const char *last = text_or_null(report, spot->last_file);
	char from[FINDING_TEXT];
	finding->until_file = spot->native ? NULL : last;
	finding->until_line = spot->last_line;
	write_where(finding, spot->native, spot->address);
	snprintf(from, sizeof(from), "%s", finding->where);
	if (spot->native || last == NULL)
		snprintf(finding->where, sizeof(finding->where), "after %.400s", from);
	else if (place_is_around(spot))
		snprintf(finding->where, sizeof(finding->where),
			"%.400s (until the next call there)", from);
	else if (spot->last_file == spot->file)
		snprintf(finding->where, sizeof(finding->where), "%.400s to :%llu", from,
			(unsigned long long)spot->last_line);
	else
		snprintf(finding->where, sizeof(finding->where), "%.200s to %.200s:%llu", from,
			base_name(last), (unsigned long long)spot->last_line);
}

void place_of_line(const struct subject *subject, struct finding *finding)
{
	const struct spot *spot = subject->spot;
	finding->op =
		text_or_null(subject->report, spot->outer_op != 0 ? spot->outer_op : spot->name);
	if (spot->awaited_place != 0) { /* which is the user's, while this code is not */
		place_of_id(subject->report, spot->awaited_place, "an unknown place", finding);
		return;
	}
	finding->file = text_or_null(subject->report, spot->file);
	finding->function = text_or_null(subject->report, spot->function);
	finding->line = spot->line;
	if (finding->file != NULL && spot->last_file != 0)
		write_between(subject->report, spot, finding);
	else if (finding->file != NULL)
		write_where(finding, spot->native, spot->address);
	else if (finding->op != NULL)
		snprintf(finding->where, sizeof(finding->where), "%.200s", finding->op);
	else
		snprintf(finding->where, sizeof(finding->where), "an unknown place");
	through_library(subject, finding);
}

void place_of_id(
	const struct report *report, uint32_t id, const char *otherwise, struct finding *finding)
{
	const struct meta_PLACE *place = id != 0 ? lookup_place(&report->model->lookup, id) : NULL;
	bool user = place != NULL && place->user_file != 0;
	if (place != NULL) {
		finding->file = text_or_null(report, user ? place->user_file : place->file);
		finding->function =
			text_or_null(report, user ? place->user_function : place->function);
		finding->line = user ? place->user_line : place->line;
	}
	if (place != NULL && finding->file != NULL)
		write_where(finding, !user && place->address != 0, place->address);
	else
		snprintf(finding->where, sizeof(finding->where), "%s", otherwise);
}

void place_through_library(const struct report *report, uint32_t id, struct finding *finding)
{
	const struct meta_PLACE *place = id != 0 ? lookup_place(&report->model->lookup, id) : NULL;
	if (place != NULL && place->user_file != 0)
		name_library(report, place->library_file, place->library_function,
			place->library_line, finding);
}

const char *place_package(const struct report *report, const struct spot *at, size_t *ret_length)
{
	const struct spots *spots = report->model->spots;
	for (uint32_t i = 1; i < spots->count; i++) {
		const struct spot *spot = &spots->items[i];
		if (spot->library_file == 0 || spot->file != at->file || spot->line != at->line)
			continue;
		const char *path = package_path(text_or_null(report, spot->library_file));
		*ret_length = path != NULL ? strcspn(path, "/") : 0;
		return path;
	}
	return NULL;
}

static void place_of_spot(const struct report *report, uint32_t index, struct finding *finding)
{
	const struct subject subject = {
		.report = report, .spot = &report->model->spots->items[index]};
	place_of_line(&subject, finding);
	finding->spot = index;
}

void place_of_input(const struct subject *subject, struct finding *finding)
{
	uint32_t index = report_input_spot(subject->report);
	if (index != 0)
		place_of_spot(subject->report, index, finding);
	if (finding->file == NULL)
		snprintf(finding->where, sizeof(finding->where), "the input");
}

void place_of_launches(const struct report *report, uint32_t spot, struct finding *finding)
{
	if (spot != 0)
		place_of_spot(report, spot, finding);
	if (finding->file == NULL)
		place_of_loop(finding);
}

void place_of_caller(const struct report *report, const struct meta_PLACE *place,
	struct finding_caller *ret_caller)
{
	*ret_caller = (struct finding_caller){.file = text_or_null(report, place->user_file),
		.function = text_or_null(report, place->user_function),
		.line = place->user_line};
	snprintf(ret_caller->where, sizeof(ret_caller->where), "%.100s:%llu",
		ret_caller->file != NULL ? base_name(ret_caller->file) : "?",
		(unsigned long long)ret_caller->line);
}

void place_of_loop(struct finding *finding)
{
	snprintf(finding->where, sizeof(finding->where), "%s", PLACE_LOOP);
}
