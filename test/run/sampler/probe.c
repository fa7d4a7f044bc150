/* SPDX-License-Identifier: MIT */
/*
 * A library for scripts: their threads say that they feed the device, as a hook would, and a
 * thread of its own reads all their stacks without pause, as the drain thread would. What it saw
 * is handed out as texts. Linked with the collector's own tables of texts, places and stacks.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "collector/buffer/define.h"
#include "collector/collector.h"
#include "collector/describe.h"
#include "preload/python/python.h"
#include "preload/sampler/sampler.h"
#include "preload/thread/thread.h"

#define EXPORT  __attribute__((visibility("default")))
#define WATCHED 64u
#define PLACES  65536u

EXPORT void probe_attach(void);
EXPORT const char *probe_state(void);
EXPORT void probe_feed(void);
EXPORT void probe_start(unsigned long reads);
EXPORT void probe_wait(unsigned long ret_counts[4]);
EXPORT int probe_seen(unsigned id, char *ret_text, unsigned size);
EXPORT void probe_after_fork(void);
EXPORT unsigned probe_depth(void);

static char state[256] = "none";
static struct {
	const void *subject;
	uint64_t mark;
} watched[WATCHED];
static unsigned watched_count;
static unsigned seen[PLACES];
static unsigned long counts[4]; /* by result, then those with frames left out */
static unsigned deepest;
static pthread_t reader;

void collector_source(const char *name, const char *value, const char *reason)
{
	(void)snprintf(state, sizeof(state), "%s %s %s", name, value, reason == NULL ? "" : reason);
}

void collector_version(const char *name, const char *value)
{
	(void)name;
	(void)value;
}

uint32_t collector_name(const char *text, size_t length)
{
	return define_name(text, length);
}

uint32_t collector_place(const struct live_place *place)
{
	return define_place(place);
}

uint32_t collector_stack(uint32_t place, uint32_t caller)
{
	return define_stack(&(struct live_stack){place, caller});
}

/* Nothing is taken back when a thread ends: its state is read on, as far as it is there. */
void collector_watch(const void *subject, uint64_t mark)
{
	unsigned slot = __atomic_fetch_add(&watched_count, 1, __ATOMIC_RELAXED) % WATCHED;
	__atomic_store_n(&watched[slot].subject, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&watched[slot].mark, mark, __ATOMIC_RELEASE);
	__atomic_store_n(&watched[slot].subject, subject, __ATOMIC_RELEASE);
	collector_thread.watched = subject;
}

void probe_attach(void)
{
	python_attach();
}

const char *probe_state(void)
{
	return state;
}

void probe_feed(void)
{
	thread_state.stack = &state;
	(void)python_place();
}

static void note(const struct collector_stack *stack)
{
	unsigned depth = 0;
	const struct live_stack *frame;
	if (stack->place < PLACES)
		seen[stack->place]++;
	counts[3] += (stack->flags & STACK_OUTER) != 0;
	for (uint32_t id = stack->stack; id != 0; id = frame->caller, depth++)
		frame = define_stack_at(id);
	if (depth > deepest)
		deepest = depth;
}

static void *read_all(void *context)
{
	unsigned long left = (unsigned long)(uintptr_t)context;
	while (left > 0) {
		unsigned count = __atomic_load_n(&watched_count, __ATOMIC_RELAXED);
		for (unsigned i = 0; i < WATCHED && i < count && left > 0; i++, left--) {
			struct collector_stack stack;
			const void *subject =
				__atomic_load_n(&watched[i].subject, __ATOMIC_ACQUIRE);
			uint64_t mark = __atomic_load_n(&watched[i].mark, __ATOMIC_RELAXED);
			if (subject == NULL)
				continue;
			enum collector_stack_result result = sampler_read(subject, mark, &stack);
			counts[result]++;
			if (result == COLLECTOR_STACK_READ)
				note(&stack);
		}
	}
	return NULL;
}

void probe_start(unsigned long reads)
{
	(void)pthread_create(&reader, NULL, read_all, (void *)(uintptr_t)reads);
}

void probe_wait(unsigned long ret_counts[4])
{
	(void)pthread_join(reader, NULL);
	memcpy(ret_counts, counts, sizeof(counts));
}

/* "times line file<TAB>function" of a place that was seen; 0: there is none of that number. */
int probe_seen(unsigned id, char *ret_text, unsigned size)
{
	const struct live_place *place = define_place_at(id);
	size_t file_length = 0, name_length = 0;
	if (place == NULL)
		return 0;
	const char *file = define_name_text(place->file, &file_length);
	const char *name = define_name_text(place->function, &name_length);
	(void)snprintf(ret_text, size, "%u %u %.*s\t%.*s", id < PLACES ? seen[id] : 0, place->line,
		(int)file_length, file == NULL ? "" : file, (int)name_length,
		name == NULL ? "" : name);
	return 1;
}

unsigned probe_depth(void)
{
	return deepest;
}

void probe_after_fork(void)
{
	sampler_after_fork();
	watched_count = 0;
	collector_thread.watched = NULL;
}
