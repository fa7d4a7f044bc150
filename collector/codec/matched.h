/* SPDX-License-Identifier: MIT */
/*
 * Blocks of DEVICE_API records whose call is in the file: each says which event of which thread
 * that is, and its own times are left out, because they lie within those of the call (FORMAT.md).
 * In memory they are as codec_match() makes them. Part of encoder.c and decoder.c.
 */
#ifndef COLLECTOR_CODEC_MATCHED_H
#define COLLECTOR_CODEC_MATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/codec/pack.h"
#include "collector/codec/unpack.h"
#include "collector/format/record.h"

/* Bytes that a block needs at most. */
#define MATCHED_LIMIT(count) (192u + 4u * (PACK_INT_LIMIT * (size_t)(count) + PACK_SLACK))

/* What a block says of all its records. */
struct matched {
	uint32_t thread; /* whose events they are */
	uint32_t by;     /* whose calls they are about */
	uint64_t tid;    /* its id as the device's side has it */
	uint64_t first;
	unsigned count;
	const int64_t *call, *correlation; /* columns */
	const int64_t *what;               /* pairs: so many records, about what */
};

/* The map of records that are all by the same thread; there is room for it. */
void matched_pack(struct pack *pack, uint32_t thread, uint64_t first, const struct record *records,
	unsigned count);

/* Its keys but "t"; columns: room for four of CODEC_BLOCK_LIMIT integers. False: damaged. */
bool matched_unpack(
	struct unpack *unpack, uint32_t pairs, int64_t *columns, struct matched *ret_matched);

/* The records, whose times are 0 until somebody has looked at the calls. */
void matched_records(const struct matched *matched, struct record *ret_records);

#endif
