/* SPDX-License-Identifier: MIT */
/*
 * What the words of a row's key mean, table by table; no other file packs or unpacks them.
 *
 *	API_CALLS        function
 *	FAILED_CALLS     function, what it returned
 *	LAUNCHES         function, name of the kernel
 *	GPU_ACTIVITIES   kind of record, name of the kernel or direction of the copy
 *	KERNELS          name and registers, grid, block, shared bytes
 *	COPIES           kind of record, directions and memories and devices
 *	DEVICES, STREAMS device, stream
 *	OVERVIEW         enum overview_part
 *	DISTRIBUTION     device, enum overview_share
 *	THREADS          our id
 *	OPERATORS        name
 *	OPERATORS_BY_SHAPE name, shapes
 *	LINES            file and function, line
 *	OPERATOR_KERNELS operator or KEY_OPERATOR_..., then as GPU_ACTIVITIES
 *	RANGES           name; its domain, or a framework
 *	MODULES          name; its class
 *	MEMORY           device
 *	STEP_PHASES      enum stage, RANGES_OTHER
 *
 * Pure functions.
 */
#ifndef ANALYZER_TABLES_KEY_H
#define ANALYZER_TABLES_KEY_H

#include "analyzer/stages/stages.h"
#include "collector/format/fields.h"

#define TABLES_KEY 4u

/* Rows of OVERVIEW; the first ones are enum stage. */
enum overview_part {
	OVERVIEW_OPERATORS = STAGE_COUNT,
	OVERVIEW_RANGES,
	OVERVIEW_MODULES,
	OVERVIEW_CALLS,
	OVERVIEW_SYNCS, /* of the calls */
	OVERVIEW_KERNELS,
	OVERVIEW_COMMUNICATION, /* of the kernels */
	OVERVIEW_COPIES,
	OVERVIEW_SETS,
	OVERVIEW_PARTS
};

/* What a call is known by: its function, or its kind (above all functions) when that is unknown. */
static inline uint64_t key_function(const struct record *call)
{
	return call->call != 0 ? call->call : (uint64_t)call->kind << 16;
}

/* The kind of a call without a function, RECORD_NONE: the word is a function. */
static inline enum record_kind key_function_kind(uint64_t function)
{
	return (enum record_kind)(function >> 16 & (RECORD_KIND_LIMIT - 1));
}

/* x, y, z as a cell has them (TABLES_SHAPE). */
static inline uint64_t key_shape(uint32_t x, uint32_t y, uint32_t z)
{
	return x | (uint64_t)y << 32 | (uint64_t)z << 48;
}

static inline void key_of_kernel(const struct record *kernel, uint64_t ret_key[TABLES_KEY])
{
	ret_key[0] = (uint64_t)record_DEVICE_KERNEL_registers(kernel) << 32 | kernel->name;
	ret_key[1] = key_shape(record_grid_x(kernel), record_grid_y(kernel), record_grid_z(kernel));
	ret_key[2] =
		key_shape(record_block_x(kernel), record_block_y(kernel), record_block_z(kernel));
	ret_key[3] = record_shared_bytes(kernel);
}

/* The kernel as a record again, of which only the name is there. */
static inline struct record key_kernel(const uint64_t key[TABLES_KEY])
{
	return (struct record){.kind = RECORD_DEVICE_KERNEL, .name = (uint32_t)key[0]};
}

static inline uint32_t key_kernel_registers(const uint64_t key[TABLES_KEY])
{
	return (uint32_t)(key[0] >> 32);
}

static inline void key_of_line(
	uint64_t file, uint64_t function, uint64_t line, uint64_t ret_key[TABLES_KEY])
{
	ret_key[0] = file << 32 | (uint32_t)function;
	ret_key[1] = line;
	ret_key[2] = ret_key[3] = 0;
}

#define KEY_FRAMEWORK (1ull << 32) /* above all domains */

/* RANGE or OP. */
static inline void key_of_range(const struct record *range, uint64_t ret_key[TABLES_KEY])
{
	ret_key[0] = range->name;
	ret_key[1] = range->kind == RECORD_OP ? KEY_FRAMEWORK | record_OP_framework(range)
					      : record_RANGE_domain(range);
	ret_key[2] = ret_key[3] = 0;
}

static inline uint32_t key_line_file(const uint64_t key[TABLES_KEY])
{
	return (uint32_t)(key[0] >> 32);
}

static inline uint32_t key_line_function(const uint64_t key[TABLES_KEY])
{
	return (uint32_t)key[0];
}

/* Kernels by name, copies by direction, all sets alike. */
static inline void key_of_activity(const struct record *operation, uint64_t ret_key[TABLES_KEY])
{
	ret_key[0] = operation->kind;
	ret_key[1] = operation->kind == RECORD_DEVICE_KERNEL ? operation->name
		     : operation->kind == RECORD_DEVICE_COPY ? record_direction(operation)
							     : 0;
	ret_key[2] = ret_key[3] = 0;
}

#define KEY_OPERATOR_NONE  (1ull << 32) /* above all names */
#define KEY_OPERATOR_GONE  (2ull << 32) /* it is not known which */
#define KEY_OPERATOR_OTHER (3ull << 32) /* one that did not fit */

/* A DEVICE_COPY, or a DEVICE_SET: one memory and no direction. */
static inline void key_of_copy(const struct record *copy, uint64_t ret_key[TABLES_KEY])
{
	bool set = copy->kind == RECORD_DEVICE_SET;
	uint64_t kind = set ? record_bits_filled_memory(record_filled_memory(copy))
			    : record_bits_direction(record_direction(copy)) |
					record_bits_src_memory(record_src_memory(copy)) |
					record_bits_dst_memory(record_dst_memory(copy)) |
					record_bits_DEVICE_COPY_peer(record_DEVICE_COPY_peer(copy));
	ret_key[0] = copy->kind;
	ret_key[1] = kind | record_bits_device(record_device(copy));
	ret_key[2] = ret_key[3] = 0;
}

/* The copy or set as a record again, of which only those fields are there. */
static inline struct record key_copy(const uint64_t key[TABLES_KEY])
{
	return (struct record){.kind = (uint16_t)key[0], .b = key[1]};
}

#endif
