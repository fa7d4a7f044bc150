/* SPDX-License-Identifier: MIT */
#include "analyzer/output/text_finding.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/output/paragraph.h"

#define TITLE_COLUMNS 80u
#define OP_LONG       30u /* columns; such a name goes before the path is cut */
#define TITLE_BYTES   8192u
#define SOURCE_BYTES  512u

/* How much of a place is told: less and less, until it fits. */
struct manner {
	const char *path; /* the file's, or its end */
	bool library, function, op;
};

static size_t columns_of(const char *text)
{
	size_t columns = 0;
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			columns += strlen("\\x00");
		else
			columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* In no more columns than that. */
static void print_cut(struct out *out, const char *text, size_t columns)
{
	out_printable(out, text, columns_of(text) <= columns ? 0 : columns - strlen("..."));
}

static void append(char *text, const char *more)
{
	size_t used = strlen(text);
	snprintf(text + used, TITLE_BYTES - used, "%s", more);
}

static void append_line(char *text, uint64_t line)
{
	size_t used = strlen(text);
	if (line > 0)
		snprintf(text + used, TITLE_BYTES - used, ":%llu", (unsigned long long)line);
}

static void append_function(char *text, const char *function)
{
	size_t used = strlen(text);
	if (function != NULL)
		snprintf(text + used, TITLE_BYTES - used, " in %.60s", function);
}

/* Of the code between two calls the place is that of the first. */
static void append_path(char *text, const struct finding *finding, const char *path)
{
	if (finding->until_file != NULL)
		append(text, "after ");
	if (path != finding->file)
		append(text, "...");
	append(text, path);
	append_line(text, finding->line);
}

static void append_library(char *text, const struct finding *finding)
{
	append(text, finding->library);
	append_line(text, finding->library_line);
	append_function(text, finding->library_function);
}

/* A part of a backward pass is called after what it is the backward pass of. */
static const char *op_name(const struct finding *finding)
{
	static const char engine[] = "autograd::engine::evaluate_function: ";
	size_t length = sizeof(engine) - 1;
	bool part = finding->op != NULL && strncmp(finding->op, engine, length) == 0;
	return part ? finding->op + length : finding->op;
}

/* The place into text, which is empty. */
static void tell_place(const struct finding *finding, const struct manner *manner, char *text)
{
	if (manner->library && finding->library != NULL) {
		append_library(text, finding);
		append(text, ", called from ");
	}
	append_path(text, finding, manner->path);
	if (manner->function)
		append_function(text, finding->function);
	if (manner->op && finding->op != NULL) {
		append(text, ", ");
		append(text, op_name(finding));
	}
}

/* The place in as many columns as there are, or in the shortest form; true: the path is whole. */
static bool fit_place(const struct finding *finding, size_t columns, char *text)
{
	struct manner manner = {finding->file, true, true, true};
	for (;;) {
		text[0] = '\0';
		tell_place(finding, &manner, text);
		if (columns_of(text) <= columns)
			break;
		const char *slash = manner.path[0] != '\0' ? strchr(manner.path + 1, '/') : NULL;
		if (manner.library && finding->library != NULL)
			manner.library = false;
		else if (manner.op && finding->op != NULL && strlen(op_name(finding)) > OP_LONG)
			manner.op = false;
		else if (slash != NULL && slash[1] != '\0')
			manner.path = slash;
		else if (manner.function && finding->function != NULL)
			manner.function = false;
		else if (manner.op && finding->op != NULL)
			manner.op = false;
		else
			break;
	}
	return manner.path == finding->file;
}

/* What the title had no room for: the way through a library, the whole path. */
static void print_rest(
	struct out *out, const struct finding *finding, const char *title, bool whole_path)
{
	char text[TITLE_BYTES] = "";
	if (finding->library != NULL && strstr(title, ", called from ") == NULL) {
		append_library(text, finding);
		out_text(out, "\n  through ");
		print_cut(out, text, TITLE_COLUMNS - strlen("  through "));
	}
	if (whole_path)
		return;
	text[0] = '\0';
	append(text, finding->file);
	append_line(text, finding->line);
	if (columns_of(text) > TITLE_COLUMNS - 2)
		return; /* cut it says no more than the title */
	out_text(out, "\n  ");
	out_printable(out, text, 0);
}

/* A line as it stands in the file, where the trace has it. */
static void print_line(
	struct out *out, const struct sources *sources, const char *file, uint64_t number)
{
	char text[SOURCE_BYTES];
	size_t length;
	const char *line = sources_line(sources, file, number, &length);
	if (line == NULL)
		return;
	for (; length > 0 && (*line == ' ' || *line == '\t'); length--)
		line++;
	snprintf(text, sizeof(text), "%.*s", (int)length, line);
	out_format(out, "\n  %6llu | ", (unsigned long long)number);
	print_cut(out, text, TITLE_COLUMNS - strlen("  123456 | "));
}

static void print_source(
	struct out *out, const struct sources *sources, const struct finding *finding)
{
	print_line(out, sources, finding->file, finding->line);
	if (finding->until_file == NULL)
		return;
	bool same_file = strcmp(finding->until_file, finding->file) == 0;
	if (same_file && finding->until_line == finding->line)
		return;
	if (same_file) {
		out_format(out, "\n  until line %llu", (unsigned long long)finding->until_line);
	} else {
		char until[TITLE_BYTES] = "until ";
		append(until, finding->until_file);
		append_line(until, finding->until_line);
		out_text(out, "\n  ");
		print_cut(out, until, TITLE_COLUMNS - 2);
	}
	print_line(out, sources, finding->until_file, finding->until_line);
}

static void print_title(struct out *out, const struct term *term, const struct sources *sources,
	const struct finding *finding)
{
	static const enum term_style styles[SEVERITY_COUNT] = {
		TERM_RED, TERM_YELLOW, TERM_CYAN, TERM_DIM};
	char text[TITLE_BYTES];
	const char *severity = severity_names[finding->severity];
	size_t begin = strlen(severity) + strlen(": : ") + strlen(finding->rule->name);
	term_styled(term, out, styles[finding->severity], severity);
	out_format(out, ": %s: ", finding->rule->name);
	term_styled(term, out, TERM_BOLD, "");
	if (finding->file == NULL) {
		print_cut(out, finding->where, TITLE_COLUMNS - begin);
		return;
	}
	bool whole = fit_place(finding, TITLE_COLUMNS - begin, text);
	print_cut(out, text, TITLE_COLUMNS - begin);
	print_rest(out, finding, text, whole);
	print_source(out, sources, finding);
}

static void print_gain(struct out *out, const struct finding *finding)
{
	char left[32];
	if (finding->part_of != NULL)
		out_format(out, "\n  explains %s; gain counted there", finding->part_of->name);
	else if (finding->run_pct > 0)
		out_format(out, "\n  saves up to %.1f %% of the run; no step gets shorter",
			finding->run_pct);
	else if (finding->gain_pct == REPORT_UNKNOWN_PCT && finding->severity != SEVERITY_INFO)
		out_text(out, "\n  what it would save is not known");
	else if (finding->gain_pct == REPORT_UNKNOWN_PCT)
		; /* what should be known, and needs no mending */
	else if (finding->gain_pct >= 0.05)
		out_format(out, "\n  saves up to %.1f %%: a step would take %s", finding->gain_pct,
			report_duration(finding->predicted_ns, left, sizeof(left)));
	else
		out_text(out, "\n  saves nothing");
}

void text_finding(struct out *out, const struct term *term, const struct sources *sources,
	const struct finding *finding)
{
	out_char(out, '\n');
	print_title(out, term, sources, finding);
	out_text(out, "\n  ");
	paragraph_print(out, term->width, finding->rule->title, 2, 2);
	print_gain(out, finding);
	out_text(out, "\n  ");
	paragraph_print(out, term->width, finding->evidence, 2, 2);
	if (finding->severity != SEVERITY_INFO || finding->gain_pct == REPORT_UNKNOWN_PCT) {
		out_text(out, "\n  ");
		paragraph_print(out, term->width, finding->advice, 2, 2);
	}
	out_char(out, '\n');
}
