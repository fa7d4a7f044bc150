/* SPDX-License-Identifier: MIT */
/*
 * The binary interface of the CUDA runtime (11, 12 and 13) as far as the hooks need it,
 * declared by ourselves so that no toolkit is needed to build. Names are CUDA's because
 * hooks.def must read like the functions it intercepts; handles are opaque; of a struct only the
 * members that a hook reads are trusted, and those have the same place in all three versions.
 *
 * test/compile/signatures.c includes the vendor's header instead of this one where a toolkit is
 * found, and does not compile when a row of hooks.def differs from it.
 */
#ifndef PRELOAD_CUDA_ABI_H
#define PRELOAD_CUDA_ABI_H

#include <stddef.h>

typedef int cudaError_t; /* an enum of the same size */

enum {
	CUDA_SUCCESS_CODE = 0,
	CUDA_NOT_READY = 600,
	CUDA_NOT_SUPPORTED = 801,
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;
typedef struct cudaGraphInstantiateParams_st cudaGraphInstantiateParams;

typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

enum cudaMemcpyKind {
	cudaMemcpyHostToHost = 0,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault = 4,
};

/* Only passed through: any enumerator makes them int-sized. */
enum cudaStreamCaptureMode {
	CUDA_CAPTURE_MODE_ANY
};
enum cudaDriverEntryPointQueryResult {
	CUDA_ENTRY_POINT_ANY
};

enum cudaJitOption {
	CUDA_JIT_OPTION_ANY
};
enum cudaLibraryOption {
	CUDA_LIBRARY_OPTION_ANY
};

enum cudaMemPoolAttr {
	CUDA_MEM_POOL_ATTRIBUTE_ANY
};

typedef struct dim3 {
	unsigned x, y, z;
} dim3;
typedef struct dim3 uint3;

struct cudaExtent {
	size_t width, height, depth;
};

struct cudaPos {
	size_t x, y, z;
};

struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct cudaChannelFormatDesc;
struct cudaMemcpyAttributes;
struct cudaMemLocation;
struct cudaMemPoolProps;
struct cudaMemAccessDesc;

typedef struct {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	/* attributes follow; not looked into */
} cudaLaunchConfig_t;

struct cudaLaunchParams {
	const void *func;
	dim3 gridDim, blockDim;
	void **args;
	size_t sharedMem;
	cudaStream_t stream;
};

struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

#endif
