/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <pthread.h>
#include <string.h>

#include "layout.h"
#include "settings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two callbacks */
static cupti_request *request;
static cupti_complete *complete;

static struct {
	uint8_t *data;
	cupti_complete *complete;
	size_t size, used;
	size_t records, limit; /* limit 0: none */
} held;
int buffer_held;
static size_t dropped;
static unsigned long devices, kernels, calls, written; /* records so far, for the faults */

void buffer_register(cupti_request *new_request, cupti_complete *new_complete)
{
	pthread_mutex_lock(&lock);
	request = new_request;
	complete = new_complete;
	pthread_mutex_unlock(&lock);
}

int buffer_ensure(void)
{
	size_t limit = 0, batch = settings_get()->batch;
	if (held.data)
		return 0;
	pthread_mutex_lock(&lock);
	cupti_request *ask = request;
	held.complete = complete;
	pthread_mutex_unlock(&lock);
	held.size = held.used = held.records = 0;
	if (ask)
		ask(&held.data, &held.size, &limit);
	if (!held.data)
		return -1;
	held.limit = batch && (limit == 0 || batch < limit) ? batch : limit;
	__atomic_store_n(&buffer_held, 1, __ATOMIC_RELAXED);
	return 0;
}

void buffer_give_back(int even_empty)
{
	uint8_t *data = held.data;
	if (!data || (held.used == 0 && !even_empty))
		return;
	held.data = NULL;
	__atomic_store_n(&buffer_held, 0, __ATOMIC_RELAXED);
	held.complete(NULL, 0, data, held.size, held.used);
}

size_t buffer_take_dropped(void)
{
	return __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
}

void buffer_add_dropped(size_t count)
{
	__atomic_add_fetch(&dropped, count, __ATOMIC_RELAXED);
}

static int is_device(const struct activity *activity)
{
	return activity->kind == KIND_KERNEL || activity->kind == KIND_CONCURRENT_KERNEL ||
	       activity->kind == KIND_MEMCPY || activity->kind == KIND_MEMCPY2 ||
	       activity->kind == KIND_MEMSET || activity->kind == KIND_GRAPH_TRACE;
}

static int is_turn(unsigned long number, uint32_t period)
{
	return period && number % period == 0;
}

enum fate {
	FATE_WRITTEN,
	FATE_DROPPED, /* and counted */
	FATE_VANISHED
};

/* Damages a record as ordered. */
static enum fate apply_faults(struct activity *activity)
{
	const struct cupti_settings *settings = settings_get();
	if (activity->kind == KIND_RUNTIME || activity->kind == KIND_DRIVER)
		return is_turn(++calls, settings->orphan) ? FATE_VANISHED : FATE_WRITTEN;
	if (!is_device(activity))
		return FATE_WRITTEN;
	devices++;
	if (is_turn(devices, settings->drop))
		return FATE_DROPPED;
	if (is_turn(devices, settings->childless))
		return FATE_VANISHED;
	if (is_turn(devices, settings->zero))
		activity->incomplete = 1;
	if (activity->kind == KIND_KERNEL || activity->kind == KIND_CONCURRENT_KERNEL) {
		kernels++;
		if (is_turn(kernels, settings->null))
			activity->name = NULL;
	}
	return FATE_WRITTEN;
}

static void write_one(const struct activity *activity)
{
	size_t size = layout_size(activity->kind);
	if (held.data && held.used + size > held.size)
		buffer_give_back(0);
	if (buffer_ensure() || held.used + size > held.size) {
		buffer_add_dropped(1);
		return;
	}
	layout_write(activity, held.data + held.used);
	held.used += size;
	held.records++;
	if (held.records == held.limit)
		buffer_give_back(0);
}

void buffer_write(struct activity *activity)
{
	static const struct activity alien = {.kind = KIND_ALIEN};
	enum fate fate = apply_faults(activity);
	if (fate == FATE_DROPPED)
		buffer_add_dropped(1);
	if (fate != FATE_WRITTEN)
		return;
	write_one(activity);
	if (is_turn(++written, settings_get()->alien))
		write_one(&alien);
}

void buffer_forget(uint32_t context)
{
	size_t kept = 0, size = 0;
	for (size_t at = 0; held.data && at < held.used; at += size) {
		uint32_t kind;
		memcpy(&kind, held.data + at, sizeof(kind));
		size = layout_size(kind);
		if (layout_context(held.data + at) == context) {
			held.records--;
			continue;
		}
		memmove(held.data + kept, held.data + at, size);
		kept += size;
	}
	held.used = kept;
}
