/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/pipeline.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "collector/format/value.h"
#include "preload/thread/guard.h"

#define STAGES     64u
#define NAME_BYTES 48u
#define LEVELS     32 /* more stages than that are a circle */
#define STAGE      "_ZNK9mindspore7dataset9DatasetOp"

/* A stage with its queue. stage is NULL, or not the one looked for, while the rest is written. */
struct slot {
	const void *stage;
	const void *end;    /* the last stage of its data set, which nobody comes behind */
	const void *asker;  /* the thread that asked it last, by an address that is its own */
	uint64_t told;      /* ticks until which it was recorded */
	uint64_t asked;     /* ticks at which it was asked last */
	uint64_t waited_ns; /* this and the next: since then */
	uint64_t queued;
	uint32_t rows, empty;
	int capacity;
	uint16_t number;
	uint8_t level;
	char name[NAME_BYTES];
};

static struct slot slots[STAGES];

/* What is returned as a class has its address given. A string of the old ABI is a pointer. */
static struct {
	int (*size)(const void *stage);
	int (*capacity)(const void *stage);
	void (*parent)(const void *stage, const void **ret_parent, int index);
	void *(*name)(void *ret_text, const void *stage);
	void (*free_text)(void *text);
} calls;
static bool counting;

static const struct {
	const char *symbol;
	size_t at;
} symbols[] = {
	{STAGE "13ConnectorSizeEv", offsetof(__typeof__(calls), size)},
	{STAGE "17ConnectorCapacityEv", offsetof(__typeof__(calls), capacity)},
	{STAGE "6ParentEPPS1_i", offsetof(__typeof__(calls), parent)},
	{STAGE "10NameWithIDEv", offsetof(__typeof__(calls), name)},
	{"_ZNSsD1Ev", offsetof(__typeof__(calls), free_text)},
};

const char *pipeline_find(void *library)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(library, symbols[i].symbol);
		if (found == NULL)
			return symbols[i].symbol;
		memcpy((char *)&calls + symbols[i].at, &found, sizeof(found));
	}
	__atomic_store_n(&counting, true, __ATOMIC_RELEASE);
	return NULL;
}

static unsigned first_slot(const void *stage)
{
	return (unsigned)((uintptr_t)stage >> 6) % STAGES;
}

/* The slot of a stage, or of NULL: a free one; the nearest behind first. STAGES: there is none. */
static unsigned find(const void *stage, unsigned first)
{
	for (unsigned i = 0; i < STAGES; i++) {
		unsigned at = (first + i) % STAGES;
		if (__atomic_load_n(&slots[at].stage, __ATOMIC_ACQUIRE) == stage)
			return at;
	}
	return STAGES;
}

/* Where a new one is to be: where one of this address was, where none is, or the least used. */
static unsigned room_for(const void *stage)
{
	unsigned at = find(stage, first_slot(stage)), least = 0;
	if (at == STAGES)
		at = find(NULL, first_slot(stage));
	for (unsigned i = 0; at == STAGES && i < STAGES; i++)
		if (slots[i].asked < slots[least].asked)
			least = i;
	return at < STAGES ? at : least;
}

/* "MapOp(ID:2)" */
static void take_name(struct slot *slot, const char *text)
{
	const char *mark = strstr(text, "(ID:");
	size_t length = mark != NULL ? (size_t)(mark - text) : strlen(text);
	slot->number = mark != NULL ? (uint16_t)strtoul(mark + sizeof("(ID:") - 1, NULL, 10) : 0;
	(void)snprintf(slot->name, sizeof(slot->name), "%.*s", (int)length, text);
}

static void describe(struct slot *slot, const void *stage)
{
	const void *parent = stage;
	struct {
		const char *text;
		void *spare[3]; /* a string of another ABI has its text there */
	} name = {.text = NULL};
	(void)calls.name(&name, stage);
	take_name(slot, name.text);
	calls.free_text(&name);
	for (slot->level = 0; slot->level < LEVELS; slot->level++) {
		slot->end = parent;
		parent = NULL;
		calls.parent(slot->end, &parent, 0);
		if (parent == NULL)
			break;
	}
}

void pipeline_made(const void *stage)
{
	int saved = errno;
	if (!__atomic_load_n(&counting, __ATOMIC_ACQUIRE) || !guard_enter())
		return;
	struct slot *slot = &slots[room_for(stage)];
	const void *before = __atomic_load_n(&slot->stage, __ATOMIC_RELAXED);
	/* two threads may want the same one: the second goes without */
	if (before != slot && __atomic_compare_exchange_n(&slot->stage, &before, slot, false,
				      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		uint64_t now = clock_ticks();
		slot->asker = NULL;
		slot->told = slot->asked = now;
		slot->waited_ns = slot->queued = 0;
		slot->rows = slot->empty = 0;
		slot->capacity = 0;
		describe(slot, stage);
		__atomic_store_n(&slot->stage, stage, __ATOMIC_RELEASE);
	}
	guard_leave();
	errno = saved;
}

void pipeline_asks(const void *stage, struct pipeline_ask *ret_ask)
{
	int saved = errno;
	ret_ask->stage = NULL;
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED) || collector_enabled == 0 ||
		!guard_enter())
		return;
	ret_ask->slot = find(stage, first_slot(stage));
	if (ret_ask->slot < STAGES) {
		ret_ask->stage = stage;
		ret_ask->queued = calls.size(stage);
		ret_ask->begin_ns = ret_ask->queued > 0 ? 0 : clock_monotonic_ns();
		if (slots[ret_ask->slot].capacity == 0)
			slots[ret_ask->slot].capacity = calls.capacity(stage);
	}
	guard_leave();
	errno = saved;
}

void pipeline_got(const struct pipeline_ask *ask)
{
	struct slot *slot = &slots[ask->slot];
	if (ask->stage == NULL || __atomic_load_n(&slot->stage, __ATOMIC_RELAXED) != ask->stage)
		return;
	slot->asked = clock_ticks();
	slot->asker = &collector_thread;
	(void)__atomic_fetch_add(&slot->rows, 1, __ATOMIC_RELAXED);
	if (ask->queued > 0) {
		(void)__atomic_fetch_add(&slot->queued, (unsigned)ask->queued, __ATOMIC_RELAXED);
		return;
	}
	(void)__atomic_fetch_add(&slot->empty, 1, __ATOMIC_RELAXED);
	(void)__atomic_fetch_add(
		&slot->waited_ns, clock_monotonic_ns() - ask->begin_ns, __ATOMIC_RELAXED);
}

/* What it has given until now; 0 from now on. */
static void record(struct slot *slot, uint64_t now)
{
	uint32_t rows = __atomic_exchange_n(&slot->rows, 0, __ATOMIC_RELAXED);
	struct record *record = rows > 0 ? collector_reserve() : NULL;
	if (rows == 0)
		return;
	uint32_t empty = __atomic_exchange_n(&slot->empty, 0, __ATOMIC_RELAXED);
	uint64_t queued = __atomic_exchange_n(&slot->queued, 0, __ATOMIC_RELAXED);
	uint64_t waited_ns = __atomic_exchange_n(&slot->waited_ns, 0, __ATOMIC_RELAXED);
	if (record == NULL)
		return;
	*record = (struct record){.begin = slot->told, .end = now, .kind = RECORD_PIPELINE};
	slot->told = now;
	record->name = collector_name(slot->name, strlen(slot->name));
	record_set_PIPELINE_number(record, slot->number);
	record_set_PIPELINE_level(record, slot->level);
	record_set_PIPELINE_framework(record, OP_MINDSPORE);
	record_set_PIPELINE_capacity(record, (uint32_t)slot->capacity);
	record_set_PIPELINE_rows(record, rows);
	record_set_PIPELINE_empty(record, empty);
	record_set_PIPELINE_queued(record, queued);
	record_set_PIPELINE_waited_ns(record, waited_ns);
	collector_commit();
}

/* The end of the data set that this thread asks; NULL: none since it was told last. */
static const void *own_end(void)
{
	for (unsigned i = 0; i < STAGES; i++)
		if (slots[i].asker == &collector_thread && slots[i].rows > 0)
			return slots[i].end;
	return NULL;
}

void pipeline_tell(void)
{
	int saved = errno;
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED) || collector_enabled == 0 ||
		!guard_enter())
		return;
	const void *end = own_end();
	uint64_t now = clock_ticks();
	for (unsigned i = 0; end != NULL && i < STAGES; i++)
		if (slots[i].end == end)
			record(&slots[i], now);
	guard_leave();
	errno = saved;
}
