/* SPDX-License-Identifier: MIT */
/*
 * The checksum of a frame's header: CRC-32C (Castagnoli). By the processor's instruction where it
 * has one, else by a table of nibbles: headers are short, so speed does not matter. Both give
 * the same. Pure functions, any thread.
 */
#ifndef COLLECTOR_CODEC_CRC32C_H
#define COLLECTOR_CODEC_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli), hardware where there is; seed 0. */
uint32_t crc32c(uint32_t seed, const void *bytes, size_t size);

/* The same without special instructions. */
uint32_t crc32c_portable(uint32_t seed, const void *bytes, size_t size);

/* The check of a part of a live file: of two numbers and what follows them, never 0. */
uint32_t crc32c_part(uint32_t first, uint64_t second, const void *bytes, size_t size);

#endif
