/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/describe.h"
#include "preload/operators/names.h"
#include "preload/torch/version.h"

static struct operator_names table;

/* What the caller keeps with a text is never another text's. */
static void expect_kept(struct operator_name *name, const char *text)
{
	uint32_t own = 1;
	for (const char *at = text; *at != '\0'; at++)
		own = 31 * own + (unsigned char)*at;
	if (name->kept != 0)
		cr_assert(eq(u32, name->kept, own));
	name->kept = own;
}

static void expect_name(const char *address, const char *text)
{
	struct operator_name spare;
	size_t length = 0;
	uint32_t before = 0, after = 0;
	bool was_quick = operator_name_quick(&table, address, &before);
	struct operator_name *name = operator_name(&table, address, &spare);
	expect_kept(name, text);
	cr_assert(eq(u32, operator_name_id(&table, address), name->id));
	if (was_quick)
		cr_assert(eq(u32, before, name->id));
	if (operator_name_quick(&table, address, &after))
		cr_assert(eq(u32, after, name->id));
	const char *found = collector_name_text(name->id, &length);
	cr_assert(ne(ptr, (void *)found, NULL));
	cr_assert(eq(sz, length, strlen(text)));
	cr_assert(eq(int, memcmp(found, text, length), 0));
}

Test(operator_names, follow_an_address_that_is_used_again)
{
	char text[64];
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(text, sizeof(text), "part %03d", i % 700);
		expect_name(text, text);
		expect_name("aten::mm", "aten::mm");
	}
}

Test(operator_names, more_texts_and_addresses_than_places)
{
	static char texts[2000][24];
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 2000; i++) {
			(void)snprintf(texts[i], sizeof(texts[i]), "op %d of %d", i, round);
			expect_name(texts[i], texts[i]);
		}
}

Test(operator_names, any_length)
{
	char text[1100];
	for (size_t length = 1; length < 1000; length += 1) {
		memset(text, 'a' + (int)(length % 26), length);
		text[length] = '\0';
		expect_name(text, text);
	}
}

Test(operator_names, short_ones_are_quick_while_they_are_the_same)
{
	static char text[32];
	uint32_t id = 0, same = 0;
	cr_assert(not(operator_name_quick(&table, NULL, &id)));
	for (size_t length = 1; length < 24; length++) {
		memset(text, 'a', length);
		text[length] = '\0';
		cr_assert(not(operator_name_quick(&table, text, &id)), "%zu: was another", length);
		expect_name(text, text);
		cr_assert(eq(int, operator_name_quick(&table, text, &same), length < 16), "%zu",
			length);
		for (size_t at = 0; at < length; at++) {
			text[at] ^= 1;
			cr_assert(not(operator_name_quick(&table, text, &id)), "%zu of %zu", at,
				length);
			text[at] ^= 1;
		}
		text[length + 1] ^= 1; /* behind its end */
		cr_assert(eq(int, operator_name_quick(&table, text, &id), length < 16));
		text[length + 1] ^= 1;
	}
	memcpy(text, "Torch", sizeof("Torch"));
	expect_name(text, text);
	cr_assert(not(operator_name_quick(&table, text, &id)));
}

Test(operator_names, nothing_is_read_behind_a_page)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t id;
	cr_assert(ne(ptr, pages, MAP_FAILED));
	cr_assert(eq(int, mprotect(pages + 4096, 4096, PROT_NONE), 0));
	for (size_t length = 1; length < 20; length++) {
		char *text = pages + 4096 - length - 1;
		memset(text, 'b', length);
		text[length] = '\0';
		expect_name(text, text);
		(void)operator_name_quick(&table, text, &id);
	}
	(void)munmap(pages, 8192);
}

Test(operator_names, cuts_between_characters)
{
	struct operator_name spare;
	char text[1100];
	size_t length = 0;
	memset(text, 'a', 1023);
	memcpy(text + 1023, "\xc3\xa9z", 4);
	(void)collector_name_text(operator_name(&table, text, &spare)->id, &length);
	cr_assert(eq(sz, length, 1023));
}

Test(operator_names, nothing_has_no_id)
{
	struct operator_name spare;
	cr_assert(eq(u32, operator_name(&table, NULL, &spare)->id, 0));
	cr_assert(eq(u32, operator_name(&table, "", &spare)->id, 0));
}

Test(torch_version, which_are_known)
{
	cr_assert(eq(ptr, (void *)torch_version_refused("1.13"), NULL));
	cr_assert(eq(ptr, (void *)torch_version_refused("2.15.0+cu132"), NULL));
	cr_assert(ne(ptr, (void *)torch_version_refused("1.12.1"), NULL));
	cr_assert(ne(ptr, (void *)torch_version_refused("3.0.0"), NULL));
	cr_assert(ne(ptr, (void *)torch_version_refused(""), NULL));
	cr_assert(ne(ptr, (void *)torch_version_refused("main"), NULL));
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	cr_assert(ne(ptr, file, NULL));
	(void)fputs(text, file);
	(void)fclose(file);
}

Test(torch_version, from_what_lies_beside_the_library)
{
	char folder[] = "/tmp/libtrace-version-XXXXXX", path[128], library[128], text[32];
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	(void)snprintf(library, sizeof(library), "%s/lib/libtorch_cpu.so", folder);
	(void)snprintf(path, sizeof(path), "mkdir %s/lib", folder);
	cr_assert(eq(int, system(path), 0));
	torch_version(library, text, sizeof(text));
	cr_assert_str_eq(text, "");
	(void)snprintf(path, sizeof(path), "%s/build-version", folder);
	write_file(path, "2.1.0+cpu\n");
	torch_version(library, text, sizeof(text));
	cr_assert_str_eq(text, "2.1.0+cpu");
	(void)snprintf(path, sizeof(path), "%s/version.py", folder);
	write_file(
		path, "from typing import Optional\n__version__ = '2.9.1+cu128'\ndebug = False\n");
	torch_version(library, text, sizeof(text));
	cr_assert_str_eq(text, "2.9.1+cu128");
	(void)snprintf(path, sizeof(path), "rm -r %s", folder);
	cr_assert(eq(int, system(path), 0));
	torch_version("/usr/lib/libtorch_cpu.so.1.13", text, sizeof(text));
	cr_assert_str_eq(text, "1.13");
	torch_version("libtorch_cpu.so", text, sizeof(text));
	cr_assert_str_eq(text, "");
}

/* At each place of a page, also where the next page cannot be read. */
Test(operator_names, are_compared_whole_and_not_beyond_the_page)
{
	static const char *const texts[] = {"a", "aten::m", "aten::mm", "aten::mmm",
		"aten::mmm_long", "aten::mmm_longer", "aten::mmm_longer_", "aten::mmm_longer_x",
		"aten::mmm_longer_y"};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(pages != MAP_FAILED);
	cr_assert(eq(int, mprotect(pages + 4096, 4096, PROT_NONE), 0));
	for (size_t end = 4096; end > 3900; end--)
		for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(texts[0]); i++) {
			const char *text = texts[i * 5 % (sizeof(texts) / sizeof(texts[0]))];
			char *address = pages + end - 20;
			if (end == 4096)
				address = pages + end - strlen(text) - 1;
			memset(pages + 3800, 'z', 296);
			memcpy(address, text, strlen(text) + 1);
			expect_name(address, text);
			expect_name(address, text);
		}
}
