/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "preload/python/layout.h"

static const char *layout_of(uint32_t hex, const void *runtime, struct python_layout *ret_layout)
{
	const struct python_version version = {hex, runtime};
	return python_layout(&version, ret_layout);
}

Test(python_layout, versions_that_are_known)
{
	struct python_layout layout;
	cr_assert(eq(ptr, (void *)layout_of(0x030812f0, NULL, &layout), NULL));
	cr_assert(eq(int, layout.table, PYTHON_LNOTAB));
	cr_assert(eq(ptr, (void *)layout_of(0x030a0df0, NULL, &layout), NULL));
	cr_assert(eq(int, layout.table, PYTHON_LINETABLE));
	cr_assert(eq(ptr, (void *)layout_of(0x030b07f0, NULL, &layout), NULL));
	cr_assert(eq(int, layout.table, PYTHON_LOCATIONS));
}

Test(python_layout, versions_that_are_not)
{
	static const uint32_t unknown[] = {0, 0x02071200, 0x03070f00, 0x030f0000, 0x04000000};
	struct python_layout layout;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		cr_assert(ne(ptr, (void *)layout_of(unknown[i], NULL, &layout), NULL));
}

Test(python_layout, hex_of_a_text)
{
	cr_assert(eq(u32, python_version_hex("3.8.18 (default, May  9 2026) \n[GCC]"), 0x03081200));
	cr_assert(eq(u32, python_version_hex("3.14.0rc1+ (main)"), 0x030e0000));
	cr_assert(eq(u32, python_version_hex("3.9"), 0x03090000));
	cr_assert(eq(u32, python_version_hex("three"), 0));
	cr_assert(eq(u32, python_version_hex("3"), 0));
	cr_assert(eq(u32, python_version_hex(NULL), 0));
}

/*
 * The start of _PyRuntime as the interpreter's own source declares it: groups of 64-bit words in
 * this order. The names are those of the groups, the numbers how many words each has.
 */
struct published {
	uint64_t words[128];
	unsigned header, runtime, interpreter, thread, frame, code, object, type, tuple, list, set,
		dict, floating, integer, bytes, text;
};

static void publish(struct published *p, uint64_t hex, bool is_3_14)
{
	const unsigned sizes[] = {3, 3, is_3_14 ? 16 : 13, 9, is_3_14 ? 8 : 6, is_3_14 ? 11 : 10, 2,
		4, 3, 3, is_3_14 ? 4 : 0, 3, 2, 3, 3, 4};
	unsigned *group = &p->header;
	unsigned at = 0;
	memset(p->words, 0, sizeof(p->words));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		group[i] = at;
		at += sizes[i];
	}
	memcpy(p->words, "xdebugpy", 8);
	p->words[1] = hex;
	p->words[p->thread + 4] = 72;
	p->words[p->thread + 5] = 152;
	const uint64_t frame[] = {88, 8, 0, 56, 80, 74};
	const uint64_t code[] = {208, 112, 120, 128, 136, 68, 52, 96, 104, 208 - 8};
	const uint64_t bytes[] = {40, 16, 32};
	const uint64_t text[] = {64, 32, 16, 40};
	memcpy(p->words + p->frame, frame, sizeof(frame));
	memcpy(p->words + p->code, code, sizeof(code));
	p->words[p->tuple + 1] = is_3_14 ? 32 : 24;
	memcpy(p->words + p->bytes, bytes, sizeof(bytes));
	memcpy(p->words + p->text, text, sizeof(text));
}

Test(python_layout, offsets_that_the_interpreter_publishes)
{
	for (int is_3_14 = 0; is_3_14 < 2; is_3_14++) {
		struct published p;
		struct python_layout layout;
		uint32_t hex = is_3_14 ? 0x030e00f0 : 0x030d00f0;
		publish(&p, hex, is_3_14);
		cr_assert(eq(ptr, (void *)layout_of(hex, p.words, &layout), NULL));
		cr_assert(eq(u32, layout.thread_frame, 72));
		cr_assert(eq(u32, layout.thread_id, 152));
		cr_assert(eq(u32, layout.link_frame, PYTHON_NO_LINK));
		cr_assert(eq(u32, layout.frame_previous, 8));
		cr_assert(eq(u32, layout.frame_code, 0));
		cr_assert(eq(u32, layout.frame_at, 56));
		cr_assert(eq(u32, layout.frame_owner, 74));
		cr_assert(eq(u32, layout.frame_locals, 80));
		cr_assert(eq(u32, layout.tuple_items, is_3_14 ? 32 : 24));
		cr_assert(eq(u32, layout.code_file, 112));
		cr_assert(eq(u32, layout.code_name, 120));
		cr_assert(eq(u32, layout.code_table, 136));
		cr_assert(eq(u32, layout.code_line, 68));
		cr_assert(eq(u32, layout.code_start, 200));
		cr_assert(eq(u32, layout.code_traceable, 184));
	}
}

Test(python_layout, published_offsets_that_are_refused)
{
	struct published p;
	struct python_layout layout;
	publish(&p, 0x030d00f0, false);
	p.words[2] = 1; /* free-threaded */
	cr_assert(ne(ptr, (void *)layout_of(0x030d00f0, p.words, &layout), NULL));
	publish(&p, 0x030d00f0, false);
	memcpy(p.words, "xdebugpx", 8);
	cr_assert(ne(ptr, (void *)layout_of(0x030d00f0, p.words, &layout), NULL));
	publish(&p, 0x030e00f0, true);
	cr_assert(ne(ptr, (void *)layout_of(0x030d00f0, p.words, &layout), NULL));
	publish(&p, 0x030e00f0, true);
	p.words[p.frame + 3] = 4096;
	cr_assert(ne(ptr, (void *)layout_of(0x030e00f0, p.words, &layout), NULL));
	/* A release whose words have moved: the older order under the newer number. */
	publish(&p, 0x030e00f0, false);
	cr_assert(ne(ptr, (void *)layout_of(0x030e00f0, p.words, &layout), NULL));
	cr_assert(ne(ptr, (void *)layout_of(0x030e00f0, NULL, &layout), NULL));
}
