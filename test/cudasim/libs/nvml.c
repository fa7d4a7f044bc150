/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for the part of libnvidia-ml that frameworks ask at their start: which devices there
 * are, and facts about each. What is known of a device comes from the stand-in driver. What would
 * have to be measured on one (clocks, power, temperatures) is left to refusing stubs.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NVML_API(name, ...)                                                                        \
	__attribute__((visibility("default"))) int name(__VA_ARGS__);                              \
	int name(__VA_ARGS__)

enum {
	SUCCESS = 0,
	INVALID_ARGUMENT = 2,
	NOT_FOUND = 6,
	INSUFFICIENT_SIZE = 7,
	LIBRARY_NOT_FOUND = 12,
	UNKNOWN = 999
};

/* Numbers of CUdevice_attribute, and of a link that is not modelled but has to be something. */
enum {
	CAPABILITY_MAJOR = 75,
	CAPABILITY_MINOR = 76,
	LINK_GENERATION = 4,
	LINK_WIDTH = 16,
	ANCESTOR_SINGLE_SWITCH = 10
};

struct device; /* number + 1 */

struct pci_info {
	char short_id[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char id[32];
};

struct memory_info {
	unsigned long long total, free, used;
};

static struct {
	int (*init)(unsigned);
	int (*version)(int *);
	int (*count)(int *);
	int (*name)(char *, int, int);
	int (*uuid)(unsigned char[16], int);
	int (*memory)(size_t *, int);
	int (*attribute)(int *, int, int);
	int (*bus_id)(char *, int, int);
	int (*by_bus_id)(int *, const char *);
	int devices; /* 0: no driver */
} driver;

static void load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY);
	if (!library)
		return;
	const struct {
		void *slot;
		const char *name;
	} wanted[] = {{&driver.init, "cuInit"}, {&driver.version, "cuDriverGetVersion"},
		{&driver.count, "cuDeviceGetCount"}, {&driver.name, "cuDeviceGetName"},
		{&driver.uuid, "cuDeviceGetUuid"}, {&driver.memory, "cuDeviceTotalMem_v2"},
		{&driver.attribute, "cuDeviceGetAttribute"},
		{&driver.bus_id, "cuDeviceGetPCIBusId"},
		{&driver.by_bus_id, "cuDeviceGetByPCIBusId"}};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *found = dlsym(library, wanted[i].name);
		if (!found)
			return;
		memcpy(wanted[i].slot, &found, sizeof(found));
	}
	if (driver.init(0) || driver.count(&driver.devices))
		driver.devices = 0;
}

static int start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return driver.devices > 0 ? SUCCESS : LIBRARY_NOT_FOUND;
}

static int number_of(const struct device *device)
{
	return (int)(intptr_t)device - 1;
}

static int is_device(const struct device *device)
{
	return number_of(device) >= 0 && number_of(device) < driver.devices;
}

static int give(struct device **ret_device, int number)
{
	if (number < 0 || number >= driver.devices)
		return NOT_FOUND;
	*ret_device = (struct device *)(intptr_t)(number + 1);
	return SUCCESS;
}

static int give_text(const char *text, char *ret_text, unsigned size)
{
	int written = snprintf(ret_text, size, "%s", text);
	return written >= 0 && (unsigned)written < size ? SUCCESS : INSUFFICIENT_SIZE;
}

NVML_API(nvmlInit_v2, void)
{
	return start();
}

NVML_API(nvmlInit, void)
{
	return start();
}

NVML_API(nvmlInitWithFlags, unsigned flags)
{
	(void)flags;
	return start();
}

NVML_API(nvmlShutdown, void)
{
	return SUCCESS;
}

__attribute__((visibility("default"))) const char *nvmlErrorString(int error);
const char *nvmlErrorString(int error)
{
	return error == SUCCESS ? "Success" : "not supported by the simulated device";
}

NVML_API(nvmlSystemGetCudaDriverVersion_v2, int *ret_version)
{
	return start() || driver.version(ret_version) ? UNKNOWN : SUCCESS;
}

NVML_API(nvmlSystemGetCudaDriverVersion, int *ret_version)
{
	return nvmlSystemGetCudaDriverVersion_v2(ret_version);
}

/* The first driver branch that has the CUDA version. */
NVML_API(nvmlSystemGetDriverVersion, char *ret_text, unsigned size)
{
	return give_text(CUDART_MAJOR == 12 ? "570.26" : "580.65", ret_text, size);
}

NVML_API(nvmlSystemGetNVMLVersion, char *ret_text, unsigned size)
{
	return give_text(CUDART_MAJOR == 12 ? "12.570.26" : "13.580.65", ret_text, size);
}

NVML_API(nvmlDeviceGetCount_v2, unsigned *ret_count)
{
	int err = start();
	*ret_count = (unsigned)driver.devices;
	return err;
}

NVML_API(nvmlDeviceGetHandleByIndex_v2, unsigned number, struct device **ret_device)
{
	return give(ret_device, (int)number);
}

NVML_API(nvmlDeviceGetHandleByPciBusId_v2, const char *id, struct device **ret_device)
{
	int number;
	return driver.devices == 0 || driver.by_bus_id(&number, id) ? NOT_FOUND
								    : give(ret_device, number);
}

NVML_API(nvmlDeviceGetIndex, const struct device *device, unsigned *ret_number)
{
	*ret_number = (unsigned)number_of(device);
	return is_device(device) ? SUCCESS : INVALID_ARGUMENT;
}

NVML_API(nvmlDeviceGetName, const struct device *device, char *ret_name, unsigned size)
{
	if (!is_device(device))
		return INVALID_ARGUMENT;
	return driver.name(ret_name, (int)size, number_of(device)) ? UNKNOWN : SUCCESS;
}

NVML_API(nvmlDeviceGetUUID, const struct device *device, char *ret_text, unsigned size)
{
	unsigned char id[16];
	char text[64] = "GPU-";
	if (!is_device(device) || driver.uuid(id, number_of(device)))
		return INVALID_ARGUMENT;
	for (size_t i = 0, at = 4; i < sizeof(id); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	return give_text(text, ret_text, size);
}

NVML_API(nvmlDeviceGetPciInfo_v3, const struct device *device, struct pci_info *ret_info)
{
	struct pci_info info = {.short_id = ""};
	char id[16];
	if (!is_device(device) || driver.bus_id(id, sizeof(id), number_of(device)) ||
		sscanf(id, "%x:%x:%x", &info.domain, &info.bus, &info.device) != 3)
		return INVALID_ARGUMENT;
	(void)snprintf(info.short_id, sizeof(info.short_id), "%s", id);
	(void)snprintf(info.id, sizeof(info.id), "%08X:%02X:%02X.0", info.domain & 0xffff,
		info.bus & 0xff, info.device & 0xff);
	*ret_info = info;
	return SUCCESS;
}

NVML_API(nvmlDeviceGetMemoryInfo, const struct device *device, struct memory_info *ret_info)
{
	size_t bytes;
	if (!is_device(device) || driver.memory(&bytes, number_of(device)))
		return INVALID_ARGUMENT;
	*ret_info = (struct memory_info){.total = bytes, .free = bytes};
	return SUCCESS;
}

NVML_API(nvmlDeviceGetCudaComputeCapability, const struct device *device, int *ret_major,
	int *ret_minor)
{
	if (!is_device(device))
		return INVALID_ARGUMENT;
	return driver.attribute(ret_major, CAPABILITY_MAJOR, number_of(device)) ||
			       driver.attribute(ret_minor, CAPABILITY_MINOR, number_of(device))
		       ? UNKNOWN
		       : SUCCESS;
}

NVML_API(nvmlDeviceGetCurrPcieLinkGeneration, const struct device *device, unsigned *ret_generation)
{
	*ret_generation = LINK_GENERATION;
	return is_device(device) ? SUCCESS : INVALID_ARGUMENT;
}

NVML_API(nvmlDeviceGetCurrPcieLinkWidth, const struct device *device, unsigned *ret_width)
{
	*ret_width = LINK_WIDTH;
	return is_device(device) ? SUCCESS : INVALID_ARGUMENT;
}

/* No link of the fast kind is modelled between devices; copies between them have an engine. */
NVML_API(nvmlDeviceGetNvLinkState, const struct device *device, unsigned link, unsigned *ret_active)
{
	(void)link;
	*ret_active = 0;
	return is_device(device) ? SUCCESS : INVALID_ARGUMENT;
}

NVML_API(nvmlDeviceGetTopologyCommonAncestor, const struct device *one, const struct device *other,
	int *ret_level)
{
	*ret_level = ANCESTOR_SINGLE_SWITCH;
	return is_device(one) && is_device(other) ? SUCCESS : INVALID_ARGUMENT;
}
