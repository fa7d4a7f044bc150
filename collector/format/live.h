/* SPDX-License-Identifier: MIT */
/*
 * The live file NAME.live beside NAME.msgpack.zst: what a running process has
 * recorded and not yet written to its trace. It is mapped shared, so it outlives a
 * SIGKILL, and is removed at a clean end. A reader of an unfinished trace takes the
 * frames of the trace file, then the pending frame (if its sequence number is not in
 * the file), then from each ring the records whose number was not seen yet.
 *
 * Layout: struct live_header, then pieces at the offsets that it names: the
 * pending frame (plain msgpack), definition chunks, rings. Everything is little
 * endian and aligned to 64 bytes. Writers store the payload first and publish it by a
 * release store of the counter that covers it.
 */
#ifndef COLLECTOR_FORMAT_LIVE_H
#define COLLECTOR_FORMAT_LIVE_H

#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/format/record.h"

#define LIVE_MAGIC        0x314556494c52544cull /* "LTRLIVE1" */
#define LIVE_VERSION      1u
#define LIVE_RING_LIMIT   4096u
#define LIVE_CHUNK_LIMIT  1024u
#define LIVE_CHUNK_BYTES  (256u << 10)

/* A ring: struct live_ring, padded to 4096 bytes, then capacity records. */
struct live_ring {
	uint32_t thread;   /* id in the trace, from 1; 0: the ring is free */
	uint32_t tid;
	uint64_t capacity; /* records, a power of two */
	char name[16];     /* of the thread */
	uint64_t first_sequence_of_thread; /* rings are reused: numbers before it belong to another */
	uint8_t reserved[24];
	/* written by the owner, in a cache line of its own */
	uint64_t head __attribute__((aligned(64))); /* records ever published */
	uint64_t lost;                              /* records that found it full */
	uint64_t lost_first_ticks, lost_last_ticks;
	/* written by the drain thread */
	uint64_t tail __attribute__((aligned(64))); /* records ever taken over into the pending frame */
};

/* An entry of a definition chunk; payload follows, the next entry starts 8-aligned. */
struct live_definition {
	uint32_t bytes; /* of the payload; published last, 0: end so far */
	uint16_t kind;  /* enum live_definition_kind */
	uint16_t reserved;
	uint32_t id;
	uint32_t reserved2;
};

enum live_definition_kind {
	LIVE_NAME = 1,  /* payload: the text, no terminator */
	LIVE_PLACE = 2, /* payload: struct live_place */
	LIVE_CALL = 3,  /* payload: "library:name" */
};

/* Names are ids of LIVE_NAME entries. A native place has only its address. */
struct live_place {
	uint32_t file, function, line;
	uint32_t user_file, user_function, user_line;
	uint64_t address; /* return address in the process, 0: not native */
};

struct live_header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;
	uint64_t begin_realtime_ns;
	struct clock_scale scale; /* ticks of ring records to ns */
	uint32_t scale_generation; /* odd while scale is being changed */
	uint32_t ring_count;       /* rings ever made */
	uint32_t chunk_count;
	/* the pending frame */
	uint32_t pending_sequence;
	uint64_t pending_offset;
	uint64_t pending_bytes; /* committed */
	uint64_t pending_capacity;
	uint64_t chunk_offset[LIVE_CHUNK_LIMIT];
	uint64_t ring_offset[LIVE_RING_LIMIT]; /* 0: in private memory, not in this file */
};

#endif
