/* SPDX-License-Identifier: MIT */
/*
 * The runtime API as the programs of this folder see it: prototypes expanded from the stand-in
 * runtime's own table, with the error numbers and structures of cuda_abi.h.
 *
 * A program that is compiled with -DCUDART_MAJOR=12 or 13 gets the signatures of that version.
 */
#ifndef CUDASIM_PROGRAMS_CUDA_API_H
#define CUDASIM_PROGRAMS_CUDA_API_H

#include "../cuda_structs.h"

/* clang-format off */
#define API_VOID_() (void)
#define API_VOID_SOME(...) (__VA_ARGS__)
#define API_PARAMS(...) API_VOID_##__VA_OPT__(SOME)(__VA_ARGS__)

#define RUNTIME(name, needs, params, args)               int name API_PARAMS params;
#define RUNTIME_AS(name, implementation, needs, params, args) int name API_PARAMS params;
#define RUNTIME_IS(name, driver_name, needs, params, args)    int name API_PARAMS params;
#define RUNTIME_PT(name, suffix, needs, params, args)                                              \
	int name API_PARAMS params;                                                                \
	int name##_##suffix API_PARAMS params;
#define RUNTIME_PT_IS(name, driver_name, suffix, needs, params, args)                              \
	int name API_PARAMS params;                                                                \
	int name##_##suffix API_PARAMS params;
#include "../runtime/runtime.def"
#undef RUNTIME
#undef RUNTIME_AS
#undef RUNTIME_IS
#undef RUNTIME_PT
#undef RUNTIME_PT_IS
/* clang-format on */

int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);

#endif
