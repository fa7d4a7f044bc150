/* SPDX-License-Identifier: MIT */
/*
 * Opens and looks up files that are there and files that are not, quickly and after a wait, beside
 * threads that the library does not record. Prints result and errno of each, and last how many of
 * each the recorded thread has made: no more must be counted, whatever the library does meanwhile.
 * Then threads that are not recorded fill pipes, as the queues of Python's multiprocessing do.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define ROUNDS 3000

int cudaMalloc(void **address, size_t size);
int cudaStreamSynchronize(void *stream);

static unsigned opens, stats;
static char fifo[64];

/* With an errno of before, which a call that succeeds leaves alone. */
#define TELL(count, name, call)                                                                    \
	do {                                                                                       \
		errno = 77;                                                                        \
		long result = (long)(call);                                                        \
		int error = errno;                                                                 \
		(count)++;                                                                         \
		printf("%s: %s errno %d\n", name, result < 0 ? "failed" : "done", error);          \
		if (result > 2)                                                                    \
			(void)close((int)result);                                                  \
	} while (0)

static long opened(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);
	int error = errno;
	if (file != NULL)
		(void)fclose(file);
	errno = error;
	return file != NULL ? 0 : -1;
}

static void quick(void)
{
	struct stat status;
	TELL(opens, "open", open("/dev/null", O_RDONLY));
	TELL(opens, "open of none", open("/dev/none", O_RDONLY));
	TELL(opens, "openat", openat(AT_FDCWD, "/dev/null", O_RDONLY));
	TELL(opens, "openat of none", openat(AT_FDCWD, "/dev/none", O_RDONLY));
	TELL(opens, "fopen", opened("/dev/null", "r"));
	TELL(opens, "fopen of none", opened("/dev/none", "r"));
	TELL(stats, "stat", stat("/dev/null", &status));
	TELL(stats, "stat of none", stat("/dev/none", &status));
	TELL(stats, "fstat", fstat(1, &status));
	TELL(stats, "fstat of none", fstat(-1, &status));
}

static void *other_end(void *argument)
{
	(void)argument;
	(void)usleep(20000);
	int descriptor = open(fifo, O_WRONLY);
	(void)usleep(1000);
	(void)close(descriptor);
	return NULL;
}

static void on_alarm(int number)
{
	(void)number;
}

/* A pipe with a name is opened when somebody opens its other end. */
static void slow(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {{0, 0}, {0, 20000}};
	pthread_t thread;
	if (pthread_create(&thread, NULL, other_end, NULL) != 0)
		abort();
	TELL(opens, "slow open", open(fifo, O_RDONLY));
	(void)pthread_join(thread, NULL);
	if (pthread_create(&thread, NULL, other_end, NULL) != 0)
		abort();
	TELL(opens, "slow fopen", opened(fifo, "r"));
	(void)pthread_join(thread, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	TELL(opens, "interrupted open", open(fifo, O_RDONLY));
	printf("record open 15\nrecord fopen 15\nrecord open 10\n");
}

/* Records enough for the library to write while files are opened and looked up. */
static void many(void)
{
	struct stat status;
	unsigned wrong = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		errno = 78;
		int descriptor = open("/dev/null", O_RDONLY);
		wrong += errno != 78;
		wrong += fstat(descriptor, &status) != 0 || errno != 78;
		(void)close(descriptor);
		errno = 0;
		wrong += stat("/dev/none", &status) == 0 || errno != ENOENT;
		opens++;
		stats += 2;
		(void)cudaStreamSynchronize(NULL);
	}
	printf("wrong: %u\n", wrong);
}

static void *not_recorded(void *argument)
{
	struct stat status;
	for (unsigned i = 0; i < ROUNDS; i++) {
		(void)close(open("/dev/null", O_RDONLY));
		(void)stat("/dev/null", &status);
	}
	return argument;
}

/* 20 messages as Python writes (number, "x"), and as many of that size that are none. */
static void *fill(void *argument)
{
	char message[] = "\0\0\0\x14\x80\x04\x95\x09\0\0\0\0\0\0\0K\x00\x8c\x01x\x94\x86\x94.";
	const size_t size = sizeof(message) - 1;
	int ends[2];
	unsigned *wrong = argument, kept = *wrong;
	message[3] = (char)(size - 4);
	if (pipe(ends) != 0)
		abort();
	for (char i = 0; i < 20; i++) {
		errno = 79;
		message[16] = i;
		message[size - 1] = kept != 0 ? '.' : ',';
		*wrong += write(ends[1], message, size) != (ssize_t)size || errno != 79;
	}
	errno = 0;
	*wrong += write(-1, message, size) != -1 || errno != EBADF;
	(void)close(ends[0]);
	(void)close(ends[1]);
	return NULL;
}

static void queues(void)
{
	pthread_t threads[2];
	unsigned wrong[2] = {0, 1};
	for (unsigned i = 0; i < 2; i++)
		(void)pthread_create(&threads[i], NULL, fill, &wrong[i]);
	for (unsigned i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	printf("wrong: %u\n", wrong[0] + wrong[1] - 1);
}

int main(void)
{
	void *address;
	pthread_t thread;
	(void)setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	(void)snprintf(fifo, sizeof(fifo), "/tmp/libtrace-fifo-%d", (int)getpid());
	(void)unlink(fifo);
	if (mkfifo(fifo, 0600) != 0)
		return 2;
	(void)cudaMalloc(&address, 64);
	(void)pthread_create(&thread, NULL, not_recorded, NULL);
	quick();
	slow();
	many();
	queues();
	(void)pthread_join(thread, NULL);
	(void)usleep(300000); /* the library writes meanwhile */
	(void)unlink(fifo);
	printf("opens %u stats %u\n", opens, stats);
	return 0;
}
