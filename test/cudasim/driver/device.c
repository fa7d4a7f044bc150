/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/computed.h"
#include "../core/errors.h"
#include "../core/settings.h"
#include "../core/state.h"
#include "driver.h"

#define FIRST_BUS   1
#define DEVICE_NAME "Simulated CUDA Device"

int sim_cuGetErrorString(struct sim_call *call, int error, const char **ret_text)
{
	(void)call;
	if (!error_driver_name(error))
		return cudaErrorInvalidValue;
	*ret_text = error_text(error);
	return 0;
}

int sim_cuGetErrorName(struct sim_call *call, int error, const char **ret_name)
{
	(void)call;
	if (!error_driver_name(error))
		return cudaErrorInvalidValue;
	*ret_name = error_driver_name(error);
	return 0;
}

/*
 * A tool that is named in the environment comes in at the end of the first cuInit that succeeds;
 * one that cannot be loaded, or lacks the function, is passed over.
 */
static void inject(void)
{
	static int done;
	const char *path = getenv("CUDA_INJECTION64_PATH");
	int (*start)(void) = NULL;
	if (!path || !*path || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "InitializeInjection") : NULL;
	memcpy(&start, &symbol, sizeof(start));
	if (start)
		(void)start();
}

int sim_cuInit(struct sim_call *call, unsigned flags)
{
	(void)call;
	int result = flags ? cudaErrorInvalidValue : state_init();
	if (result == 0)
		inject();
	return result;
}

int sim_cuDriverGetVersion(struct sim_call *call, int *ret_version)
{
	(void)call;
	*ret_version = settings_get()->driver_version;
	if (*ret_version == 0)
		*ret_version = computed_runtime() == 12 ? 12080 : 13020;
	return 0;
}

int sim_cuProfilerStart(struct sim_call *call)
{
	(void)call;
	return 0;
}

int sim_cuProfilerStop(struct sim_call *call)
{
	(void)call;
	return 0;
}

int sim_cuDeviceGet(struct sim_call *call, CUdevice *ret_device, int ordinal)
{
	(void)call;
	if (!ret_device)
		return cudaErrorInvalidValue;
	if (!device_get(ordinal))
		return cudaErrorInvalidDevice;
	*ret_device = ordinal;
	return 0;
}

int sim_cuDeviceGetCount(struct sim_call *call, int *ret_count)
{
	(void)call;
	if (!ret_count)
		return cudaErrorInvalidValue;
	*ret_count = (int)settings_get()->devices;
	return 0;
}

int sim_cuDeviceGetName(struct sim_call *call, char *name, int size, CUdevice device)
{
	(void)call;
	if (!name || size <= 0)
		return cudaErrorInvalidValue;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	snprintf(name, (size_t)size, DEVICE_NAME);
	return 0;
}

int sim_cuDeviceGetUuid_v2(struct sim_call *call, struct cuda_uuid *ret_uuid, CUdevice device)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	for (int i = 0; i < 16; i++)
		ret_uuid->bytes[i] = (unsigned char)(i + 1 + device * 16);
	return 0;
}

int sim_cuDeviceGetUuid(struct sim_call *call, struct cuda_uuid *ret_uuid, CUdevice device)
{
	return sim_cuDeviceGetUuid_v2(call, ret_uuid, device);
}

int sim_cuDeviceTotalMem_v2(struct sim_call *call, size_t *ret_bytes, CUdevice device)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	*ret_bytes = settings_get()->memory_bytes;
	return 0;
}

/* Numbers of the attributes, and what a device of compute capability 8.0 says of them. */
static const struct attribute {
	int number;
	int value;
} attributes[] = {
	{1, 1024}, /* threads of a block */
	{2, 1024}, /* block x, y, z */
	{3, 1024},
	{4, 64},
	{5, 2147483647}, /* grid x, y, z */
	{6, 65535},
	{7, 65535},
	{8, 49152},       /* shared memory of a block */
	{9, 65536},       /* constant memory */
	{10, 32},         /* warp */
	{11, 2147483647}, /* pitch */
	{12, 65536},      /* registers of a block */
	{13, 1410000},    /* clock in kHz */
	{14, 512},        /* texture alignment */
	{15, 1},          /* copies overlap kernels */
	{16, 108},        /* multiprocessors */
	{19, 1},          /* host memory can be mapped */
	{31, 1},          /* concurrent kernels */
	{36, 1215000},    /* memory clock in kHz */
	{37, 5120},       /* memory bus in bits */
	{38, 41943040},   /* L2 cache */
	{39, 2048},       /* threads of a multiprocessor */
	{40, 3},          /* copy engines */
	{41, 1},          /* unified addressing */
	{51, 32},         /* texture pitch alignment */
	{75, 8},          /* compute capability */
	{76, 0},
	{78, 1}, /* stream priorities */
	{79, 1}, /* L1 caches */
	{80, 1},
	{81, 167936}, /* shared memory of a multiprocessor */
	{82, 65536},  /* registers of a multiprocessor */
	{83, 1},      /* managed memory */
	{87, 2},
	{89, 1},
	{90, 1},
	{91, 1},
	{95, 1},      /* cooperative launch */
	{97, 166912}, /* shared memory of a block, opt-in */
	{99, 1},      /* host memory can be registered */
	{102, 1},     /* virtual memory management */
	{106, 32},    /* blocks of a multiprocessor */
	{111, 1024},  /* shared memory reserved by the system */
	{115, 1},     /* memory pools */
	{126, 1},
};

static uint32_t attribute_of(int number)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (attributes[i].number == number)
			return (uint32_t)attributes[i].value;
	}
	return 0;
}

int device_describe(int number, struct sim_device *ret_facts)
{
	struct cuda_uuid id;
	if (!device_get(number))
		return -1;
	(void)sim_cuDeviceGetUuid_v2(NULL, &id, number);
	*ret_facts = (struct sim_device){.name = DEVICE_NAME,
		.memory_bytes = settings_get()->memory_bytes,
		/* two transfers in a clock, over so many bytes */
		.bandwidth_kb_s = (uint64_t)attribute_of(36) * 2 * (attribute_of(37) / 8),
		.constant_bytes = attribute_of(9),
		.l2_bytes = attribute_of(38),
		.warp_threads = attribute_of(10),
		.clock_khz = attribute_of(13),
		.copy_engines = attribute_of(40),
		.multiprocessors = attribute_of(16),
		.multiprocessor_threads = attribute_of(39),
		.multiprocessor_shared_bytes = attribute_of(81),
		.multiprocessor_registers = attribute_of(82),
		.block_registers = attribute_of(12),
		.block_shared_bytes = attribute_of(8),
		.block_threads = attribute_of(1),
		.block = {attribute_of(2), attribute_of(3), attribute_of(4)},
		.grid = {attribute_of(5), attribute_of(6), attribute_of(7)},
		.major = attribute_of(75),
		.minor = attribute_of(76)};
	memcpy(ret_facts->uuid, id.bytes, sizeof(ret_facts->uuid));
	return 0;
}

int sim_cuDeviceGetAttribute(struct sim_call *call, int *ret_value, int attribute, CUdevice device)
{
	(void)call;
	if (!ret_value || attribute < 1 || attribute > 255)
		return cudaErrorInvalidValue;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	*ret_value = attribute == 33 ? FIRST_BUS + device : (int)attribute_of(attribute);
	return 0;
}

int sim_cuDeviceComputeCapability(
	struct sim_call *call, int *ret_major, int *ret_minor, CUdevice device)
{
	int result = sim_cuDeviceGetAttribute(call, ret_major, 75, device);
	return result ? result : sim_cuDeviceGetAttribute(call, ret_minor, 76, device);
}

int sim_cuDeviceGetPCIBusId(struct sim_call *call, char *text, int size, CUdevice device)
{
	(void)call;
	if (!text || size < 13)
		return cudaErrorInvalidValue;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)(FIRST_BUS + device));
	return 0;
}

int sim_cuDeviceGetByPCIBusId(struct sim_call *call, CUdevice *ret_device, const char *text)
{
	unsigned domain, bus;
	(void)call;
	if (!ret_device || !text)
		return cudaErrorInvalidValue;
	if (sscanf(text, "%x:%x:", &domain, &bus) != 2 || domain != 0 ||
		!device_get((int)bus - FIRST_BUS))
		return cudaErrorInvalidDevice;
	*ret_device = (int)bus - FIRST_BUS;
	return 0;
}

int sim_cuDeviceCanAccessPeer(struct sim_call *call, int *ret_can, CUdevice device, CUdevice peer)
{
	(void)call;
	if (!device_get(device) || !device_get(peer))
		return cudaErrorInvalidDevice;
	*ret_can = device != peer;
	return 0;
}

int sim_cuDeviceGetP2PAttribute(
	struct sim_call *call, int *ret_value, int attribute, CUdevice source, CUdevice target)
{
	(void)attribute;
	return sim_cuDeviceCanAccessPeer(call, ret_value, source, target);
}

int sim_cuDeviceGetDefaultMemPool(struct sim_call *call, CUmemoryPool *ret_pool, CUdevice device)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	*ret_pool = &device_get(device)->pool;
	return 0;
}

int sim_cuDeviceGetMemPool(struct sim_call *call, CUmemoryPool *ret_pool, CUdevice device)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	*ret_pool = device_get(device)->current_pool;
	return 0;
}

int sim_cuDeviceSetMemPool(struct sim_call *call, CUdevice device, CUmemoryPool pool)
{
	(void)call;
	if (!device_get(device))
		return cudaErrorInvalidDevice;
	if (!pool)
		return cudaErrorInvalidValue;
	device_get(device)->current_pool = pool;
	return 0;
}

/* Graphs hold no memory of their own here: use and reserve are always nothing. */
int sim_cuDeviceGetGraphMemAttribute(
	struct sim_call *call, CUdevice device, int attribute, void *ret_value)
{
	uint64_t none = 0;
	(void)call;
	if (!device_get(device) || attribute < 0 || attribute > 3)
		return cudaErrorInvalidValue;
	memcpy(ret_value, &none, sizeof(none));
	return 0;
}

int sim_cuDeviceSetGraphMemAttribute(
	struct sim_call *call, CUdevice device, int attribute, void *value)
{
	(void)call;
	(void)value;
	return device_get(device) && attribute >= 0 && attribute <= 3 ? 0 : cudaErrorInvalidValue;
}
