/* SPDX-License-Identifier: MIT */
/* Threads of a pool that all do the same, whose calls come in any order. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/model_report.h"

#define THREADS  3u
#define REQUESTS 40u /* of each */
#define LAUNCHES 5u  /* of a request */

static uint64_t random_state = 88172645463325252ull;

static unsigned below(unsigned limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 40) % limit;
}

static void shuffle(unsigned threads[THREADS])
{
	for (unsigned i = THREADS; i-- > 1;) {
		unsigned other = below(i + 1), kept = threads[i];
		threads[i] = threads[other];
		threads[other] = kept;
	}
}

/* Each in turn gets its answer, and brings its next request. */
static void add_round(struct builder *builder, const unsigned threads[THREADS], bool first)
{
	for (unsigned i = 0; i < THREADS; i++) {
		builder->thread = threads[i];
		if (!first)
			builder_copy(builder, 200, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, 4);
		builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 4, MEMORY_PAGEABLE, 1);
		for (unsigned number = 0; number < LAUNCHES; number++)
			builder_launch(builder, 20, number % 2 == 0 ? NAME_KERNEL : NAME_KERNEL_2,
				1 + number / 2);
	}
}

/* The pattern is that of one of them, whoever is ahead meanwhile. */
Test(equal_threads, one_of_them_has_the_steps)
{
	for (unsigned mix = 0; mix < 20; mix++) {
		struct builder builder = builder_new();
		unsigned threads[THREADS] = {1, 2, 3};
		for (unsigned request = 0; request < REQUESTS; request++) {
			shuffle(threads);
			add_round(&builder, threads, request == 0);
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(int, builder.model->steps.method, STEP_BY_PERIOD), "mix %u", mix);
		cr_expect(ge(u64, report->steps.count, REQUESTS - 1), "mix %u", mix);
		cr_expect(le(u64, report->steps.count, REQUESTS), "mix %u", mix);
		builder_free(&builder);
	}
}
