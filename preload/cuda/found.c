/* SPDX-License-Identifier: MIT */
#include "preload/cuda/found.h"

#include "preload/cuda/deepbind.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/real.h"

struct cuda_found cuda_found_now(void)
{
	return (struct cuda_found){
		.runtime = real_major() != 0 || real_address(HOOK_cudaLaunchKernel) != NULL,
		.driver = driver_found(),
		.problem = driver_failure(),
		.passed_by = deepbind_missed() != 0,
		.runtime_path = real_runtime_path(),
	};
}
