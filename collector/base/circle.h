/* SPDX-License-Identifier: MIT */
/*
 * A queue that grows, as macros over one function:
 *
 *	CIRCLE(struct job) jobs = {0};
 *	if (circle_push(&jobs, job) != 0) ...         -ENOMEM; unchanged then
 *	while (circle_count(&jobs) > 0) run(circle_at(&jobs, jobs.first++));
 *	circle_release(&jobs);
 *
 * Positions only ever grow, from 0 on: first is that of the oldest item, until that of the next
 * one. Moving first on drops items. Both may be read and written directly; circle_at() needs a
 * capacity. Pointers to items die at the next push or reserve. Capacity is a power of two and
 * doubles; items are aligned to a cache line. Positions wrap around the end of the memory, so only
 * single items are contiguous: see queue.h otherwise. Not for the traced process: it allocates.
 */
#ifndef COLLECTOR_BASE_CIRCLE_H
#define COLLECTOR_BASE_CIRCLE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CIRCLE(type)                                                                               \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t capacity; /* power of two or 0 */                                           \
		uint64_t first, until;                                                             \
	}

#define CIRCLE_LEAST 64u

/*
 * New memory for larger items (a power of two), with those of the positions first to until from
 * items (capacity of them, which stay untouched) where they belong; the rest is whatever it was.
 * NULL when out of memory.
 */
void *circle_grown(const void *items, size_t capacity, size_t larger, uint64_t first,
	uint64_t until, size_t item_bytes);

#define circle_at(circle, position) (&(circle)->items[(position) & ((circle)->capacity - 1)])

#define circle_count(circle) ((circle)->until - (circle)->first)

/* Room for more, a few at most: far fewer than memory has. 0 or -ENOMEM. */
#define circle_reserve(circle, more)                                                               \
	__extension__({                                                                            \
		int circle_error_ = 0;                                                             \
		if (__builtin_expect(circle_count(circle) + (more) > (circle)->capacity, 0)) {     \
			size_t circle_larger_ =                                                    \
				(circle)->capacity > 0 ? 2 * (circle)->capacity : CIRCLE_LEAST;    \
			while (circle_larger_ < circle_count(circle) + (more))                     \
				circle_larger_ *= 2;                                               \
			void *circle_items_ = circle_grown((circle)->items, (circle)->capacity,    \
				circle_larger_, (circle)->first, (circle)->until,                  \
				sizeof(*(circle)->items));                                         \
			circle_error_ = circle_items_ != NULL ? 0 : -ENOMEM;                       \
			if (circle_items_ != NULL) {                                               \
				free((circle)->items);                                             \
				(circle)->items = circle_items_;                                   \
				(circle)->capacity = circle_larger_;                               \
			}                                                                          \
		}                                                                                  \
		circle_error_;                                                                     \
	})

/* Append item. 0 or -ENOMEM. */
#define circle_push(circle, ...)                                                                   \
	__extension__({                                                                            \
		int circle_push_error_ = circle_reserve(circle, 1);                                \
		if (circle_push_error_ == 0)                                                       \
			*circle_at(circle, (circle)->until++) = __VA_ARGS__;                       \
		circle_push_error_;                                                                \
	})

/* Free the items; positions begin at 0 again and the circle is usable. */
#define circle_release(circle)                                                                     \
	do {                                                                                       \
		free((circle)->items);                                                             \
		(circle)->items = NULL;                                                            \
		(circle)->capacity = 0;                                                            \
		(circle)->first = (circle)->until = 0;                                             \
	} while (0)

#endif
