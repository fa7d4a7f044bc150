/* SPDX-License-Identifier: MIT */
/* The library itself, the GPU's libraries, and what names are read with. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/doctor/check.h"

/* libtrace.so beside this program, where an installation has it, or where the loader looks. */
static bool find_shim(char *ret_path, size_t capacity)
{
	static const char *const places[] = {"libtrace.so", "../lib/libtrace.so"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length > 0) {
		self[length] = '\0';
		*strrchr(self, '/') = '\0';
	}
	for (size_t i = 0; length > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		char path[PATH_MAX + 32];
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		char *real = realpath(path, NULL);
		if (real == NULL)
			continue;
		snprintf(ret_path, capacity, "%s", real);
		free(real);
		return true;
	}
	return doctor_find_library("libtrace.so", ret_path, capacity);
}

void doctor_shim(struct doctor_finding *ret_finding)
{
	char path[PATH_MAX];
	bool found = find_shim(path, sizeof(path));
	if (found && strpbrk(path, " :$") != NULL)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"start programs with trace-run; LD_PRELOAD cannot hold this path", "%.400s",
			path);
	else if (found)
		doctor_set(ret_finding, DOCTOR_OK, "", "%.400s", path);
	else
		doctor_set(
			ret_finding, DOCTOR_MISSING, "run 'make' or 'make install'", "not found");
}

void doctor_hooks(struct doctor_finding *ret_finding)
{
	char path[PATH_MAX];
	int runtime = find_shim(path, sizeof(path)) ? doctor_count_exports(path, "cuda") : -1;
	if (runtime > 0)
		doctor_set(ret_finding, DOCTOR_OK, "", "sees %d functions of the CUDA runtime",
			runtime);
	else
		doctor_set(ret_finding, DOCTOR_MISSING, "build libtrace.so again",
			runtime == 0 ? "the library sees no function of the CUDA runtime"
				     : "the library cannot be read");
}

/* First line of a file, "" when it cannot be read. */
static void read_line(const char *path, char *ret_line, size_t capacity)
{
	FILE *file = fopen(path, "re");
	if (file == NULL || fgets(ret_line, (int)capacity, file) == NULL)
		ret_line[0] = '\0';
	if (file != NULL)
		(void)fclose(file);
	ret_line[strcspn(ret_line, "\n")] = '\0';
}

void doctor_gpu(struct doctor_finding *ret_finding)
{
	char line[256];
	read_line("/proc/driver/nvidia/version", line, sizeof(line));
	if (line[0] != '\0' && access("/dev/nvidiactl", R_OK | W_OK) != 0)
		doctor_set(ret_finding, DOCTOR_MISSING,
			"give the container or the user access to /dev/nvidia*",
			"the driver is loaded, but its devices cannot be opened");
	else if (line[0] != '\0')
		doctor_set(ret_finding, DOCTOR_OK, "", "%s", line);
	else
		doctor_set(ret_finding, DOCTOR_MISSING,
			"nothing to do if the program runs elsewhere, or on the simulated device",
			"no NVIDIA driver is loaded");
}

static void look_for(struct doctor_finding *finding, const char *prefix,
	enum doctor_status otherwise, const char *advice)
{
	char path[PATH_MAX];
	if (doctor_find_library(prefix, path, sizeof(path)))
		doctor_set(finding, DOCTOR_OK, "", "%.400s", path);
	else
		doctor_set(finding, otherwise, advice, "%s not found", prefix);
}

void doctor_libcuda(struct doctor_finding *ret_finding)
{
	look_for(ret_finding, "libcuda.so.1", DOCTOR_MISSING, "it comes with the NVIDIA driver");
}

void doctor_libcudart(struct doctor_finding *ret_finding)
{
	look_for(ret_finding, "libcudart.so", DOCTOR_NOTE,
		"it comes with the CUDA toolkit and with PyTorch; a program may also have its own");
}

void doctor_libcupti(struct doctor_finding *ret_finding)
{
	look_for(ret_finding, "libcupti.so", DOCTOR_NOTE,
		"it comes with the CUDA toolkit and with PyTorch; without it these times are "
		"worked out from launches and waits");
}

/* Number behind the last ".so." of a library's name, 0: none. */
static unsigned major_of(const char *path)
{
	const char *at = strstr(path, ".so.");
	for (const char *next = at; next != NULL; next = strstr(next + 1, ".so."))
		at = next;
	return at != NULL ? (unsigned)strtoul(at + 4, NULL, 10) : 0;
}

/*
 * The name that programs load it by has the version of CUDA, the file behind it the
 * release: libcupti.so.12 is a link to libcupti.so.2024.1.0.
 */
void doctor_activity(struct doctor_finding *ret_finding)
{
	static const unsigned majors[] = {13, 12, 11};
	char path[PATH_MAX], runtime[PATH_MAX], prefix[32];
	unsigned cuda = doctor_find_library("libcudart.so.", runtime, sizeof(runtime))
				? major_of(runtime)
				: 0;
	unsigned found = 0;
	for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]) && found == 0; i++) {
		snprintf(prefix, sizeof(prefix), "libcupti.so.%u", majors[i]);
		if ((cuda == 0 || cuda == majors[i]) &&
			doctor_find_library(prefix, path, sizeof(path)))
			found = majors[i];
	}
	const char *file = found != 0 ? strrchr(path, '/') : NULL;
	bool driver = access("/dev/nvidiactl", R_OK | W_OK) == 0;
	if (found == 0 && cuda != 0)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"install CUPTI of the same CUDA version as the runtime",
			"no libcupti of CUDA %u, the version of the runtime, was found", cuda);
	else if (found == 0)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"install CUPTI, which comes with the CUDA toolkit and with PyTorch",
			"no libcupti of CUDA 11, 12 or 13 was found");
	else if (!driver)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"nothing to do if the program runs elsewhere, or on the simulated device",
			"CUPTI of CUDA %u is there (%.200s), but no GPU that it could measure",
			found, file != NULL ? file + 1 : path);
	else
		doctor_set(ret_finding, DOCTOR_OK, "",
			"measured with CUPTI of CUDA %u (%.200s), unless another tool profiles too",
			found, file != NULL ? file + 1 : path);
}

void doctor_libelf(struct doctor_finding *ret_finding)
{
	look_for(ret_finding, "libelf.so.1", DOCTOR_NOTE,
		"install libelf1; without it such calls are shown by their address");
}

void doctor_libstdcxx(struct doctor_finding *ret_finding)
{
	look_for(ret_finding, "libstdc++.so.6", DOCTOR_NOTE,
		"install libstdc++6; without it kernel names are shown as compiled");
}
