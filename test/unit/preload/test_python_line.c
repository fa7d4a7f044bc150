/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "preload/python/line.h"

struct expected {
	int begin, end, line;
};

static void check_table(
	const struct python_lines *lines, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int offset = expected[i].begin; offset < expected[i].end; offset += 2)
			cr_assert(eq(int, python_line(lines, offset), expected[i].line));
}

/*
 * Tables that the interpreters made of one function whose call goes back to an earlier line, with
 * a gap of 300 lines; the expected ranges are those of the interpreters' own dis.findlinestarts()
 * and co_lines().
 */
Test(python_line, lnotab_of_3_9)
{
	static const uint8_t table[] = {0x00, 0x01, 0x02, 0x03, 0x06, 0x01, 0x02, 0xfc, 0x04, 0x7f,
		0x00, 0x7f, 0x00, 0x33, 0x08, 0x01, 0x02, 0x01, 0x02, 0xff, 0x06, 0x02};
	static const struct expected expected[] = {{0, 2, 2}, {2, 8, 5}, {8, 10, 6}, {10, 14, 2},
		{14, 22, 307}, {22, 24, 308}, {24, 26, 309}, {26, 32, 308}, {32, 36, 310}};
	struct python_lines lines = {PYTHON_LNOTAB, table, sizeof(table), 1};
	check_table(&lines, expected, sizeof(expected) / sizeof(expected[0]));
}

Test(python_line, linetable_of_3_10)
{
	static const uint8_t table[] = {0x02, 0x01, 0x06, 0x03, 0x02, 0x01, 0x04, 0xfc, 0x00, 0x7f,
		0x00, 0x7f, 0x08, 0x33, 0x02, 0x01, 0x02, 0x01, 0x06, 0xff, 0x04, 0x02};
	static const struct expected expected[] = {{0, 2, 2}, {2, 8, 5}, {8, 10, 6}, {10, 14, 2},
		{14, 22, 307}, {22, 24, 308}, {24, 26, 309}, {26, 32, 308}, {32, 36, 310}};
	struct python_lines lines = {PYTHON_LINETABLE, table, sizeof(table), 1};
	check_table(&lines, expected, sizeof(expected) / sizeof(expected[0]));
}

Test(python_line, locations_of_3_12)
{
	static const uint8_t table[] = {0x80, 0x00, 0xd8, 0x09, 0x0a, 0xf0, 0x06, 0x00, 0x0a, 0x0b,
		0x8f, 0x13, 0x89, 0x13, 0x8b, 0x15, 0xd8, 0x09, 0x0a, 0xf0, 0x09, 0x04, 0x09, 0x0c,
		0x80, 0x41, 0xf0, 0x62, 0x09, 0x00, 0x0e, 0x0f, 0xf2, 0x00, 0x02, 0x05, 0x05, 0x88,
		0x01, 0xd9, 0x08, 0x09, 0xd8, 0x02, 0x03, 0xf5, 0x03, 0x01, 0x09, 0x05, 0xf0, 0x03,
		0x02, 0x05, 0x05, 0xf0, 0x06, 0x00, 0x0c, 0x0d, 0x80, 0x48};
	static const struct expected expected[] = {{0, 2, 1}, {2, 4, 2}, {4, 34, 5}, {34, 36, 6},
		{36, 40, 2}, {40, 50, 307}, {50, 54, 308}, {54, 56, 309}, {56, 68, 308},
		{68, 70, 307}, {70, 74, 310}};
	struct python_lines lines = {PYTHON_LOCATIONS, table, sizeof(table), 1};
	check_table(&lines, expected, sizeof(expected) / sizeof(expected[0]));
}

Test(python_line, code_without_a_line)
{
	static const uint8_t pairs[] = {4, 1, 2, 0x80, 4, 1};
	static const uint8_t entries[] = {
		0x80 | 10 << 3 | 1, 0, 0, 0x80 | 15 << 3 | 0, 0x80 | 13 << 3 | 1, 4};
	const struct python_lines tables[] = {
		{PYTHON_LINETABLE, pairs, sizeof(pairs), 10},
		{PYTHON_LOCATIONS, entries, sizeof(entries), 11},
	};
	for (int i = 0; i < 2; i++) {
		cr_assert(eq(int, python_line(&tables[i], 0), 11));
		cr_assert(eq(int, python_line(&tables[i], 4), -1));
		cr_assert(eq(int, python_line(&tables[i], 6), i == 0 ? 12 : 13));
	}
}

Test(python_line, stays_inside_any_bytes)
{
	uint8_t *bytes = malloc(64);
	cr_assert(ne(ptr, bytes, NULL));
	unsigned seed = 1;
	for (int round = 0; round < 20000; round++) {
		size_t size = (unsigned)round % 65;
		for (size_t i = 0; i < size; i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = (uint8_t)(seed >> 16);
		}
		for (int kind = PYTHON_LNOTAB; kind <= PYTHON_LOCATIONS; kind++) {
			struct python_lines lines = {kind, bytes + (64 - size), size, 1};
			memmove(bytes + (64 - size), bytes, size);
			(void)python_line(&lines, round & 1023);
			(void)python_line(&lines, -1);
		}
	}
	free(bytes);
}

/* A str object as 3.12 lays it out: length at 16, state at 32, text at 40 or 56. */
static const struct python_layout *layout(void)
{
	static struct python_layout known;
	const struct python_version version = {0x030c0100, NULL};
	cr_assert(eq(ptr, (void *)python_layout(&version, &known), NULL));
	return &known;
}

static size_t text_of(unsigned width, bool ascii, const void *data, int64_t length,
	unsigned interned_bits, char *text, size_t size)
{
	static _Alignas(8) char object[256];
	uint32_t state = (width | 1u << 3 | (uint32_t)ascii << 4) << interned_bits | 1;
	memcpy(object + 16, &length, sizeof(length));
	memcpy(object + 32, &state, sizeof(state));
	memcpy(object + (ascii ? 40 : 56), data, (size_t)length * width);
	memset(text, 0, size);
	return python_text(layout(), object, text, size - 1);
}

Test(python_text, every_width_becomes_utf8)
{
	char text[64];
	static const uint16_t two[] = {'a', 0xe9, 0x6570, 0xd800, 'b'};
	static const uint32_t four[] = {0x1f600, 'x', 0x110000};
	cr_assert(eq(sz, text_of(1, true, "plain", 5, 2, text, sizeof(text)), 5));
	cr_assert_str_eq(text, "plain");
	cr_assert(eq(sz, text_of(1, false, "\xdf\xe9", 2, 2, text, sizeof(text)), 4));
	cr_assert_str_eq(text, "\u00df\u00e9");
	cr_assert(eq(sz, text_of(2, false, two, 5, 2, text, sizeof(text)), 10));
	cr_assert_str_eq(text, "a\u00e9\u6570\ufffd"
			       "b");
	cr_assert(eq(sz, text_of(4, false, four, 3, 2, text, sizeof(text)), 8));
	cr_assert_str_eq(text, "\U0001f600x\ufffd");
	cr_assert(eq(sz, text_of(1, true, "wide", 4, 16, text, sizeof(text)), 4));
	cr_assert_str_eq(text, "wide");
}

Test(python_text, is_cut_between_characters)
{
	char text[4];
	static const uint16_t two[] = {'a', 0x6570};
	cr_assert(eq(sz, text_of(2, false, two, 2, 2, text, sizeof(text)), 1));
	cr_assert_str_eq(text, "a");
}

Test(python_text, nothing_of_what_is_no_compact_text)
{
	char text[8];
	cr_assert(eq(sz, python_text(layout(), NULL, text, sizeof(text)), 0));
	cr_assert(eq(sz, text_of(0, false, "", 0, 2, text, sizeof(text)), 0));
}

static bool is_core(const char *file)
{
	return python_is_core(file, strlen(file));
}

Test(python_user, what_torch_compile_wrote_is_nobodys)
{
	static const char *const generated[] = {"/tmp/torchinductor_u/x/y.py",
		"/home/u/cache/ab/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs.py",
		"<eval_with_key>.12", "/home/u/.triton/cache/3/kernel.py",
		"/tmp/torch_geometric.nn.conv.gcn_conv_GCNConv_propagate_5mvn6mis.py"};
	static const char *const written[] = {"/home/u/ab/cab.py",
		"/home/u/xy/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs.py",
		"/home/u/ab/cabcdefghijklmnopqrstuvwxyz2345_7abcdefghijklmnopqrs.py",
		"cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs.py"};
	for (size_t i = 0; i < sizeof(generated) / sizeof(generated[0]); i++) {
		cr_assert(not(python_is_user(generated[i], strlen(generated[i]), "f", 1)), "%s",
			generated[i]);
		cr_assert(is_core(generated[i]), "%s", generated[i]);
	}
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		cr_assert(python_is_user(written[i], strlen(written[i]), "f", 1), "%s", written[i]);
}

Test(python_user, packages_are_told_from_what_is_on_nobodys_way)
{
	cr_assert(is_core("/usr/lib/python3.11/contextlib.py"));
	cr_assert(is_core("/v/lib/python3.11/site-packages/torch/optim/adam.py"));
	cr_assert(is_core("/usr/lib/python3/dist-packages/torch/_tensor.py"));
	cr_assert(is_core("<frozen runpy>"));
	cr_assert(not(is_core("/v/lib/python3.11/site-packages/transformers/trainer.py")));
	cr_assert(not(is_core("/v/lib/python3.11/site-packages/torchmetrics/metric.py")));
}

static bool is_user(const char *file, const char *function)
{
	return python_is_user(file, strlen(file), function, strlen(function));
}

Test(python_user, what_a_user_wrote)
{
	static const char *const users[] = {"/home/u/train.py", "train.py", "<stdin>",
		"/home/u/lib/python.py", "<ipython-input-3-abc>", "/opt/python3.11/train.py",
		"/home/u/mysite-packages/a.py", "/tmp/ipykernel_1/2.py"};
	static const char *const others[] = {"/usr/lib/python3.11/threading.py", "",
		"<frozen runpy>", "/usr/lib/python3/dist-packages/torch/nn.py",
		"/usr/lib/python311.zip/a.pyc", "/v/lib/python3.9/site-packages/torch/x.py",
		"<eval_with_key>.0", "<__array_function__ internals>", "/usr/lib64/python3.9/os.py",
		"/usr/lib/python311.zip/os.py"};
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		cr_assert(is_user(users[i], "f"), "%s", users[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert(not(is_user(others[i], "f")), "%s", others[i]);
	cr_assert(is_user("<string>", "<module>"));
	cr_assert(not(is_user("<string>", "__init__")));
}
