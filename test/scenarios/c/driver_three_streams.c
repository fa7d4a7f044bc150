/* SPDX-License-Identifier: MIT */
/*
 * The driver API alone: blocks come in on one stream, are computed on another and leave on a third,
 * bound by events; the host waits only for the buffers of the step before last. Sound.
 *
 * truth: class=gpu cause=device_compute steps=60 ahead=any
 * truth: never=launch-bound|input-bound|sync-explicit|copy-not-overlapped|host-native|host-blocked
 * cudasim: CUDASIM_KERNELS=*=900us
 */
#include "stamps.h"

#define BYTES (1 << 18)

int cuInit(unsigned flags);
int cuDeviceGet(int *ret_device, int ordinal);
int cuDevicePrimaryCtxRetain(CUcontext *ret_context, int device);
int cuCtxSetCurrent(CUcontext context);
int cuMemAlloc_v2(CUdeviceptr *ret_address, size_t bytes);
int cuMemHostAlloc(void **ret_address, size_t bytes, unsigned flags);
int cuStreamCreate(CUstream *ret_stream, unsigned flags);
int cuEventCreate(CUevent *ret_event, unsigned flags);
int cuEventRecord(CUevent event, CUstream stream);
int cuEventSynchronize(CUevent event);
int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
int cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t bytes, CUstream stream);
int cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes, CUstream stream);
int cuModuleLoadData(void **ret_module, const void *image);
int cuModuleGetFunction(void **ret_function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);

static struct slot {
	char *from, *to;
	CUdeviceptr in, out;
	CUevent arrived, computed, left;
} slots[2];
static CUstream coming, computing, leaving;
static void *filter, *combine;

static void prepare(struct slot *s)
{
	MUST(cuMemHostAlloc((void **)&s->from, BYTES, 0));
	MUST(cuMemHostAlloc((void **)&s->to, BYTES, 0));
	MUST(cuMemAlloc_v2(&s->in, BYTES));
	MUST(cuMemAlloc_v2(&s->out, BYTES));
	MUST(cuEventCreate(&s->arrived, CUDA_EVENT_DISABLE_TIMING));
	MUST(cuEventCreate(&s->computed, CUDA_EVENT_DISABLE_TIMING));
	MUST(cuEventCreate(&s->left, CUDA_EVENT_DISABLE_TIMING));
}

PART static void fill(struct slot *s, int step)
{
	host_work(1500);
	s->from[step] = (char)step;
}

PART static void process(struct slot *s)
{
	int n = BYTES / 4;
	void *arguments[] = {&s->out, &s->in, &n};
	MUST(cuMemcpyHtoDAsync_v2(s->in, s->from, BYTES, coming));
	MUST(cuEventRecord(s->arrived, coming));
	MUST(cuStreamWaitEvent(computing, s->arrived, 0));
	for (int i = 0; i < 9; i++)
		MUST(cuLaunchKernel(filter, 64, 1, 1, 256, 1, 1, 0, computing, arguments, NULL));
	MUST(cuLaunchKernel(combine, 64, 1, 1, 256, 1, 1, 0, computing, arguments, NULL));
	MUST(cuEventRecord(s->computed, computing));
	MUST(cuStreamWaitEvent(leaving, s->computed, 0));
	MUST(cuMemcpyDtoHAsync_v2(s->to, s->out, BYTES, leaving));
	MUST(cuEventRecord(s->left, leaving));
}

int main(void)
{
	static const char image[64] = "code of a file beside the program";
	CUcontext context;
	void *module;
	int device;
	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	MUST(cuModuleLoadData(&module, image));
	MUST(cuModuleGetFunction(&filter, module, "_Z6filterPfPKfi"));
	MUST(cuModuleGetFunction(&combine, module, "_Z7combinePfPKfi"));
	MUST(cuStreamCreate(&coming, CUDA_STREAM_NON_BLOCKING));
	MUST(cuStreamCreate(&computing, CUDA_STREAM_NON_BLOCKING));
	MUST(cuStreamCreate(&leaving, CUDA_STREAM_NON_BLOCKING));
	prepare(&slots[0]);
	prepare(&slots[1]);
	stamps_begin();
	for (int step = 0; step < 60; step++) {
		struct slot *s = &slots[step % 2];
		if (step >= 2)
			MUST(cuEventSynchronize(s->left));
		fill(s, step);
		process(s);
		stamps_step();
	}
	stamps_end();
	return 0;
}
