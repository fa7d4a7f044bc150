/* SPDX-License-Identifier: MIT */
/* The activity interface: what a client asks for, and how it walks the buffers it gets. */
#include <string.h>

#include "../core/context.h"
#include "buffer.h"
#include "deliver.h"
#include "layout.h"
#include "settings.h"
#include "source.h"
#include "timeline.h"

#define FLUSH_FORCED 1u

CUPTI_EXPORT int cuptiActivityRegisterCallbacks(cupti_request *request, cupti_complete *complete);
int cuptiActivityRegisterCallbacks(cupti_request *request, cupti_complete *complete)
{
	ORDERED_FAILURE();
	if (!request || !complete)
		return CUPTI_INVALID_PARAMETER;
	if (!deliver_is_dead())
		buffer_register(request, complete);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityRegisterTimestampCallback(cupti_timestamp *callback);
int cuptiActivityRegisterTimestampCallback(cupti_timestamp *callback)
{
	ORDERED_FAILURE();
	if (!callback)
		return CUPTI_INVALID_PARAMETER;
	if (!deliver_is_dead())
		timeline_set_source(callback);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnable(uint32_t kind)
{
	ORDERED_FAILURE();
	if (kind == 0 || kind >= KIND_LIMIT)
		return CUPTI_INVALID_KIND;
	int result = deliver_is_dead() ? CUPTI_NOT_INITIALIZED : source_start();
	if (result)
		return result;
	deliver_start();
	source_enable_kind(kind, 1);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityDisable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind)
{
	ORDERED_FAILURE();
	if (kind == 0 || kind >= KIND_LIMIT)
		return CUPTI_INVALID_KIND;
	source_enable_kind(kind, 0);
	return CUPTI_OK;
}

static int enable_context(CUcontext context, uint32_t kind, int enable)
{
	if (kind == 0 || kind >= KIND_LIMIT)
		return CUPTI_INVALID_KIND;
	if (!context)
		return CUPTI_INVALID_PARAMETER;
	int result = deliver_is_dead() ? CUPTI_NOT_INITIALIZED : source_start();
	if (result)
		return result;
	deliver_start();
	return source_enable_context(context->id, kind, enable);
}

CUPTI_EXPORT int cuptiActivityEnableContext(CUcontext context, uint32_t kind);
int cuptiActivityEnableContext(CUcontext context, uint32_t kind)
{
	ORDERED_FAILURE();
	return enable_context(context, kind, 1);
}

CUPTI_EXPORT int cuptiActivityDisableContext(CUcontext context, uint32_t kind);
int cuptiActivityDisableContext(CUcontext context, uint32_t kind)
{
	ORDERED_FAILURE();
	return enable_context(context, kind, 0);
}

static int enable_function(enum cupti_api api, uint32_t id, uint8_t enable)
{
	if (id == 0 || id >= MAX_CBID)
		return CUPTI_INVALID_PARAMETER;
	int result = deliver_is_dead() ? CUPTI_NOT_INITIALIZED : source_start();
	if (result)
		return result;
	deliver_start();
	source_enable_function(api, id, enable != 0);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable);
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable)
{
	ORDERED_FAILURE();
	return enable_function(API_RUNTIME, id, enable);
}

CUPTI_EXPORT int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable);
int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable)
{
	ORDERED_FAILURE();
	return enable_function(API_DRIVER, id, enable);
}

/* Records of events tell from now on when the device came to them. */
CUPTI_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable);
int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	ORDERED_FAILURE();
	source_set_event_times(enable != 0);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityFlushAll(uint32_t flags)
{
	ORDERED_FAILURE();
	deliver_flush((flags & FLUSH_FORCED) != 0);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityFlushPeriod(uint32_t period_ms);
int cuptiActivityFlushPeriod(uint32_t period_ms)
{
	ORDERED_FAILURE();
	if (!deliver_is_dead())
		deliver_set_period(period_ms);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
	ORDERED_FAILURE();
	if (!buffer || !record)
		return CUPTI_INVALID_PARAMETER;
	uint8_t *next = *record ? *record + layout_size(*(uint32_t *)(void *)*record) : buffer;
	if (next == *record)
		return CUPTI_INVALID_KIND;
	if (next < buffer || next >= buffer + valid)
		return CUPTI_MAX_LIMIT_REACHED;
	if (layout_size(*(uint32_t *)(void *)next) == 0)
		return CUPTI_INVALID_KIND;
	*record = next;
	return CUPTI_OK;
}

/* The count begins anew each time it is asked for. */
CUPTI_EXPORT int cuptiActivityGetNumDroppedRecords(
	void *context, uint32_t stream, size_t *ret_dropped);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *ret_dropped)
{
	ORDERED_FAILURE();
	(void)context;
	(void)stream;
	if (!ret_dropped)
		return CUPTI_INVALID_PARAMETER;
	*ret_dropped = buffer_take_dropped();
	return CUPTI_OK;
}

/* Attributes are remembered, and nothing more: they concern memory that is not needed here. */
#define ATTRIBUTE_COUNT 32
static uint64_t attributes[ATTRIBUTE_COUNT] = {[0] = 3200000, [2] = 250, [3] = 65536};

/* How many bytes an attribute has, 0 if there is no such. */
static size_t attribute_size(int attribute)
{
	if (attribute < 0 || attribute >= ATTRIBUTE_COUNT)
		return 0;
	/* zeroed buffers, pinned memory, buffers of threads: yes or no; the others are sizes */
	return attribute == 5 || attribute == 8 || attribute == 9 ? 1 : sizeof(uint64_t);
}

CUPTI_EXPORT int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
	ORDERED_FAILURE();
	if (!size || !value || !attribute_size(attribute))
		return CUPTI_INVALID_PARAMETER;
	if (*size < attribute_size(attribute))
		return CUPTI_SIZE_NOT_SUFFICIENT;
	memcpy(&attributes[attribute], value, attribute_size(attribute));
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityGetAttribute(int attribute, size_t *size, void *ret_value);
int cuptiActivityGetAttribute(int attribute, size_t *size, void *ret_value)
{
	ORDERED_FAILURE();
	if (!size || !ret_value || !attribute_size(attribute))
		return CUPTI_INVALID_PARAMETER;
	if (*size < attribute_size(attribute))
		return CUPTI_SIZE_NOT_SUFFICIENT;
	*size = attribute_size(attribute);
	memcpy(ret_value, &attributes[attribute], *size);
	return CUPTI_OK;
}

/* type: 0 as pthread_self() says, 1 the system's. */
CUPTI_EXPORT int cuptiSetThreadIdType(int type);
int cuptiSetThreadIdType(int type)
{
	ORDERED_FAILURE();
	if (type != 0 && type != 1)
		return CUPTI_INVALID_PARAMETER;
	source_set_thread_ids(type);
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiGetThreadIdType(int *ret_type);
int cuptiGetThreadIdType(int *ret_type)
{
	ORDERED_FAILURE();
	if (!ret_type)
		return CUPTI_INVALID_PARAMETER;
	*ret_type = source_thread_ids();
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id)
{
	ORDERED_FAILURE();
	return source_push(kind, id);
}

CUPTI_EXPORT int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *ret_id);
int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *ret_id)
{
	ORDERED_FAILURE();
	return source_pop(kind, ret_id);
}
