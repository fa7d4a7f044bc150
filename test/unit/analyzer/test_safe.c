/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/text/json.h"
#include "analyzer/text/safe.h"

typedef void safe_function(struct out *out, const char *text);

static void expect(safe_function *safe, const char *text, const char *expected)
{
	struct out out;
	cr_assert(eq(int, out_open_memory(&out), 0));
	safe(&out, text);
	out_char(&out, '\0');
	cr_expect(eq(str, out.buffer, (char *)expected), "%s", text);
	(void)out_close(&out);
}

Test(safe, csv_computes_nothing_and_keeps_its_cells)
{
	static const char *const cases[][2] = {{"plain name", "plain name"}, {"", ""},
		{"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""}, {"=1+1", "\"'=1+1\""},
		{"+1", "\"'+1\""}, {"-x", "\"'-x\""}, {"@SUM(A1)", "\"'@SUM(A1)\""},
		{"\t=1", "\" =1\""}, {"a=b", "a=b"}, {"a\r\nb", "\"a  b\""},
		{"\x1b[31m", "\" [31m\""}, {"\xff", "\"\xef\xbf\xbd\""},
		{"\xc3\xbc", "\"\xc3\xbc\""}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(safe_csv, cases[i][0], cases[i][1]);
}

Test(safe, markdown_has_no_markup_of_a_name)
{
	expect(safe_markdown, "a|b", "a\\|b");
	expect(safe_markdown, "<b>&amp;", "\\<b\\>\\&amp;");
	expect(safe_markdown, "[x](y) ![i]", "\\[x\\](y) \\!\\[i\\]");
	expect(safe_markdown, "# a\n- b", "\\# a - b");
	expect(safe_markdown, "\xe2\x80\xae\xff\xc2\x85", " \xef\xbf\xbd ");
}

Test(safe, xml_holds_what_it_can)
{
	expect(safe_xml, "<a>&\"'", "&#60;a&#62;&#38;&#34;&#39;");
	expect(safe_xml, "\x1b\x7f\t\xc2\x9b", "????");
	expect(safe_xml, "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xff", "??\xef\xbf\xbd\xef\xbf\xbd");
}

Test(safe, frames_are_one_frame_of_one_line)
{
	expect(safe_frame, "a;b c\n1", "a:b c 1");
	expect(safe_frame, "\xe2\x80\xa8\xc3\xbc", " \xc3\xbc");
}

Test(safe, utf8_is_cut_between_characters)
{
	char copy[6];
	cr_assert(eq(sz, safe_utf8("\xc3\xbc\xc3\xbc\xc3\xbc", copy, sizeof(copy)), 4));
	cr_assert(eq(str, copy, (char *)"\xc3\xbc\xc3\xbc"));
	cr_assert(eq(sz, safe_utf8("a\xff\xfe", copy, sizeof(copy)), 4));
	cr_assert(eq(str, copy, (char *)"a\xef\xbf\xbd"));
}

Test(safe, json_escapes_what_acts_and_loses_nothing)
{
	expect(json_quote, "\xc2\x9b\xe2\x80\xae\xd8\x9c\xef\xbb\xbf",
		"\"\\u009b\\u202e\\u061c\\ufeff\"");
	expect(json_quote, "\x1b</\xff\xc3\xbc\xe2\x82\xac",
		"\"\\u001b<\\/\xef\xbf\xbd\xc3\xbc\xe2\x82\xac\"");
}

Test(safe, control_is_what_is_not_seen)
{
	static const struct {
		const char *text;
		size_t bytes;
	} cases[] = {{"\x01", 1}, {"\n", 1}, {"\x7f", 1}, {"\xc2\x80", 2}, {"\xc2\x9f", 2},
		{"\xd8\x9c", 2}, {"\xe2\x80\x8e", 3}, {"\xe2\x80\xa8", 3}, {"\xe2\x80\xae", 3},
		{"\xe2\x81\xa6", 3}, {"\xe2\x81\xa9", 3}, {"\xef\xbb\xbf", 3}, {"", 0}, {" ", 0},
		{"~", 0}, {"\xc2\xa0", 0}, {"\xc2", 0}, {"\xe2\x80", 0}, {"\xe2\x80\xaf", 0},
		{"\xe2\x81\xaa", 0}, {"\xe2\x80\x8d", 0}, {"\xc3\xbc", 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(sz, out_control(cases[i].text), cases[i].bytes), "%zu", i);
}
