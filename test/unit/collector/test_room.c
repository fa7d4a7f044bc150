/* SPDX-License-Identifier: MIT */
/* Memory that is free, by files of a kernel that are made here. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/buffer/room.h"

#define MIB (1ull << 20)

static char root[64];

static void set_up(void)
{
	cr_assert(mkdtemp(memcpy(root, "/tmp/libtrace-room-XXXXXX", 26)) != NULL);
}

static void tear_down(void)
{
	char command[128];
	(void)snprintf(command, sizeof(command), "rm -rf %s", root);
	cr_assert(eq(int, system(command), 0));
}

TestSuite(room, .init = set_up, .fini = tear_down, .timeout = 30);

static void put(const char *path, const char *text)
{
	char whole[256];
	(void)snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(whole, 0700);
		*slash = '/';
	}
	FILE *file = fopen(whole, "w");
	cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void put_machine(const char *groups)
{
	put("/proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 1024 kB\nMemAvailable: 8388608 kB\n");
	put("/proc/self/cgroup", groups);
}

Test(room, nothing_is_known_without_files)
{
	errno = EXDEV;
	cr_expect(eq(u64, room_bytes_at(root), ROOM_UNKNOWN));
	cr_expect(eq(int, errno, EXDEV));
}

Test(room, of_the_machine_alone)
{
	put_machine("0::/\n");
	cr_expect(eq(u64, room_bytes_at(root), 8192 * MIB));
}

Test(room, of_the_own_group_without_pages_of_files)
{
	put_machine("0::/batch/job 7\n");
	put("/sys/fs/cgroup/batch/job 7/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/batch/job 7/memory.current", "1073741824\n");
	cr_expect(eq(u64, room_bytes_at(root), 0));
	put("/sys/fs/cgroup/batch/job 7/memory.stat",
		"anon 5\nfile 7\nunevictable 1\ninactive_anon 9\nactive_anon 9\ninactive_file "
		"104857600\nactive_file 4194304\n");
	cr_expect(eq(u64, room_bytes_at(root), 104 * MIB));
}

Test(room, of_the_narrowest_group_above)
{
	put_machine("0::/batch/job/step\n");
	put("/sys/fs/cgroup/batch/job/step/memory.max", "max\n");
	put("/sys/fs/cgroup/batch/job/memory.max", "536870912\n");
	put("/sys/fs/cgroup/batch/job/memory.current", "268435456\n");
	put("/sys/fs/cgroup/batch/memory.max", "max\n");
	put("/sys/fs/cgroup/batch/memory.current", "99\n");
	cr_expect(eq(u64, room_bytes_at(root), 256 * MIB));
}

/* In a container the path is the host's, or "/", and the own group is all that there is to see. */
Test(room, of_a_container_that_sees_its_own_group_alone)
{
	put_machine("0::/../..\n");
	put("/sys/fs/cgroup/memory.max", "134217728\n");
	put("/sys/fs/cgroup/memory.current", "33554432\n");
	cr_expect(eq(u64, room_bytes_at(root), 96 * MIB));
}

Test(room, of_the_first_version)
{
	put_machine("5:cpu,cpuacct:/\n4:memory:/docker/abc\n0::/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n");
	put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "67108864\n");
	put("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "50331648\n");
	put("/sys/fs/cgroup/memory/docker/abc/memory.stat",
		"cache 1\ninactive_file 1\ntotal_cache 4\ntotal_inactive_file 8388608\n");
	cr_expect(eq(u64, room_bytes_at(root), 24 * MIB));
}

Test(room, is_known_here)
{
	cr_expect(gt(u64, room_bytes(), 0));
}
