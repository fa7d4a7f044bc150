/* SPDX-License-Identifier: MIT */
/*
 * What copies have to know of an array: where its elements are. An array is device memory in rows
 * without gaps, since nobody looks at its true layout.
 *
 * Any thread may ask; the answer holds until the array is destroyed. The memory is the array's.
 */
#ifndef CUDASIM_DRIVER_ARRAY_H
#define CUDASIM_DRIVER_ARRAY_H

#include <stddef.h>

#include "../cuda_structs.h"

struct array_layout {
	char *memory;
	size_t pitch;   /* bytes of a row */
	size_t height;  /* rows of a slice, at least 1 */
	size_t element; /* bytes */
};

/* 1 and the layout; 0 when it is no array, NULL among others. */
int array_layout(CUarray array, struct array_layout *ret_layout);

#endif
