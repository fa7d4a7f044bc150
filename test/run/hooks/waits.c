/* SPDX-License-Identifier: MIT */
/*
 * Blocks in calls that are recorded and in calls that are not, with signals, cancellation and
 * longjmp in between. Prints results and errno of each, and what must be in the trace ("record
 * NAME MS").
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaMalloc(void **address, size_t size);
int cudaStreamSynchronize(void *stream);

static int ends[2];
static sigjmp_buf jump;

static void *feed(void *argument)
{
	struct timespec pause = {0, 20000000};
	(void)argument;
	(void)nanosleep(&pause, NULL);
	if (write(ends[1], "0123456789abcdef", 16) != 16)
		abort();
	return NULL;
}

static void feed_later(pthread_t *thread)
{
	if (pthread_create(thread, NULL, feed, NULL) != 0)
		abort();
}

/* Make the call while the pipe or socket is empty for 20 ms. */
#define BLOCK(name, call)                                                                          \
	do {                                                                                       \
		pthread_t thread;                                                                  \
		feed_later(&thread);                                                               \
		errno = 7;                                                                         \
		long result = (long)(call);                                                        \
		int error = errno;                                                                 \
		printf("%s: %ld errno %d\nrecord %s 15\n", name, result, error, name);             \
		(void)pthread_join(thread, NULL);                                                  \
		drain();                                                                           \
	} while (0)

static void drain(void)
{
	char bytes[64];
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
	(void)fcntl(ends[0], F_SETFL, 0);
}

static void on_alarm(int number)
{
	(void)number;
}

static void on_jump(int number)
{
	(void)number;
	siglongjmp(jump, 1);
}

static void alarm_in(void (*handler)(int), long microseconds)
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval timer = {{0, 0}, {0, microseconds}};
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void *not_feeding(void *argument)
{
	char bytes[16];
	(void)argument;
	printf("other thread: %zd\n", read(ends[0], bytes, sizeof(bytes)));
	return NULL;
}

static void *cancelled(void *argument)
{
	char bytes[16];
	void *address;
	(void)argument;
	(void)cudaMalloc(&address, 8);
	(void)read(ends[0], bytes, sizeof(bytes));
	return NULL;
}

static void threads(void)
{
	pthread_t thread, feeder;
	void *result;
	(void)pthread_create(&thread, NULL, not_feeding, NULL);
	feed_later(&feeder);
	printf("record pthread_join 15\n");
	(void)pthread_join(feeder, NULL);
	(void)pthread_join(thread, NULL);
	drain();
	(void)pthread_create(&thread, NULL, cancelled, NULL);
	printf("record usleep 15\n");
	(void)usleep(20000);
	(void)pthread_cancel(thread);
	(void)pthread_join(thread, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
}

static void signals(void)
{
	char bytes[16];
	alarm_in(on_alarm, 15000);
	ssize_t got = read(ends[0], bytes, sizeof(bytes));
	int error = errno;
	printf("interrupted: %zd errno %d\nrecord read 10\n", got, error);
	alarm_in(on_jump, 15000);
	if (sigsetjmp(jump, 1) == 0) {
		(void)read(ends[0], bytes, sizeof(bytes));
		printf("not reached\n");
	}
	printf("after the jump: %d\n", cudaStreamSynchronize(NULL));
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	errno = 0;
	got = read(ends[0], bytes, sizeof(bytes));
	error = errno;
	printf("would block: %zd errno %d\n", got, error);
	(void)fcntl(ends[0], F_SETFL, 0);
}

static void semaphores(void)
{
	sem_t semaphore;
	struct timespec until;
	(void)sem_init(&semaphore, 0, 0);
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	errno = 0;
	int result = sem_timedwait(&semaphore, &until);
	int error = errno;
	printf("sem_timedwait: %d errno %d\nrecord sem_timedwait 15\n", result, error);
	(void)sem_post(&semaphore);
	printf("sem_wait: %d\n", sem_wait(&semaphore));
}

static ssize_t read_slowly(void *cookie, char *bytes, size_t size)
{
	(void)cookie;
	(void)usleep(20000);
	memset(bytes, 'x', size);
	return (ssize_t)size;
}

/* Streams that have a descriptor, and that have none. */
static void streams(void)
{
	char bytes[16];
	FILE *stream = fdopen(dup(ends[0]), "r");
	(void)setvbuf(stream, NULL, _IONBF, 0);
	BLOCK("fread", fread(bytes, 1, sizeof(bytes), stream));
	(void)fclose(stream);
	stream = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_slowly});
	errno = 7;
	size_t got = fread(bytes, 4, 4, stream);
	int error = errno;
	printf("made up: %zu errno %d\nrecord usleep 15\n", got, error);
	(void)fclose(stream);
}

static void blocking_calls(void)
{
	char bytes[16];
	struct iovec vector = {bytes, sizeof(bytes)};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
	struct pollfd entry = {.fd = ends[0], .events = POLLIN};
	struct timespec second = {1, 0};
	struct timeval second_too = {1, 0};
	struct epoll_event event = {.events = EPOLLIN};
	fd_set set;
	int epoll = epoll_create1(0);
	(void)epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	BLOCK("read", read(ends[0], bytes, sizeof(bytes)));
	BLOCK("readv", readv(ends[0], &vector, 1));
	BLOCK("recv", recv(ends[0], bytes, sizeof(bytes), 0));
	BLOCK("recvfrom", recvfrom(ends[0], bytes, sizeof(bytes), 0, NULL, NULL));
	BLOCK("recvmsg", recvmsg(ends[0], &message, 0));
	BLOCK("poll", poll(&entry, 1, 1000));
	BLOCK("ppoll", ppoll(&entry, 1, &second, NULL));
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	BLOCK("select", select(ends[0] + 1, &set, NULL, NULL, &second_too));
	BLOCK("epoll_wait", epoll_wait(epoll, &event, 1, 1000));
	errno = 0;
	ssize_t got = read(-1, bytes, 1);
	int error = errno;
	printf("bad descriptor: %zd errno %d\n", got, error);
}

int main(void)
{
	void *address = NULL;
	(void)setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 2;
	(void)usleep(30000);
	printf("%d\n", cudaMalloc(&address, 64));
	blocking_calls();
	streams();
	signals();
	semaphores();
	threads();
	return 0;
}
