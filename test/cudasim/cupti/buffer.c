/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <pthread.h>

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
static int is_held;
static size_t dropped;
static unsigned long devices, kernels; /* records so far, for the faults */

void buffer_register(cupti_request *new_request, cupti_complete *new_complete)
{
	pthread_mutex_lock(&lock);
	request = new_request;
	complete = new_complete;
	pthread_mutex_unlock(&lock);
}

int buffer_is_held(void)
{
	return __atomic_load_n(&is_held, __ATOMIC_RELAXED);
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
	__atomic_store_n(&is_held, 1, __ATOMIC_RELAXED);
	return 0;
}

void buffer_give_back(int even_empty)
{
	uint8_t *data = held.data;
	if (!data || (held.used == 0 && !even_empty))
		return;
	held.data = NULL;
	__atomic_store_n(&is_held, 0, __ATOMIC_RELAXED);
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
	       activity->kind == KIND_MEMCPY || activity->kind == KIND_MEMSET;
}

static int is_turn(unsigned long number, uint32_t period)
{
	return period && number % period == 0;
}

/* Damages a record as ordered. Returns 0 if it is lost altogether. */
static int apply_faults(struct activity *activity)
{
	const struct cupti_settings *settings = settings_get();
	if (!is_device(activity))
		return 1;
	devices++;
	if (is_turn(devices, settings->drop))
		return 0;
	if (is_turn(devices, settings->zero))
		activity->incomplete = 1;
	if (activity->kind != KIND_MEMCPY && activity->kind != KIND_MEMSET) {
		kernels++;
		if (is_turn(kernels, settings->null))
			activity->name = NULL;
	}
	return 1;
}

void buffer_write(const struct activity *original)
{
	struct activity activity = *original;
	size_t size = layout_size(activity.kind);
	if (!apply_faults(&activity)) {
		buffer_add_dropped(1);
		return;
	}
	if (held.data && held.used + size > held.size)
		buffer_give_back(0);
	if (buffer_ensure() || held.used + size > held.size) {
		buffer_add_dropped(1);
		return;
	}
	layout_write(&activity, held.data + held.used);
	held.used += size;
	held.records++;
	if (held.records == held.limit)
		buffer_give_back(0);
}
