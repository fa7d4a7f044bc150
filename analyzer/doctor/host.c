/* SPDX-License-Identifier: MIT */
/* Clock, permissions and places to write to. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "analyzer/doctor/check.h"

#define LITTLE_SPACE (1ull << 30)
/* f_type of file systems on which a shared mapping is not safe */
#define TYPE_NFS  0x6969
#define TYPE_SMB2 0xfe534d42u
#define TYPE_FUSE 0x65735546
#define TYPE_CIFS 0xff534d42u

void doctor_clock(struct doctor_finding *ret_finding)
{
	char name[64] = "";
	FILE *file =
		fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	if (file != NULL && fgets(name, sizeof(name), file) == NULL)
		name[0] = '\0';
	if (file != NULL)
		(void)fclose(file);
	name[strcspn(name, "\n")] = '\0';
	if (strcmp(name, "tsc") == 0)
		doctor_set(ret_finding, DOCTOR_OK, "",
			"the processor's counter, trusted by the kernel");
	else
		doctor_set(ret_finding, DOCTOR_NOTE,
			"nothing to do; reading it costs more than the processor's counter",
			"the kernel's clock (%s)", name[0] != '\0' ? name : "unknown");
}

void doctor_privileges(struct doctor_finding *ret_finding)
{
	doctor_set(ret_finding, DOCTOR_OK, "", "none needed");
}

static unsigned long long free_bytes(const char *path)
{
	struct statvfs status;
	if (statvfs(path, &status) < 0)
		return 0;
	return (unsigned long long)status.f_bavail * status.f_frsize;
}

void doctor_shm(struct doctor_finding *ret_finding)
{
	if (access("/dev/shm", W_OK) == 0)
		doctor_set(ret_finding, DOCTOR_OK, "", "writable, %llu MB free",
			free_bytes("/dev/shm") / 1000000);
	else
		doctor_set(ret_finding, DOCTOR_NOTE, "mount a tmpfs there", "cannot be written to");
}

static const char *network_type(const char *path)
{
	struct statfs status;
	if (statfs(path, &status) < 0)
		return NULL;
	switch ((unsigned)status.f_type) {
	case TYPE_NFS:
		return "NFS";
	case TYPE_SMB2:
	case TYPE_CIFS:
		return "SMB";
	case TYPE_FUSE:
		return "FUSE";
	default:
		return NULL;
	}
}

void doctor_folder(struct doctor_finding *ret_finding)
{
	unsigned long long space = free_bytes(".");
	const char *network = network_type(".");
	if (access(".", W_OK) != 0)
		doctor_set(ret_finding, DOCTOR_MISSING,
			"set LIBTRACE_OUT to a folder that can be made",
			"the current folder cannot be written to");
	else if (space < LITTLE_SPACE)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"set LIBTRACE_OUT to another file system, or a limit with LIBTRACE_MAX_MB",
			"current folder, only %llu MB free", space / 1000000);
	else if (network != NULL)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"nothing to do; what is not yet written lies in /dev/shm meanwhile",
			"current folder on %s, %llu MB free", network, space / 1000000);
	else
		doctor_set(ret_finding, DOCTOR_OK, "", "current folder, %llu MB free",
			space / 1000000);
}
