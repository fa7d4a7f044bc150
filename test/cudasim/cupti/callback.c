/* SPDX-License-Identifier: MIT */
/*
 * The callback interface, as far as clients of activities need it: one subscriber at a time may
 * register and enable what it likes, and is never called.
 */
#include <pthread.h>

#include "cupti.h"
#include "deliver.h"
#include "settings.h"
#include "source.h"

typedef void cupti_callback(void *user_data, int domain, uint32_t id, const void *data);

static struct subscriber {
	cupti_callback *callback;
	void *user_data;
	int taken;
} subscriber;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

CUPTI_EXPORT int cuptiSubscribe(
	struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data);
int cuptiSubscribe(struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data)
{
	ORDERED_FAILURE();
	if (!ret_subscriber)
		return CUPTI_INVALID_PARAMETER;
	if (deliver_is_dead())
		return CUPTI_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	int result = subscriber.taken || settings_get()->subscriber ? CUPTI_MULTIPLE_SUBSCRIBERS
								    : CUPTI_OK;
	if (result == CUPTI_OK)
		subscriber = (struct subscriber){callback, user_data, 1};
	pthread_mutex_unlock(&lock);
	if (result == CUPTI_OK)
		*ret_subscriber = &subscriber;
	return result;
}

static void unsubscribe(void)
{
	if (deliver_is_dead())
		return;
	pthread_mutex_lock(&lock);
	subscriber = (struct subscriber){0};
	pthread_mutex_unlock(&lock);
}

CUPTI_EXPORT int cuptiUnsubscribe(struct subscriber *which);
int cuptiUnsubscribe(struct subscriber *which)
{
	ORDERED_FAILURE();
	if (which != &subscriber)
		return CUPTI_INVALID_PARAMETER;
	unsubscribe();
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiEnableCallback(
	uint32_t enable, struct subscriber *which, int domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, struct subscriber *which, int domain, uint32_t id)
{
	ORDERED_FAILURE();
	(void)enable;
	(void)domain;
	(void)id;
	return which == &subscriber ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

CUPTI_EXPORT int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain);
int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain)
{
	ORDERED_FAILURE();
	(void)enable;
	(void)domain;
	return which == &subscriber ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

/* Everything is off afterwards; what is complete still goes to the client. */
CUPTI_EXPORT int cuptiFinalize(void);
int cuptiFinalize(void)
{
	ORDERED_FAILURE();
	for (uint32_t kind = 1; kind < KIND_LIMIT; kind++)
		source_enable_kind(kind, 0);
	deliver_flush(0);
	unsubscribe();
	return CUPTI_OK;
}
