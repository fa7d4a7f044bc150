/* SPDX-License-Identifier: MIT */
/*
 * Names of functions as users write them: patterns with * and ? over the names of libraries and
 * symbols, and which symbols cannot be traced. The recorder and the analyzer answer alike.
 *
 * No state, no allocation, any thread; errno is kept. No argument may be NULL unless said.
 */
#ifndef COLLECTOR_FORMAT_SYMBOL_H
#define COLLECTOR_FORMAT_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* A pattern of length bytes (* any text, ? one byte) fits the whole text. */
bool symbol_fits(const char *pattern, size_t length, const char *text);

/*
 * As symbol_fits() of a library's file name, where the pattern may leave out ".so" and what is
 * behind it: libtorch_cpu fits libtorch_cpu.so and libtorch_cpu.so.2.
 */
bool symbol_fits_library(const char *pattern, size_t length, const char *file);

/*
 * The qualified name of a C++ function without its parameters and template arguments ("_ZN1a1bEv":
 * "a::b") into ret_name, cut to size. False where the name is not of a form that is understood
 * (operators, lambdas, plain C): ret_name is undefined then.
 */
bool symbol_qualified(const char *mangled, char *ret_name, size_t size);

/* As symbol_fits() of a symbol as it is compiled, or of its qualified name. */
bool symbol_fits_function(const char *pattern, size_t length, const char *mangled);

/*
 * Why a function cannot be traced although others of its kind can: it takes vectors in registers,
 * returns twice, or is what tracing stands on. NULL: it can. file is the library's file name.
 */
const char *symbol_refused(const char *file, const char *mangled);

#endif
