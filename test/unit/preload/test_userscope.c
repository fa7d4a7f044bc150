/* SPDX-License-Identifier: MIT */
/* A PyTorch whose answers have callbacks where PyTorch has them, or somewhere else. */
#include "preload/callbacks/userscope.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/buffer/state.h"
#include "collector/collector.h"
#include "collector/format/value.h"

#define FIT 4 /* in an answer itself */

struct pair {
	void (*start)(void);
	void (*end)(void);
};

struct answer {
	unsigned char before[24]; /* so that they are not where they happen to be */
	struct pair *first;
	uint32_t count, capacity;
	struct pair inside[FIT];
	unsigned char needs[3];
};

static struct pair others[FIT], own;
static uint32_t other_count, own_count;
static bool goes_by_us, is_elsewhere;
static unsigned made;

static void start(void)
{
}

static void end(void)
{
}

static void other(void)
{
}

static void *answer_of(void *ret_answer, uint8_t scope)
{
	struct answer *answer = ret_answer;
	memset(answer, 0xa5, sizeof(*answer));
	answer->first = answer->inside;
	answer->count = 0;
	answer->capacity = FIT;
	for (uint32_t i = 0; i < other_count; i++)
		answer->first[answer->count++] = others[i];
	if (own_count > 0 && scope == OP_USER_SCOPE)
		answer->first[answer->count++] = own;
	if (is_elsewhere)
		answer->first = NULL;
	return answer;
}

static uint64_t add_own(struct torch_callback callback)
{
	cr_assert(eq(int, callback.scopes[OP_USER_SCOPE], 1));
	own = (struct pair){callback.start, callback.end};
	own_count++;
	return 7;
}

static void take_away(uint64_t handle)
{
	cr_assert(eq(u64, handle, 7));
	own_count--;
}

/* A record has more in it than the answer. */
static void make_range(void *record, uint8_t scope)
{
	made++;
	if (goes_by_us)
		(void)userscope_answer(answer_of, (char *)record + 8, scope);
}

static void begin(void)
{
	frameworks.torch_add_own = add_own;
	frameworks.torch_remove = take_away;
	frameworks.torch_make_range = make_range;
	goes_by_us = true;
	collector_enabled = 1;
}

static bool begins(void)
{
	struct torch_callback callback = {.start = start, .end = end, .probability = 1};
	callback.scopes[OP_USER_SCOPE] = 1;
	bool begun = userscope_begin(&callback);
	cr_assert(zero(u32, own_count), "none is left");
	return begun;
}

static struct answer asked(uint8_t scope)
{
	struct answer answer;
	cr_assert(eq(ptr, userscope_answer(answer_of, &answer, scope), &answer));
	return answer;
}

static bool has_ours(const struct answer *answer, uint32_t behind)
{
	return answer->count == behind + 1 && answer->inside[behind].start == start &&
	       answer->inside[behind].end == end;
}

TestSuite(userscope, .init = begin);

Test(userscope, a_range_has_ours_and_nothing_else_does)
{
	struct answer before = asked(OP_USER_SCOPE);
	cr_assert(zero(u32, before.count), "not begun");
	cr_assert(begins());
	struct answer range = asked(OP_USER_SCOPE), function = asked(OP_FUNCTION);
	cr_assert(has_ours(&range, 0));
	cr_assert(zero(u32, function.count));
	cr_assert(eq(int, range.needs[0], 0xa5), "nothing else is touched");
	cr_assert(eq(int, range.before[0], 0xa5));
	userscope_end();
	range = asked(OP_USER_SCOPE);
	cr_assert(zero(u32, range.count));
}

Test(userscope, those_of_others_stay)
{
	others[0] = (struct pair){other, other};
	other_count = 1;
	cr_assert(begins(), "a profiler was there first");
	other_count = 3;
	struct answer range = asked(OP_USER_SCOPE);
	cr_assert(has_ours(&range, 3));
	other_count = FIT;
	range = asked(OP_USER_SCOPE);
	cr_assert(eq(u32, range.count, FIT), "no room");
	cr_assert(eq(u64, state_counter(COUNTER_RANGES_LOST), 1), "which is counted");
}

Test(userscope, none_while_nothing_is_recorded)
{
	cr_assert(begins());
	collector_enabled = 0;
	struct answer range = asked(OP_USER_SCOPE);
	cr_assert(zero(u32, range.count));
}

Test(userscope, pytorch_does_not_come_by_us)
{
	goes_by_us = false;
	cr_assert(not(begins()));
	cr_assert(eq(u32, made, 1));
	struct answer range = asked(OP_USER_SCOPE);
	cr_assert(zero(u32, range.count));
}

Test(userscope, answers_are_not_as_they_were)
{
	is_elsewhere = true;
	cr_assert(not(begins()));
	is_elsewhere = false;
	struct answer range = asked(OP_USER_SCOPE);
	cr_assert(zero(u32, range.count));
}

Test(userscope, this_pytorch_has_no_such_functions)
{
	frameworks.torch_add_own = NULL;
	cr_assert(not(begins()));
	frameworks.torch_add_own = add_own;
	frameworks.torch_make_range = NULL;
	cr_assert(not(begins()));
}
