/* SPDX-License-Identifier: MIT */
#include "preload/tensorflow/event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/tensorflow/level.h"
#include "preload/thread/guard.h"
#include "preload/thread/peek.h"
#include "preload/thread/thread.h"

#define CHECK_COUNT  32 /* events that are read through the kernel before they are trusted */
#define LATEST_NS    60000000000
#define EAGER        "EagerLocalExecute: "
#define COMPILED     "__inference_"
#define LOADER_INNER "IteratorGetNextOp::DoCompute"
#define LOADER       "IteratorGetNext"

/* tsl::profiler::TraceMeRecorder::Event: a std::string, then the wall clock's ns. */
struct event {
	const char *text;
	uint64_t length;
	char small[16];
	int64_t begin, end; /* not above 0: half of a pair of which the other half is elsewhere */
};

struct forward tensorflow_functions[TENSORFLOW_COUNT + 1] = {
#define INTERPOSED(id, form, symbol) [TENSORFLOW_##id] = {#symbol, NULL},
#include "preload/tensorflow/interposed.def"
#undef INTERPOSED
};

static void (*refuse)(const char *reason);
static int recording, begun;
/* Batches are seen as they are asked for, and what tells of them afterwards says nothing more. */
static int batches_seen;
static int unchecked = CHECK_COUNT;
static uint64_t reference_ticks, reference_ns;

void event_begin(void (*refused)(const char *reason))
{
	refuse = refused;
	reference_ticks = clock_ticks();
	reference_ns = clock_monotonic_ns();
	__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&recording, 1, __ATOMIC_RELEASE);
}

/* By the rate since the beginning, which lies before the first operator by the import's seconds. */
static uint64_t ticks_of(uint64_t ns)
{
	if (!clock_use_tsc)
		return ns;
	uint64_t past_ns = clock_monotonic_ns() - reference_ns;
	uint64_t past_ticks = clock_ticks() - reference_ticks;
	return past_ns == 0 ? ns : (uint64_t)((__uint128_t)ns * past_ticks / past_ns);
}

/* A layout that is not what it was shows in the first ones. */
static bool check(const struct event *event)
{
	struct event copy;
	char text[8];
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	bool sound = peek(event, &copy, sizeof(copy)) && copy.length < UINT32_MAX &&
		     peek_text(copy.text, text, sizeof(text));
	if (sound && copy.begin > 0 && copy.end > 0)
		sound = copy.begin <= copy.end && now_ns - copy.end < LATEST_NS &&
			copy.end - now_ns < LATEST_NS;
	if (sound)
		(void)__atomic_fetch_sub(&unchecked, 1, __ATOMIC_RELAXED);
	else if (__atomic_exchange_n(&recording, 0, __ATOMIC_ACQ_REL) != 0)
		refuse("events are not laid out as they are known");
	return sound;
}

static bool is_plumbing(const char *text)
{
	static const char *const names[] = {
#define PLUMBING(name) name,
#include "preload/tensorflow/plumbing.def"
#undef PLUMBING
	};
	size_t low = 0, high = sizeof(names) / sizeof(names[0]);
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(text, names[middle]);
		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* "name of the node:Operator" without the node, of which a model has thousands. */
static const char *operator_of(const char *text)
{
	const char *colon = strrchr(text, ':');
	bool is_node = colon != NULL && colon > text && colon[-1] != ':' && colon[1] != ' ' &&
		       colon[1] != '\0';
	return is_node ? colon + 1 : text;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A batch, or the wait for it; whoever asks from Python trains. */
static void emit_load(uint64_t begin, uint64_t end)
{
	struct operator_open load = {.begin = begin,
		.name = collector_name(LOADER, sizeof(LOADER) - 1),
		.place = python_place(),
		.scope = OP_USER_SCOPE,
		.framework = OP_TENSORFLOW};
	if (load.place != 0)
		thread_trains();
	operators_emit(&load, end);
}

static void record(const struct event *event, uint64_t end)
{
	char text[OPERATOR_TEXT_BYTES];
	struct operator_name spare;
	struct operators *own = operators_of_caller();
	size_t length = event->length < sizeof(text) ? event->length : sizeof(text) - 1;
	if (own == NULL)
		return;
	memcpy(text, event->text, length);
	text[length] = '\0';
	text[strcspn(text, "#")] = '\0'; /* from there on it is what the event was told besides */
	if (is_plumbing(text))
		return;
	bool eager = begins(text, EAGER);
	const char *name = eager ? text + strlen(EAGER) : operator_of(text);
	uint64_t begin = end - ticks_of((uint64_t)(event->end - event->begin));
	if (strcmp(name, LOADER_INNER) == 0) {
		if (batches_seen == 0)
			emit_load(begin, end);
		return;
	}
	struct operator_open done = {.begin = begin, .framework = OP_TENSORFLOW};
	if (eager && begins(name, COMPILED))
		done.place = python_place();
	if (done.place != 0)
		thread_trains();
	done.name = operator_name(&own->names, name, &spare)->id;
	operators_emit(&done, end);
}

static inline void take(const struct event *event)
{
	int saved = errno;
	uint64_t end = clock_ticks();
	if (recording == 0 || collector_enabled == 0 || !guard_enter())
		return;
	if ((__builtin_expect(unchecked <= 0, 1) || check(event)) && event->begin > 0 &&
		event->end >= event->begin)
		record(event, end);
	guard_leave();
	errno = saved;
}

static void take_batch(uint64_t begin)
{
	int saved = errno;
	uint64_t end = clock_ticks();
	__atomic_store_n(&batches_seen, 1, __ATOMIC_RELAXED);
	if (recording != 0 && collector_enabled != 0 && guard_enter()) {
		emit_load(begin, end);
		guard_leave();
	}
	errno = saved;
}

#define EXPORTED __attribute__((visibility("default")))
#define CALLER   __builtin_return_address(0)
#define RECORD(id, symbol)                                                                         \
	EXPORTED void symbol(struct event *);                                                      \
	void symbol(struct event *event)                                                           \
	{                                                                                          \
		void (*real)(struct event *) =                                                     \
			forward_next(&tensorflow_functions[TENSORFLOW_##id], CALLER);              \
		take(event);                                                                       \
		if (begun == 0 || level_is_shared())                                               \
			real(event);                                                               \
	}
#define START(id, symbol)                                                                          \
	EXPORTED bool symbol(int);                                                                 \
	bool symbol(int wanted)                                                                    \
	{                                                                                          \
		bool (*real)(int) = forward_next(&tensorflow_functions[TENSORFLOW_##id], CALLER);  \
		level_profiler_starts();                                                           \
		bool started = real(wanted);                                                       \
		level_profiler_started(started);                                                   \
		return started;                                                                    \
	}
#define START_FILTERED(id, symbol)                                                                 \
	EXPORTED bool symbol(int, uint64_t);                                                       \
	bool symbol(int wanted, uint64_t filter)                                                   \
	{                                                                                          \
		bool (*real)(int, uint64_t) =                                                      \
			forward_next(&tensorflow_functions[TENSORFLOW_##id], CALLER);              \
		level_profiler_starts();                                                           \
		bool started = real(wanted, filter);                                               \
		level_profiler_started(started);                                                   \
		return started;                                                                    \
	}
#define STOP(id, symbol)                                                                           \
	EXPORTED void *symbol(void *);                                                             \
	void *symbol(void *ret_events)                                                             \
	{                                                                                          \
		void *(*real)(void *) =                                                            \
			forward_next(&tensorflow_functions[TENSORFLOW_##id], CALLER);              \
		void *result = real(ret_events);                                                   \
		level_profiler_stopped();                                                          \
		return result;                                                                     \
	}
/* Where there is no more, nothing was waited for that a step could have. */
#define GET_NEXT(id, symbol)                                                                       \
	EXPORTED void *symbol(void *, void *, void *, void *, bool *);                             \
	void *symbol(                                                                              \
		void *ret_status, void *iterator, void *context, void *ret_batch, bool *ret_end)   \
	{                                                                                          \
		void *(*real)(void *, void *, void *, void *, bool *) =                            \
			forward_next(&tensorflow_functions[TENSORFLOW_##id], CALLER);              \
		uint64_t begin = clock_ticks();                                                    \
		void *result = real(ret_status, iterator, context, ret_batch, ret_end);            \
		if (!*ret_end)                                                                     \
			take_batch(begin);                                                         \
		return result;                                                                     \
	}
#define INTERPOSED(id, form, symbol) form(id, symbol)
#include "preload/tensorflow/interposed.def"
#undef INTERPOSED
