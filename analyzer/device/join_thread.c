/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_thread.h"

void join_thread_release(struct join_thread *thread)
{
	circle_release(&thread->calls);
	circle_release(&thread->apis);
}

int join_thread_sort_api(struct join_thread *thread, struct join_api api)
{
	if (circle_reserve(&thread->apis, 1) < 0)
		return -ENOMEM;
	uint64_t at = thread->apis.until++;
	for (; at > thread->apis.first; at--) {
		const struct join_api *before = circle_at(&thread->apis, at - 1);
		if (before->begin_ns <= api.begin_ns)
			break;
		*circle_at(&thread->apis, at) = *before;
	}
	*circle_at(&thread->apis, at) = api;
	return 0;
}

void join_thread_drop_calls(struct join_thread *thread, uint64_t forgotten)
{
	uint64_t first = thread->calls.first, until = thread->calls.until;
	while (first < until && circle_at(&thread->calls, first)->number < forgotten)
		first++;
	if (first > thread->calls.first)
		thread->dropped_ns = circle_at(&thread->calls, first - 1)->end_ns;
	thread->calls.first = first;
	thread->forgotten = forgotten;
}

int join_thread_reserve_call(struct join_thread *thread)
{
	return circle_reserve(&thread->calls, 1);
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
