/* SPDX-License-Identifier: MIT */
#include "analyzer/output/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/output/paragraph.h"
#include "analyzer/report/result/result.h"
#include "analyzer/run/process.h"
#include "analyzer/text/safe.h"

#define CELL_TEXT  256u
#define NAME_LEAST 14u /* columns of the last column */
#define TEXT_MOST  32u /* of another text */
#define TEXT_LEAST 8u

static size_t columns_of(const char *text)
{
	size_t columns = 0;
	for (; *text != '\0'; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* Bytes of the first count characters of text, whatever its encoding. */
static size_t bytes_of(const char *text, size_t count)
{
	size_t bytes = 0;
	while (text[bytes] != '\0' && (count > 0 || ((unsigned char)text[bytes] & 0xc0) == 0x80))
		count -= ((unsigned char)text[bytes++] & 0xc0) != 0x80;
	return bytes;
}

void output_tables_squeeze(const char *text, size_t limit, char *ret_text, size_t size)
{
	size_t columns = columns_of(text);
	if (columns <= limit) {
		snprintf(ret_text, size, "%s", text);
		return;
	}
	/* of a path its end says most */
	size_t head = text[0] == '/' ? 0 : (limit - 3) / 2, tail = limit - 3 - head;
	snprintf(ret_text, size, "%.*s...%s", (int)bytes_of(text, head), text,
		text + bytes_of(text, columns - tail));
}

static void print_scaled(char *text, size_t size, uint64_t bytes, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
	double value = (double)bytes;
	unsigned step = 0;
	for (; value >= 999.95 && step < sizeof(prefixes) / sizeof(prefixes[0]) - 1; step++)
		value /= 1000;
	snprintf(text, size, "%.*f %s%s", step > 0, value, prefixes[step], unit);
}

static const char *print_shape(char *text, size_t size, uint64_t shape)
{
	snprintf(text, size, "%" PRIu64 "x%" PRIu64 "x%" PRIu64, shape & UINT32_MAX,
		shape >> 32 & 0xffff, shape >> 48);
	return text;
}

/* Text as it is shown, which takes more room where it is hostile; buffer: CELL_TEXT * 4. */
static const char *shown(const char *text, char *buffer)
{
	struct out out;
	if (out_open_memory(&out) < 0)
		return "-";
	out_printable(&out, text, CELL_TEXT);
	snprintf(buffer, (size_t)CELL_TEXT * 4, "%.*s", (int)out.used, out.buffer);
	(void)out_close(&out);
	return buffer;
}

/* A cell for people; limit: columns of a text. */
static void print_cell(
	char *text, const struct tables_cell *cell, enum tables_type type, size_t limit)
{
	char buffer[CELL_TEXT * 4];
	if (!cell->known) {
		snprintf(text, CELL_TEXT, "-");
		return;
	}
	switch (type) {
	case TABLES_TEXT:
		output_tables_squeeze(shown(cell->text, buffer), limit, text, CELL_TEXT);
		break;
	case TABLES_NS:
		(void)report_duration(cell->number, text, CELL_TEXT);
		break;
	case TABLES_BYTES:
		print_scaled(text, CELL_TEXT, cell->number, "B");
		break;
	case TABLES_RATE:
		print_scaled(text, CELL_TEXT, cell->number, "B/s");
		break;
	case TABLES_PCT:
		snprintf(text, CELL_TEXT, "%.1f", (double)cell->number / 10);
		break;
	case TABLES_PER_S:
		snprintf(text, CELL_TEXT, "%.2f", (double)cell->number / 1000);
		break;
	case TABLES_SHAPE:
		(void)print_shape(text, CELL_TEXT, cell->number);
		break;
	default:
		snprintf(text, CELL_TEXT, "%" PRId64, (int64_t)cell->number);
	}
}

#define COLUMNS_LIMIT 48u

struct layout {
	size_t width[COLUMNS_LIMIT]; /* 0: not shown */
	size_t rows, last;           /* last: the last one shown */
};

/* Whether the column says anything; one that does not is left out. */
static bool is_known(const struct tables_view *view, size_t column, size_t rows)
{
	for (size_t row = 0; row < rows; row++)
		if (tables_cell(view, row, column)->known)
			return true;
	return false;
}

/* Columns of all but the last, with the blanks between them, that of the last among these. */
static size_t used_of(const struct layout *layout)
{
	size_t used = 2;
	for (size_t i = 0; i < layout->last; i++)
		used += layout->width[i] > 0 ? layout->width[i] + 2 : 0;
	return used;
}

/* Texts before the last column give way when the line gets too long, then numbers are left out. */
static void fit(const struct tables_view *view, size_t columns, struct layout *layout)
{
	size_t last = layout->last, least = layout->width[last];
	if (least > NAME_LEAST)
		least = NAME_LEAST;
	for (size_t i = 0; i < last; i++)
		while (view->columns[i].type == TABLES_TEXT && layout->width[i] > TEXT_LEAST &&
			used_of(layout) + least > columns)
			layout->width[i]--;
	for (size_t i = last; i-- > 1 && used_of(layout) + least > columns;)
		if (view->columns[i].type != TABLES_TEXT)
			layout->width[i] = 0;
	if (view->columns[last].type == TABLES_TEXT)
		layout->width[last] =
			columns > used_of(layout) + least ? columns - used_of(layout) : least;
}

static void lay_out(const struct tables_view *view, size_t columns, struct layout *layout)
{
	char text[CELL_TEXT];
	for (size_t i = 0; i < view->column_count; i++) {
		const struct tables_column *column = &view->columns[i];
		layout->width[i] = 0;
		if (column->heading == NULL || !is_known(view, i, layout->rows))
			continue;
		layout->width[i] = strlen(column->heading);
		layout->last = i;
		for (size_t row = 0; row < layout->rows; row++) {
			print_cell(text, tables_cell(view, row, i), column->type, TEXT_MOST);
			size_t width = columns_of(text);
			if (width > layout->width[i])
				layout->width[i] = width;
		}
	}
	fit(view, columns, layout);
}

/* Numbers stand to the right, texts to the left; nothing pads the end of a line. */
static void print_aligned(struct out *out, const char *text, size_t width, bool left, bool last)
{
	size_t columns = columns_of(text);
	out_text(out, "  ");
	for (size_t i = columns; i < width && !left; i++)
		out_char(out, ' ');
	out_printable(out, text, 0);
	for (size_t i = columns; i < width && left && !last; i++)
		out_char(out, ' ');
}

static void print_heading(struct out *out, const struct term *term, const struct tables_view *view,
	const struct layout *layout)
{
	out_text(out, term_style(term, TERM_DIM));
	for (size_t i = 0; i <= layout->last; i++)
		if (layout->width[i] > 0)
			print_aligned(out, view->columns[i].heading, layout->width[i],
				view->columns[i].type == TABLES_TEXT, i == layout->last);
	out_text(out, term_style(term, TERM_PLAIN));
	out_char(out, '\n');
}

static void print_view(
	struct out *out, const struct term *term, const struct tables_view *view, const char *scope)
{
	const size_t most = OUTPUT_TABLES_ROWS;
	char text[CELL_TEXT];
	const struct tables_info *info = &tables_infos[view->id];
	struct layout layout = {.rows = view->rows < most ? view->rows : most};
	out_char(out, '\n');
	term_styled(term, out, TERM_BOLD, info->title);
	out_format(out, " (%s%s)%s\n", info->remark, scope, view->rows == 0 ? ": none" : ":");
	if (view->rows == 0)
		return;
	lay_out(view, term->width, &layout);
	print_heading(out, term, view, &layout);
	for (size_t row = 0; row < layout.rows; row++) {
		for (size_t i = 0; i <= layout.last; i++) {
			const struct tables_column *column = &view->columns[i];
			if (layout.width[i] == 0)
				continue;
			print_cell(text, tables_cell(view, row, i), column->type, layout.width[i]);
			print_aligned(out, text, layout.width[i], column->type == TABLES_TEXT,
				i == layout.last);
		}
		out_char(out, '\n');
	}
	if (layout.rows < view->rows)
		out_format(out, "  and %zu more rows: --format csv --tables=%s has all\n",
			view->rows - layout.rows, info->name);
}

/* Of which steps the operators are, when not of all. */
static const char *scope_of(
	const struct tables_source *source, enum tables_id id, char *text, size_t size)
{
	*text = '\0';
	if ((id == TABLES_OPERATORS || id == TABLES_LINES || id == TABLES_OPERATOR_KERNELS) &&
		source->covered.steps < source->covered.of)
		(void)snprintf(text, size, "; operators of %" PRIu64 " of %" PRIu64 " steps",
			source->covered.steps, source->covered.of);
	return text;
}

const char *output_tables_absence(const struct process *traced, char *text, size_t size)
{
	const char *state = states_value(&traced->sources, "activity");
	if (traced->tables != NULL && tables_measured(traced->tables))
		return NULL;
	snprintf(text, size,
		"the trace has no records of what the device did (source activity: %s)",
		state != NULL ? state : "not recorded");
	return text;
}

void output_tables_text(
	struct out *out, const struct term *term, const struct output_tables *tables)
{
	if (tables->source.tables == NULL)
		return;
	uint32_t wanted = tables->wanted;
	bool said = false, measured = tables_measured(tables->source.tables);
	char scope[80];
	for (unsigned id = 0; id < TABLES_COUNT; id++) {
		struct tables_view view;
		if ((wanted >> id & 1) == 0)
			continue;
		if (tables_infos[id].device && !measured) {
			if (!said && tables->absent != NULL) {
				out_text(out, "\nno tables of the device: ");
				paragraph_print(out, term->width, tables->absent,
					strlen("no tables of the device: "), 2);
				out_char(out, '\n');
			}
			said = true;
			continue;
		}
		if (tables_view_init(&view, &tables->source, id) == 0)
			print_view(out, term, &view,
				scope_of(&tables->source, id, scope, sizeof(scope)));
		else
			out_format(out, "\n%s: out of memory\n", tables_infos[id].title);
		tables_view_release(&view);
	}
}

static void print_json_cell(
	struct json *json, const struct tables_column *column, const struct tables_cell *cell)
{
	json_key(json, column->name);
	if (!cell->known) {
		json_null(json);
	} else if (column->type == TABLES_TEXT) {
		json_text(json, cell->text);
	} else if (column->type == TABLES_PCT) {
		json_tenths(json, (double)cell->number / 10);
	} else if (column->type == TABLES_PER_S) {
		json_decimal(json, cell->number, 3);
	} else if (column->type == TABLES_SHAPE) {
		char text[64];
		json_text(json, print_shape(text, sizeof(text), cell->number));
	} else if (column->type == TABLES_NUMBER) {
		json_i64(json, (int64_t)cell->number);
	} else {
		json_u64(json, cell->number);
	}
}

void output_tables_json(struct json *json, const struct output_tables *tables, uint32_t without)
{
	for (unsigned id = 0; id < TABLES_COUNT; id++) {
		struct tables_view view = {0};
		bool absent = tables->source.tables == NULL ||
			      (tables_infos[id].device && !tables_measured(tables->source.tables));
		if (without >> id & 1)
			continue;
		if (absent || tables_view_init(&view, &tables->source, id) < 0) {
			json_add_null(json, tables_infos[id].name);
			tables_view_release(&view);
			continue;
		}
		json_add_array(json, tables_infos[id].name);
		for (size_t row = 0; row < view.rows; row++) {
			json_object(json);
			for (size_t i = 0; i < view.column_count; i++)
				print_json_cell(json, &view.columns[i], tables_cell(&view, row, i));
			json_object_end(json);
		}
		json_array_end(json);
		tables_view_release(&view);
	}
	json_add_text(json, "device_tables_absent", tables->absent);
}

static void print_csv_cell(
	struct out *out, const struct tables_column *column, const struct tables_cell *cell)
{
	char text[CELL_TEXT];
	if (!cell->known)
		return;
	if (column->type == TABLES_TEXT)
		safe_csv(out, cell->text);
	else if (column->type == TABLES_PCT)
		out_decimal(out, cell->number, 1);
	else if (column->type == TABLES_PER_S)
		out_decimal(out, cell->number, 3);
	else if (column->type == TABLES_NUMBER)
		out_i64(out, (int64_t)cell->number);
	else if (column->type != TABLES_SHAPE)
		out_u64(out, cell->number);
	else
		out_text(out, print_shape(text, sizeof(text), cell->number));
}

static void print_csv_view(struct out *out, const struct tables_view *view)
{
	for (size_t i = 0; i < view->column_count; i++) {
		out_text(out, i == 0 ? "" : ",");
		out_text(out, view->columns[i].name);
	}
	out_text(out, "\r\n");
	for (size_t row = 0; row < view->rows; row++) {
		for (size_t i = 0; i < view->column_count; i++) {
			out_text(out, i == 0 ? "" : ",");
			print_csv_cell(out, &view->columns[i], tables_cell(view, row, i));
		}
		out_text(out, "\r\n");
	}
}

void output_tables_csv(struct out *out, const struct output_tables *tables)
{
	struct tables_view view;
	if (tables->wanted == 0 || tables->source.tables == NULL)
		return;
	if (tables_view_init(&view, &tables->source, (unsigned)__builtin_ctz(tables->wanted)) == 0)
		print_csv_view(out, &view);
	tables_view_release(&view);
}
