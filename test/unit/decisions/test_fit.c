/* SPDX-License-Identifier: MIT */
/* What a wait says about work of which only the launch is known: one kernel, launched at 0. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/device/add.h"

/* The host begins to wait at wait_us and returns at end_us; the kernel is known to take 500 us. */
static uint64_t length_us(uint64_t wait_us, uint64_t end_us, bool exact)
{
	struct device *device = device_new(false);
	cr_assert(device != NULL);
	const struct record call = {.begin = 1000000};
	struct device_op op = {.ready_ns = 1000000};
	op.stream = (uint16_t)device_stream(device, 1000, 0);
	op.estimate = estimate_find(&device->estimates, 7, 500e3f);
	cr_assert(eq(int, device_enqueue(device, &op, &call), 0));
	const struct device_close close = {.wait_begin_ns = 1000000 + wait_us * 1000,
		.end_ns = 1000000 + end_us * 1000,
		.stream = op.stream,
		.count = 1,
		.exact = exact};
	device_fit(device, &close);
	uint64_t ns = device->ops.items[0].end_ns - device->ops.items[0].begin_ns;
	device_free(device);
	return ns / 1000;
}

Test(fit, a_wait_says_when_the_work_ended)
{
	static const struct {
		const char *name;
		uint64_t wait_us, end_us;
		bool exact;
		uint64_t length_us;
	} cases[] = {
		{"as long as it was known to be", 10, 500, true, 500},
		{"a long wait: it took longer", 10, 5000, true, 5000},
		{"a long wait after a long time: it took longer", 4000, 5000, true, 5000},
		{"a short one soon after its end: a little longer", 595, 600, true, 600},
		{"a short one long after its end: the call took its time", 4995, 5000, true, 500},
		{"there was nothing to wait for", 4000, 4005, false, 500},
		{"done earlier than it is known to take", 200, 300, false, 300},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(u64, length_us(cases[i].wait_us, cases[i].end_us, cases[i].exact),
				  cases[i].length_us),
			"%s", cases[i].name);
}
