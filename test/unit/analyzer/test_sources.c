/* SPDX-License-Identifier: MIT */
/* What source files are called in a report, and which of their lines are shown. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/read/definitions.h"

static char folder[] = "/tmp/libtrace-sources-XXXXXX";
static struct definitions definitions;

static void make(void)
{
	char path[64];
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(path, sizeof(path), "%s/src", folder);
	cr_assert(eq(int, mkdir(path, 0700), 0));
	(void)snprintf(path, sizeof(path), "%s/src/train.py", folder);
	FILE *stream = fopen(path, "w");
	cr_assert(stream != NULL && fclose(stream) == 0);
}

static void clear(void)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "%s/src/train.py", folder);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/src", folder);
	(void)rmdir(path);
	(void)rmdir(folder);
	definitions_release(&definitions);
}

TestSuite(sources, .init = make, .fini = clear);

static const char *shown(const char *path)
{
	return sources_path(&definitions.sources, path);
}

static void add_lines(const char *path, uint64_t first, const char *text, uint64_t changed_ns)
{
	struct meta meta = {.kind = META_LINES,
		.u.lines = {
			.path = path, .first = first, .text = text, .file_changed_ns = changed_ns}};
	cr_assert(eq(int, definitions_add(&definitions, &meta), 0));
}

static void begin_at(uint64_t ns)
{
	struct meta meta = {.kind = META_RUN, .u.run = {.begin_realtime_ns = ns}};
	cr_assert(eq(int, definitions_add(&definitions, &meta), 0));
}

static void expect_line(const char *path, uint64_t line, const char *expected)
{
	char copy[64] = "(none)";
	size_t length;
	const char *text = sources_line(&definitions.sources, path, line, &length);
	if (text != NULL)
		(void)snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
	cr_assert(eq(str, copy, (char *)(uintptr_t)expected));
}

Test(sources, without_a_root_paths_stay)
{
	cr_assert(eq(str, (char *)(uintptr_t)shown("/a/b.py"), (char *)"/a/b.py"));
}

Test(sources, a_root_is_left_away_whether_it_is_there_or_recorded_elsewhere)
{
	char path[64];
	cr_assert(eq(int, definitions_set_root(&definitions, folder), 0));
	(void)snprintf(path, sizeof(path), "%s/gone.py", folder);
	cr_assert(eq(str, (char *)(uintptr_t)shown(path), (char *)"gone.py"));
	cr_assert(eq(str, (char *)(uintptr_t)shown("/home/of/another/src/train.py"),
		(char *)"src/train.py"));
}

Test(sources, other_paths_stay_with_a_root)
{
	static const char *const paths[] = {"/home/other.py", "/x/train.py", "train.py", "<stdin>",
		"", "/", "/usr/lib/python3.11/site-packages/src/train.py",
		"/usr/lib/python3.11/src/train.py", "/x/../src/train.py"};
	cr_assert(eq(int, definitions_set_root(&definitions, folder), 0));
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		cr_assert(eq(ptr, (void *)(uintptr_t)shown(paths[i]), (void *)(uintptr_t)paths[i]),
			"%s", paths[i]);
}

Test(sources, a_root_that_is_not_there_is_an_error)
{
	cr_assert(eq(int, definitions_set_root(&definitions, "/nowhere/at/all"), -ENOENT));
}

Test(sources, names_of_files_change_and_stay_changed)
{
	struct meta name = {.kind = META_NAME, .u.name = {7, "/x/src/train.py"}};
	struct meta other = {.kind = META_NAME, .u.name = {8, "/x/src/train.py as a label"}};
	struct meta place = {.kind = META_PLACE,
		.u.place = {.id = 1, .language = "python", .file = 7, .line = 3}};
	cr_assert(eq(int, definitions_set_root(&definitions, folder), 0));
	/* every frame says it again */
	for (unsigned frame = 0; frame < 3; frame++) {
		cr_assert(eq(int, definitions_add(&definitions, &name), 0));
		cr_assert(eq(int, definitions_add(&definitions, &other), 0));
		cr_assert(eq(int, definitions_add(&definitions, &place), 0));
		cr_assert(eq(str, (char *)(uintptr_t)definitions_name(&definitions, 7),
			(char *)"src/train.py"));
		cr_assert(eq(str, (char *)(uintptr_t)definitions_name(&definitions, 8),
			(char *)"/x/src/train.py as a label"));
	}
}

Test(sources, lines_are_found_by_the_path_as_it_is_shown)
{
	cr_assert(eq(int, definitions_set_root(&definitions, folder), 0));
	begin_at(100);
	add_lines("/x/src/train.py", 9, "nine\nten\n\ntwelve", 50);
	expect_line("src/train.py", 8, "(none)");
	expect_line("src/train.py", 9, "nine");
	expect_line("src/train.py", 11, "");
	expect_line("src/train.py", 12, "twelve");
	expect_line("src/train.py", 13, "(none)");
	expect_line("/x/src/train.py", 9, "(none)");
	expect_line("train.py", 9, "(none)");
	expect_line(NULL, 9, "(none)");
}

Test(sources, a_file_that_changed_since_the_recording_began_is_not_shown)
{
	begin_at(100);
	add_lines("a.py", 1, "old\n", 100);
	add_lines("b.py", 1, "new\n", 101);
	expect_line("a.py", 1, "old");
	expect_line("b.py", 1, "(none)");
}
