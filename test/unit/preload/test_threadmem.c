/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/thread/threadmem.h"

#define PIECE_BYTES 5000

static struct threadmem pool;

static void *take(void *context)
{
	(void)context;
	errno = 77;
	char *piece = threadmem_take(&pool, PIECE_BYTES);
	if (piece == NULL || errno != 77)
		return NULL;
	memset(piece, 1, PIECE_BYTES);
	return piece;
}

static void *in_a_thread(void)
{
	pthread_t thread;
	void *piece = NULL;
	cr_assert(eq(int, pthread_create(&thread, NULL, take, NULL), 0));
	(void)pthread_join(thread, &piece);
	return piece;
}

Test(threadmem, is_zeroed_and_aligned_at_first)
{
	struct threadmem fresh = {0};
	const char *piece = threadmem_take(&fresh, PIECE_BYTES);
	cr_assert(ne(ptr, (void *)piece, NULL));
	cr_assert(eq(sz, (size_t)piece % 64, 0));
	for (int i = 0; i < PIECE_BYTES; i++)
		cr_assert(eq(int, piece[i], 0));
}

/* A joined thread may exist a moment longer for the kernel, hence a few pieces instead of one. */
Test(threadmem, passes_from_ended_threads_to_new_ones)
{
	void *seen[20];
	int count = 0;
	void *own = take(NULL);
	for (int i = 0; i < 500; i++) {
		void *piece = in_a_thread();
		int k = 0;
		cr_assert(ne(ptr, piece, NULL));
		cr_assert(ne(ptr, piece, own));
		while (k < count && seen[k] != piece)
			k++;
		if (k == count) {
			cr_assert(lt(int, count, 20));
			seen[count++] = piece;
		}
	}
}

#define THREADS 16

static pthread_barrier_t barrier;

static void *take_and_wait(void *context)
{
	void *piece = take(context);
	(void)pthread_barrier_wait(&barrier);
	return piece;
}

Test(threadmem, threads_that_live_together_share_nothing)
{
	(void)in_a_thread();
	for (int round = 0; round < 20; round++) {
		pthread_t threads[THREADS];
		void *pieces[THREADS];
		(void)pthread_barrier_init(&barrier, NULL, THREADS);
		for (int i = 0; i < THREADS; i++)
			cr_assert(
				eq(int, pthread_create(&threads[i], NULL, take_and_wait, NULL), 0));
		for (int i = 0; i < THREADS; i++)
			(void)pthread_join(threads[i], &pieces[i]);
		for (int i = 0; i < THREADS; i++) {
			cr_assert(ne(ptr, pieces[i], NULL));
			for (int k = 0; k < i; k++)
				cr_assert(ne(ptr, pieces[i], pieces[k]));
		}
		(void)pthread_barrier_destroy(&barrier);
	}
}

/* The child's first thread goes on using the parent's piece: no new thread may get that. */
Test(threadmem, a_forked_child_keeps_its_piece)
{
	void *own = take(NULL);
	pid_t child = fork();
	if (child == 0)
		_exit(in_a_thread() == own || in_a_thread() == NULL);
	int status = -1;
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	cr_assert(eq(int, status, 0));
}
