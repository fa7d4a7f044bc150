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
 * release store of the counter that covers it. A piece whose offset is 0 is in
 * private memory or not made yet: pass over it.
 *
 * It lies in /dev/shm where there is room, and NAME.live is then a pointer file: one line,
 * LIVE_POINTER_TAG, the absolute path, a line feed. It counts on the same host only; open the
 * path without following links and check magic and pid. Its process has a shared lock on it
 * (flock) as long as it lives; who gets an exclusive one may take it away. RUN's ring_memory says
 * which: file, shm, or private (nothing to recover: some piece is in private memory).
 *
 * What was damaged is told by checksums: of the pending frame, of each definition, of where each
 * ring lies. Records in rings have none: they are as old as the recorder's last turn at most, and
 * are looked at for what cannot be.
 *
 * Times: a record's ticks are turned into ns with scale, which is read twice around an
 * equal and even scale_generation; when that does not happen, or generation is 0, the
 * process died while changing it: take it as it is. A kill between publishing the
 * pending frame and moving a ring's tail leaves records in both; the sequence number
 * of a record, which is its number in its ring, tells.
 */
#ifndef COLLECTOR_FORMAT_LIVE_H
#define COLLECTOR_FORMAT_LIVE_H

#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/format/record.h"

#define LIVE_MAGIC       0x314556494c52544cull /* "LTRLIVE1" */
#define LIVE_VERSION     1u
#define LIVE_RING_LIMIT  4096u
#define LIVE_CHUNK_LIMIT 1024u
#define LIVE_CHUNK_BYTES (256u << 10)
#define LIVE_POINTER_TAG "LTRPATH1 " /* first bytes of a pointer file */
#define LIVE_SHM_FOLDER  "/dev/shm"
#define LIVE_SHM_PREFIX  "libtrace-" /* then the user's number, NAME, the time, ".live" */

/* A ring: struct live_ring, padded to 4096 bytes, then capacity records. */
struct live_ring {
	uint32_t thread; /* id in the trace, from 1; 0: the ring is free */
	uint32_t tid;
	uint64_t capacity; /* records, a power of two */
	char name[16];     /* of the thread */
	/* Rings are reused: numbers before this one belong to another thread. */
	uint64_t first_sequence_of_thread;
	uint32_t check; /* of its index and capacity, crc32c_part(); 0: not there */
	uint8_t reserved[20];
	/* written by the owner, in a cache line of its own */
	uint64_t head __attribute__((aligned(64))); /* records ever published */
	uint64_t lost;                              /* records that found it full */
	uint64_t lost_first_ticks, lost_last_ticks;
	/* written by the drain thread: records ever taken over into the pending frame */
	uint64_t tail __attribute__((aligned(64)));
	uint64_t lost_taken; /* of lost, what the file or the pending frame says already */
};

/*
 * An entry of a definition chunk; payload follows, the next entry starts 8-aligned. Room is taken
 * by setting bytes, so a walk never stops at an entry that its thread did not finish: kind is
 * stored last, and 0 means pass over. The same id may be there twice, with the same payload.
 */
struct live_definition {
	uint32_t bytes; /* of the payload; 0: end so far */
	uint16_t kind;  /* enum live_definition_kind, 0: not complete */
	uint16_t reserved;
	uint32_t id;
	uint32_t check; /* crc32c_part() of kind, id, payload; 0: not there */
};

enum live_definition_kind {
	LIVE_NAME = 1,  /* payload: the text, no terminator */
	LIVE_PLACE = 2, /* payload: struct live_place */
	LIVE_CALL = 3,  /* payload: "library:name" */
	LIVE_STACK = 4, /* payload: struct live_stack */
};

/* Names are ids of LIVE_NAME entries. A native place has only its address. */
struct live_place {
	uint32_t file, function, line;
	uint32_t user_file, user_function, user_line;
	uint64_t address; /* return address in the process, 0: not native */
	uint32_t library_file, library_function, library_line;
	uint32_t unused; /* 0: places are compared byte by byte */
};

/* The innermost frame's place, and the stack of its caller, 0: none. */
struct live_stack {
	uint32_t place, caller;
};

/* Any thread's events that found no ring, and that neither file nor pending frame tells of. */
struct live_unowned {
	uint64_t count, first_ticks, last_ticks; /* no times with count 0 */
};

struct live_header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid;
	uint64_t begin_realtime_ns;
	struct clock_scale scale;  /* ticks of ring records to ns */
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
	/* bytes of the pending frame << 32 | their CRC-32C, in one store; 0: not there */
	uint64_t pending_check;
	struct live_unowned unowned; /* 0 in the first files: pages are whole */
};

#endif
