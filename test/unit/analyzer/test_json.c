/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/text/json.h"

static struct out out;
static struct json json;

static void make(void)
{
	if (out_open_memory(&out) < 0)
		abort();
	json_init(&json, &out, false);
}

static void release(void)
{
	(void)out_close(&out);
}

TestSuite(json, .init = make, .fini = release);
TestSuite(out, .init = make, .fini = release);

/* What was written so far; the buffer starts anew. */
static char *written(void)
{
	out_char(&out, '\0');
	out.used = 0;
	return out.buffer;
}

Test(json, separates_and_nests)
{
	json_object(&json);
	json_add_u64(&json, "a", UINT64_MAX);
	json_add_array(&json, "b");
	json_i64(&json, INT64_MIN);
	json_object(&json);
	json_object_end(&json);
	json_array(&json);
	json_array_end(&json);
	json_null(&json);
	json_array_end(&json);
	json_add_bool(&json, "c", true);
	json_object_end(&json);
	cr_assert(eq(str, written(),
		"{\"a\": 18446744073709551615, \"b\": [-9223372036854775808, {}, [], null], "
		"\"c\": true}"));
}

Test(json, writes_one_value_after_the_other)
{
	for (int i = 0; i < 2; i++) {
		json_object(&json);
		json_add_u64(&json, "n", (uint64_t)i);
		json_object_end(&json);
		json_finish(&json);
	}
	cr_assert(eq(str, written(), "{\"n\": 0}\n{\"n\": 1}\n"));
}

Test(json, indents_for_people)
{
	json_init(&json, &out, true);
	json_object(&json);
	json_add_array(&json, "list");
	json_u64(&json, 1);
	json_u64(&json, 2);
	json_array_end(&json);
	json_add_object(&json, "none");
	json_object_end(&json);
	json_object_end(&json);
	json_finish(&json);
	cr_assert(eq(str, written(), "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": {}\n}\n"));
}

Test(json, escapes_hostile_text)
{
	static const struct {
		const char *text, *quoted;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\""},
		{"\x01\x1b[31m\x7f", "\"\\u0001\\u001b[31m\\u007f\""},
		{"</script>", "\"<\\/script>\""},
		{"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
		{"\xf0\x9f\x94\xa5", "\"\xf0\x9f\x94\xa5\""},
		{"\xff\xc3", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_text(&json, cases[i].text);
		cr_assert(eq(str, written(), (char *)cases[i].quoted));
	}
}

Test(json, rounds_to_one_decimal_and_knows_no_infinities)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0.0"}, {0.05, "0.1"}, {12.34, "12.3"}, {99.96, "100.0"}, {-3.25, "-3.3"},
		{-0.01, "0.0"}, {NAN, "null"}, {INFINITY, "null"}, {-INFINITY, "null"},
		{1e300, "null"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_tenths(&json, cases[i].value);
		cr_assert(eq(str, written(), (char *)cases[i].text));
	}
	json_text(&json, NULL);
	cr_assert(eq(str, written(), "null"));
}

Test(out, writes_numbers_exactly)
{
	static const uint64_t values[] = {0, 9, 10, 99, 100, 12345678901234567ull, UINT64_MAX};
	char expected[32];
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		out_u64(&out, values[i]);
		(void)snprintf(expected, sizeof(expected), "%llu", (unsigned long long)values[i]);
		cr_assert(eq(str, written(), expected));
		out_hex(&out, values[i]);
		(void)snprintf(expected, sizeof(expected), "0x%llx", (unsigned long long)values[i]);
		cr_assert(eq(str, written(), expected));
	}
	out_decimal(&out, 1234567, 3);
	cr_assert(eq(str, written(), "1234.567"));
	out_decimal(&out, 5, 9);
	cr_assert(eq(str, written(), "0.000000005"));
	out_decimal(&out, UINT64_MAX, 3);
	cr_assert(eq(str, written(), "18446744073709551.615"));
	out_decimal(&out, 7, 0);
	cr_assert(eq(str, written(), "7"));
}

Test(out, makes_text_harmless_for_a_terminal)
{
	out_printable(&out, "a\x1b]0;evil\x07z", 0);
	cr_assert(eq(str, written(), "a\\x1b]0;evil\\x07z"));
	out_printable(&out,
		"\xc2\x9b"
		"31m \xff \xc3\xbc",
		0);
	cr_assert(eq(str, written(), "\\xc2\\x9b31m \\xff \xc3\xbc"));
	out_printable(&out, "abcdef", 3);
	cr_assert(eq(str, written(), "abc..."));
	out_printable(&out, "abc", 3);
	cr_assert(eq(str, written(), "abc"));
}

Test(out, grows_in_memory_beyond_any_buffer)
{
	for (unsigned i = 0; i < 200000; i++)
		out_text(&out, "0123456789");
	cr_assert(eq(sz, out.used, 2000000));
	cr_assert(eq(int, memcmp(out.buffer + 1999990, "0123456789", 10), 0));
}

Test(out, keeps_the_first_failure)
{
	struct out full;
	cr_assert(eq(int, out_open(&full, "/dev/full"), 0));
	for (unsigned i = 0; i < 100000; i++)
		out_text(&full, "0123456789");
	cr_assert(eq(int, out_close(&full), -28));
	cr_assert(eq(int, out_open(&full, "/nonexistent/file"), -2));
}
