/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of the CUDA driver (11 to 13) as far as the hooks need it, declared by
 * ourselves as abi.h does for the runtime. Handles of the runtime are the driver's, so
 * streams, events and graphs have one type for both. Of a struct the members have the vendor's
 * places and names of our own; what follows them is not looked into.
 *
 * test/compile/run.sh compares the rows of driver.def with the vendor's cuda.h where a
 * toolkit is found.
 */
#ifndef PRELOAD_CUDA_DRIVER_ABI_H
#define PRELOAD_CUDA_DRIVER_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "preload/calls/abi.h"

typedef int CUresult, CUjit_option, CUlibraryOption; /* enums of the same size */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel; /* a launch takes it for a CUfunction too */
typedef struct CUlib_st *CUlibrary;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;
typedef struct CUarray_st *CUarray;
typedef struct CUmemPoolProps_st CUmemPoolProps;
typedef struct CUmemAllocationProp_st CUmemAllocationProp;
typedef struct CUmemAccessDesc_st CUmemAccessDesc;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUstreamBatchMemOpParams_st CUstreamBatchMemOpParams;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;

typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);

/* Only passed through. */
typedef enum {
	CU_CAPTURE_MODE_ANY
} CUstreamCaptureMode;
typedef enum {
	CU_ADVICE_ANY
} CUmem_advise;
typedef enum {
	CU_POOL_ATTRIBUTE_ANY
} CUmemPool_attribute;
typedef enum {
	CU_UPDATE_RESULT_ANY
} CUgraphExecUpdateResult;
typedef struct {
	int type, id;
} CUmemLocation;

enum cuda_driver_memory {
	CU_SIDE_HOST = 1,
	CU_SIDE_DEVICE = 2,
	CU_SIDE_ARRAY = 3,
	CU_SIDE_UNIFIED = 4,
};

typedef struct {
	unsigned grid[3], block[3], shared;
	CUstream stream;
	/* attributes follow; not looked into */
} CUlaunchConfig;

typedef struct {
	size_t src_x, src_y;
	int src_type;
	const void *src_host;
	CUdeviceptr src_device;
	void *src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	int dst_type;
	void *dst_host;
	CUdeviceptr dst_device;
	void *dst_array;
	size_t dst_pitch;
	size_t width, height;
} CUDA_MEMCPY2D;

/* Between devices (CUDA_MEMCPY3D_PEER) the second pointer beside an array is its context. */
typedef struct {
	size_t src_x, src_y, src_z, src_lod;
	int src_type;
	const void *src_host;
	CUdeviceptr src_device;
	void *src_array, *src_more;
	size_t src_pitch, src_height;
	size_t dst_x, dst_y, dst_z, dst_lod;
	int dst_type;
	void *dst_host;
	CUdeviceptr dst_device;
	void *dst_array, *dst_more;
	size_t dst_pitch, dst_height;
	size_t width, height, depth;
} CUDA_MEMCPY3D;
typedef CUDA_MEMCPY3D CUDA_MEMCPY3D_PEER;

typedef struct {
	CUfunction function;
	unsigned grid[3], block[3], shared;
	CUstream stream;
	void **arguments;
} CUDA_LAUNCH_PARAMS;

typedef struct {
	size_t width, height; /* what follows is not looked into */
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
	size_t width, height, depth; /* here too */
} CUDA_ARRAY3D_DESCRIPTOR;

/* One side of a copy of a batch; cudaMemcpy3DBatchOp of the runtime has the same layout. */
struct cuda_batch_side {
	int type;      /* CU_BATCH_POINTER, or an array */
	void *address; /* or the array */
	size_t row_length, layer_height, more;
};

enum cuda_batch_side_type {
	CU_BATCH_POINTER = 1,
	CU_BATCH_ARRAY = 2,
};

typedef struct {
	struct cuda_batch_side src, dst;
	struct cudaExtent extent;
	int order;
	unsigned flags;
} CUDA_MEMCPY3D_BATCH_OP;

#endif
