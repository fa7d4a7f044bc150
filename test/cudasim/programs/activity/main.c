/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "activity.h"

#define LIMIT_S  30 /* a group that hangs is ended */
#define ATTEMPTS 8  /* a busy machine can miss a time bound, but not every time */

static struct counts {
	unsigned passed, failed;
	int quiet;
} * counts; /* shared by all processes */

void check_that(int holds, const char *file, int line, const char *text)
{
	__atomic_add_fetch(holds ? &counts->passed : &counts->failed, 1, __ATOMIC_RELAXED);
	if (!holds && !counts->quiet)
		printf("%s:%d: failed: %s\n", file, line, text);
}

static const struct group {
	const char *name;
	void (*run)(void);
	const char *settings; /* CUDASIM_CUPTI */
} groups[] = {
/* clang-format off */
#define GROUP(name, settings) {#name, group_##name, settings},
#include "groups.def"
	/* clang-format on */
};

static const struct group released[] = {
/* clang-format off */
#define GROUP_OF_RELEASES(name) {#name, group_##name, NULL},
#include "groups.def"
	/* clang-format on */
};
#define RELEASED_COUNT (sizeof(released) / sizeof(released[0]))

/* Returns the status that the group's process ended with. */
static int run_once(void (*run)(void), const char *settings)
{
	char log[] = "/tmp/cudasim-activity-XXXXXX";
	int status, file = mkstemp(log);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		setenv("CUDASIM_CUPTI", settings, 1);
		setenv("CUDASIM_KERNELS", "slow*=2ms;*=200us", 1);
		setenv("CUDASIM_LOG", log, 1);
		alarm(LIMIT_S);
		run();
		exit(0);
	}
	waitpid(child, &status, 0);
	close(file);
	unlink(log);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_group(const char *name, void (*run)(void), const char *settings)
{
	struct counts before = *counts;
	int status = 0;
	for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
		*counts = before;
		counts->quiet = attempt < ATTEMPTS;
		status = run_once(run, settings);
		if (status == 0 && counts->failed == before.failed)
			break;
	}
	if (status || counts->passed + counts->failed == before.passed + before.failed)
		counts->failed++;
	if (counts->failed != before.failed)
		printf("group %s (%s) failed, status %d\n", name, settings, status);
}

int main(int argc, char **argv)
{
	counts = mmap(
		NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 4;
	for (size_t i = 0; i < release_count * RELEASED_COUNT; i++) {
		const struct group *group = &released[i % RELEASED_COUNT];
		char settings[32];
		snprintf(settings, sizeof(settings), "version=%s",
			releases[i / RELEASED_COUNT].name);
		if (argc < 2 || strcmp(argv[1], group->name) == 0)
			run_group(group->name, group->run, settings);
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (argc < 2 || strcmp(argv[1], groups[i].name) == 0)
			run_group(groups[i].name, groups[i].run, groups[i].settings);
	}
	printf("activity: %u passed, %u failed\n", counts->passed, counts->failed);
	return counts->failed ? 1 : 0;
}
