/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>

#include "preload/track/context.h"

#define AT(address) ((void *)(uintptr_t)(address))

Test(context, remembers_forgets_and_takes_handles_again)
{
	cr_assert(eq(int, context_device(AT(0x1000)), -1));
	cr_assert(eq(int, context_device(NULL), -1));
	context_remember(AT(0x1000), 3);
	context_remember(AT(0x2000), 0);
	context_remember(NULL, 5);
	cr_assert(eq(int, context_device(AT(0x1000)), 3));
	cr_assert(eq(int, context_device(AT(0x2000)), 0));
	cr_assert(eq(int, context_device(NULL), -1));
	context_forget(AT(0x1000));
	context_forget(AT(0x3000));
	cr_assert(eq(int, context_device(AT(0x1000)), -1));
	context_remember(AT(0x1000), 1);
	cr_assert(eq(int, context_device(AT(0x1000)), 1), "the handle is another context's now");
}

/* What has no room is unknown, not wrong. */
Test(context, is_never_wrong_when_full)
{
	unsigned known = 0;
	for (uintptr_t i = 1; i <= 4 * CONTEXT_LIMIT; i++)
		context_remember(AT(i << 12), (int)(i % 7));
	for (uintptr_t i = 1; i <= 4 * CONTEXT_LIMIT; i++) {
		int device = context_device(AT(i << 12));
		cr_assert(device == -1 || device == (int)(i % 7));
		known += device >= 0;
	}
	cr_assert(known > CONTEXT_LIMIT / 2 && known <= CONTEXT_LIMIT);
}
