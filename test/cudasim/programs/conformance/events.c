/* SPDX-License-Identifier: MIT */
#include "conformance.h"

static CUevent make(unsigned flags)
{
	CUevent event = NULL;
	CHECK_OK(cudaEventCreateWithFlags(&event, flags));
	return event;
}

void group_events(void)
{
	CUevent before = make(0), after = make(0), untimed = make(CUDA_EVENT_DISABLE_TIMING);
	float ms = 0;
	CHECK_OK(cudaEventQuery(before)); /* never recorded counts as passed */
	CHECK_OK(cudaEventSynchronize(before));
	CHECK_RESULT(cudaEventElapsedTime(&ms, before, after), cudaErrorInvalidResourceHandle);

	uint64_t begin = now_ns();
	CHECK_OK(cudaEventRecord(before, NULL));
	launch_slow(NULL);
	CHECK_OK(cudaEventRecordWithFlags(after, NULL, 0));
	CHECK_OK(cudaEventRecord(untimed, NULL));
	CHECK_RESULT(cudaEventQuery(after), cudaErrorNotReady);
	CHECK_RESULT(cudaEventElapsedTime(&ms, before, after), cudaErrorNotReady);
	CHECK(was_early(begin, SLOW_NS));
	CHECK_OK(cudaEventSynchronize(after));
	CHECK(has_waited(begin, SLOW_NS));
	CHECK_OK(cudaEventQuery(untimed));
	CHECK_OK(cudaEventElapsedTime(&ms, before, after));
	CHECK(ms >= 29.99f && ms < 31.0f);
	CHECK_RESULT(cudaEventElapsedTime(&ms, before, untimed), cudaErrorInvalidResourceHandle);

	/* Recorded anew, an event means the later point. */
	launch_slow(NULL);
	CHECK_OK(cudaEventRecord(after, NULL));
	CHECK_RESULT(cudaEventQuery(after), cudaErrorNotReady);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cudaEventQuery(after));
	CHECK_OK(cudaEventDestroy(after));
	CHECK_RESULT(cudaEventQuery(after), cudaErrorInvalidResourceHandle);
	CHECK_RESULT(cudaEventCreateWithFlags(&after, 64), cudaErrorInvalidValue);
	CHECK_RESULT(
		cudaEventCreateWithFlags(&after, CUDA_EVENT_INTERPROCESS), cudaErrorInvalidValue);
}
