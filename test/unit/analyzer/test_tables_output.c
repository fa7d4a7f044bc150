/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/output/tables.h"
#include "test/unit/analyzer/tables_names.h"

/* One kernel of a name, and a launch of it. */
static struct tables *with_kernel(uint32_t name)
{
	struct tables *tables = tables_new();
	struct record kernel = {.kind = RECORD_DEVICE_KERNEL,
		.name = name,
		.begin = 2000,
		.end = 5500,
		.stream = 7,
		.a = record_bits_grid_x(4) | record_bits_grid_y(1) | record_bits_grid_z(1),
		.b = record_bits_block_x(64) | record_bits_block_y(1) | record_bits_block_z(1)};
	struct record call = {.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .begin = 1, .end = 3};
	cr_assert(tables != NULL);
	cr_assert(eq(int, tables_device(tables, &kernel), 0));
	cr_assert(eq(int, tables_call(tables, &call), 0));
	cr_assert(eq(int, tables_pair(tables, &call, &kernel), 0));
	return tables;
}

enum form {
	TEXT,
	JSON,
	CSV
};

/* The tables in a form; the caller closes out. */
static const char *print(struct out *out, enum form form, const struct output_tables *tables)
{
	const struct term term = {.width = 100};
	struct json json;
	cr_assert(eq(int, out_open_memory(out), 0));
	if (form == TEXT)
		output_tables_text(out, &term, tables);
	if (form == CSV)
		output_tables_csv(out, tables);
	if (form == JSON) {
		json_init(&json, out, false);
		json_object(&json);
		output_tables_json(&json, tables, 0);
		json_object_end(&json);
	}
	out_char(out, '\0');
	return out->buffer;
}

Test(output_tables, csv_quotes_as_rfc_4180_says)
{
	struct out out;
	struct tables *tables = with_kernel(NAMES_HOSTILE);
	struct output_tables wanted = {
		.source = names_source(tables), .wanted = 1u << TABLES_GPU_ACTIVITIES};
	const char *text = print(&out, CSV, &wanted);
	cr_expect(eq(str, (char *)text,
		"time_pct,total_ns,count,avg_ns,median_ns,min_ns,max_ns,stddev_ns,p95_ns,p99_ns,"
		"untimed,kind,name\r\n"
		"100.0,3500,1,3500,3500,3500,3500,0,3500,3500,0,kernel,\"a,\"\"b\"\" [31m c\""
		"\r\n"));
	(void)out_close(&out);
	wanted.wanted = 1u << TABLES_KERNELS;
	text = print(&out, CSV, &wanted);
	cr_expect(strstr(text, ",4x1x1,64x1x1,0,0,") != NULL, "%s", text);
	(void)out_close(&out);
	tables_free(tables);
}

Test(output_tables, what_is_not_known_is_empty_in_csv_and_null_in_json)
{
	struct out out;
	struct tables *tables = with_kernel(NAMES_KERNEL);
	struct record failed = {.kind = RECORD_SYNC,
		.call = NAMES_LAUNCH,
		.result = -7,
		.begin = 1500,
		.end = 1501};
	cr_assert(eq(int, tables_call(tables, &failed), 0));
	struct output_tables wanted = {
		.source = names_source(tables), .wanted = 1u << TABLES_FAILED_CALLS};
	const char *text = print(&out, CSV, &wanted);
	cr_expect(eq(str, (char *)text,
		"count,first_ns,api,name,error,error_name,line,file\r\n"
		"1,500,runtime,cudaLaunchKernel,-7,,,\r\n"));
	(void)out_close(&out);
	text = print(&out, JSON, &wanted);
	cr_expect(strstr(text, "\"error\": -7, \"error_name\": null, \"line\": null") != NULL, "%s",
		text);
	cr_expect(strstr(text, "\"device_tables_absent\": null") != NULL);
	(void)out_close(&out);
	tables_free(tables);
}

Test(output_tables, without_device_records_the_reason_is_said_once)
{
	struct out out;
	struct tables *tables = tables_new();
	struct record call = {.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .begin = 1, .end = 3};
	cr_assert(eq(int, tables_call(tables, &call), 0));
	struct output_tables wanted = {
		.source = names_source(tables), .wanted = TABLES_ALL, .absent = "no CUPTI"};
	const char *text = print(&out, TEXT, &wanted);
	const char *reason = strstr(text, "no tables of the device: no CUPTI\n");
	cr_expect(reason != NULL && strstr(reason + 40, "no CUPTI") == NULL, "%s", text);
	cr_expect(strstr(text, "cudaLaunchKernel") != NULL);
	cr_expect(strstr(text, "failed calls") != NULL);
	cr_expect(strstr(text, "GPU activities") == NULL);
	(void)out_close(&out);
	text = print(&out, JSON, &wanted);
	cr_expect(strstr(text, "\"gpu_activities\": null, \"api_calls\": [{") != NULL, "%s", text);
	cr_expect(strstr(text, "\"device_tables_absent\": \"no CUPTI\"") != NULL);
	(void)out_close(&out);
	wanted.wanted = 0;
	cr_expect(eq(str, (char *)print(&out, TEXT, &wanted), ""));
	(void)out_close(&out);
	tables_free(tables);
}

Test(output_tables, lines_fit_and_hostile_names_reach_no_terminal)
{
	static const uint32_t names[] = {NAMES_HOSTILE, NAMES_LONG};
	for (size_t i = 0; i < 2; i++) {
		struct out out;
		struct tables *tables = with_kernel(names[i]);
		struct record failed = {.kind = RECORD_ALLOC,
			.call = NAMES_DRIVER_ALLOC,
			.d = RECORD_DRIVER,
			.result = 712,
			.place = NAMES_PLACE};
		cr_assert(eq(int, tables_call(tables, &failed), 0));
		struct output_tables wanted = {
			.source = names_source(tables), .wanted = TABLES_ALL};
		const char *text = print(&out, TEXT, &wanted);
		cr_expect(strchr(text, '\x1b') == NULL);
		for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
			cr_expect(
				strcspn(line, "\n") <= 100, "%.*s", (int)strcspn(line, "\n"), line);
		(void)out_close(&out);
		tables_free(tables);
	}
}

Test(output_tables, long_names_lose_their_middle)
{
	char text[64];
	output_tables_squeeze("abcdefghijklmnop", 16, text, sizeof(text));
	cr_expect(eq(str, text, "abcdefghijklmnop"));
	output_tables_squeeze("abcdefghijklmnop", 10, text, sizeof(text));
	cr_expect(eq(str, text, "abc...mnop"));
	/* no character is cut in two */
	output_tables_squeeze("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6", 7,
		text, sizeof(text));
	cr_expect(eq(str, text, "\xc3\xa4\xc3\xb6...\xc3\xa4\xc3\xb6"));
}

Test(output_tables, many_rows_are_cut_and_counted)
{
	struct out out;
	struct tables *tables = with_kernel(NAMES_KERNEL);
	for (uint32_t i = 0; i < 30; i++) {
		struct record kernel = {.kind = RECORD_DEVICE_KERNEL,
			.name = NAMES_MANY + i,
			.begin = i * 1000,
			.end = i * 1000 + 100 + i};
		cr_assert(eq(int, tables_device(tables, &kernel), 0));
	}
	struct output_tables wanted = {
		.source = names_source(tables), .wanted = 1u << TABLES_GPU_ACTIVITIES};
	const char *text = print(&out, TEXT, &wanted);
	cr_expect(strstr(text, "relu\n") != NULL && strstr(text, "kernel_129\n") != NULL);
	cr_expect(strstr(text, "kernel_110\n") == NULL);
	cr_expect(strstr(text, "and 11 more rows") != NULL, "%s", text);
	cr_expect(strstr(text, "API calls") == NULL);
	(void)out_close(&out);
	tables_free(tables);
}
