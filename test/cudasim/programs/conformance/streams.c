/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <time.h>

#include "conformance.h"

static CUstream make(unsigned flags)
{
	CUstream stream = NULL;
	CHECK_OK(cudaStreamCreateWithFlags(&stream, flags));
	return stream;
}

/* How long the two streams take together, from now. */
static uint64_t both_take(CUstream first, CUstream second)
{
	uint64_t begin = now_ns();
	launch_slow(first);
	launch_slow(second);
	CHECK_OK(cudaDeviceSynchronize());
	return now_ns() - begin;
}

static void *slow_on_thread(void *unused)
{
	(void)unused;
	launch_slow_per_thread();
	CHECK_OK(cudaStreamSynchronize_ptsz(NULL));
	return NULL;
}

static void check_default_streams(void)
{
	CUstream blocking = make(0), free_stream = make(CUDA_STREAM_NON_BLOCKING);
	CHECK(both_take(blocking, NULL) >= 2 * SLOW_NS);
	CHECK(both_take(NULL, blocking) >= 2 * SLOW_NS);
	CHECK(both_take(NULL, free_stream) < 2 * SLOW_NS);
	CHECK(both_take(CUDA_STREAM_LEGACY, NULL) >= 2 * SLOW_NS);
	CHECK(both_take(CUDA_STREAM_PER_THREAD, NULL) >= 2 * SLOW_NS);
	CHECK(both_take(CUDA_STREAM_PER_THREAD, blocking) < 2 * SLOW_NS);

	/* The default streams of two threads run beside each other. */
	pthread_t thread;
	uint64_t begin = now_ns();
	pthread_create(&thread, NULL, slow_on_thread, NULL);
	slow_on_thread(NULL);
	pthread_join(thread, NULL);
	CHECK(has_waited(begin, SLOW_NS));
	CHECK(!has_waited(begin, 2 * SLOW_NS));
}

static void check_waits(void)
{
	CUstream a = make(CUDA_STREAM_NON_BLOCKING), b = make(CUDA_STREAM_NON_BLOCKING);
	CUevent event;
	CHECK_OK(cudaEventCreateWithFlags(&event, CUDA_EVENT_DISABLE_TIMING));
	uint64_t begin = now_ns();
	launch_slow(a);
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaEventRecord(event, a));
	CHECK_OK(cudaStreamWaitEvent(b, event, 0));
	launch_mid(b);
	CHECK(was_early(begin, SLOW_NS));
	CHECK_RESULT(cudaStreamQuery(b), cudaErrorNotReady);
	CHECK_OK(cudaStreamSynchronize(b));
	CHECK(has_waited(begin, SLOW_NS + MID_NS));
	CHECK_OK(cudaStreamQuery(a));
	CHECK_OK(cudaStreamQuery(b));
	/* In order on one stream. */
	begin = now_ns();
	launch_mid(a);
	launch_mid(a);
	CHECK_OK(cudaStreamSynchronize(a));
	CHECK(has_waited(begin, 2 * MID_NS));
	CHECK_OK(cudaEventDestroy(event));
}

void group_streams(void)
{
	int least = -9, greatest = 9, priority = 9;
	unsigned flags = 9;
	CUstream stream;
	CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(least == 0 && greatest == -5);
	CHECK_OK(cudaStreamCreateWithPriority(&stream, CUDA_STREAM_NON_BLOCKING, -99));
	CHECK_OK(cudaStreamGetPriority(stream, &priority));
	CHECK(priority == -5);
	CHECK_OK(cudaStreamGetFlags(stream, &flags));
	CHECK(flags == CUDA_STREAM_NON_BLOCKING);
	CHECK(both_take(make(CUDA_STREAM_NON_BLOCKING), make(CUDA_STREAM_NON_BLOCKING)) <
		2 * SLOW_NS);
	check_default_streams();
	check_waits();
	CHECK_OK(cudaStreamDestroy(stream));
	CHECK_RESULT(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
	CHECK_RESULT(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
}

static uint64_t called_ns;
static int calls;

static void host_function(void *user_data)
{
	struct timespec pause = {0, SLOW_NS};
	called_ns = now_ns();
	nanosleep(&pause, NULL);
	*(int *)user_data = ++calls;
}

static void stream_callback(CUstream stream, int status, void *user_data)
{
	CHECK(status == 0);
	*(CUstream *)user_data = stream;
}

void group_functions(void)
{
	CUstream stream = make(CUDA_STREAM_NON_BLOCKING), seen = NULL;
	int result = 0;
	uint64_t begin = now_ns();
	launch_slow(stream);
	CHECK_OK(cudaLaunchHostFunc(stream, host_function, &result));
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK(called_ns >= begin + SLOW_NS);   /* after the kernel */
	CHECK(has_waited(begin, 2 * SLOW_NS)); /* until it has returned */
	CHECK(result == 1);
	CHECK_OK(cudaStreamAddCallback(stream, stream_callback, &seen, 0));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(seen == stream);
	CHECK_RESULT(cudaLaunchHostFunc(stream, NULL, NULL), cudaErrorInvalidValue);
}
