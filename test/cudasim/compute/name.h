/* SPDX-License-Identifier: MIT */
/*
 * Kernel names: demangling, shortening, and taking template arguments out of them.
 *
 * Kernels are recognised by their C++ names. To keep the tables short and alike for all versions,
 * name_simplify() drops the namespaces that every name carries ("at::native::", "c10::",
 * anonymous ones) and the noise of lambdas. All functions are safe in any thread.
 */
#ifndef CUDASIM_COMPUTE_NAME_H
#define CUDASIM_COMPUTE_NAME_H

#include <stddef.h>

#include "types.h"

/* Demangled and shortened name in memory that the caller frees; NULL without a demangler. */
char *name_simplify(const char *mangled);

/*
 * Copies template argument number index (from 0) of the template whose "<" is the first one in
 * text. Returns 1, or 0 if there is no such argument or it does not fit.
 */
int name_argument(const char *text, int index, char *ret_argument, size_t size);

/* The element type that template argument number index names; TYPE_NONE if it names none. */
enum type name_type(const char *text, int index);

/*
 * Types of the parameters of the last lambda in text, "{lambda(float, bool)#1}". Returns how
 * many, at most limit, or 0 if there is no lambda or a type is not known.
 */
int name_lambda_types(const char *text, enum type *ret_types, int limit);

/*
 * One letter for each parameter of the function that name declares: 'p' pointer or other 8 bytes,
 * 'i' 4 bytes, 'h' 2, 'b' 1, '#' a type that is not known. Returns how many, -1 if more than fit
 * with the final zero.
 */
int name_signature(const char *name, char *ret_letters, size_t size);

#endif
