/* SPDX-License-Identifier: MIT */
/*
 * A program whose recorder loses the file under its rings while it runs: it cuts off what it has
 * mapped that ends in ".live". Its own pages go as well, and its own handler of SIGBUS is to hear
 * of those.
 *
 * usage: taken none      without a handler and without pages of its own
 *        taken before    the handler is set before the first call of CUDA
 *        taken after     when recording has begun, by sigaction
 *        taken signal    the same by signal
 *        taken direct    the same by a system call; the recorder's file stays as it is
 *        taken sent      as before, but the signal is sent instead
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/cudasim/programs/kernel.h"

KERNEL(scale, "_Z5scalePfi", (void *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(scale))

#define LAUNCHES 3000

static volatile char *page;
static volatile int heard;
static void *memory;

static void on_bus(int number)
{
	(void)number;
	heard++;
	(void)mmap((void *)(unsigned long)page, 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void launch(int count)
{
	for (int i = 0; i < count; i++) {
		LAUNCH(scale, DIM3(4, 1, 1), DIM3(32, 1, 1), 0, NULL)(memory, 1);
		if (i % 100 == 0)
			(void)cudaDeviceSynchronize();
	}
}

/* What others might do with a file that nobody told them of. */
static void cut_off(void)
{
	char line[4400], *name;
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, '/');
		if (name != NULL && strlen(name) > 5 &&
			strcmp(name + strlen(name) - 5, ".live") == 0)
			(void)truncate(name, 0);
	}
	if (maps != NULL)
		(void)fclose(maps);
}

static void set_handler(const char *how)
{
	struct sigaction action = {.sa_handler = on_bus}, old;
	(void)sigaction(SIGBUS, NULL, &old);
	if (old.sa_handler != SIG_DFL)
		(void)puts("there is another handler");
	if (strcmp(how, "signal") == 0)
		(void)signal(SIGBUS, on_bus);
	else
		(void)sigaction(SIGBUS, &action, NULL);
	(void)sigaction(SIGBUS, NULL, &old);
	if (old.sa_handler != on_bus)
		(void)puts("the handler is another one");
	if (strcmp(how, "direct") == 0) {
		/* As the kernel has it: the mask is short, and there is a way back. */
		struct {
			void (*handler)(int);
			unsigned long flags;
			void (*restorer)(void);
			unsigned long mask;
		} bare;
		(void)syscall(SYS_rt_sigaction, SIGBUS, NULL, &bare, 8);
		bare.handler = on_bus;
		bare.flags &= ~(unsigned long)SA_SIGINFO;
		(void)syscall(SYS_rt_sigaction, SIGBUS, &bare, NULL, 8);
	}
}

static void lose_own_page(void)
{
	FILE *file = tmpfile();
	(void)ftruncate(fileno(file), 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	(void)ftruncate(fileno(file), 0);
	page[0] = 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "none";
	bool early = strcmp(how, "before") == 0 || strcmp(how, "sent") == 0;
	if (early)
		set_handler(how);
	(void)cudaMalloc(&memory, 4096);
	launch(LAUNCHES);
	if (!early && strcmp(how, "none") != 0)
		set_handler(how);
	if (strcmp(how, "direct") != 0)
		cut_off();
	launch(LAUNCHES);
	if (strcmp(how, "sent") == 0)
		(void)raise(SIGBUS);
	else if (strcmp(how, "none") != 0)
		lose_own_page();
	launch(LAUNCHES);
	(void)printf("%s: heard %d\n", how, heard);
	return 0;
}
