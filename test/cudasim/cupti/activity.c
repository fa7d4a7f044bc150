/* SPDX-License-Identifier: MIT */
/* The activity interface: what a client asks for, and how it walks the buffers it gets. */
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

/* Events of the device have no records of their own, so they have no times either. */
CUPTI_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable);
int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable)
{
	ORDERED_FAILURE();
	(void)enable;
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

/* All that could be set concerns memory that the stand-in does not need. */
CUPTI_EXPORT int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
	ORDERED_FAILURE();
	(void)attribute;
	return size && value ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
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
