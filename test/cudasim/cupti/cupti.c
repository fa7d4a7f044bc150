/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for libcupti that keeps its clients content and reports nothing: profilers can
 * subscribe, enable kinds, register buffers and flush, and get no record. Names asked for are
 * valid strings, buffers are walked to their (empty) end, the version is that of the CUDA release.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CUPTI_EXPORT  __attribute__((visibility("default")))
#define CUPTI_VERSION (CUDART_MAJOR == 12 ? 26 : 130200)

enum cupti_result {
	CUPTI_OK = 0,
	CUPTI_INVALID_PARAMETER = 1,
	CUPTI_MAX_LIMIT_REACHED = 12,
	CUPTI_NOT_SUPPORTED = 27,
	CUPTI_QUEUE_EMPTY = 33,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39,
};

#define MAX_KIND   512
#define MAX_PUSHED 256

typedef void cupti_callback(void *user_data, int domain, uint32_t id, const void *data);
typedef void cupti_request(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void cupti_complete(
	void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
typedef uint64_t cupti_timestamp(void);

/* One client at a time, as in the real library. */
static struct subscriber {
	cupti_callback *callback;
	void *user_data;
} subscriber;

static unsigned char enabled[MAX_KIND];
static cupti_timestamp *timestamp;
static __thread struct {
	int kind;
	uint64_t id;
} pushed[MAX_PUSHED];
static __thread unsigned pushed_count;

CUPTI_EXPORT int cuptiGetVersion(uint32_t *ret_version);
int cuptiGetVersion(uint32_t *ret_version)
{
	if (!ret_version)
		return CUPTI_INVALID_PARAMETER;
	*ret_version = CUPTI_VERSION;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiGetTimestamp(uint64_t *ret_ns);
int cuptiGetTimestamp(uint64_t *ret_ns)
{
	struct timespec now;
	if (!ret_ns)
		return CUPTI_INVALID_PARAMETER;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret_ns = timestamp ? timestamp()
			    : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiGetResultString(int result, const char **ret_text);
int cuptiGetResultString(int result, const char **ret_text)
{
	if (!ret_text)
		return CUPTI_INVALID_PARAMETER;
	switch (result) {
	case CUPTI_OK:
		*ret_text = "CUPTI_SUCCESS";
		break;
	case CUPTI_INVALID_PARAMETER:
		*ret_text = "CUPTI_ERROR_INVALID_PARAMETER";
		break;
	case CUPTI_MAX_LIMIT_REACHED:
		*ret_text = "CUPTI_ERROR_MAX_LIMIT_REACHED";
		break;
	case CUPTI_NOT_SUPPORTED:
		*ret_text = "CUPTI_ERROR_NOT_SUPPORTED";
		break;
	case CUPTI_QUEUE_EMPTY:
		*ret_text = "CUPTI_ERROR_QUEUE_EMPTY";
		break;
	case CUPTI_MULTIPLE_SUBSCRIBERS:
		*ret_text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		break;
	default:
		*ret_text = "CUPTI_ERROR_UNKNOWN";
		break;
	}
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiSubscribe(
	struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data);
int cuptiSubscribe(struct subscriber **ret_subscriber, cupti_callback *callback, void *user_data)
{
	if (!ret_subscriber)
		return CUPTI_INVALID_PARAMETER;
	if (subscriber.callback)
		return CUPTI_MULTIPLE_SUBSCRIBERS;
	subscriber = (struct subscriber){callback, user_data};
	*ret_subscriber = &subscriber;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiUnsubscribe(struct subscriber *which);
int cuptiUnsubscribe(struct subscriber *which)
{
	if (which != &subscriber)
		return CUPTI_INVALID_PARAMETER;
	subscriber = (struct subscriber){0};
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiEnableCallback(
	uint32_t enable, struct subscriber *which, int domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, struct subscriber *which, int domain, uint32_t id)
{
	(void)enable;
	(void)domain;
	(void)id;
	return which == &subscriber ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

CUPTI_EXPORT int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain);
int cuptiEnableDomain(uint32_t enable, struct subscriber *which, int domain)
{
	return cuptiEnableCallback(enable, which, domain, 0);
}

CUPTI_EXPORT int cuptiGetCallbackName(int domain, uint32_t id, const char **ret_name);
int cuptiGetCallbackName(int domain, uint32_t id, const char **ret_name)
{
	(void)domain;
	(void)id;
	if (!ret_name)
		return CUPTI_INVALID_PARAMETER;
	*ret_name = "INVALID";
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiFinalize(void);
int cuptiFinalize(void)
{
	subscriber = (struct subscriber){0};
	memset(enabled, 0, sizeof(enabled));
	return CUPTI_OK;
}

static int set_kind(int kind, unsigned char value)
{
	if (kind <= 0 || kind >= MAX_KIND)
		return CUPTI_INVALID_PARAMETER;
	enabled[kind] = value;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityEnable(int kind);
int cuptiActivityEnable(int kind)
{
	return set_kind(kind, 1);
}

CUPTI_EXPORT int cuptiActivityDisable(int kind);
int cuptiActivityDisable(int kind)
{
	return set_kind(kind, 0);
}

CUPTI_EXPORT int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable);
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable)
{
	(void)id;
	(void)enable;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable);
int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable)
{
	(void)id;
	(void)enable;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable);
int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	(void)enable;
	return CUPTI_OK;
}

/* Nothing is recorded, so no buffer is ever asked for. */
CUPTI_EXPORT int cuptiActivityRegisterCallbacks(cupti_request *request, cupti_complete *complete);
int cuptiActivityRegisterCallbacks(cupti_request *request, cupti_complete *complete)
{
	return request && complete ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

CUPTI_EXPORT int cuptiActivityRegisterTimestampCallback(cupti_timestamp *callback);
int cuptiActivityRegisterTimestampCallback(cupti_timestamp *callback)
{
	timestamp = callback;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityFlushAll(uint32_t flags)
{
	(void)flags;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityFlushPeriod(uint32_t period_ms);
int cuptiActivityFlushPeriod(uint32_t period_ms)
{
	(void)period_ms;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
	(void)buffer;
	(void)valid;
	return record ? CUPTI_MAX_LIMIT_REACHED : CUPTI_INVALID_PARAMETER;
}

CUPTI_EXPORT int cuptiActivityGetNumDroppedRecords(
	void *context, uint32_t stream, size_t *ret_dropped);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *ret_dropped)
{
	(void)context;
	(void)stream;
	if (!ret_dropped)
		return CUPTI_INVALID_PARAMETER;
	*ret_dropped = 0;
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
	(void)attribute;
	return size && value ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

CUPTI_EXPORT int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id);
int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id)
{
	if (pushed_count == MAX_PUSHED)
		return CUPTI_MAX_LIMIT_REACHED;
	pushed[pushed_count].kind = kind;
	pushed[pushed_count++].id = id;
	return CUPTI_OK;
}

/* Takes off the latest one of that kind. */
CUPTI_EXPORT int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *ret_id);
int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *ret_id)
{
	for (unsigned i = pushed_count; i-- > 0;) {
		if (pushed[i].kind != kind)
			continue;
		if (ret_id)
			*ret_id = pushed[i].id;
		memmove(&pushed[i], &pushed[i + 1], (pushed_count - i - 1) * sizeof(pushed[0]));
		pushed_count--;
		return CUPTI_OK;
	}
	return CUPTI_QUEUE_EMPTY;
}
