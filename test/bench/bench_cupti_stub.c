/* SPDX-License-Identifier: MIT */
/*
 * A CUPTI that accepts everything and delivers nothing, and the driver that goes with it: with them
 * the source of device records is on, and what it costs a call is our code alone.
 */
#include <stddef.h>
#include <stdint.h>

#define END_OF_BUFFER 12
#define VERSION       24 /* of CUDA 12.6 */

int cuptiGetVersion(uint32_t *ret_version);
int cuptiSetThreadIdType(int type);
int cuptiActivityRegisterTimestampCallback(uint64_t (*timestamp)(void));
int cuptiActivityRegisterCallbacks(void *request, void *complete);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuDriverGetVersion(int *ret_version);

int cuptiGetVersion(uint32_t *ret_version)
{
	*ret_version = VERSION;
	return 0;
}

int cuptiSetThreadIdType(int type)
{
	return type < 0;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*timestamp)(void))
{
	return timestamp == NULL;
}

int cuptiActivityRegisterCallbacks(void *request, void *complete)
{
	return request == NULL || complete == NULL;
}

int cuptiActivityEnable(uint32_t kind)
{
	return kind == 0;
}

int cuptiActivityDisable(uint32_t kind)
{
	return kind == 0;
}

int cuptiActivityFlushAll(uint32_t flags)
{
	(void)flags;
	return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
	(void)buffer;
	(void)valid;
	(void)record;
	return END_OF_BUFFER;
}

int cuDriverGetVersion(int *ret_version)
{
	*ret_version = 12060;
	return 0;
}
