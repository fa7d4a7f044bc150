/* SPDX-License-Identifier: MIT */
/*
 * How a kernel's name finds the function that computes it.
 *
 * families.def lists families of kernels, each recognised by the beginning of its shortened name:
 * a family's bind function looks at the rest of the name once (element types, the functor) and
 * fills a struct kernel; its run function does the work of one launch. A struct kernel is
 * immutable after bind and lives as long as the process; it is found by the address of the
 * mangled name, so that a launch costs one probe of a hash table.
 *
 * params describes the kernel's parameters, which is what a captured launch must copy: one letter
 * for each, 'p' pointer or other 8 bytes, 'i' int or float, 'h' 2 bytes, 'b' 1 byte, 'L' a struct
 * of lists (foreach.h), 'G' a random generator's state, 'm', 'M', 'f', 'F' parameters of attention
 * (attention_params.c), '#' the next entry of sizes. It is NULL for kernels that cannot be in a
 * graph, because their results decide what the host does next.
 */
#ifndef CUDASIM_COMPUTE_KERNEL_H
#define CUDASIM_COMPUTE_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compute.h"
#include "types.h"

enum kernel_limit {
	KERNEL_TYPES = 8,
	KERNEL_SIZES = 8
};

struct kernel;

struct family {
	const char *prefix;
	int (*bind)(struct kernel *kernel); /* 1: can compute it */
	void (*run)(const struct kernel *kernel, const struct compute_launch *launch);
};

struct kernel {
	const char *mangled;
	char *name; /* shortened */
	const struct family *family;
	const char *params;
	size_t sizes[KERNEL_SIZES];
	/* For the family's own use: */
	const void *op;
	enum type types[KERNEL_TYPES];
	int count;
	int flags;
	size_t offset;
};

/*
 * A bind for kernels whose parameters are all numbers and pointers: takes params from the name
 * and up to KERNEL_TYPES element types from the template arguments, as far as they are types.
 */
int kernel_bind_simple(struct kernel *kernel);

/* Argument number i, an integer of 1, 2, 4 or 8 bytes as params says. */
int64_t kernel_int(const struct kernel *kernel, const struct compute_launch *launch, int i);

/* Argument number i as a pointer. */
#define POINTER(launch, i) (*(void *const *)(launch)->args[i])

/* Argument number i of the launch as a pointer or a number. */
#define ARG(launch, i, T) (*(T const *)(launch)->args[i])

/* A field of that type at an offset in a parameter passed by value. */
#define FIELD_AT(object, offset, T) (*(T const *)((const char *)(object) + (offset)))

/* Round up to a multiple of a power of two. */
#define ALIGN_UP(value, unit) (((value) + (unit)-1) & ~((size_t)(unit)-1))

#define FAMILY(prefix, bind, run)                                                                  \
	int bind(struct kernel *kernel);                                                           \
	void run(const struct kernel *kernel, const struct compute_launch *launch);
#include "families.def"
#undef FAMILY

#endif
