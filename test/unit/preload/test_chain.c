/* SPDX-License-Identifier: MIT */
/* Chains of frames that change between two readings, or make no sense. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/sampler/chain.h"

#define MARK   77u
#define FRAMES 5000u

/* As in 3.12: the state holds what holds the frame. */
static const struct python_layout layout = {.thread_frame = 8,
	.link_frame = 0,
	.thread_id = 16,
	.frame_code = 0,
	.frame_previous = 8,
	.frame_at = 16,
	.frame_owner = 24};

struct frame {
	uint64_t code;
	const struct frame *previous;
	uint64_t at;
	uint64_t owner;
};
static struct frame frames[FRAMES];
static const struct frame *link_of_thread;
static struct {
	uint64_t unused;
	const void *link;
	uint64_t mark;
} thread;

static unsigned readings;
static unsigned change_at; /* number of the reading before which change() is called */
static void (*change)(void);

static unsigned read_memory(const struct peek_piece *pieces, unsigned count, void *ret_bytes)
{
	readings++;
	if (readings == change_at)
		change();
	return peek_pieces(pieces, count, ret_bytes);
}

static const struct chain_source source = {&layout, (const char *)&thread, MARK, read_memory};
static struct chain chain;

/* count functions, the innermost one is frames[0]. */
static void stand(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		frames[i] = (struct frame){.code = 0x10000 + i * 8 + 1,
			.previous = i + 1 < count ? &frames[i + 1] : NULL,
			.at = 0x20000 + i * 16};
	link_of_thread = &frames[0];
	thread.link = &link_of_thread;
	thread.mark = MARK;
}

static enum chain_result read_changing(unsigned reading, void (*how)(void))
{
	readings = 0;
	change_at = reading;
	change = how;
	enum chain_result result = chain_read(&source, &chain);
	change_at = 0;
	return result;
}

static void cr_is(unsigned count, unsigned first, bool outer)
{
	cr_assert(eq(uint, chain.count, count));
	cr_assert(eq(int, chain.outer, outer));
	for (unsigned i = 0; i < count; i++)
		cr_assert(eq(ptr, (void *)(uintptr_t)chain.frames[i].address, &frames[first + i]));
}

Test(chain, frames_from_the_innermost_outward)
{
	stand(4);
	frames[2].owner = PYTHON_OWNED_BY_C;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_is(4, 0, false);
	cr_assert(not(chain.cut));
	cr_assert(eq(ptr, (void *)(uintptr_t)chain.frames[1].code, (void *)0x10008));
	cr_assert(eq(u64, chain.frames[1].at, 0x20010));
	cr_assert(eq(u8, chain.frames[2].owner, PYTHON_OWNED_BY_C));
}

Test(chain, what_has_not_changed_costs_one_reading)
{
	stand(30);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	readings = 0;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_SAME));
	cr_assert(eq(uint, readings, 1));
	frames[0].at += 2;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_assert(eq(uint, readings, 2));
	cr_is(30, 0, false);
	cr_assert(eq(u64, chain.frames[0].at, 0x20002));
}

static void return_twice(void)
{
	link_of_thread = &frames[2];
	frames[2].at += 4;
	memset(frames, 0xee, 2 * sizeof(frames[0]));
}

Test(chain, functions_that_returned_meanwhile_are_left_out)
{
	stand(6);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	frames[0].code += 64; /* so that it is read twice */
	cr_assert(eq(int, read_changing(2, return_twice), CHAIN_READ));
	cr_is(4, 2, true);
	cr_assert(eq(u64, chain.frames[0].at, 0x20024));
}

static void call_another(void)
{
	frames[FRAMES - 1] = (struct frame){.code = 0x90000, .previous = &frames[0], .at = 0x90010};
	link_of_thread = &frames[FRAMES - 1];
}

Test(chain, a_function_that_was_called_meanwhile_takes_nothing_away)
{
	stand(6);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	frames[0].code += 64;
	cr_assert(eq(int, read_changing(2, call_another), CHAIN_READ));
	cr_is(6, 0, false);
}

static void swap_one(void)
{
	frames[1].code += 4096;
	frames[1].at += 4096;
}

Test(chain, a_frame_that_is_another_function_now_goes_with_all_inside_of_it)
{
	stand(6);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	frames[0].code += 64;
	cr_assert(eq(int, read_changing(2, swap_one), CHAIN_READ));
	cr_is(4, 2, true);
}

static void replace_all(void)
{
	stand(6);
	for (unsigned i = 0; i < 6; i++)
		frames[i].code += 4096;
}

Test(chain, a_stack_of_which_nothing_stayed_is_torn)
{
	stand(6);
	/* Two for the head and one for each frame; then all of it again. */
	cr_assert(eq(int, read_changing(9, replace_all), CHAIN_TORN));
	cr_assert(eq(uint, readings, 9));
}

static void end_thread(void)
{
	thread.mark = 0;
}

Test(chain, a_thread_that_ended_meanwhile)
{
	stand(6);
	cr_assert(eq(int, read_changing(9, end_thread), CHAIN_TORN));
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_NONE));
}

Test(chain, nothing_to_read)
{
	stand(1);
	link_of_thread = NULL;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_NONE));
	thread.link = NULL;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_NONE));
	const struct chain_source gone = {&layout, (const char *)16, MARK, read_memory};
	cr_assert(eq(int, chain_read(&gone, &chain), CHAIN_NONE));
}

Test(chain, impossible_pointers_are_torn)
{
	const uintptr_t bad[] = {8, 0x7001, 0xdead000000000000, UINTPTR_MAX - 7, 1ul << 47};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		stand(4);
		frames[2].previous = (const void *)bad[i];
		cr_assert(eq(int, chain_read(&source, &chain), CHAIN_TORN), "%zu", i);
		stand(4);
		link_of_thread = (const void *)bad[i];
		cr_assert(eq(int, chain_read(&source, &chain), CHAIN_TORN), "%zu", i);
		stand(4);
		thread.link = (const void *)bad[i];
		cr_assert(eq(int, chain_read(&source, &chain), CHAIN_NONE), "%zu", i);
	}
}

Test(chain, a_circle_is_no_stack)
{
	for (unsigned back = 0; back < 5; back++) {
		stand(5);
		frames[4].previous = &frames[back];
		cr_assert(eq(int, chain_read(&source, &chain), CHAIN_TORN), "%u", back);
	}
}

Test(chain, memory_that_is_gone_by_the_second_time)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct frame *gone =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(ne(ptr, gone, MAP_FAILED));
	stand(4);
	*gone = (struct frame){.code = 0x5000, .previous = &frames[0], .at = 0x6000};
	link_of_thread = gone;
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_assert(eq(uint, chain.count, 5));
	(void)munmap(gone, page);
	link_of_thread = &frames[0];
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_is(4, 0, false);
}

Test(chain, of_a_deep_stack_the_innermost_frames_are_kept)
{
	stand(FRAMES);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_is(CHAIN_LIMIT, 0, false);
	cr_assert(chain.cut);
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_SAME));
	link_of_thread = &frames[3];
	cr_assert(eq(int, chain_read(&source, &chain), CHAIN_READ));
	cr_is(CHAIN_LIMIT, 3, false);
}
