/* SPDX-License-Identifier: MIT */
/* Reports read back, also damaged ones, and files named below a root. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary/path.h"
#include "analyzer/summary/summary.h"
#include "analyzer/summary/thin.h"
#include "collector/base/err.h"

struct path_case {
	const char *root, *directory, *path, *wanted;
	bool below;
};

static const struct path_case paths[] = {
	{"/r", NULL, "/r/a/b.py", "a/b.py", true},
	{"/r/", NULL, "/r/./a//b.py", "a/b.py", true},
	{"/r", "/r/sub", "b.py", "sub/b.py", true},
	{"/r", "/r/sub", "../b.py", "b.py", true},
	{"/r", "/r/sub", "../../b.py", "b.py", false},
	{"/r", NULL, "/r/../etc/passwd", "passwd", false},
	{"/r", NULL, "/run/b.py", "b.py", false},
	{"/", NULL, "/x/b.py", "x/b.py", true},
	{"/r", NULL, "b.py", "b.py", true},
	{"/r", NULL, "/r", "r", false},
};

static void check_path(const struct path_case *wanted)
{
	char path[64];
	bool below = path_below(wanted->root, wanted->directory, wanted->path, path, sizeof(path));
	cr_assert(eq(str, path, (char *)wanted->wanted));
	cr_assert(eq(int, below, wanted->below));
}

Test(path, is_taken_below_the_root)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		check_path(&paths[i]);
}

static const char report[] =
	"{\"schema\": \"libtrace-report/1\", \"run\": {\"programs\": [\"a.py\"],"
	" \"framework\": null, \"world_size\": 2, \"directory\": \"/r\"},"
	" \"health\": {\"status\": \"good\", \"lost\": 0},"
	" \"steps\": {\"steady\": 20, \"p10_ns\": 18446744073709551},"
	" \"findings\": [{\"rule\": \"x\", \"severity\": \"high\", \"file\": \"a.py\","
	" \"line\": 3}, 7],"
	" \"counts\": {\"steps\": 20, \"totals\": {\"syncs\": 40}, \"sites\": [],"
	" \"kernels\": [{\"name\": \"k\", \"count\": 1, \"device_mean_ns\": 100},"
	" {\"name\": \"k\", \"count\": 3, \"device_mean_ns\": 500}]}}";

Test(summary, has_what_the_report_says)
{
	struct summary summary;
	struct summary_problem problem;
	cr_assert(eq(int, summary_read(&summary, "r", report, strlen(report), "/r", &problem), 0));
	cr_assert(eq(str, (char *)summary.program, "a.py"));
	cr_assert(eq(u64, summary.world_size, 2));
	cr_assert(eq(u64, summary.p10_ns, 18446744073709551));
	cr_assert(eq(u64, summary.mean_ns, SUMMARY_UNKNOWN));
	cr_assert(eq(sz, summary.findings.count, 1));
	cr_assert(eq(str, summary.findings.items[0].place.path, "a.py"));
	cr_assert(eq(sz, summary.rows[SUMMARY_KERNELS].count, 1));
	cr_assert(eq(u64, summary.rows[SUMMARY_KERNELS].items[0].count, 4));
	cr_assert(eq(u64, summary.rows[SUMMARY_KERNELS].items[0].device_mean_ns, 400));
	summary_release(&summary);
}

Test(summary, no_part_of_a_report_is_taken_for_one)
{
	struct summary summary;
	struct summary_problem problem;
	for (size_t size = 0; size + 1 < strlen(report); size++) {
		cr_expect(eq(int, summary_read(&summary, "r", report, size, "/r", &problem),
				  -ERR_BAD_VALUE),
			"%zu bytes", size);
		summary_release(&summary);
	}
}

Test(summary, other_documents_are_refused)
{
	static const char *const texts[] = {"[]", "{}", "{\"schema\": \"libtrace-check/1\"}",
		"{\"schema\": \"libtrace-report/2\", \"counts\": {}}",
		"{\"schema\": \"libtrace-report/1\"}",
		"{\"schema\": \"libtrace-report/1\", \"schema\": \"libtrace-report/1\"}"};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct summary summary;
		struct summary_problem problem = {0};
		cr_expect(eq(int,
			summary_read(&summary, "r", texts[i], strlen(texts[i]), "/", &problem),
			-ERR_BAD_VALUE));
		cr_expect(ne(chr, problem.text[0], '\0'));
		summary_release(&summary);
	}
}

/* What is no object, or has no number, is no rank. */
static const char ranks[] =
	"{\"schema\": \"libtrace-report/1\", \"run\": {\"programs\": [\"a.py\"],"
	" \"directory\": \"/r\", \"world_size\": 3, \"analysed_process\": 1, \"unread_files\": 2,"
	" \"processes\": [{\"pid\": 7, \"rank\": 0}, {\"pid\": 7, \"rank\": 2}]},"
	" \"counts\": {\"steps\": 20}, \"other_ranks\": [7, {\"rank\": null}, {\"rank\": 0,"
	" \"health\": {\"status\": \"bad\", \"lost\": 3, \"missing\": 4},"
	" \"steps\": {\"p10_ns\": 9},"
	" \"findings\": [{\"rule\": \"x\", \"severity\": \"low\", \"file\": \"/r/b.py\"}],"
	" \"counts\": {\"steps\": 21, \"totals\": {\"syncs\": 5}}}]}";

Test(summary, has_the_other_ranks)
{
	struct summary summary;
	struct summary_problem problem;
	cr_assert(eq(int, summary_read(&summary, "r", ranks, strlen(ranks), "/r", &problem), 0));
	cr_assert(eq(i64, summary.rank, 2));
	cr_assert(eq(u64, summary.unread, 2));
	cr_assert(eq(sz, summary.others.count, 1));
	const struct summary *other = summary_rank(&summary, 1);
	cr_assert(eq(i64, other->rank, 0));
	cr_assert(eq(str, (char *)other->program, "a.py"));
	cr_assert(eq(u64, other->world_size, 3));
	cr_assert(eq(u64, other->lost, 7));
	cr_assert(eq(u64, other->p10_ns, 9));
	cr_assert(eq(u64, other->steps, 21));
	cr_assert(eq(u64, other->totals.items[0].count, 5));
	cr_assert(eq(str, (char *)other->findings.items[0].place.path, "b.py"));
	cr_assert(eq(ptr, (void *)summary_rank(&summary, 0), &summary));
	summary_release(&summary);
}

struct thin_case {
	const char *document, *wanted; /* NULL: it is left as it is */
};

static const struct thin_case thin_cases[] = {
	{"{\"a\": 1, \"t\": {\"x\": [1, {}]}, \"b\": 2}", "{\"a\": 1, \"t\": null, \"b\": 2}"},
	{"{\"t\":[\n1,\n2]\n,\"b\":x}", "{\"t\":null\n\n\n,\"b\":x}"},
	{"{\"t\":1234\n\n\n\n}", "{\"t\":null\n\n\n\n}"},
	{"{\"t\":123\n\n\n\n}", NULL},
	{"{\"a\":\"\\\"t\\\":{\\\\\",\"t\":[\"]\\\\\\\"]\"]}",
		"{\"a\":\"\\\"t\\\":{\\\\\",\"t\":null}"},
	{"{\"a\": {\"t\": [1]}, \"tt\": [2]}", NULL},
	{"{\"s\": [1,\n2], \"a\": 1, \"t\": {\"s\": 1}}", "{\"s\": null\n, \"a\": 1, \"t\": null}"},
	{"{\"t\": [1, 2], \"s\": [1, 2", "{\"t\": null, \"s\": [1, 2"},
	{"{\"t\": 1, \"s\": []}", NULL},
	{"{\"t\": [1, 2", NULL},
	{"{\"t\": [1, \"2]}", NULL},
	{"[\"t\", 1]", NULL},
	{"{\"a\" 1, \"t\": 2}", NULL},
	{"{\"t\"", NULL},
	{"{\"t", NULL},
	{"", NULL},
};

Test(thin, leaves_out_members_of_the_outermost_object)
{
	static const char *const members[] = {"s", "t", NULL};
	for (size_t i = 0; i < sizeof(thin_cases) / sizeof(thin_cases[0]); i++) {
		const char *document = thin_cases[i].document;
		size_t size = 0, length = strlen(document);
		char *exact = malloc(length + 1); /* so that one byte too far is seen */
		memcpy(exact, document, length);
		char *thin = thin_out(exact, length, members, &size);
		free(exact);
		if (thin_cases[i].wanted == NULL) {
			cr_assert(eq(ptr, thin, NULL));
			continue;
		}
		cr_assert(eq(sz, size, strlen(thin_cases[i].wanted)));
		cr_assert(eq(int, memcmp(thin, thin_cases[i].wanted, size), 0), "%.*s", (int)size,
			thin);
		free(thin);
	}
}

Test(summary, tables_are_passed_over_and_places_stay)
{
	static const char with[] = "{\"tables\": {\"kernels\": [\n{}, ]},\n\"schema\": 1,\n ]";
	struct summary summary;
	struct summary_problem problem;
	cr_assert(eq(int, summary_read(&summary, "r", with, strlen(with), "/r", &problem),
		-ERR_BAD_VALUE));
	cr_assert(eq(int, strncmp(problem.text, "line 4, ", 8), 0), "%s", problem.text);
	summary_release(&summary);
}
