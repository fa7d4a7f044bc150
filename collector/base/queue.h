/* SPDX-License-Identifier: MIT */
/*
 * A queue whose items lie in a row, as macros over one function:
 *
 *	QUEUE(struct piece) pieces = {0};
 *	if (queue_reserve(&pieces, 1) != 0) ...       -ENOMEM; unchanged then
 *	pieces.items[pieces.count++] = piece;
 *	queue_drop(&pieces, 3);                       the three oldest are gone
 *	queue_release(&pieces);
 *
 * items is the oldest one, count how many there are; both may be read directly, and count
 * may be written up to the room that was reserved. Pointers to items die at the next reserve.
 * Room of dropped items is used again by moving the others down once it is half of the memory,
 * so an item is moved a bounded number of times. circle.h is cheaper where single items are
 * looked at. Not for the traced process: it allocates.
 */
#ifndef COLLECTOR_BASE_QUEUE_H
#define COLLECTOR_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define QUEUE(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
		type *store; /* the memory, of capacity items */                                   \
		size_t capacity;                                                                   \
	}

/* The memory of a queue, whatever its items are. */
struct queue_memory {
	void *items, *store;
	size_t count, capacity;
};

/* Make room for more items of item_bytes behind the last. 0 or -ENOMEM (unchanged). */
int queue_make_room(struct queue_memory *memory, size_t more, size_t item_bytes);

#define queue_has_room(queue, more)                                                                \
	((size_t)((queue)->items - (queue)->store) + (queue)->count + (more) <= (queue)->capacity)

/* Room for more items behind the last. 0 or -ENOMEM. */
#define queue_reserve(queue, more)                                                                 \
	__extension__({                                                                            \
		int queue_error_ = 0;                                                              \
		if (__builtin_expect(!queue_has_room(queue, more), 0)) {                           \
			struct queue_memory queue_memory_ = {(queue)->items, (queue)->store,       \
				(queue)->count, (queue)->capacity};                                \
			queue_error_ =                                                             \
				queue_make_room(&queue_memory_, (more), sizeof(*(queue)->items));  \
			(queue)->items = queue_memory_.items;                                      \
			(queue)->store = queue_memory_.store;                                      \
			(queue)->capacity = queue_memory_.capacity;                                \
		}                                                                                  \
		queue_error_;                                                                      \
	})

/* Append item. 0 or -ENOMEM. */
#define queue_push(queue, ...)                                                                     \
	__extension__({                                                                            \
		int queue_push_error_ = queue_reserve(queue, 1);                                   \
		if (queue_push_error_ == 0)                                                        \
			(queue)->items[(queue)->count++] = __VA_ARGS__;                            \
		queue_push_error_;                                                                 \
	})

/* Forget the gone oldest items, at most count. */
#define queue_drop(queue, gone)                                                                    \
	do {                                                                                       \
		size_t queue_gone_ = (gone);                                                       \
		(queue)->items += queue_gone_;                                                     \
		(queue)->count -= queue_gone_;                                                     \
		if ((queue)->count == 0)                                                           \
			(queue)->items = (queue)->store;                                           \
	} while (0)

/* Free the items; the queue is empty and usable again. */
#define queue_release(queue)                                                                       \
	do {                                                                                       \
		free((queue)->store);                                                              \
		(queue)->items = (queue)->store = NULL;                                            \
		(queue)->count = (queue)->capacity = 0;                                            \
	} while (0)

#endif
