/* SPDX-License-Identifier: MIT */
/*
 * The live file of this process (collector/format/live.h): made at the first event,
 * grown piece by piece, removed at a clean end. It lies in memory, in /dev/shm, where a file
 * system that stalls does not stall who records; beside the trace when there is little room.
 * Pieces are allocated before they are mapped, so that a full disk is an error here and
 * never a SIGBUS in the program.
 * Where it cannot be had, a piece is private memory: recording goes on, only the
 * safety against SIGKILL is gone, and live_memory() says so.
 *
 * live_piece() may be called from any thread at any time; the rest by the thread that
 * starts or ends the session. No descriptor is kept: programs close what they do
 * not know. Nothing is ever unmapped, since threads write into rings until the very end.
 */
#ifndef COLLECTOR_BUFFER_LIVE_H
#define COLLECTOR_BUFFER_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/format/live.h"

enum live_where {
	/* in /dev/shm when that is not missed there; beside the trace unless that is remote */
	LIVE_AUTO,
	LIVE_BESIDE, /* the trace, in its folder */
	LIVE_SHM,    /* in /dev/shm */
	LIVE_PRIVATE /* nowhere */
};

struct live {
	struct live_header *header;
	void *pending; /* header->pending_capacity bytes */
	uint64_t end;  /* of the file so far */
	dev_t device;
	ino_t inode;
	bool in_file; /* there is a file to grow */
	bool in_shm;
	bool has_private; /* some piece is in private memory */
	char path[PATH_MAX];
	char pointer_path[PATH_MAX]; /* "" when there is no pointer file */
};

/*
 * Make NAME.live and map its header and pending area. name is absolute, without ".live". Falls
 * back to private
 * memory by itself. 0 or -ENOMEM.
 */
int live_open(struct live *live, const char *name, enum live_where where);

/*
 * bytes of zeroed memory, shared where possible; *ret_offset is its place in the file, 0 when it is
 * private. NULL when there is no memory at all. Keeps errno.
 */
void *live_piece(struct live *live, size_t bytes, uint64_t *ret_offset);

/* The same for what can be done without: NULL when there is a file without room for it. */
void *live_spare_piece(struct live *live, size_t bytes, uint64_t *ret_offset);

/* Let others than the owner at the file, and at the one that leads to it. */
void live_share(struct live *live, unsigned mode);

/* Publish the scale for readers of an unfinished file. */
void live_set_scale(struct live *live, const struct clock_scale *scale);

/* "file", "shm" or "private", for the run description. */
const char *live_memory(const struct live *live);

/* Remove the file; the memory stays. Fine when there is none. */
void live_remove(struct live *live);

/* True for the f_type of a file system on which shared mappings are not to be trusted. */
bool live_is_remote(long file_system_type);

#endif
