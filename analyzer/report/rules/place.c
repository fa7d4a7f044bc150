/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/place.h"

#include <stdio.h>
#include <string.h>

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

void place_of_line(const struct subject *subject, struct finding *finding)
{
	const struct spot *spot = subject->spot;
	finding->file = text_or_null(subject->report, spot->file);
	finding->function = text_or_null(subject->report, spot->function);
	finding->line = spot->line;
	finding->op = text_or_null(subject->report, spot->outer_op);
	if (finding->file != NULL)
		write_where(finding, spot->native, spot->address);
	else
		snprintf(finding->where, sizeof(finding->where), "an unknown place");
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

void place_of_input(const struct subject *subject, struct finding *finding)
{
	const struct model *model = subject->report->model;
	finding->op = text_or_null(subject->report, model->loader_name);
	place_of_id(subject->report,
		model->loader_name != 0 ? model->loader_place : model->input_place, "the input",
		finding);
}

void place_of_loop(struct finding *finding)
{
	snprintf(finding->where, sizeof(finding->where), "%s", PLACE_LOOP);
}
