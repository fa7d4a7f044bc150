/* SPDX-License-Identifier: MIT */
/*
 * How a row of a table says its parameters: once, as a list of (type, name) without commas,
 *	(void *, dst) (size_t, count)
 * and (void,) for none. From it come the list of a declaration and the list of a call:
 *	ROW_PARAMETERS(...)	(void *dst, size_t count)
 *	ROW_ARGUMENTS(...)	(dst, count)
 *
 * The preprocessor does it, because it is there wherever the library can be built, needs no
 * generated file before the first compilation, and tools that read the sources see the same. A
 * pair calls one macro of two that name each other, so a list is as long as it likes.
 */
#ifndef PRELOAD_CALLS_ROW_H
#define PRELOAD_CALLS_ROW_H

/* clang-format off */
#define ROW_PARAMETERS(pairs) (ROW_CLOSE(ROW_PARAMETER pairs))
#define ROW_ARGUMENTS(pairs)  (ROW_CLOSE(ROW_ARGUMENT pairs))

/* What is left behind the last pair is the name of a macro: with _END it is nothing. */
#define ROW_CLOSE(...)  ROW_CLOSE_(__VA_ARGS__)
#define ROW_CLOSE_(...) __VA_ARGS__##_END

#define ROW_PARAMETER(type, name)   type name ROW_PARAMETER_A
#define ROW_PARAMETER_A(type, name) , type name ROW_PARAMETER_B
#define ROW_PARAMETER_B(type, name) , type name ROW_PARAMETER_A
#define ROW_PARAMETER_A_END
#define ROW_PARAMETER_B_END

#define ROW_ARGUMENT(type, name)   name ROW_ARGUMENT_A
#define ROW_ARGUMENT_A(type, name) , name ROW_ARGUMENT_B
#define ROW_ARGUMENT_B(type, name) , name ROW_ARGUMENT_A
#define ROW_ARGUMENT_A_END
#define ROW_ARGUMENT_B_END
/* clang-format on */

#endif
