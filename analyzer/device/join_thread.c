/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_thread.h"

void join_thread_release(struct join_thread *thread)
{
	circle_release(&thread->calls);
	circle_release(&thread->apis);
}

/* Where there is no room, or it belongs before others. */
static __attribute__((noinline)) int sort_api(
	struct join_thread *thread, const struct join_api *api)
{
	if (circle_reserve(&thread->apis, 1) < 0)
		return -ENOMEM;
	uint64_t at = thread->apis.until++;
	for (; at > thread->apis.first; at--) {
		const struct join_api *before = circle_at(&thread->apis, at - 1);
		if (before->begin_ns <= api->begin_ns)
			break;
		*circle_at(&thread->apis, at) = *before;
	}
	*circle_at(&thread->apis, at) = *api;
	return 0;
}

int join_thread_keep_api(struct join_thread *thread, const struct join_api *api)
{
	uint64_t count = circle_count(&thread->apis);
	if (count == thread->apis.capacity ||
		(count > 0 &&
			circle_at(&thread->apis, thread->apis.until - 1)->begin_ns > api->begin_ns))
		return sort_api(thread, api);
	*circle_at(&thread->apis, thread->apis.until++) = *api;
	return 0;
}

static __attribute__((noinline)) int push_call(
	struct join_thread *thread, const struct join_call *call)
{
	return circle_push(&thread->calls, *call);
}

int join_thread_keep_call(
	struct join_thread *thread, const struct join_call *call, uint64_t forgotten)
{
	while (circle_count(&thread->calls) > 0) {
		const struct join_call *oldest = circle_at(&thread->calls, thread->calls.first);
		if (oldest->number >= forgotten)
			break;
		thread->dropped_ns = oldest->end_ns;
		thread->calls.first++;
	}
	if (circle_count(&thread->calls) == thread->calls.capacity)
		return push_call(thread, call);
	*circle_at(&thread->calls, thread->calls.until++) = *call;
	return 0;
}

enum join_fit join_fit_loosely(
	uint64_t begin_ns, uint64_t end_ns, uint64_t call_begin_ns, uint64_t call_end_ns)
{
	bool early = begin_ns < call_begin_ns;
	uint64_t from = early ? call_begin_ns : begin_ns;
	uint64_t until = early ? end_ns : call_end_ns;
	if (until <= from)
		return JOIN_APART;
	uint64_t shared = until - from;
	uint64_t length = end_ns - begin_ns, call_length = call_end_ns - call_begin_ns;
	bool is_part = length <= call_length;
	uint64_t shorter = is_part ? length : call_length;
	if (2 * shared <= shorter || shorter - shared > JOIN_SLACK_NS)
		return JOIN_APART;
	return is_part ? JOIN_PART : JOIN_AROUND;
}

/* Position of the first call that begins after ns. */
static uint64_t find_later(const struct join_thread *thread, uint64_t ns)
{
	uint64_t low = thread->calls.first, high = thread->calls.until;
	if (low < high && circle_at(&thread->calls, high - 1)->begin_ns <= ns)
		return high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (circle_at(&thread->calls, middle)->begin_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct join_call *join_thread_find_call(
	struct join_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t at = thread->call_hint;
	if (at < thread->calls.first || at >= thread->calls.until ||
		circle_at(&thread->calls, at)->begin_ns > begin_ns ||
		circle_at(&thread->calls, at)->end_ns < end_ns) {
		at = find_later(thread, begin_ns);
		/* calls that begin at the same time: nested ones, the outer last */
		if (at > thread->calls.first)
			at--;
	}
	for (; at < thread->calls.until; at++) {
		struct join_call *call = circle_at(&thread->calls, at);
		if (call->begin_ns > end_ns)
			return NULL;
		enum join_fit fit = join_fit(begin_ns, end_ns, call->begin_ns, call->end_ns);
		if (fit == JOIN_APART || (fit == JOIN_AROUND && call->taken))
			continue;
		thread->call_hint = at + 1;
		return call;
	}
	return NULL;
}
