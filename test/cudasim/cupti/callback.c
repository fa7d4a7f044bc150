/* SPDX-License-Identifier: MIT */
/*
 * The callback interface: one subscriber at a time, told of runtime and driver calls, and of
 * contexts and streams, as far as it has enabled that.
 *
 * A callback runs on the thread that makes the call, before it and after it. CUDA calls that a
 * callback makes itself are not told. What a call's parameters are is not known here, so
 * functionParams is NULL. Driver calls that the runtime makes are told, as the vendor's are.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "../core/context.h"
#include "../core/sim.h"
#include "cbid.h"
#include "deliver.h"
#include "settings.h"
#include "source.h"

typedef void cupti_callback(void *user_data, int domain, uint32_t id, const void *data);

enum domain {
	DOMAIN_DRIVER = 1,
	DOMAIN_RUNTIME = 2,
	DOMAIN_RESOURCE = 3,
	DOMAIN_LIMIT = 8
};

/* Ids of the resource domain. */
enum resource {
	RESOURCE_CONTEXT_CREATED = 1,
	RESOURCE_CONTEXT_DESTROY_STARTING = 2,
	RESOURCE_STREAM_CREATED = 3,
	RESOURCE_STREAM_DESTROY_STARTING = 4
};

/* CUpti_CallbackData. */
struct call_data {
	int site; /* 0 before the call, 1 after it */
	const char *function;
	const void *parameters;
	void *result;
	const char *symbol; /* of a launch: the kernel's name */
	CUcontext context;
	uint32_t context_id;
	uint64_t *correlation_data;
	uint32_t correlation;
};

/* CUpti_ResourceData. */
struct resource_data {
	CUcontext context;
	CUstream stream;
	void *descriptor;
};

static struct subscriber {
	cupti_callback *callback;
	void *user_data;
	int taken;
} subscriber;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the subscriber */
static uint8_t enabled[DOMAIN_LIMIT][MAX_CBID];
static int any_enabled;     /* keeps calls cheap while there is no subscriber */
static __thread int inside; /* a callback */

static int is_enabled(int domain, uint32_t id)
{
	return id < MAX_CBID && __atomic_load_n(&enabled[domain][id], __ATOMIC_RELAXED);
}

static void call_back(int domain, uint32_t id, const void *data)
{
	int saved_errno = errno;
	pthread_mutex_lock(&lock);
	struct subscriber to = subscriber;
	pthread_mutex_unlock(&lock);
	inside = 1;
	if (to.taken && to.callback)
		to.callback(to.user_data, domain, id, data);
	inside = 0;
	errno = saved_errno;
}

static void tell_call(struct sim_call *call, int site, int result, CUcontext context)
{
	int domain = call->layer == SIM_RUNTIME ? DOMAIN_RUNTIME : DOMAIN_DRIVER;
	uint32_t id = 0;
	const struct sim_call *api = call;
	if (call->layer != SIM_LIBRARY)
		id = cbid_of(domain == DOMAIN_RUNTIME ? API_RUNTIME : API_DRIVER, call->function);
	if (id == 0 || !is_enabled(domain, id))
		return;
	for (const struct sim_call *outer = call; outer; outer = outer->parent) {
		if (outer->layer != SIM_LIBRARY)
			api = outer;
	}
	struct call_data data = {.site = site,
		.function = call->function,
		.result = site ? &result : NULL,
		.symbol = call->detail.set & SIM_SET_KERNEL ? call->detail.name : NULL,
		.context = context,
		.context_id = context ? context->id : 0,
		.correlation_data = &call->watched,
		.correlation = source_correlation(api->id)};
	call_back(domain, id, &data);
}

static void tell_resource(enum resource id, CUcontext context, CUstream stream)
{
	struct resource_data data = {.context = context, .stream = stream};
	if (is_enabled(DOMAIN_RESOURCE, id))
		call_back(DOMAIN_RESOURCE, id, &data);
}

static void watch(enum sim_moment moment, struct sim_call *call, int result, CUcontext context,
	CUstream stream)
{
	if (moment == SIM_CONTEXT_GONE)
		deliver_forget(context->id);
	if (inside || !__atomic_load_n(&any_enabled, __ATOMIC_RELAXED))
		return;
	switch (moment) {
	case SIM_ENTER:
	case SIM_EXIT:
		tell_call(call, moment == SIM_EXIT, result, context);
		break;
	case SIM_CONTEXT_CREATED:
		tell_resource(RESOURCE_CONTEXT_CREATED, context, NULL);
		break;
	case SIM_CONTEXT_ENDS:
		tell_resource(RESOURCE_CONTEXT_DESTROY_STARTING, context, NULL);
		break;
	case SIM_STREAM_CREATED:
		tell_resource(RESOURCE_STREAM_CREATED, context, stream);
		break;
	case SIM_STREAM_ENDS:
		tell_resource(RESOURCE_STREAM_DESTROY_STARTING, context, stream);
		break;
	default:
		break;
	}
}

void callback_start(void)
{
	source_driver()->set_watch(watch, 0);
}

/* Calls are dear to be told of: only while somebody is. */
static void watch_calls(int any)
{
	__atomic_store_n(&any_enabled, any, __ATOMIC_RELAXED);
	if (source_driver())
		source_driver()->set_watch(watch, any);
}

static int subscribe(struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data)
{
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

CUPTI_EXPORT int cuptiSubscribe(
	struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data);
int cuptiSubscribe(struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data)
{
	ORDERED_FAILURE();
	return subscribe(ret_subscriber, callback, user_data);
}

/* The parameters would name the subscriber to others; there is nobody to be named to. */
CUPTI_EXPORT int cuptiSubscribe_v2(struct subscriber **ret_subscriber, cupti_callback *callback,
	void *user_data, void *parameters);
int cuptiSubscribe_v2(struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data,
	void *parameters)
{
	ORDERED_FAILURE();
	(void)parameters;
	return subscribe(ret_subscriber, callback, user_data);
}

static void unsubscribe(void)
{
	if (deliver_is_dead())
		return;
	pthread_mutex_lock(&lock);
	subscriber = (struct subscriber){0};
	memset(enabled, 0, sizeof(enabled));
	watch_calls(0);
	pthread_mutex_unlock(&lock);
}

CUPTI_EXPORT int cuptiUnsubscribe(struct subscriber *which);
int cuptiUnsubscribe(struct subscriber *which)
{
	ORDERED_FAILURE();
	if (which != &subscriber || !subscriber.taken)
		return CUPTI_INVALID_PARAMETER;
	unsubscribe();
	return CUPTI_OK;
}

/* From an id to another, both included. */
static int enable_range(
	struct subscriber *which, int domain, uint32_t from, uint32_t to, int enable)
{
	if (which != &subscriber || !subscriber.taken || domain <= 0 || domain >= DOMAIN_LIMIT ||
		to >= MAX_CBID)
		return CUPTI_INVALID_PARAMETER;
	int result = deliver_is_dead() ? CUPTI_NOT_INITIALIZED : source_start();
	for (uint32_t id = from; result == CUPTI_OK && id <= to; id++)
		__atomic_store_n(&enabled[domain][id], (uint8_t)enable, __ATOMIC_RELAXED);
	if (result == CUPTI_OK && enable)
		watch_calls(1);
	return result;
}

CUPTI_EXPORT int cuptiEnableCallback(
	uint32_t enable, struct subscriber *which, int domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, struct subscriber *which, int domain, uint32_t id)
{
	ORDERED_FAILURE();
	return enable_range(which, domain, id, id, enable != 0);
}

CUPTI_EXPORT int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain);
int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain)
{
	ORDERED_FAILURE();
	return enable_range(which, domain, 1, MAX_CBID - 1, enable != 0);
}

CUPTI_EXPORT int cuptiEnableAllDomains(uint32_t enable, struct subscriber *which);
int cuptiEnableAllDomains(uint32_t enable, struct subscriber *which)
{
	ORDERED_FAILURE();
	int result = CUPTI_OK;
	for (int domain = 1; domain < DOMAIN_LIMIT && result == CUPTI_OK; domain++)
		result = enable_range(which, domain, 1, MAX_CBID - 1, enable != 0);
	return result;
}

CUPTI_EXPORT int cuptiGetCallbackState(
	uint32_t *ret_enabled, struct subscriber *which, int domain, uint32_t id);
int cuptiGetCallbackState(uint32_t *ret_enabled, struct subscriber *which, int domain, uint32_t id)
{
	ORDERED_FAILURE();
	if (!ret_enabled || which != &subscriber || domain <= 0 || domain >= DOMAIN_LIMIT)
		return CUPTI_INVALID_PARAMETER;
	*ret_enabled = (uint32_t)is_enabled(domain, id);
	return CUPTI_OK;
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
