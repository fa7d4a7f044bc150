/* SPDX-License-Identifier: MIT */
/*
 * Makes children in every way, and ends in the way it is told to. Calls the runtime first if the
 * second argument says so. Prints the status of each child.
 * usage: processes END cuda|plain
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int cudaMalloc(void **address, size_t size);
int cudaStreamSynchronize(void *stream);

static void wait_for(const char *what, pid_t pid)
{
	int status = -1;
	(void)waitpid(pid, &status, 0);
	printf("%s: %d\n", what, status);
	(void)fflush(stdout);
}

static char *const words[] = {"sh", "-c", "exit 3", NULL};

#define IN_CHILD(what, make, ...)                                                                  \
	do {                                                                                       \
		(void)fflush(stdout);                                                              \
		pid_t pid = make();                                                                \
		if (pid == 0) {                                                                    \
			__VA_ARGS__;                                                               \
			_exit(9);                                                                  \
		}                                                                                  \
		wait_for(what, pid);                                                               \
	} while (0)

static void children(void)
{
	pid_t pid;
	IN_CHILD("fork", fork, _exit(4));
	IN_CHILD("fork, exit", fork, exit(5));
	IN_CHILD("fork, quick_exit", fork, quick_exit(6));
	IN_CHILD("fork, exec", fork, execv("/bin/sh", words));
	IN_CHILD("vfork, execv", vfork, execv("/bin/sh", words));
	IN_CHILD("vfork, execve", vfork, execve("/bin/sh", words, environ));
	IN_CHILD("vfork, execvp", vfork, execvp("sh", words));
	IN_CHILD("vfork, execl", vfork, execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL));
	IN_CHILD("vfork, execlp", vfork, execlp("sh", "sh", "-c", "exit 8", (char *)NULL));
	IN_CHILD("vfork, execle", vfork,
		execle("/bin/sh", "sh", "-c", "exit ${X-1}", (char *)NULL,
			(char *[]){"X=11", NULL}));
	IN_CHILD("vfork, no such program", vfork, execv("/no/such/program", words));
	if (posix_spawnp(&pid, "sh", NULL, NULL, words, environ) == 0)
		wait_for("posix_spawnp", pid);
	printf("system: %d\n", system("exit 12"));
	FILE *pipe = popen("echo from a child", "r");
	char line[64] = "";
	if (pipe == NULL || fgets(line, sizeof(line), pipe) == NULL)
		abort();
	printf("popen: %s%d\n", line, pclose(pipe));
}

int main(int argc, char **argv)
{
	void *address;
	const char *end = argc > 1 ? argv[1] : "";
	int cuda = argc > 2 && strcmp(argv[2], "cuda") == 0;
	if (cuda)
		printf("malloc: %d\n", cudaMalloc(&address, 64));
	children();
	errno = 0;
	int result = execv("/no/such/program", words);
	printf("failed exec: %d errno %d\n", result, errno);
	if (cuda)
		printf("sync: %d\n", cudaStreamSynchronize(NULL));
	(void)fflush(stdout);
	if (strcmp(end, "_exit") == 0)
		_exit(21);
	if (strcmp(end, "quick_exit") == 0)
		quick_exit(22);
	if (strcmp(end, "exec") == 0)
		execl("/bin/sh", "sh", "-c", "echo another program; exit 23", (char *)NULL);
	if (strcmp(end, "abort") == 0)
		abort();
	return 24;
}
