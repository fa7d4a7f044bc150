/* SPDX-License-Identifier: MIT */
/*
 * Calls NCCL as programs do, well and badly.
 * usage: program calls              linked with it (LINKED)
 *        program left              threads end inside of a group (LINKED)
 *        program loads FILE         finds it by dlsym, unloads it, and loads it again
 *        program both FILE FILE     two of them
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "nccl.h"

#define STREAM ((void *)0x51)

static char buffer[64];

#ifdef LINKED
static struct ncclComm *begin(int rank, int ranks)
{
	struct ncclComm *comm = NULL;
	struct id id = {"the same in all ranks"};
	printf("begin: %d\n", ncclCommInitRank(&comm, ranks, id, rank));
	return comm;
}

static void each_kind(struct ncclComm *comm)
{
	(void)ncclAllReduce(buffer, buffer, 10, 7, 0, comm, STREAM);
	(void)ncclReduce(buffer, buffer, 11, 8, 2, 3, comm, STREAM);
	(void)ncclReduceScatter(buffer, buffer, 12, 9, 4, comm, STREAM);
	(void)ncclBroadcast(buffer, buffer, 14, 0, 1, comm, STREAM);
	(void)ncclBcast(buffer, 15, 1, 2, comm, STREAM);
	(void)ncclAllGather(buffer, buffer, 16, 6, comm, STREAM);
	(void)ncclSend(buffer, 17, 4, 2, comm, STREAM);
	(void)ncclRecv(buffer, 18, 2, 3, comm, STREAM);
}

static void groups(struct ncclComm *comm)
{
	struct ncclComm *inside[2] = {NULL, NULL};
	struct id id = {"in a group"};
	(void)ncclGroupStart();
	(void)ncclGroupStart();
	(void)ncclSend(buffer, 1, 0, 1, comm, NULL);
	(void)ncclRecv(buffer, 1, 0, 1, comm, NULL);
	(void)ncclGroupEnd();
	(void)ncclAllReduce(buffer, buffer, 2, 0, 0, comm, NULL);
	(void)ncclGroupEnd();
	(void)ncclGroupEnd(); /* one too many */
	(void)ncclGroupStart();
	for (int i = 0; i < 2; i++)
		(void)ncclCommInitRank(&inside[i], 2, id, i);
	(void)ncclGroupEnd();
	for (int i = 0; i < 2; i++)
		(void)ncclAllReduce(buffer, buffer, 3, 7, 0, inside[i], NULL);
}

static void bad(struct ncclComm *comm)
{
	struct ncclComm *part = NULL;
	printf("no communicator: %d\n", ncclAllReduce(buffer, buffer, 1, 7, 0, NULL, NULL));
	printf("an error: %d\n", ncclAllReduce(buffer, buffer, 13, 7, 0, comm, NULL));
	printf("a type to come: %d\n", ncclAllReduce(buffer, buffer, 1, 99, 77, comm, NULL));
	printf("of no rank: %d\n", ncclCommInitRank(&part, 2, (struct id){{0}}, 5));
	printf("no ids: %d\n", ncclCommInitRankScalable(&part, 2, 0, 1, NULL, NULL));
	printf("nothing split: %d\n", ncclCommSplit(NULL, 0, 0, &part, NULL));
	printf("not in it: %d\n", ncclCommSplit(comm, -1, 0, &part, NULL));
	printf("abort nothing: %d\n", ncclCommAbort(NULL));
	printf("abort: %d\n", ncclCommAbort(comm));
	printf("an aborted one: %d\n", ncclAllReduce(buffer, buffer, 1, 7, 0, comm, NULL));
	printf("once more: %d\n", ncclCommDestroy(comm));
}

static void *many(void *comm)
{
	for (int i = 0; i < 1000; i++)
		(void)ncclAllGather(buffer, buffer, 0, 0, comm, NULL);
	return NULL;
}

static void calls(void)
{
	struct ncclComm *comm = begin(1, 4), *part = NULL, *all[2];
	each_kind(comm);
	groups(comm);
	(void)ncclCommSplit(comm, 3, 0, &part, NULL);
	(void)ncclAllReduce(buffer, buffer, 5, 7, 0, part, NULL);
	(void)ncclCommFinalize(part);
	(void)ncclCommDestroy(part);
	(void)ncclCommInitAll(all, 2, NULL);
	(void)ncclAllReduce(buffer, buffer, 6, 7, 0, all[1], NULL);
	bad(comm);
	struct ncclComm *crowded[2] = {begin(0, 2), begin(1, 2)};
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, many, crowded[i % 2]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* The thread ends inside of its group; where the communicator would have come to is no more. */
static void *leave(void *page)
{
	struct ncclComm **comm = page;
	(void)ncclGroupStart();
	(void)ncclCommInitRank(comm, 2, (struct id){"left"}, 0);
	return NULL;
}

static void *begin_inside(void *comm)
{
	(void)ncclGroupStart();
	(void)ncclCommInitRank(comm, 2, (struct id){"not left"}, 1);
	printf("group: %d\n", ncclGroupEnd());
	return NULL;
}

static void left(void)
{
	struct ncclComm *comm = NULL;
	pthread_t thread;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&thread, NULL, leave, page);
	pthread_join(thread, NULL);
	(void)munmap(page, 4096);
	pthread_create(&thread, NULL, begin_inside, &comm);
	pthread_join(thread, NULL);
	(void)ncclAllReduce(buffer, buffer, 4, 7, 0, comm, NULL);
}

#else
static void calls(void)
{
}
static void left(void)
{
}
#endif

typedef int init_function(struct ncclComm **comm, int ranks, struct id id, int rank);
typedef int reduce_function(const void *from, void *to, size_t count, int type, int op,
	struct ncclComm *comm, void *stream);

static void use(void *library, int rank)
{
	struct ncclComm *comm = NULL;
	init_function *init = (init_function *)dlsym(library, "ncclCommInitRank");
	reduce_function *reduce = (reduce_function *)dlsym(library, "ncclAllReduce");
	printf("nothing of that name: %d\n", dlsym(library, "ncclAllTheBest") == NULL);
	printf("not for all: %d\n", dlsym(RTLD_DEFAULT, "ncclAllReduce") == NULL);
	printf("%d\n", init(&comm, 2, (struct id){"by dlsym"}, rank));
	printf("%d\n", reduce(buffer, buffer, 8, 7, 0, comm, STREAM));
}

static void loads(const char *path)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		use(library, i % 2);
		(void)dlclose(library);
	}
}

int main(int count, char **arguments)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (count > 1 && strcmp(arguments[1], "loads") == 0)
		loads(arguments[2]);
	else if (count > 2 && strcmp(arguments[1], "both") == 0)
		for (int i = 0; i < 4; i++)
			use(dlopen(arguments[2 + i % 2], RTLD_NOW | RTLD_LOCAL), 0);
	else if (count > 1 && strcmp(arguments[1], "left") == 0)
		left();
	else
		calls();
	return 0;
}
