/* SPDX-License-Identifier: MIT */
/*
 * Blocks in every kind of call that is no wait for bytes (waits.c has those): sleeps, conditions,
 * joins, futexes, locks of files, children, writes. Prints result and errno of each, and what must
 * be in the trace: "record NAME RESULT MS WHAT MEDIUM".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE_US 20000

enum { /* as the format numbers them */
	POLL = 2,
	LOCK,
	SLEEP,
	CHILD,
	WRITE,
	NOTHING = 0,
	FILES,
	PIPE,
	SOCKET
};

int cudaMalloc(void **address, size_t size);

static const struct timespec late = {0, LATE_US * 1000};

/* The call takes 20 ms or more; code: it returns an error number. */
#define BLOCK(name, what, medium, is_code, call)                                                   \
	do {                                                                                       \
		errno = 7;                                                                         \
		long result = (long)(call);                                                        \
		int error = errno;                                                                 \
		printf("%s: %ld errno %d\n", name, result, error);                                 \
		printf("record %s %ld 15 %d %d\n", name,                                           \
			(is_code)    ? result                                                      \
			: result < 0 ? (long)error                                                 \
				     : 0,                                                          \
			what, medium);                                                             \
	} while (0)

static struct timespec in_20_ms(clockid_t clock)
{
	struct timespec until;
	(void)clock_gettime(clock, &until);
	until.tv_nsec += late.tv_nsec;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return until;
}

/* Threads other than the main one make no CUDA call: what they wait for is not recorded. */
static pthread_t later(void *(*function)(void *), void *argument)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, function, argument) != 0)
		abort();
	return thread;
}

static void *sleep_late(void *argument)
{
	(void)nanosleep(&late, NULL);
	return argument;
}

static void on_alarm(int number)
{
	(void)number;
}

static void on_alarm_wait(int number)
{
	struct timespec half = {0, LATE_US * 500};
	(void)number;
	(void)nanosleep(&half, NULL);
}

static void alarm_in(void (*handler)(int), int flags, long microseconds)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct itimerval timer = {{0, 0}, {0, microseconds}};
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void sleeps(void)
{
	struct timespec second = {1, 0}, rest = {0, 0};
	struct timeval late_too = {0, LATE_US};
	BLOCK("nanosleep", SLEEP, NOTHING, 0, nanosleep(&late, NULL));
	BLOCK("clock_nanosleep", SLEEP, NOTHING, 1,
		clock_nanosleep(CLOCK_MONOTONIC, 0, &late, NULL));
	BLOCK("usleep", SLEEP, NOTHING, 0, usleep(LATE_US));
	BLOCK("select", SLEEP, NOTHING, 0, select(0, NULL, NULL, NULL, &late_too));
	BLOCK("pselect", SLEEP, NOTHING, 0, pselect(0, NULL, NULL, NULL, &late, NULL));
	BLOCK("poll", SLEEP, NOTHING, 0, poll(NULL, 0, LATE_US / 1000));
	alarm_in(on_alarm, 0, LATE_US);
	BLOCK("sleep", SLEEP, NOTHING, 0, sleep(1));
	alarm_in(on_alarm, 0, LATE_US);
	BLOCK("nanosleep", SLEEP, NOTHING, 0, nanosleep(&second, &rest));
	printf("rest of it: %d\n", rest.tv_sec == 0 && rest.tv_nsec > 0);
	alarm_in(on_alarm, 0, LATE_US);
	BLOCK("clock_nanosleep", SLEEP, NOTHING, 1,
		clock_nanosleep(CLOCK_MONOTONIC, 0, &second, &rest));
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void *signal_late(void *argument)
{
	(void)nanosleep(&late, NULL);
	(void)pthread_mutex_lock(&mutex);
	(void)pthread_cond_signal(&condition);
	(void)pthread_mutex_unlock(&mutex);
	return argument;
}

static void *meet_late(void *argument)
{
	(void)nanosleep(&late, NULL);
	(void)pthread_barrier_wait(&barrier);
	return argument;
}

static void threads(void)
{
	struct timespec until, second = {1, 0};
	uint32_t word = 5;
	void *value = NULL;
	pthread_t thread = later(signal_late, NULL);
	(void)pthread_mutex_lock(&mutex);
	BLOCK("pthread_cond_wait", LOCK, NOTHING, 1, pthread_cond_wait(&condition, &mutex));
	(void)pthread_join(thread, NULL);
	until = in_20_ms(CLOCK_REALTIME);
	BLOCK("pthread_cond_timedwait", LOCK, NOTHING, 1,
		pthread_cond_timedwait(&condition, &mutex, &until));
	until = in_20_ms(CLOCK_MONOTONIC);
	BLOCK("pthread_cond_clockwait", LOCK, NOTHING, 1,
		pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until));
	(void)pthread_mutex_unlock(&mutex);
	thread = later(sleep_late, &word);
	BLOCK("pthread_join", LOCK, NOTHING, 1, pthread_join(thread, &value));
	printf("its value: %d\n", value == &word);
	thread = later(sleep_late, NULL);
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	BLOCK("pthread_timedjoin_np", LOCK, NOTHING, 1, pthread_timedjoin_np(thread, NULL, &until));
	(void)pthread_barrier_init(&barrier, NULL, 2);
	thread = later(meet_late, NULL);
	errno = 7;
	int met = pthread_barrier_wait(&barrier) != EINVAL;
	printf("barrier: %d errno %d\nrecord pthread_barrier_wait 0 15 %d 0\n", met, errno, LOCK);
	(void)pthread_join(thread, NULL);
	BLOCK("syscall", LOCK, NOTHING, 0, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &late));
	until = in_20_ms(CLOCK_MONOTONIC);
	BLOCK("syscall", LOCK, NOTHING, 0,
		syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 5, &until, NULL, 1));
	errno = 0;
	long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 5, &second, NULL, 0);
	printf("no bits: %ld errno %d\n", result, errno);
	printf("not the value: %ld\n", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 6, &late));
	printf("nobody: %ld\n", syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1));
	printf("own: %d\n", syscall(SYS_getpid) == getpid());
}

static void *unlock_late(void *argument)
{
	(void)nanosleep(&late, NULL);
	(void)close(*(int *)argument);
	return NULL;
}

static void file_locks(void)
{
	char name[] = "blocks-XXXXXX";
	int own = mkstemp(name), other = open(name, O_RDWR);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	(void)unlink(name);
	(void)flock(other, LOCK_EX);
	pthread_t thread = later(unlock_late, &other);
	BLOCK("flock", LOCK, FILES, 0, flock(own, LOCK_EX));
	(void)pthread_join(thread, NULL);
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", own);
	other = open(path, O_RDWR);
	(void)fcntl(other, F_OFD_SETLK, &lock);
	thread = later(unlock_late, &other);
	BLOCK("fcntl", LOCK, FILES, 0, fcntl(own, F_OFD_SETLKW, &lock));
	(void)pthread_join(thread, NULL);
	printf("flags: %d %d\n", fcntl(own, F_GETFL) & O_ACCMODE, fcntl(own, F_SETFD, FD_CLOEXEC));
	(void)close(own);
}

static pid_t child_for_20_ms(void)
{
	pid_t child = fork();
	if (child == 0) {
		(void)usleep(LATE_US);
		_exit(3);
	}
	return child;
}

#define CHILD_BLOCK(name, call)                                                                    \
	do {                                                                                       \
		pid_t child = child_for_20_ms();                                                   \
		BLOCK(name, CHILD, NOTHING, 0, (call) == child ? 0 : -1);                          \
	} while (0)

static void children(void)
{
	int status = 0;
	struct rusage usage;
	siginfo_t info;
	char word[16] = "";
	CHILD_BLOCK("wait", wait(&status));
	printf("status: %d\n", WEXITSTATUS(status));
	CHILD_BLOCK("waitpid", waitpid(child, &status, 0));
	CHILD_BLOCK("wait3", wait3(&status, 0, &usage));
	CHILD_BLOCK("wait4", wait4(child, &status, 0, &usage));
	pid_t child = child_for_20_ms();
	BLOCK("waitid", CHILD, NOTHING, 0, waitid(P_PID, (id_t)child, &info, WEXITED));
	BLOCK("system", CHILD, NOTHING, 0, system("sleep 0.02"));
	FILE *pipe = popen("echo word; exec >&-; sleep 0.02", "r");
	if (fgets(word, sizeof(word), pipe) == NULL)
		abort();
	BLOCK("pclose", CHILD, NOTHING, 0, pclose(pipe));
	printf("no child: %d\n", waitpid(-1, NULL, 0));
	/* The child of a vfork has the memory of the thread that waits for it. */
	child = vfork();
	if (child == 0) {
		(void)usleep(LATE_US);
		_exit(0);
	}
	printf("vfork: %d\n", waitpid(child, NULL, 0) == child);
}

static int ends[2];

static void *empty_late(void *argument)
{
	char bytes[4096];
	(void)nanosleep(&late, NULL);
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
	(void)fcntl(ends[0], F_SETFL, 0);
	return argument;
}

static void fill(void)
{
	static char bytes[4096];
	(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		;
	(void)fcntl(ends[1], F_SETFL, 0);
}

/* Nothing goes in for 20 ms. */
#define FULL(name, medium, call)                                                                   \
	do {                                                                                       \
		fill();                                                                            \
		pthread_t thread = later(empty_late, NULL);                                        \
		BLOCK(name, WRITE, medium, 0, call);                                               \
		(void)pthread_join(thread, NULL);                                                  \
	} while (0)

static void *connect_late(void *argument)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)nanosleep(&late, NULL);
	if (connect(fd, argument, sizeof(struct sockaddr_un)) != 0)
		abort();
	(void)close(fd);
	return NULL;
}

static void writes(void)
{
	char bytes[16] = "";
	struct iovec vector = {bytes, sizeof(bytes)};
	struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
	if (pipe(ends) != 0)
		abort();
	FULL("write", PIPE, write(ends[1], bytes, sizeof(bytes)));
	FULL("writev", PIPE, writev(ends[1], &vector, 1));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	FULL("send", SOCKET, send(ends[1], bytes, sizeof(bytes), 0));
	FULL("sendto", SOCKET, sendto(ends[1], bytes, sizeof(bytes), 0, NULL, 0));
	FULL("sendmsg", SOCKET, sendmsg(ends[1], &message, 0));
	errno = 0;
	printf("bad descriptor: %zd errno %d %d\n", write(-1, bytes, 1), errno, fsync(-1));
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "blocks.socket"};
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)unlink(address.sun_path);
	if (bind(server, (struct sockaddr *)&address, sizeof(address)) != 0 ||
		listen(server, 1) != 0)
		abort();
	pthread_t thread = later(connect_late, &address);
	BLOCK("accept", POLL, SOCKET, 0, accept(server, NULL, NULL) >= 0 ? 0 : -1);
	(void)pthread_join(thread, NULL);
	(void)unlink(address.sun_path);
}

/* A handler that waits: its wait is told, and what comes behind it of the one around it. */
static void handlers(void)
{
	alarm_in(on_alarm_wait, SA_RESTART, LATE_US / 4);
	pthread_t thread = later(sleep_late, NULL);
	printf("join: %d\n", pthread_join(thread, NULL));
	printf("record nanosleep 0 8 %d 0\nrecord pthread_join 0 3 %d 0\n", SLEEP, LOCK);
}

static int cleaned;

static void clean(void *argument)
{
	cleaned++;
	if (argument != NULL)
		(void)pthread_mutex_unlock(argument);
}

static void *cancelled_sleep(void *argument)
{
	struct timespec long_time = {10, 0};
	void *address;
	(void)cudaMalloc(&address, 8);
	pthread_cleanup_push(clean, NULL);
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
	pthread_cleanup_pop(0);
	return argument;
}

static void *cancelled_condition(void *argument)
{
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	void *address;
	(void)cudaMalloc(&address, 8);
	(void)pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	(void)pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(0);
	return argument;
}

static void cancellation(void)
{
	void *(*const functions[])(void *) = {cancelled_sleep, cancelled_condition};
	for (int i = 0; i < 2; i++) {
		void *result = NULL;
		pthread_t thread = later(functions[i], NULL);
		sleep_late(NULL);
		(void)pthread_cancel(thread);
		(void)pthread_join(thread, &result);
		printf("cancelled: %d, cleaned up %d\n", result == PTHREAD_CANCELED, cleaned);
		printf("record nanosleep 0 15 %d 0\n", SLEEP);
	}
	printf("the lock is free: %d\n", pthread_mutex_trylock(&mutex));
}

int main(void)
{
	void *address = NULL;
	(void)setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	(void)usleep(LATE_US);
	printf("%d\n", cudaMalloc(&address, 64));
	sleeps();
	threads();
	file_locks();
	(void)fflush(stdout);
	children();
	writes();
	handlers();
	cancellation();
	return 0;
}
