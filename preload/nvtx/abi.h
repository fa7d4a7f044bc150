/* SPDX-License-Identifier: MIT */
/*
 * What NVTX 3 and a tool that it loads agree on: the tables that a module hands to the tool and
 * the attributes of an event, as they lie in memory on 64-bit Linux. Source of the facts: NVTX's
 * own nvToolsExt.h and nvtxDetail/nvtxTypes.h; test/run/nvtx/run.sh compares with them where they
 * are.
 *
 * Types alone: no code, no state. Everything that is pointed to belongs to the caller.
 */
#ifndef PRELOAD_NVTX_ABI_H
#define PRELOAD_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Which table a module is asked for. */
enum nvtx_table {
	NVTX_TABLE_CALLBACKS = 1,
	NVTX_TABLE_VERSION = 3,
};

enum nvtx_module {
	NVTX_CORE = 1,
	NVTX_CORE2 = 5,
};

typedef const void *nvtx_get_table(uint32_t table);

/* A module's functions by id: where the pointer to each lies. NULL for those that it lacks. */
typedef void nvtx_function(void);
typedef nvtx_function **nvtx_slot;

struct nvtx_callbacks {
	size_t struct_size;
	int (*get_functions)(int module, nvtx_slot **ret_slots, unsigned *ret_count);
};

struct nvtx_version {
	size_t struct_size;
	uint32_t version;
	uint32_t reserved;
	void (*set_tool_version)(uint32_t version);
};

/* The newest interface that is known here. */
#define NVTX_VERSION_KNOWN 3u

enum nvtx_message_type {
	NVTX_MESSAGE_NARROW = 1,
	NVTX_MESSAGE_WIDE = 2,
	NVTX_MESSAGE_REGISTERED = 3,
};

enum nvtx_payload_type {
	NVTX_PAYLOAD_UINT64 = 1,
	NVTX_PAYLOAD_INT64 = 2,
	NVTX_PAYLOAD_DOUBLE = 3,
	NVTX_PAYLOAD_UINT32 = 4,
	NVTX_PAYLOAD_INT32 = 5,
	NVTX_PAYLOAD_FLOAT = 6,
	NVTX_PAYLOAD_COUNT
};

struct nvtx_attributes {
	uint16_t version;
	uint16_t size; /* of this struct, as the caller knows it */
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type; /* enum nvtx_payload_type, others: none */
	int32_t reserved;
	uint64_t payload;     /* only the low half of 32-bit types is set */
	int32_t message_type; /* enum nvtx_message_type, others: none */
	union {
		const char *narrow;
		const wchar_t *wide;
		const void *registered; /* what DomainRegisterString answered */
	} message;
};
_Static_assert(offsetof(struct nvtx_attributes, payload) == 24, "as NVTX lays it out");
_Static_assert(offsetof(struct nvtx_attributes, message) == 40, "as NVTX lays it out");

#endif
