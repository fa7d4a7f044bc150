/* SPDX-License-Identifier: MIT */
/*
 * The client's side of NVTX 3 as far as the tests use it, declared here from its documented ABI so
 * that they run where NVTX is not installed. Each source file that includes it is a module
 * of its own, as with NVTX: it opens what NVTX_INJECTION64_PATH names at its first call.
 * Compiled with -DREAL_NVTX the true headers are used instead.
 *
 * Functions of this file may be called from any thread once one of them has returned.
 */
#ifndef TEST_RUN_NVTX_CLIENT_H
#define TEST_RUN_NVTX_CLIENT_H

#ifdef REAL_NVTX
#include <nvtx3/nvToolsExt.h>
#else
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#define NVTX_NO_PUSH_POP_TRACKING     (-2)
#define NVTX_VERSION                  3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)

enum {
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6,
};

typedef uint64_t nvtxRangeId_t;
typedef void *nvtxDomainHandle_t;
typedef void *nvtxStringHandle_t;
typedef struct {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType;
	int32_t reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	union {
		const char *ascii;
		const wchar_t *unicode;
		nvtxStringHandle_t registered;
	} message;
} nvtxEventAttributes_t;

typedef void client_function(void);
#define FUNCTION(module, id, type, name, params, args, without)                                    \
	static client_function *pointer_##name;
#include "test/run/nvtx/client.def"

static client_function **slots_core[17], **slots_core2[17];
static uint32_t tool_version;

static int client_functions(int module, client_function ****ret_slots, unsigned *ret_count)
{
	if (module != 1 && module != 5)
		return 0;
	*ret_slots = module == 1 ? slots_core : slots_core2;
	*ret_count = 16;
	return 1;
}

static void client_set_version(uint32_t version)
{
	tool_version = version;
}

static const void *client_table(uint32_t table)
{
	static const struct {
		size_t size;
		int (*functions)(int, client_function ****, unsigned *);
	} callbacks = {sizeof(callbacks), client_functions};
	static const struct {
		size_t size;
		uint32_t version, reserved;
		void (*set_version)(uint32_t);
	} version = {sizeof(version), NVTX_VERSION, 0, client_set_version};
	return table == 1 ? (const void *)&callbacks : table == 3 ? &version : NULL;
}

static void client_init(void)
{
	static int done;
	if (done++ != 0)
		return;
#define FUNCTION(module, id, type, name, params, args, without)                                    \
	slots_##module[id] = &pointer_##name;
#include "test/run/nvtx/client.def"
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *tool = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
	int (*init)(const void *(*)(uint32_t)) = NULL;
	if (tool != NULL)
		*(void **)&init = dlsym(tool, "InitializeInjectionNvtx2");
	if (init == NULL || init(client_table) == 0) {
#define FUNCTION(module, id, type, name, params, args, without) pointer_##name = NULL;
#include "test/run/nvtx/client.def"
		if (tool != NULL)
			dlclose(tool);
	}
}

#define FUNCTION(module, id, type, name, params, args, without)                                    \
	static inline __attribute__((unused)) type name params                                     \
	{                                                                                          \
		client_init();                                                                     \
		if (pointer_##name == NULL)                                                        \
			return without;                                                            \
		return ((type(*) params)pointer_##name)args;                                       \
	}
#include "test/run/nvtx/client.def"
#endif

#endif
