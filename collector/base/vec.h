/* SPDX-License-Identifier: MIT */
/*
 * A growable array for the analyzer, as macros over one function:
 *
 *	VEC(uint64_t) times = {0};
 *	if (vec_push(&times, now) != 0) ...            -ENOMEM; unchanged then
 *	VEC_FOREACH(time, &times) sum += *time;
 *	vec_release(&times);
 *
 * items, count and capacity may be read directly; pointers into items die at the
 * next push. Capacity doubles. Not for the traced process: it allocates.
 */
#ifndef COLLECTOR_BASE_VEC_H
#define COLLECTOR_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
		size_t capacity;                                                                   \
	}

/* Items so that need of item_bytes fit; NULL (items are untouched) when out of memory. */
static inline void *vec_grow(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
	size_t wanted = *capacity < 8 ? 8 : *capacity;
	while (wanted < need)
		wanted = wanted > SIZE_MAX / 2 ? SIZE_MAX : 2 * wanted;
	if (wanted > PTRDIFF_MAX / item_bytes)
		return NULL;
	void *grown = realloc(items, wanted * item_bytes);
	if (grown != NULL)
		*capacity = wanted;
	return grown;
}

/* Room for need items in all. 0 or -ENOMEM. */
#define vec_reserve(vec, need)                                                                     \
	__extension__({                                                                            \
		void *vec_items_ = (vec)->items;                                                   \
		int vec_error_ = 0;                                                                \
		if ((need) > (vec)->capacity) {                                                    \
			vec_items_ = vec_grow(vec_items_, &(vec)->capacity, (need),                \
				sizeof(__typeof__(*(vec)->items)));                                \
			vec_error_ = vec_items_ != NULL ? 0 : -ENOMEM;                             \
			(vec)->items = vec_items_ != NULL ? vec_items_ : (void *)(vec)->items;     \
		}                                                                                  \
		vec_error_;                                                                        \
	})

/* Append item. 0 or -ENOMEM. */
#define vec_push(vec, ...)                                                                         \
	__extension__({                                                                            \
		int vec_push_error_ = vec_reserve(vec, (vec)->count + 1);                          \
		if (vec_push_error_ == 0)                                                          \
			(vec)->items[(vec)->count++] = __VA_ARGS__;                                \
		vec_push_error_;                                                                   \
	})

/* Free the items; the array is empty and usable again. */
#define vec_release(vec)                                                                           \
	do {                                                                                       \
		free((vec)->items);                                                                \
		(vec)->items = NULL;                                                               \
		(vec)->count = (vec)->capacity = 0;                                                \
	} while (0)

#define VEC_FOREACH(item, vec)                                                                     \
	for (__typeof__((vec)->items) item = (vec)->items;                                         \
		item != NULL && item < (vec)->items + (vec)->count; item++)

#endif
