/* SPDX-License-Identifier: MIT */
/* Pages of our files that others take away, and the program's own handler of SIGBUS. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/own/fault.h"

#define PIECE 16384

static int theirs_count, theirs_code;
static volatile char *program_page;

static void tear_down(void)
{
	fault_end();
}

TestSuite(fault, .fini = tear_down, .timeout = 30);

/* A mapping of a file that can be cut off. */
static volatile char *map(int *ret_fd)
{
	char path[] = "/tmp/libtrace-fault-XXXXXX";
	int fd = mkstemp(path);
	cr_assert(ge(int, fd, 0));
	(void)unlink(path);
	cr_assert(eq(int, ftruncate(fd, PIECE), 0));
	char *base = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(ne(ptr, base, MAP_FAILED));
	memset(base, 7, PIECE);
	*ret_fd = fd;
	return base;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	theirs_count++;
	theirs_code = info->si_code;
	if (info->si_code > 0)
		(void)mmap((void *)(uintptr_t)program_page, PIECE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static const struct sigaction with_handler = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

/* A sanitizer has one. */
static void without_handler(void)
{
	(void)signal(SIGBUS, SIG_DFL);
}

Test(fault, a_page_that_is_gone_is_private_memory)
{
	int fd;
	volatile char *page = map(&fd);
	fault_watch((void *)(uintptr_t)page, PIECE);
	cr_assert(not(fault_has_taken()));
	cr_assert(eq(int, ftruncate(fd, 0), 0));
	errno = 5;
	page[5000] = 1;
	cr_assert(eq(int, errno, 5));
	cr_assert(eq(int, page[5000], 1));
	cr_assert(eq(int, page[0], 0), "nothing of what was there counts");
	cr_assert(fault_has_taken());
	fault_settle();
}

Test(fault, all_pieces_go_at_once)
{
	int first, second;
	volatile char *one = map(&first), *other = map(&second);
	fault_watch((void *)(uintptr_t)one, PIECE);
	fault_watch((void *)(uintptr_t)other, PIECE);
	cr_assert(eq(int, ftruncate(first, 0), 0));
	one[0] = 1;
	cr_assert(eq(int, other[0], 0));
}

static void *touch(void *page)
{
	for (size_t i = 0; i < PIECE; i += 512)
		((volatile char *)page)[i] = 3;
	return NULL;
}

Test(fault, threads_that_come_together_all_live)
{
	pthread_t threads[8];
	for (unsigned round = 0; round < 50; round++) {
		int fd;
		volatile char *page = map(&fd);
		fault_watch((void *)(uintptr_t)page, PIECE);
		cr_assert(eq(int, ftruncate(fd, 0), 0));
		for (unsigned i = 0; i < 8; i++)
			(void)pthread_create(&threads[i], NULL, touch, (void *)(uintptr_t)page);
		for (unsigned i = 0; i < 8; i++)
			(void)pthread_join(threads[i], NULL);
		cr_assert(eq(int, page[0], 3), "nothing is taken away twice");
		fault_end();
		(void)close(fd);
	}
}

Test(fault, the_programs_own_pages_are_its_own)
{
	int ours, own;
	struct sigaction now;
	cr_assert(eq(int, sigaction(SIGBUS, &with_handler, NULL), 0));
	volatile char *page = map(&ours);
	program_page = map(&own);
	fault_watch((void *)(uintptr_t)page, PIECE);
	cr_assert(eq(int, ftruncate(own, 0), 0));
	program_page[0] = 1;
	cr_assert(eq(int, theirs_count, 1));
	cr_assert(eq(int, theirs_code, BUS_ADRERR));
	cr_assert(not(fault_has_taken()));
	cr_assert(eq(int, sigaction(SIGBUS, NULL, &now), 0));
	cr_assert(now.sa_sigaction == on_bus, "and ours is out of the way");
}

Test(fault, a_signal_that_is_sent_comes_with_all_that_it_says)
{
	int ours;
	fault_watch((void *)(uintptr_t)map(&ours), PIECE);
	cr_assert(fault_sigaction(&with_handler, NULL));
	cr_assert(eq(int, sigqueue(getpid(), SIGBUS, (union sigval){.sival_int = 9}), 0));
	cr_assert(eq(int, theirs_count, 1));
	cr_assert(eq(int, theirs_code, SI_QUEUE));
}

Test(fault, a_handler_that_comes_later_is_kept_and_told)
{
	int ours;
	struct sigaction old, now;
	volatile char *page = map(&ours);
	without_handler();
	fault_watch((void *)(uintptr_t)page, PIECE);
	cr_assert(fault_sigaction(&with_handler, &old));
	cr_assert(old.sa_handler == SIG_DFL);
	cr_assert(fault_sigaction(NULL, &now));
	cr_assert(now.sa_sigaction == on_bus);
	cr_assert(eq(int, ftruncate(ours, 0), 0));
	page[0] = 1;
	cr_assert(eq(int, theirs_count, 0));
	cr_assert(fault_has_taken());
	fault_end();
	cr_assert(eq(int, sigaction(SIGBUS, NULL, &now), 0));
	cr_assert(now.sa_sigaction == on_bus);
}

Test(fault, who_ignores_it_goes_on_ignoring_it)
{
	int ours;
	struct sigaction ignoring = {.sa_handler = SIG_IGN}, now;
	fault_watch((void *)(uintptr_t)map(&ours), PIECE);
	cr_assert(fault_sigaction(&ignoring, NULL));
	cr_assert(eq(int, sigaction(SIGBUS, NULL, &now), 0));
	cr_assert(now.sa_handler == SIG_IGN, "a program that this one becomes inherits it");
	(void)raise(SIGBUS);
	cr_assert(not(fault_sigaction(NULL, &now)));
}

Test(fault, past_libc_the_programs_handler_is_the_only_one)
{
	int ours;
	fault_watch((void *)(uintptr_t)map(&ours), PIECE);
	cr_assert(eq(int, sigaction(SIGBUS, &with_handler, NULL), 0));
	cr_assert(not(fault_sigaction(NULL, NULL)));
	fault_end();
	(void)raise(SIGBUS);
	cr_assert(eq(int, theirs_count, 1), "it is not taken away");
}

Test(fault, without_a_handler_the_process_dies_of_its_own_pages)
{
	int ours, own, status;
	without_handler();
	fault_watch((void *)(uintptr_t)map(&ours), PIECE);
	program_page = map(&own);
	cr_assert(eq(int, ftruncate(own, 0), 0));
	pid_t child = fork();
	if (child == 0) {
		program_page[0] = 1;
		_exit(0);
	}
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
	cr_assert(died);
}

Test(fault, a_child_has_its_dispositions_back)
{
	int ours, status;
	fault_watch((void *)(uintptr_t)map(&ours), PIECE);
	cr_assert(fault_sigaction(&with_handler, NULL));
	pid_t child = fork();
	if (child == 0) {
		struct sigaction now;
		bool asked = fault_sigaction(NULL, NULL);
		fault_forget();
		_exit(!asked && sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == on_bus
				? 0
				: 1);
	}
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	cr_assert(eq(int, status, 0));
}
