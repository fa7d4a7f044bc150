/* SPDX-License-Identifier: MIT */
/* What a wait says about work of which only the launch is known: one kernel, launched at 0. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/device/add.h"

/* The host begins to wait at wait_us and returns at end_us; a kernel is taken for known_us long. */
static uint64_t length_us(uint64_t known_us, uint64_t wait_us, uint64_t end_us, bool exact)
{
	struct device *device = device_new(false);
	cr_assert(device != NULL);
	const struct record call = {.begin = 1000000};
	struct device_op op = {.ready_ns = 1000000};
	op.stream = (uint16_t)device_stream(device, 1000, 0);
	op.estimate = estimate_find(&device->estimates, 7, (float)known_us * 1e3f);
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
		uint64_t known_us, wait_us, end_us;
		bool exact;
		uint64_t length_us;
	} cases[] = {
		{"as long as it was known to be", 500, 10, 500, true, 500},
		{"a long wait: it took longer", 500, 10, 5000, true, 5000},
		{"a long wait after a long time: it took longer", 500, 4000, 5000, true, 5000},
		{"a short one soon after its end: a little longer", 500, 595, 600, true, 600},
		{"a short one long after its end: the call took its time", 500, 4995, 5000, true,
			500},
		{"a short one, and a quarter longer is still a little", 500, 615, 620, true, 620},
		{"a short one, and more than that is not", 500, 625, 630, true, 500},
		{"a long enough one: all that it shows", 500, 605, 630, true, 630},
		{"a short one, but the host did little else: it took longer", 3, 8, 23, true, 23},
		{"a short one after other work of the host", 3, 80, 95, true, 3},
		{"there was nothing to wait for", 500, 4000, 4005, false, 500},
		{"done earlier than it is known to take", 500, 200, 300, false, 300},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(u64,
				  length_us(cases[i].known_us, cases[i].wait_us, cases[i].end_us,
					  cases[i].exact),
				  cases[i].length_us),
			"%s", cases[i].name);
}

/* Waits of 5 ms each for one copy of 10 us or for one kernel: what it is taken to be after them. */
static double known_after(unsigned waits, bool copy)
{
	struct device *device = device_new(false);
	cr_assert(device != NULL);
	const uint32_t estimate = estimate_find(&device->estimates, 7, 10e3f);
	for (uint64_t at = 1000000; waits-- > 0; at += 10000000) {
		const struct record call = {.begin = at};
		struct device_op op = {.ready_ns = at, .fixed = copy, .estimate = estimate};
		op.stream = (uint16_t)device_stream(device, 1000, 0);
		cr_assert(eq(int, device_enqueue(device, &op, &call), 0));
		const struct device_close close = {.wait_begin_ns = at + 1000,
			.end_ns = at + 5000000,
			.stream = op.stream,
			.count = 1,
			.exact = true};
		device_fit(device, &close);
		device_retire(device, 1);
	}
	double ns = (double)device->estimates.items[estimate].ns;
	device_free(device);
	return ns;
}

Test(fit, one_long_wait_makes_no_slow_copy)
{
	cr_expect(known_after(1, true) < 40e3);
	cr_expect(known_after(12, true) > 2.5e6, "many do");
	cr_expect(known_after(2, false) > 2.5e6, "kernels may be of any length");
}
