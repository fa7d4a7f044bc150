/* SPDX-License-Identifier: MIT */
/*
 * Captures of the driver's contexts, as capture.h says. A thread's device is that of its current
 * context; without one it is what cudaSetDevice chose, at first 0. The runtime's own use of
 * contexts is nested in calls of the runtime and not seen here, but it follows cudaSetDevice.
 * To choose a context is not recorded.
 */
#ifndef PRELOAD_CAPTURE_CONTEXT_H
#define PRELOAD_CAPTURE_CONTEXT_H

#include "preload/capture/capture.h"

void capture_context_create(CAPTURE_CALL, CUcontext const *context, CUdevice device);
void capture_context_retain(CAPTURE_CALL, CUcontext const *context, CUdevice device);
void capture_context_current(CAPTURE_CALL, const void *context);
void capture_context_pop(CAPTURE_CALL);
void capture_context_destroy(CAPTURE_CALL, const void *context);
void capture_context_release(CAPTURE_CALL, CUdevice device);
void capture_context_reset(CAPTURE_CALL, CUdevice device);
void capture_context_sync(CAPTURE_CALL, const void *context);

#endif
