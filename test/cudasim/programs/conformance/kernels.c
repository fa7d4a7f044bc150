/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../../core/sim.h"
#include "conformance.h"

/* The device code of this program: what its one computed kernel does to memory. */
static void saxpy_effect(const struct compute_launch *launch)
{
	float a;
	const float *x;
	float *y;
	int n;
	memcpy(&a, launch->args[0], sizeof(a));
	memcpy(&x, launch->args[1], sizeof(x));
	memcpy(&y, launch->args[2], sizeof(y));
	memcpy(&n, launch->args[3], sizeof(n));
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
}

static const size_t saxpy_sizes[] = {sizeof(float), sizeof(void *), sizeof(void *), sizeof(int)};
static const struct cudasim_kernel device_code[] = {
	{.name = "saxpy", .effect = saxpy_effect, .param_count = 4, .param_sizes = saxpy_sizes},
	{.name = "slow"},
	{.name = "mid"},
	{.name = "_Z5scaleIfEvPT_i"},
	{.name = "_Z5scaleIdEvPT_i"},
};

static const struct cudasim_kernel *lookup(const char *name)
{
	for (size_t i = 0; i < sizeof(device_code) / sizeof(device_code[0]); i++) {
		if (strcmp(device_code[i].name, name) == 0)
			return &device_code[i];
	}
	return NULL;
}

static const struct cudasim_image image = {CUDASIM_IMAGE_MAGIC, 1, lookup};

KERNEL(slow, "slow", (int unused), &unused)
KERNEL(mid, "mid", (int unused), &unused)
KERNEL(scale_float, "_Z5scaleIfEvPT_i", (float *data, int n), &data, &n)
KERNEL(scale_double, "_Z5scaleIdEvPT_i", (double *data, int n), &data, &n)
KERNEL(saxpy, "saxpy", (float a, const float *x, float *y, int n), &a, &x, &y, &n)
static int variable[4];
KERNELS(&image, KERNEL_ENTRY(slow), KERNEL_ENTRY(mid), KERNEL_ENTRY(saxpy),
	KERNEL_ENTRY(scale_float), KERNEL_ENTRY(scale_double), VARIABLE_ENTRY(variable))

void launch_slow(CUstream stream)
{
	LAUNCH(slow, DIM3(1, 1, 1), DIM3(32, 1, 1), 0, stream)(0);
}

/* As a program compiled with the per-thread default stream launches it. */
void launch_slow_per_thread(void)
{
	int unused = 0;
	void *args[] = {&unused};
	CHECK_OK(cudaLaunchKernel_ptsz(slow_stub(), DIM3(1, 1, 1), DIM3(32, 1, 1), args, 0, NULL));
}

void launch_mid(CUstream stream)
{
	LAUNCH(mid, DIM3(4, 2, 1), DIM3(64, 2, 1), 256, stream)(0);
}

void launch_saxpy(float a, const float *x, float *y, int n, CUstream stream)
{
	LAUNCH(saxpy, DIM3((unsigned)(n + 255) / 256, 1, 1), DIM3(256, 1, 1), 0, stream)
	(a, x, y, n);
}

void launch_scale_float(void)
{
	LAUNCH(scale_float, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(NULL, 0);
}

void launch_scale_double(void)
{
	LAUNCH(scale_double, DIM3(1, 1, 1), DIM3(1, 1, 1), 0, NULL)(NULL, 0);
}

const void *slow_stub(void)
{
	return (const void *)(uintptr_t)slow;
}

const void *variable_shadow(void)
{
	return variable;
}
