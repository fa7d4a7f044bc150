/* SPDX-License-Identifier: MIT */
#include "preload/cuda/found.h"

#include <dlfcn.h>
#include <string.h>

#include "preload/cuda/deepbind.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/real.h"
#include "preload/linker/linker.h"

/* The simulated driver has a function that no other one has. */
static const char *simulated_now(void)
{
	linker_init();
	void *driver = linker_dlopen != NULL ? linker_find("libcuda.so.1") : NULL;
	if (driver == NULL)
		return NULL;
	const char *(*kernels)(void) = NULL;
	void *symbol = linker_dlsym != NULL ? linker_dlsym(driver, "cudasim_kernels") : NULL;
	memcpy(&kernels, &symbol, sizeof(kernels));
	/* the driver stays: whoever uses it has it open */
	const char *text = kernels != NULL ? kernels() : NULL;
	linker_close(driver);
	return text;
}

struct cuda_found cuda_found_now(void)
{
	return (struct cuda_found){
		.runtime = real_major() != 0 || real_address(HOOK_cudaLaunchKernel) != NULL,
		.driver = driver_found(),
		.problem = driver_failure(),
		.passed_by = deepbind_missed() != 0,
		.runtime_path = real_runtime_path(),
		.simulated = simulated_now(),
	};
}
