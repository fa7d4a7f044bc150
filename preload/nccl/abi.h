/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of NCCL 2 as far as the hooks need it, declared by ourselves: handles are
 * opaque, enums are ints, results are 0 or a positive number. test/compile/run.sh compares the
 * rows of interposed.def with the vendor's nccl.h where one is found.
 */
#ifndef PRELOAD_NCCL_ABI_H
#define PRELOAD_NCCL_ABI_H

#include <stddef.h>

typedef struct ncclComm *ncclComm_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct ncclConfig_v21700 ncclConfig_t;   /* only passed through */
typedef struct ncclSimInfo_v22200 ncclSimInfo_t; /* too */
typedef int ncclResult_t, ncclDataType_t, ncclRedOp_t;

typedef struct {
	char internal[128];
} ncclUniqueId;

enum {
	NCCL_DONE = 0,
	NCCL_NOT_FOUND = 5, /* "invalid usage": no library has the function */
	NCCL_NO_COLOR = -1  /* the rank is in no part of a split */
};

#endif
