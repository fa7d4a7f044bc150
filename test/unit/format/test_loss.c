/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/format/loss.h"

/* The texts of FORMAT.md, which old files have as well. */
static const struct {
	enum loss_cause cause;
	const char *text;
} documented[] = {{LOSS_RING_FULL, "ring full"}, {LOSS_DISK_FULL, "disk full"},
	{LOSS_SIZE_LIMIT, "size limit"}, {LOSS_NO_MEMORY, "no memory"},
	{LOSS_DEVICE_RECORDS, "device records"}};

Test(loss, texts_are_those_of_the_format)
{
	cr_assert(eq(sz, sizeof(documented) / sizeof(documented[0]), LOSS_CAUSE_COUNT));
	for (unsigned i = 0; i < LOSS_CAUSE_COUNT; i++) {
		cr_assert(eq(
			str, (char *)loss_text(documented[i].cause), (char *)documented[i].text));
		cr_assert(eq(u32, loss_cause_of(documented[i].text), documented[i].cause));
	}
}

Test(loss, an_unknown_text_is_other)
{
	cr_assert(eq(u32, loss_cause_of("device buffers"), LOSS_OTHER));
	cr_assert(eq(u32, loss_cause_of("ring"), LOSS_OTHER));
	cr_assert(eq(u32, loss_cause_of(""), LOSS_OTHER));
	cr_assert(eq(u32, loss_cause_of(NULL), LOSS_OTHER));
	cr_assert(eq(ptr, (void *)loss_text(LOSS_OTHER), NULL));
}
