/* SPDX-License-Identifier: MIT */
#include "runtime.h"

/* clang-format off */
#define ANY 0
#define CTX 1

#define VOID_() (void)
#define VOID_SOME(...) (__VA_ARGS__)
#define PARAMS(...) VOID_##__VA_OPT__(SOME)(__VA_ARGS__)
#define CALL_ARGS(...) (&call __VA_OPT__(,) __VA_ARGS__)

#define WRAPPER(name, per_thread, needs, params, work)                                             \
	CUDA_EXPORT int name PARAMS params;                                                        \
	int name PARAMS params                                                                     \
	{                                                                                          \
		struct sim_call call;                                                              \
		int result = runtime_begin(&call, #name, per_thread ? SIM_CALL_PER_THREAD : 0);    \
		if (result == 0 && (needs) && !runtime_thread.has_context)                         \
			result = runtime_use_device(runtime_thread.device);                        \
		if (result == 0)                                                                   \
			result = work;                                                             \
		return runtime_end(&call, result);                                                 \
	}

#define RUNTIME(name, needs, params, args)                                                         \
	WRAPPER(name, 0, needs, params, rt_##name CALL_ARGS args)
#define RUNTIME_PT(name, suffix, needs, params, args)                                              \
	WRAPPER(name, 0, needs, params, rt_##name CALL_ARGS args)                                  \
	WRAPPER(name##_##suffix, 1, needs, params, rt_##name CALL_ARGS args)
#define RUNTIME_AS(name, implementation, needs, params, args)                                      \
	WRAPPER(name, 0, needs, params, rt_##implementation CALL_ARGS args)
#define RUNTIME_IS(name, driver_name, needs, params, args)                                         \
	WRAPPER(name, 0, needs, params, driver.driver_name args)
#define RUNTIME_PT_IS(name, driver_name, suffix, needs, params, args)                              \
	WRAPPER(name, 0, needs, params, driver.driver_name[0] args)                                \
	WRAPPER(name##_##suffix, 1, needs, params, driver.driver_name[1] args)
#include "runtime.def"
/* clang-format on */

/*
 * These look at the error of the calling thread, so they must not change it by failing, and they
 * never fail themselves.
 */
static int last_error(const char *function, int keep)
{
	struct sim_call call;
	int error = runtime_begin(&call, function, 0);
	int sticky = sim ? sim->sticky_error() : 0;
	if (error == 0)
		error = sticky ? sticky : runtime_thread.last_error;
	if (!keep)
		runtime_thread.last_error = 0;
	if (sim)
		(void)sim->call_end(&call, error);
	return error;
}

CUDA_EXPORT int cudaGetLastError(void);
int cudaGetLastError(void)
{
	return last_error("cudaGetLastError", 0);
}

CUDA_EXPORT int cudaPeekAtLastError(void);
int cudaPeekAtLastError(void)
{
	return last_error("cudaPeekAtLastError", 1);
}

CUDA_EXPORT const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error)
{
	struct sim_call call;
	int result = runtime_begin(&call, "cudaGetErrorName", 0);
	if (!sim)
		return "cudaErrorInsufficientDriver";
	(void)sim->call_end(&call, result);
	return sim->error_name(error);
}

CUDA_EXPORT const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error)
{
	struct sim_call call;
	int result = runtime_begin(&call, "cudaGetErrorString", 0);
	if (!sim)
		return "no stand-in driver (libcuda.so.1) found";
	(void)sim->call_end(&call, result);
	return sim->error_text(error);
}
