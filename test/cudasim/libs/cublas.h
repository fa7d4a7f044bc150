/* SPDX-License-Identifier: MIT */
/* What the files of cuBLAS' stand-in share: the handle and the answers. */
#ifndef CUDASIM_LIBS_CUBLAS_H
#define CUDASIM_LIBS_CUBLAS_H

#include "launcher.h"

enum {
	CUBLAS_SUCCESS = 0,
	CUBLAS_NOT_INITIALIZED = 1,
	CUBLAS_ALLOC_FAILED = 3,
	CUBLAS_INVALID_VALUE = 7,
	CUBLAS_EXECUTION_FAILED = 13,
	CUBLAS_NOT_SUPPORTED = 15
};

struct cublas {
	launch_stream stream;
	int math_mode;
	int on_device; /* where scalars are */
};

#define API(name, ...)                                                                             \
	LIB_EXPORT int name(__VA_ARGS__);                                                          \
	int name(__VA_ARGS__)

#endif
