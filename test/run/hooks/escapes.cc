/* SPDX-License-Identifier: MIT */
/*
 * Calls of the runtime that are left by a longjmp, an exception and a cancelled thread, from a shallow
 * frame; then 100 calls from deep ones, each time. Prints how many it made.
 */
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

extern "C" int cudaStreamSynchronize(void *stream);
extern "C" int cudaMemset(void *address, int value, size_t count);
extern "C" void (*cudaRuntimeEscape)(void);

static jmp_buf back;
static int made;

static void jump(void) { longjmp(back, 1); }
static void raise_one(void) { throw 1; }
static void be_cancelled(void) { pause(); }

__attribute__((noinline)) static void deep(int depth)
{
	volatile char room[512];
	memset((char *)room, depth, sizeof(room));
	if (depth > 0) {
		deep(depth - 1);
	} else {
		for (int i = 0; i < 100; i++)
			made += cudaMemset(NULL, 1, 4) == 0;
	}
	room[0] = room[1];
}

__attribute__((noinline)) static void leave_by(void (*how)(void))
{
	cudaRuntimeEscape = how;
	(void)cudaStreamSynchronize(NULL);
}

static void clean_up(void *unused)
{
	(void)unused;
	cudaRuntimeEscape = NULL;
	deep(20);
}

static void *cancelled(void *unused)
{
	pthread_cleanup_push(clean_up, NULL);
	leave_by(be_cancelled);
	pthread_cleanup_pop(0);
	return unused;
}

int main()
{
	pthread_t thread;
	if (setjmp(back) == 0)
		leave_by(jump);
	cudaRuntimeEscape = NULL;
	deep(20);
	try {
		leave_by(raise_one);
	} catch (int) {
	}
	cudaRuntimeEscape = NULL;
	deep(20);
	if (pthread_create(&thread, NULL, cancelled, NULL) != 0)
		return 1;
	usleep(100000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	std::printf("%d made\n", made);
	return 0;
}
