/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/cli/options.h"
#include "collector/base/err.h"

static struct options options;
static struct option_problem problem;

static void release(void)
{
	options_release(&options);
}

TestSuite(options, .fini = release);

/* Parse words (ended by NULL) for a command of that name. */
static int parse(const char *command, const char *const *words)
{
	int count = 0;
	while (words[count] != NULL)
		count++;
	options_release(&options);
	return options_parse(&options, commands_find(command), count, (char **)words, &problem);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(options, takes_every_way_of_writing)
{
	cr_assert(eq(int, parse("dump", WORDS("-o", "x", "run")), 0));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_OUTPUT), "x"));
	cr_assert(eq(int, parse("dump", WORDS("-ox", "run")), 0));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_OUTPUT), "x"));
	cr_assert(eq(int, parse("dump", WORDS("run", "--output=x")), 0));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_OUTPUT), "x"));
	cr_assert(eq(int, parse("dump", WORDS("--output", "x", "--quiet", "-", "--", "-q")), 0));
	cr_assert(eq(int, options_given(&options, OPTION_QUIET), true));
	cr_assert(eq(sz, options.argument_count, 2));
	cr_assert(eq(str, options.arguments[0], "-"));
	cr_assert(eq(str, options.arguments[1], "-q"));
}

Test(options, has_defaults)
{
	cr_assert(eq(int, parse("dump", WORDS("run")), 0));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_FORMAT), "text"));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_COLOR), "auto"));
	cr_assert(eq(ptr, (void *)options_text(&options, OPTION_OUTPUT), NULL));
	cr_assert(eq(int, options_contain(&options, OPTION_RANKS, 5), true));
	cr_assert(eq(int, parse("export", WORDS("run")), 0));
	cr_assert(eq(str, (char *)options_text(&options, OPTION_FORMAT), "chrome"));
}

Test(options, says_what_is_wrong)
{
	static const struct {
		const char *words[3], *text, *hint;
	} cases[] = {
		{{"--knd", NULL}, "--knd: no such option of 'dump'", "did you mean --kind?"},
		{{"--knd=launch", NULL}, "--knd=launch: no such option of 'dump'",
			"did you mean --kind?"},
		{{"-z", NULL}, "-z: no such option of 'dump'", "see 'trace-analyzer help dump'"},
		{{"--threshold", "a=1", NULL}, "--threshold: no such option of 'dump'",
			"see 'trace-analyzer help dump'"},
		{{"--output", NULL}, "--output: FILE is missing", ""},
		{{"--output=", NULL}, "--output: '' is not valid", ""},
		{{"--quiet=1", NULL}, "--quiet: takes no value", ""},
		{{"--format", "xml", NULL}, "--format: 'xml' is not one of text|json", ""},
		{{"--from", "soon", NULL}, "--from: 'soon' is not valid",
			"a time is written 1.5s, 20ms, 3us or 7ns"},
		{{"--ranks", "3-1", NULL}, "--ranks: '3-1' is not valid",
			"ranges are written 3, 10-30, 10+20 or 1,5-7"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(lt(int, parse("dump", cases[i].words), 0));
		cr_assert(eq(str, problem.text, (char *)cases[i].text));
		cr_assert(eq(str, problem.hint, (char *)cases[i].hint));
	}
}

Test(options, collects_lists)
{
	size_t count;
	cr_assert(eq(int, parse("dump", WORDS("-k", "launch", "--kind=copy", "run")), 0));
	const char *const *list = options_list(&options, OPTION_KIND, &count);
	cr_assert(eq(sz, count, 2));
	cr_assert(eq(str, (char *)list[0], "launch"));
	cr_assert(eq(str, (char *)list[1], "copy"));
}

Test(options, reads_times)
{
	static const struct {
		const char *text;
		uint64_t ns;
		int code;
	} cases[] = {
		{"1.5s", 1500000000, 0},
		{"2", 2000000000, 0},
		{"20ms", 20000000, 0},
		{"3us", 3000, 0},
		{"7ns", 7, 0},
		{"0.000000001", 1, 0},
		{"1.5us", 1500, 0},
		{"0", 0, 0},
		{"", 0, -ERR_BAD_VALUE},
		{"s", 0, -ERR_BAD_VALUE},
		{"1.", 0, -ERR_BAD_VALUE},
		{"1.s", 0, -ERR_BAD_VALUE},
		{"-1s", 0, -ERR_BAD_VALUE},
		{"1 s", 0, -ERR_BAD_VALUE},
		{"1h", 0, -ERR_BAD_VALUE},
		{"99999999999999999999s", 0, -ERR_BAD_VALUE},
		{"18446744074s", 0, -ERR_BAD_VALUE},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 0;
		cr_assert(eq(int, option_parse_time(cases[i].text, &ns), cases[i].code), "%s",
			cases[i].text);
		cr_assert(eq(u64, ns, cases[i].ns), "%s", cases[i].text);
	}
}

Test(options, reads_ranges)
{
	cr_assert(eq(int, parse("dump", WORDS("--ranks", "1,5-7,10+2", "run")), 0));
	static const uint64_t in[] = {1, 5, 6, 7, 10, 11}, outside[] = {0, 2, 4, 8, 9, 12};
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
		cr_assert(eq(int, options_contain(&options, OPTION_RANKS, in[i]), true));
		cr_assert(eq(int, options_contain(&options, OPTION_RANKS, outside[i]), false));
	}
	static const char *const bad[] = {"", ",", "1,", "1-", "a", "1+0", "2-1", "1-2-3",
		"18446744073709551616", "2+18446744073709551615"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(lt(int, parse("dump", WORDS("--ranks", bad[i])), 0), "%s", bad[i]);
}

Test(options, finds_the_nearest_word)
{
	static const char *const words[] = {"report", "dump", "export", "doctor", "help"};
	cr_assert(eq(str, (char *)options_nearest("dmup", words, 5), "dump"));
	cr_assert(eq(str, (char *)options_nearest("exprot", words, 5), "export"));
	cr_assert(eq(str, (char *)options_nearest("docter", words, 5), "doctor"));
	cr_assert(eq(ptr, (void *)options_nearest("sqlite", words, 5), NULL));
	cr_assert(eq(ptr, (void *)options_nearest("", words, 5), NULL));
	cr_assert(eq(ptr, (void *)options_nearest("x", words, 0), NULL));
}

Test(options, has_no_two_rows_that_clash)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		for (unsigned j = i + 1; j < OPTION_COUNT; j++) {
			const struct option_spec *left = &option_specs[i],
						 *right = &option_specs[j];
			if ((left->commands & right->commands) == 0)
				continue;
			cr_assert(ne(str, (char *)left->name, (char *)right->name));
			cr_assert(left->short_name == 0 || left->short_name != right->short_name,
				"-%c", left->short_name);
		}
}
