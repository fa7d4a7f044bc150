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

enum { CUDA_STREAM_NON_BLOCKING = 1 };
enum { CUDA_EVENT_BLOCKING_SYNC = 1, CUDA_EVENT_DISABLE_TIMING = 2, CUDA_EVENT_INTERPROCESS = 4 };
enum { CUDA_EVENT_RECORD_EXTERNAL = 1 };
enum cuda_copy_kind { CUDA_H2H, CUDA_H2D, CUDA_D2H, CUDA_D2D, CUDA_COPY_DEFAULT };
enum cuda_memory_type { CUDA_UNREGISTERED, CUDA_HOST, CUDA_DEVICE, CUDA_MANAGED };
enum cuda_capture_status { CUDA_CAPTURE_NONE, CUDA_CAPTURE_ACTIVE, CUDA_CAPTURE_INVALIDATED };
enum cuda_capture_mode { CUDA_CAPTURE_GLOBAL, CUDA_CAPTURE_THREAD_LOCAL, CUDA_CAPTURE_RELAXED };

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

struct cuda_pointer_attributes {
	int type; /* enum cuda_memory_type */
	int device;
	void *device_pointer;
	void *host_pointer;
	long reserved[8]; /* CUDA 13 only */
};

struct cuda_func_attributes {
	size_t shared_bytes, const_bytes, local_bytes;
	int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
	int max_dynamic_shared_bytes, preferred_carveout;
	int cluster_dim_must_be_set, cluster_width, cluster_height, cluster_depth;
	int cluster_scheduling, non_portable_cluster, reserved[16];
};

/* cudaLaunchConfig_t and CUlaunchConfig; the attributes are not looked into. */
struct cuda_launch_config {
	struct dim3 grid, block;
	size_t shared_bytes;
	CUstream stream;
	const void *attributes;
	unsigned attribute_count;
};

struct cu_launch_config {
	unsigned grid[3], block[3], shared_bytes;
	CUstream stream;
	const void *attributes;
	unsigned attribute_count;
};

struct cuda_pitched_pointer {
	void *pointer;
	size_t pitch, xsize, ysize;
};

struct cuda_extent {
	size_t width, height, depth;
};

struct cuda_memcpy_3d {
	void *source_array;
	size_t source_pos[3];
	struct cuda_pitched_pointer source;
	void *target_array;
	size_t target_pos[3];
	struct cuda_pitched_pointer target;
	struct cuda_extent extent;
	int kind;
};

/* Memory types of a copy: 1 host, 2 device, 4 whatever the address says. */
struct cu_memcpy_2d {
	size_t source_x, source_y;
	int source_type;
	const void *source_host;
	CUdeviceptr source_device;
	void *source_array;
	size_t source_pitch;
	size_t target_x, target_y;
	int target_type;
	void *target_host;
	CUdeviceptr target_device;
	void *target_array;
	size_t target_pitch;
	size_t width, height;
};

struct cu_memcpy_3d {
	size_t source_x, source_y, source_z, source_lod;
	int source_type;
	const void *source_host;
	CUdeviceptr source_device;
	void *source_array, *source_reserved;
	size_t source_pitch, source_height;
	size_t target_x, target_y, target_z, target_lod;
	int target_type;
	void *target_host;
	CUdeviceptr target_device;
	void *target_array, *target_reserved;
	size_t target_pitch, target_height;
	size_t width, height, depth;
};

#endif
