/* SPDX-License-Identifier: MIT */
#include "preload/linker/pending.h"

#include "collector/own/sandbox.h"
#include "preload/linker/elsewhere.h"
#include "preload/thread/peek.h"

#define DEPTH 5

static __thread struct pending {
	const uintptr_t *frame;
	uintptr_t address; /* what lay there */
} stack[DEPTH] __attribute__((tls_model("initial-exec")));
static __thread uint32_t depth __attribute__((tls_model("initial-exec")));

/*
 * Read through the kernel: the frame may be on a coroutine's stack that is gone. Where return
 * addresses are in a register, and where the kernel is not to be asked, the place says nothing.
 */
static bool still_there(const struct pending *entry)
{
#if defined(__x86_64__)
	uintptr_t now = 0;
	return sandbox_refuses() || !peek(entry->frame, &now, sizeof(now)) || now == entry->address;
#else
	(void)entry;
	return true;
#endif
}

/* Drop entries that have certainly returned; inner ones first. */
static void settle(const uintptr_t *frame)
{
	while (depth > 0) {
		const struct pending *entry = &stack[depth - 1];
		if (entry->frame > frame && still_there(entry))
			return;
		depth--;
	}
}

void pending_begin(const uintptr_t *frame)
{
	settle(frame);
	if (depth == DEPTH) /* deeper ones are covered by those that are known */
		return;
	stack[depth].frame = frame;
	stack[depth].address = *frame;
	if (depth++ == 0)
		elsewhere_begins(frame);
}

bool pending_none(const uintptr_t *frame)
{
	settle(frame);
	return depth == 0;
}

bool pending_nowhere(const uintptr_t *frame)
{
	return pending_none(frame) && !elsewhere_loads();
}
