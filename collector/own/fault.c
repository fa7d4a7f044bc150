/* SPDX-License-Identifier: MIT */
#include "collector/own/fault.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECES       8192u
#define SETTLE_TRIES 1000000u

enum state {
	STATE_OUT, /* the program's disposition is in force */
	STATE_IN   /* ours is, and theirs is kept */
};

enum taken {
	TAKEN_NOTHING,
	TAKEN_NOW, /* a thread puts other memory in the place of it */
	TAKEN_ALL
};

/* libc's own, by the name under which nobody stands in for it. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

static struct {
	struct {
		char *base;
		size_t bytes;
		int gone; /* private memory is there, or will be in a moment */
	} pieces[PIECES];
	unsigned piece_count; /* published last */
	int taken;            /* enum taken */
	int lock;
	int state; /* enum state */
	pid_t process;
	struct sigaction theirs;
} fault;

/*
 * Held for some instructions, with signals blocked, so that nobody waits for a thread that is
 * interrupted by the one who waits.
 */
static void take_lock(sigset_t *ret_mask)
{
	sigset_t all;
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, ret_mask);
	while (__atomic_exchange_n(&fault.lock, 1, __ATOMIC_ACQUIRE) != 0)
		(void)syscall(SYS_sched_yield);
}

static void leave_lock(const sigset_t *mask)
{
	__atomic_store_n(&fault.lock, 0, __ATOMIC_RELEASE);
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
}

bool fault_has_taken(void)
{
	return __atomic_load_n(&fault.taken, __ATOMIC_SEQ_CST) != TAKEN_NOTHING;
}

void fault_settle(void)
{
	for (unsigned i = 0; i < SETTLE_TRIES; i++)
		if (__atomic_load_n(&fault.taken, __ATOMIC_SEQ_CST) != TAKEN_NOW)
			return;
		else
			(void)syscall(SYS_sched_yield);
}

static unsigned piece_count(void)
{
	unsigned count = __atomic_load_n(&fault.piece_count, __ATOMIC_ACQUIRE);
	return count < PIECES ? count : PIECES;
}

static bool is_ours(const char *address)
{
	for (unsigned i = 0; i < piece_count(); i++)
		if (address >= fault.pieces[i].base &&
			address < fault.pieces[i].base + fault.pieces[i].bytes)
			return true;
	return false;
}

/*
 * Private memory in the place of all pieces: they belong to one file, and half of what is in it
 * says nothing. Who comes second finds the same address mapped by then, or comes again.
 */
static bool replace_all(void)
{
	bool done = true;
	int nothing = TAKEN_NOTHING;
	(void)__atomic_compare_exchange_n(
		&fault.taken, &nothing, TAKEN_NOW, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < piece_count(); i++)
		if (__atomic_exchange_n(&fault.pieces[i].gone, 1, __ATOMIC_SEQ_CST) == 0 &&
			mmap(fault.pieces[i].base, fault.pieces[i].bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			done = false;
	if (nothing == TAKEN_NOTHING)
		__atomic_store_n(&fault.taken, TAKEN_ALL, __ATOMIC_SEQ_CST);
	return done;
}

/*
 * Put the program's disposition back and let it have the signal: of what an instruction does, by
 * doing it again; else by sending the same once more, which comes when this handler returns.
 */
static void hand_over(int number, siginfo_t *info)
{
	sigset_t mask;
	take_lock(&mask);
	if (fault.state == STATE_IN)
		(void)__sigaction(SIGBUS, &fault.theirs, NULL);
	fault.state = STATE_OUT;
	leave_lock(&mask);
	if (info->si_code <= 0 || info->si_code == BUS_MCEERR_AO)
		(void)syscall(
			SYS_rt_tgsigqueueinfo, getpid(), (int)syscall(SYS_gettid), number, info);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	if (info->si_code <= 0 || !is_ours(info->si_addr) || !replace_all())
		hand_over(number, info);
	errno = saved;
}

/*
 * With the lock. The program's wish whether calls go on after the signal holds for ours too; one
 * that ignores the signal, or lets it come only once, is left alone.
 */
static void put_in(const struct sigaction *theirs)
{
	struct sigaction ours = {.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | (theirs->sa_flags & SA_RESTART)};
	sigemptyset(&ours.sa_mask);
	bool wanted = theirs->sa_handler != SIG_IGN && !(theirs->sa_flags & SA_RESETHAND);
	if (__sigaction(SIGBUS, wanted ? &ours : theirs, NULL) != 0)
		wanted = false;
	fault.theirs = *theirs;
	fault.state = wanted ? STATE_IN : STATE_OUT;
}

void fault_watch(void *base, size_t bytes)
{
	int saved = errno;
	sigset_t mask;
	struct sigaction theirs;
	take_lock(&mask);
	unsigned at = fault.piece_count;
	if (at < PIECES) {
		fault.pieces[at].base = base;
		fault.pieces[at].bytes = bytes;
		fault.pieces[at].gone = 0;
		__atomic_store_n(&fault.piece_count, at + 1, __ATOMIC_RELEASE);
	}
	if (at == 0 && __sigaction(SIGBUS, NULL, &theirs) == 0) {
		fault.process = getpid();
		put_in(&theirs);
	}
	leave_lock(&mask);
	errno = saved;
}

static bool is_in(void)
{
	struct sigaction now;
	/* The program may have set another one past libc. */
	if (fault.state == STATE_IN &&
		(__sigaction(SIGBUS, NULL, &now) != 0 || now.sa_sigaction != on_fault))
		fault.state = STATE_OUT;
	return fault.state == STATE_IN;
}

void fault_end(void)
{
	int saved = errno;
	sigset_t mask;
	take_lock(&mask);
	__atomic_store_n(&fault.piece_count, 0, __ATOMIC_RELEASE);
	fault.taken = TAKEN_NOTHING;
	if (is_in())
		(void)__sigaction(SIGBUS, &fault.theirs, NULL);
	fault.state = STATE_OUT;
	leave_lock(&mask);
	errno = saved;
}

void fault_forget(void)
{
	__atomic_store_n(&fault.lock, 0, __ATOMIC_RELEASE);
	fault_end();
}

bool fault_sigaction(const struct sigaction *action, struct sigaction *ret_old)
{
	/* A child of vfork() has our memory, and dispositions of its own. */
	if (__atomic_load_n(&fault.state, __ATOMIC_ACQUIRE) == STATE_OUT ||
		fault.process != getpid())
		return false;
	struct sigaction wanted, old;
	sigset_t mask;
	if (action != NULL)
		wanted = *action;
	take_lock(&mask);
	bool ours = is_in();
	old = fault.theirs;
	if (ours && action != NULL)
		put_in(&wanted);
	leave_lock(&mask);
	if (ours && ret_old != NULL)
		*ret_old = old;
	return ours;
}
