/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/nvtx/pairs.h"
#include "preload/nvtx/stack.h"
#include "preload/nvtx/text.h"

static struct nvtx_stack stack;

static int push(unsigned domain, uint64_t begin, bool *ret_lost)
{
	const struct nvtx_range range = {.begin = begin, .domain_slot = (uint16_t)domain};
	return nvtx_stack_push(&stack, &range, ret_lost);
}

static void expect_push(unsigned domain, uint64_t begin, int level)
{
	bool lost;
	cr_assert(eq(int, push(domain, begin, &lost), level));
	cr_assert(not(lost));
}

static void expect_pop(unsigned domain, uint64_t begin, int level)
{
	struct nvtx_range range = {.begin = 99};
	cr_assert(eq(int, nvtx_stack_pop(&stack, domain, &range), level));
	if (level >= 0)
		cr_assert(eq(u64, range.begin, begin));
}

Test(nvtx_stack, each_domain_has_its_own)
{
	expect_pop(0, 0, -1);
	expect_push(0, 1, 0);
	expect_push(3, 2, 0);
	expect_push(0, 3, 1);
	expect_push(NVTX_DOMAINS - 1, 4, 0);
	expect_pop(3, 2, 0);
	expect_pop(3, 0, -1);
	expect_push(3, 5, 0);
	expect_pop(0, 3, 1);
	expect_pop(0, 1, 0);
	expect_pop(3, 5, 0);
	expect_pop(NVTX_DOMAINS - 1, 4, 0);
	expect_pop(0, 0, -1);
	cr_assert(eq(u64, stack.top, stack.bottom));
}

Test(nvtx_stack, the_oldest_gives_way)
{
	bool lost;
	for (unsigned i = 0; i < NVTX_DEPTH + 50; i++) {
		cr_assert(eq(int, push(0, i + 1, &lost), (int)i));
		cr_assert(eq(int, lost, i >= NVTX_DEPTH));
	}
	for (unsigned i = NVTX_DEPTH + 50; i-- > 0;)
		expect_pop(0, i < 50 ? 0 : i + 1, (int)i);
	expect_pop(0, 0, -1);
	expect_push(0, 7, 0);
}

Test(nvtx_stack, what_recording_missed_is_not_lost)
{
	bool lost;
	for (unsigned i = 0; i < 2 * NVTX_DEPTH; i++) {
		(void)push(i % 2, 0, &lost);
		cr_assert(not(lost));
	}
}

/* Against the plainest stack there is: a list per domain. */
Test(nvtx_stack, any_order)
{
	enum {
		DOMAINS = 5,
		LIMIT = 1000
	};
	static uint64_t model[DOMAINS][LIMIT];
	int depth[DOMAINS] = {0};
	uint64_t number = 0, lost_count = 0, missing = 0;
	srand(1);
	for (int round = 0; round < 200000; round++) {
		unsigned domain = (unsigned)rand() % DOMAINS;
		struct nvtx_range range;
		bool lost = false;
		int bias = round / 20000 % 2 == 0 ? 60 : 40;
		if (rand() % 100 < bias && depth[domain] < LIMIT) {
			model[domain][depth[domain]] = ++number;
			cr_assert(eq(int, push(domain, number, &lost), depth[domain]));
			depth[domain]++;
			lost_count += lost;
			continue;
		}
		int level = nvtx_stack_pop(&stack, domain, &range);
		cr_assert(eq(int, level, depth[domain] - 1));
		if (level < 0)
			continue;
		depth[domain]--;
		cr_assert(range.begin == 0 || range.begin == model[domain][level]);
		missing += range.begin == 0;
	}
	for (unsigned domain = 0; domain < DOMAINS; domain++)
		while (depth[domain]-- > 0) {
			struct nvtx_range range;
			cr_assert(eq(int, nvtx_stack_pop(&stack, domain, &range), depth[domain]));
			missing += range.begin == 0;
		}
	cr_assert(gt(u64, lost_count, 0));
	cr_assert(eq(u64, missing, lost_count));
}

Test(nvtx_stack, silenced_ranges_are_popped_and_empty)
{
	expect_push(0, 1, 0);
	expect_push(1, 2, 0);
	nvtx_stack_silence(&stack);
	expect_push(0, 3, 1);
	expect_pop(0, 3, 1);
	expect_pop(0, 0, 0);
	expect_pop(1, 0, 0);
}

Test(nvtx_pairs, an_id_ends_once)
{
	const struct nvtx_range range = {.begin = 5, .name = 6};
	struct nvtx_range found;
	uint32_t thread;
	bool lost;
	uint64_t first = nvtx_pairs_start(&range, 8, &lost);
	uint64_t second = nvtx_pairs_start(&range, 9, &lost);
	cr_assert(ne(u64, first, second));
	cr_assert(not(nvtx_pairs_end(0, &found, &thread)));
	cr_assert(not(nvtx_pairs_end(1, &found, &thread)));
	cr_assert(not(nvtx_pairs_end(UINT64_MAX, &found, &thread)));
	cr_assert(not(nvtx_pairs_end(first + NVTX_PAIRS, &found, &thread)));
	cr_assert(nvtx_pairs_end(first, &found, &thread));
	cr_assert(eq(u32, thread, 8));
	cr_assert(eq(u32, found.name, 6));
	cr_assert(not(nvtx_pairs_end(first, &found, &thread)));
	cr_assert(nvtx_pairs_end(second, &found, &thread));
}

Test(nvtx_pairs, too_many_are_lost_and_the_rest_is_right)
{
	static uint64_t ids[2 * NVTX_PAIRS];
	static bool kept[2 * NVTX_PAIRS];
	unsigned kept_count = 0;
	for (unsigned i = 0; i < 2 * NVTX_PAIRS; i++) {
		const struct nvtx_range range = {.begin = i + 1};
		bool lost;
		ids[i] = nvtx_pairs_start(&range, 0, &lost);
		kept[i] = !lost;
		kept_count += kept[i];
	}
	cr_assert(eq(uint, kept_count, NVTX_PAIRS));
	for (unsigned i = 0; i < 2 * NVTX_PAIRS; i++) {
		struct nvtx_range range;
		uint32_t thread;
		cr_assert(eq(int, nvtx_pairs_end(ids[i], &range, &thread), kept[i]));
		if (kept[i])
			cr_assert(eq(u64, range.begin, i + 1));
	}
}

Test(nvtx_pairs, cleared)
{
	const struct nvtx_range range = {.begin = 5};
	struct nvtx_range found;
	uint32_t thread;
	bool lost;
	uint64_t id = nvtx_pairs_start(&range, 0, &lost);
	nvtx_pairs_clear();
	cr_assert(not(nvtx_pairs_end(id, &found, &thread)));
}

#define SWAPS 20000
static uint64_t posted[16];
static uint32_t wrong, started, ended;

static void *swap(void *argument)
{
	unsigned random = (unsigned)(uintptr_t)argument;
	for (unsigned i = 0; i < SWAPS; i++) {
		struct nvtx_range range = {.begin = i + 1, .payload = i + 1};
		uint32_t thread;
		bool lost;
		uint64_t id = nvtx_pairs_start(&range, 1, &lost);
		(void)__atomic_fetch_add(&started, !lost, __ATOMIC_RELAXED);
		random = random * 1103515245 + 12345;
		id = __atomic_exchange_n(&posted[random >> 20 & 15], id, __ATOMIC_RELAXED);
		if (id == 0 || !nvtx_pairs_end(id, &range, &thread))
			continue;
		(void)__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
		(void)__atomic_fetch_add(&wrong, range.begin != range.payload, __ATOMIC_RELAXED);
	}
	return NULL;
}

Test(nvtx_pairs, threads_end_what_others_started)
{
	pthread_t threads[4];
	for (uintptr_t i = 0; i < 4; i++)
		cr_assert(eq(int, pthread_create(&threads[i], NULL, swap, (void *)i), 0));
	for (unsigned i = 0; i < 4; i++)
		cr_assert(eq(int, pthread_join(threads[i], NULL), 0));
	for (unsigned i = 0; i < 16; i++) {
		struct nvtx_range range;
		uint32_t thread;
		ended += posted[i] != 0 && nvtx_pairs_end(posted[i], &range, &thread);
	}
	cr_assert(eq(u32, wrong, 0));
	cr_assert(eq(u32, started, ended));
	cr_assert(eq(u32, started, 4 * SWAPS));
}

static void expect_utf8(const wchar_t *wide, size_t size, const char *expected)
{
	char text[64];
	memset(text, 'x', sizeof(text));
	cr_assert(eq(sz, nvtx_text_utf8(wide, text, size), strlen(expected)));
	cr_assert(eq(int, strcmp(text, expected), 0));
	cr_assert(eq(chr, text[size], 'x'));
}

Test(nvtx_text, wide_texts_become_utf8)
{
	const wchar_t outside[] = {0x110000, (wchar_t)-1, 0xd800, 0xdfff, 0xe000, 0};
	expect_utf8(L"", 8, "");
	expect_utf8(NULL, 8, "");
	expect_utf8(L"a\xe9\x20ac\U0001F600", 32, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_utf8(outside, 32, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xee\x80\x80");
	expect_utf8(L"\xe9\xe9\xe9", 4, "\xc3\xa9");
	expect_utf8(L"\xe9\xe9\xe9", 5, "\xc3\xa9\xc3\xa9");
	expect_utf8(L"abc", 1, "");
}

Test(nvtx_text, narrow_texts_are_cut_between_characters)
{
	char text[NVTX_TEXT_BYTES + 10];
	size_t length;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	(void)collector_name_text(nvtx_text_narrow(text), &length);
	cr_assert(eq(sz, length, NVTX_TEXT_BYTES - 1));
	memcpy(text + NVTX_TEXT_BYTES - 3, "\xe2\x82\xac", 3);
	(void)collector_name_text(nvtx_text_narrow(text), &length);
	cr_assert(eq(sz, length, NVTX_TEXT_BYTES - 3));
	cr_assert(eq(u32, nvtx_text_narrow(NULL), 0));
	cr_assert(eq(u32, nvtx_text_narrow(""), 0));
}

Test(nvtx_text, numbers_no_longer_count_after_many_texts)
{
	char text[64];
	size_t length;
	for (unsigned i = 0; i < 3 * NVTX_TEXT_NAMES; i++) {
		(void)snprintf(text, sizeof(text), "step %u of 7", i);
		uint32_t id = nvtx_text_narrow(text);
		const char *found = collector_name_text(id, &length);
		const char *expected = i < NVTX_TEXT_NAMES ? text : "step # of #";
		cr_assert(eq(sz, length, strlen(expected)));
		cr_assert(eq(int, memcmp(found, expected, length), 0));
	}
	cr_assert(eq(sz, nvtx_text_unnumbered("12 a34", 6, text, sizeof(text)), 4));
	cr_assert(eq(int, strcmp(text, "# a#"), 0));
	cr_assert(eq(sz, nvtx_text_unnumbered("abcdef", 6, text, 4), 3));
	cr_assert(eq(int, strcmp(text, "abc"), 0));
}

Test(nvtx_text, handles_stand_for_names)
{
	cr_assert(eq(u32, nvtx_text_of_handle(nvtx_text_handle(77)), 77));
	cr_assert(eq(u32, nvtx_text_of_handle(nvtx_text_handle(UINT32_MAX)), UINT32_MAX));
	cr_assert(ne(ptr, (void *)nvtx_text_handle(0), NULL));
	cr_assert(eq(u32, nvtx_text_of_handle(NULL), 0));
	cr_assert(eq(u32, nvtx_text_of_handle(&stack), 0));
	cr_assert(eq(u32, nvtx_text_of_handle((const void *)UINTPTR_MAX), 0));
}
