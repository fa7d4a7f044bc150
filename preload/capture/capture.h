/* SPDX-License-Identifier: MIT */
/*
 * Arguments of an interposed call become a record: one function per shape of call, used by the
 * rows of hooks.def. A capture runs after the real call, with the guard taken: it reads
 * output parameters only when the call succeeded, allocates nothing, takes no lock, calls
 * no hooked function and keeps errno. Failed calls are recorded with their result.
 *
 * Captures of TRACK rows also run while recording is paused: they keep the tables of
 * memory kinds, kernel names and captured streams up to date, and then record if it is on.
 *
 * Copies: the direction that the call names says which end is on the device; what kind of host
 * memory the other end is comes from memkind.h, where memory that no hook has
 * seen allocated or registered is pageable. For cudaMemcpyDefault an end that was not seen is
 * taken for pageable memory if the other end is known, and both stay unknown otherwise.
 */
#ifndef PRELOAD_CAPTURE_H
#define PRELOAD_CAPTURE_H

#include "preload/calls/abi.h"
#include "preload/calls/driver_abi.h"
#include "preload/capture/begin.h"

/*
 * A struct of arguments. A call that failed may have got any address: then it is copied to own
 * where that can be read. NULL: there is nothing to be read.
 */
const void *capture_copied(const void *given, void *own, size_t size);
static inline const void *capture_struct(int result, const void *given, void *own, size_t size)
{
	return __builtin_expect(result == CUDA_SUCCESS_CODE, 1) ? given
								: capture_copied(given, own, size);
}

/* An end of a copy that has no address but lies on the device: a symbol, an array. */
#define CAPTURE_ON_DEVICE ((void *)UINTPTR_MAX)

/* Kernels and launches. */
void capture_register(CAPTURE_CALL, void **group, const void *stub, const char *name);
void capture_unregister(CAPTURE_CALL, void **group);
void capture_kernel_handle(CAPTURE_CALL, void *const *handle, const void *stub);
void capture_function_handle(CAPTURE_CALL, void *const *handle, const void *kernel);
void capture_library_kernel(
	CAPTURE_CALL, void *const *handle, const void *library, const char *name);
void capture_module_function(
	CAPTURE_CALL, void *const *handle, const void *module, const char *name);
void capture_library_module(CAPTURE_CALL, void *const *module, const void *library);
void capture_unload(CAPTURE_CALL, const void *group);
/* capture_launch() is in launch.h. */
void capture_launch_config(CAPTURE_CALL, const cudaLaunchConfig_t *config, const void *function);
/* One record for the call: the first launch. */
void capture_launch_devices(CAPTURE_CALL, const struct cudaLaunchParams *launches, unsigned count);
void capture_launch_host(CAPTURE_CALL, const void *stream);

/* Copies and sets; kind is enum cudaMemcpyKind or COPY_PEER. */
void capture_copy(CAPTURE_CALL, const void *dst, const void *src, size_t bytes, unsigned kind,
	const void *stream, uint32_t flags);
void capture_copy_3d(
	CAPTURE_CALL, const struct cudaMemcpy3DParms *copy, const void *stream, uint32_t flags);
void capture_copy_3d_peer(
	CAPTURE_CALL, const struct cudaMemcpy3DPeerParms *copy, const void *stream, uint32_t flags);
void capture_copy_batch(CAPTURE_CALL, void *const *dsts, const void *const *srcs,
	const size_t *sizes, size_t count, const void *stream);
void capture_copy_batch_3d(
	CAPTURE_CALL, const CUDA_MEMCPY3D_BATCH_OP *copies, size_t count, const void *stream);
void capture_set(CAPTURE_CALL, const void *address, size_t bytes, int value, const void *stream,
	uint32_t flags);

/* Waits, events, streams. */
void capture_sync(CAPTURE_CALL, enum sync_scope scope, const void *stream, const void *event);
void capture_event(CAPTURE_CALL, const void *event, uint32_t flags);
void capture_event_create(CAPTURE_CALL, cudaEvent_t const *event);
void capture_event_record(CAPTURE_CALL, const void *event, const void *stream);
void capture_stream_wait(CAPTURE_CALL, const void *stream, const void *event);
void capture_stream_create(CAPTURE_CALL, cudaStream_t const *stream, int priority);
void capture_stream_destroy(CAPTURE_CALL, const void *stream);
void capture_stream_query(CAPTURE_CALL, const void *stream);

/* Graphs. */
void capture_graph_begin(CAPTURE_CALL, const void *stream, const void *graph);
void capture_graph_end(CAPTURE_CALL, const void *stream, cudaGraph_t const *graph);
void capture_graph_instantiate(CAPTURE_CALL, cudaGraphExec_t const *exec, const void *graph);
void capture_graph(
	CAPTURE_CALL, const void *graph, const void *exec, const void *stream, uint32_t flags);

/* Memory. */
void capture_alloc(CAPTURE_CALL, void *const *address, size_t size, enum memory_kind kind,
	const void *stream, uint32_t flags);
void capture_alloc_pitch(CAPTURE_CALL, void *const *address, const size_t *pitch, size_t height);
void capture_alloc_3d(CAPTURE_CALL, const struct cudaPitchedPtr *address, struct cudaExtent extent);
void capture_array(CAPTURE_CALL, cudaArray_t const *array, size_t elements);
void capture_host_register(CAPTURE_CALL, const void *address, size_t size);
void capture_free(CAPTURE_CALL, const void *address, enum memory_kind kind, const void *stream,
	uint32_t flags);
void capture_unmap(CAPTURE_CALL, const void *address, size_t size);

/* The same for what only the driver has (driver.c). */
void capture_driver_launch_config(CAPTURE_CALL, const CUlaunchConfig *config, const void *function);
void capture_driver_copy_2d(
	CAPTURE_CALL, const CUDA_MEMCPY2D *copy, const void *stream, uint32_t flags);
void capture_driver_copy_3d(
	CAPTURE_CALL, const CUDA_MEMCPY3D *copy, const void *stream, uint32_t flags);
void capture_driver_copy_3d_peer(
	CAPTURE_CALL, const CUDA_MEMCPY3D_PEER *copy, const void *stream, uint32_t flags);
void capture_driver_launch_devices(
	CAPTURE_CALL, const CUDA_LAUNCH_PARAMS *launches, unsigned count);
void capture_driver_array(CAPTURE_CALL, CUarray const *array, const CUDA_ARRAY_DESCRIPTOR *format);
void capture_driver_array_3d(
	CAPTURE_CALL, CUarray const *array, const CUDA_ARRAY3D_DESCRIPTOR *format);

/* The rest. */
void capture_call(CAPTURE_CALL, uint64_t value);
void capture_stream_call(CAPTURE_CALL, uint64_t value, const void *stream);
void capture_made(CAPTURE_CALL, void *const *handle);
void capture_set_device(CAPTURE_CALL, int device);
void capture_reset(CAPTURE_CALL);
void capture_profiler(CAPTURE_CALL, bool on);
void capture_entry_point(CAPTURE_CALL, const char *symbol);

#endif
