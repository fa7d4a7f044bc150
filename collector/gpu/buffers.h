/* SPDX-License-Identifier: MIT */
/*
 * Buffers that the device's interface fills: handed out, taken back full, read by the
 * drain thread, used again.
 *
 * A buffer holds 128 KiB, some 500 launches with their calls: small enough that a loop of a few
 * hundred launches a second is delivered every second or two, large enough that two callbacks for
 * each are nothing. 512 of them (64 MiB, touched as far as needed, the lowest first) are what may
 * be outstanding. A request is never refused, because old libraries crash then: beyond
 * the bound it gets a small buffer whose records are counted as lost when it comes back.
 *
 * Request and completion are called by the library on any thread, several at once, maybe in the
 * middle of a CUDA call: no lock, no allocation, no I/O, errno is kept. Taking and returning:
 * drain thread only. In a forked child buffers are still handed out and otherwise nothing happens.
 */
#ifndef COLLECTOR_GPU_BUFFERS_H
#define COLLECTOR_GPU_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/buffer/ring.h"

#define GPU_BUFFER_BYTES  (128u << 10)
#define GPU_BUFFER_COUNT  512u
#define GPU_BUFFER_KEPT   8u /* of them have memory once they had some */
#define GPU_DISCARD_BYTES (8u << 10)
#define GPU_DISCARD_COUNT 256u

struct gpu_buffer {
	struct gpu_buffer *next; /* in the list of gpu_buffers_take() */
	uint8_t *data;
	size_t valid; /* bytes that were filled */
};

struct gpu_buffers_options {
	unsigned limit;      /* buffers in use at once, 0: all */
	void (*ready)(void); /* one has come back: wake the drain thread */
	/* How many records it holds, for those that are thrown away. */
	uint64_t (*count)(uint8_t *data, size_t valid);
};

/* Make the pool, once. 0 or -ENOMEM. */
int gpu_buffers_init(const struct gpu_buffers_options *options);

/* The library's two callbacks. */
void gpu_buffers_request(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records);
void gpu_buffers_complete(
	void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* All that came back, the oldest first; NULL: none. Each must be returned. */
struct gpu_buffer *gpu_buffers_take(void);
void gpu_buffers_return(struct gpu_buffer *buffer);

/*
 * Give back the memory of those beyond GPU_BUFFER_KEPT that nobody has asked for since this was
 * called last. Drain thread only; errno may change.
 */
void gpu_buffers_settle(void);

/* What was thrown away since it was asked last; times are those of request and return. */
void gpu_buffers_take_discarded(struct ring_gap *ret_gap);

/* In the child of a fork. */
void gpu_buffers_forget(void);

#endif
