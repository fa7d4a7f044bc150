/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of CUDA 12 and 13 as far as the simulated device speaks it: types, numbers
 * and offsets, declared by ourselves, so that nothing here needs a CUDA toolkit.
 *
 * Names are CUDA's, because the exported functions must have these signatures; handles are
 * pointers to structures that only the stand-in driver defines. A runtime handle (cudaStream_t,
 * cudaEvent_t, cudaGraph_t, cudaKernel_t) is the driver's handle, as in the real libraries, so
 * the runtime's stand-in uses the driver's types. Results are plain int: 0, or a number of
 * core/errors.def, which is the same in both interfaces wherever both know the error.
 */
#ifndef CUDASIM_CUDA_ABI_H
#define CUDASIM_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_EXPORT __attribute__((visibility("default")))

enum cuda_error {
#define ERROR(code, name, driver_name, text) name = code,
#include "core/errors.def"
#undef ERROR
};

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUkern_st *CUkernel; /* also CUfunction: the driver takes either */
typedef struct CUlib_st *CUlibrary; /* also CUmodule */
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUpool_st *CUmemoryPool;

typedef void cuda_host_function(void *user_data);
typedef void cuda_stream_callback(CUstream stream, int status, void *user_data);

/* Stream handles with a meaning of their own. */
#define CUDA_STREAM_LEGACY     ((CUstream)1)
#define CUDA_STREAM_PER_THREAD ((CUstream)2)

enum {
	CUDA_STREAM_NON_BLOCKING = 1
};
enum {
	CUDA_EVENT_BLOCKING_SYNC = 1,
	CUDA_EVENT_DISABLE_TIMING = 2,
	CUDA_EVENT_INTERPROCESS = 4
};
enum {
	CUDA_EVENT_RECORD_EXTERNAL = 1
};
enum cuda_copy_kind {
	CUDA_H2H,
	CUDA_H2D,
	CUDA_D2H,
	CUDA_D2D,
	CUDA_COPY_DEFAULT
};
enum cuda_memory_type {
	CUDA_UNREGISTERED,
	CUDA_HOST,
	CUDA_DEVICE,
	CUDA_MANAGED
};
enum cuda_capture_status {
	CUDA_CAPTURE_NONE,
	CUDA_CAPTURE_ACTIVE,
	CUDA_CAPTURE_INVALIDATED
};
enum cuda_capture_mode {
	CUDA_CAPTURE_GLOBAL,
	CUDA_CAPTURE_THREAD_LOCAL,
	CUDA_CAPTURE_RELAXED
};

struct dim3 {
	unsigned x, y, z;
};

struct cuda_uuid {
	unsigned char bytes[16];
};

/* An edge of a graph; 8 bytes, all zero for the plain "after it has ended". */
struct cuda_edge_data {
	unsigned char bytes[8];
};

#endif
