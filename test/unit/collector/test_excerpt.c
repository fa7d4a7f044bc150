/* SPDX-License-Identifier: MIT */
/* Which lines of which files come into the trace, and what must not. */
#include <sys/stat.h>

#include "test/unit/collector/turning.h"

TestSuite(excerpt, .fini = tear_down, .timeout = 60);

#define TEXT_LIMIT 65536

static char script[96];

/* A program of count lines "line N" in the recording's folder, and whatever it is to begin with. */
static void write_script(const char *start, unsigned count, const char *ending)
{
	(void)snprintf(script, sizeof(script), "%s/train.py", folder);
	FILE *stream = fopen(script, "w");
	cr_assert(stream != NULL);
	(void)fputs(start, stream);
	for (unsigned i = 1; i <= count; i++)
		(void)fprintf(stream, "line %u%s", i, ending);
	cr_assert(eq(int, fclose(stream), 0));
}

static uint32_t name_of(const char *text)
{
	return define_name(text, strlen(text));
}

static void at_line(uint32_t name, uint32_t line)
{
	(void)define_place(&(struct live_place){.file = name, .line = line});
}

struct kept {
	unsigned groups;
	char text[TEXT_LIMIT];
	char path[128];
	uint64_t first, file_bytes, changed_ns;
};

static void keep(struct trace_file *from, const struct item *item, bool is_live)
{
	struct kept *kept = from->context;
	(void)is_live;
	if (item->type != ITEM_META || item->meta.kind != META_LINES)
		return;
	const struct meta_LINES *lines = &item->meta.u.lines;
	size_t used = strlen(kept->text);
	kept->groups++;
	(void)snprintf(kept->text + used, sizeof(kept->text) - used, "%s", lines->text);
	(void)snprintf(kept->path, sizeof(kept->path), "%s", lines->path);
	if (kept->groups == 1)
		kept->first = lines->first;
	kept->file_bytes = lines->file_bytes;
	kept->changed_ns = lines->file_changed_ns;
}

static struct kept *record_and_read(void)
{
	static struct kept kept;
	static struct trace_file from;
	memset(&kept, 0, sizeof(kept));
	push(0, 1);
	(void)turn_run(&turn);
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	(void)unlink(script);
	from = (struct trace_file){.item = keep, .context = &kept};
	cr_assert(eq(int, trace_file_read(&from, path), 0), "%s", from.fault);
	return &kept;
}

static void begin_with(uint32_t bytes)
{
	options.source_bytes = bytes;
	options.source_folder = NULL;
	begin(0);
}

Test(excerpt, lines_around_a_place_are_kept_with_the_file_s_date)
{
	struct stat status;
	begin_with(4096);
	write_script("", 40, "\n");
	cr_assert(eq(int, stat(script, &status), 0));
	at_line(name_of(script), 20);
	struct kept *kept = record_and_read();
	cr_assert(eq(u32, kept->groups, 1));
	cr_assert(eq(u64, kept->first, 17));
	cr_assert(eq(str, kept->text,
		(char *)"line 17\nline 18\nline 19\nline 20\n"
			"line 21\nline 22\nline 23\nline 24\n"));
	cr_assert(eq(str, kept->path, script));
	cr_assert(eq(u64, kept->file_bytes, (uint64_t)status.st_size));
	cr_assert(eq(u64, kept->changed_ns,
		(uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec));
}

Test(excerpt, each_group_comes_once)
{
	begin_with(4096);
	write_script("", 40, "\n");
	for (uint32_t line = 17; line <= 24; line++)
		at_line(name_of(script), line);
	/* 17 wants 14 to 20, 24 wants 21 to 27: three groups */
	cr_assert(eq(u32, record_and_read()->groups, 3));
}

Test(excerpt, the_user_s_line_and_not_the_library_s)
{
	begin_with(4096);
	write_script("", 40, "\n");
	(void)define_place(&(struct live_place){.file = name_of("/nowhere/nn.py"),
		.line = 3,
		.user_file = name_of(script),
		.user_line = 4});
	struct kept *kept = record_and_read();
	cr_assert(eq(u32, kept->groups, 1));
	cr_assert(eq(u64, kept->first, 1));
}

Test(excerpt, a_relative_name_is_looked_for_where_the_process_began)
{
	begin_with(4096);
	options.source_folder = folder;
	turn.excerpt.folder = folder;
	write_script("", 4, "\n");
	at_line(name_of("train.py"), 2);
	struct kept *kept = record_and_read();
	cr_assert(eq(u32, kept->groups, 1));
	cr_assert(eq(str, kept->path, (char *)"train.py"));
}

Test(excerpt, every_kind_of_line_end_counts_as_python_counts)
{
	begin_with(4096);
	write_script("one\r\ntwo\rthree\n\n", 3, "\r\n");
	at_line(name_of(script), 5);
	struct kept *kept = record_and_read();
	cr_assert(eq(str, kept->text, (char *)"one\ntwo\nthree\n\nline 1\nline 2\nline 3\n"));
}

Test(excerpt, a_long_line_is_cut_and_the_next_one_is_whole)
{
	char start[2001];
	memset(start, 'x', 1999);
	start[1999] = '\n';
	start[2000] = '\0';
	begin_with(65536);
	write_script(start, 3, "\n");
	at_line(name_of(script), 2);
	struct kept *kept = record_and_read();
	cr_assert(eq(sz, strcspn(kept->text, "\n"), EXCERPT_LINE_BYTES));
	cr_assert(eq(str, strchr(kept->text, '\n'), (char *)"\nline 1\nline 2\nline 3\n"));
}

Test(excerpt, no_more_text_than_allowed)
{
	begin_with(100);
	write_script("", 400, "\n");
	for (uint32_t line = 8; line < 400; line += 8)
		at_line(name_of(script), line);
	struct kept *kept = record_and_read();
	cr_assert(gt(sz, strlen(kept->text), 0));
	cr_assert(le(sz, strlen(kept->text), 100));
}

static char installed[192];

/* A package of so many lines, in the recording's folder. */
static void install(unsigned count)
{
	(void)snprintf(installed, sizeof(installed), "%s/site-packages", folder);
	cr_assert(eq(int, mkdir(installed, 0700), 0));
	(void)snprintf(installed, sizeof(installed), "%s/site-packages/nn.py", folder);
	write_script("", count, "\n");
	cr_assert(eq(int, rename(script, installed), 0));
}

static void uninstall(void)
{
	(void)unlink(installed);
	*strrchr(installed, '/') = '\0';
	(void)rmdir(installed);
}

/* A slow import: its stacks name many lines of packages before the first one of the program. */
Test(excerpt, installed_packages_leave_room_for_the_program)
{
	begin_with(4096);
	install(4000);
	for (uint32_t line = 8; line < 4000; line += 8)
		at_line(name_of(installed), line);
	write_script("", 40, "\n");
	at_line(name_of(script), 20);
	struct kept *kept = record_and_read();
	uninstall();
	cr_assert(gt(u32, kept->groups, 2));
	cr_assert(eq(str, kept->path, script));
}

static void in_function(const char *file, const char *function, uint32_t line)
{
	(void)define_place(&(struct live_place){
		.file = name_of(file), .function = name_of(function), .line = line});
}

/* 30 wants 29 to 31 of the package, all in one group; of the program it would be 27 to 33, two. */
Test(excerpt, an_installed_package_has_its_functions_lines_and_none_of_its_import)
{
	begin_with(4096);
	install(100);
	in_function(installed, "<module>", 60);
	in_function(installed, "forward", 30);
	struct kept *kept = record_and_read();
	uninstall();
	cr_assert(eq(u32, kept->groups, 1));
	cr_assert(eq(u64, kept->first, 25));
}

Test(excerpt, the_program_s_own_lines_count_outside_of_functions_too)
{
	begin_with(4096);
	write_script("", 40, "\n");
	in_function(script, "<module>", 20);
	cr_assert(eq(u32, record_and_read()->groups, 1));
}

Test(excerpt, none_when_none_is_wanted)
{
	begin_with(0);
	write_script("", 40, "\n");
	at_line(name_of(script), 20);
	cr_assert(zero(u32, record_and_read()->groups));
}

Test(excerpt, what_is_no_regular_file_is_left_alone)
{
	char pipe_path[128];
	begin_with(4096);
	(void)snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", folder);
	cr_assert(eq(int, mkfifo(pipe_path, 0600), 0));
	at_line(name_of(pipe_path), 1);
	at_line(name_of(folder), 1);
	at_line(name_of("/dev/zero"), 1);
	at_line(name_of("<stdin>"), 1);
	at_line(name_of("/nowhere/at/all.py"), 7);
	at_line(name_of("relative.py"), 7);
	struct kept *kept = record_and_read();
	(void)unlink(pipe_path);
	cr_assert(zero(u32, kept->groups));
}

Test(excerpt, a_place_beyond_the_end_of_the_file_has_no_lines)
{
	begin_with(4096);
	write_script("", 4, "\n");
	at_line(name_of(script), 400);
	at_line(name_of(script), UINT32_MAX);
	cr_assert(zero(u32, record_and_read()->groups));
}
