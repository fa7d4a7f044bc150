/* SPDX-License-Identifier: MIT */
/*
 * Stands in for Criterion where ThreadSanitizer is used: Criterion's own process start
 * wants memory at an address that the sanitizer has taken. The same test files
 * compile against this; every test runs in a forked child, and the closing
 * line is the one that test/unit/run.sh reads. Only what those tests use is here.
 */
#ifndef TEST_TSAN_CRITERION_H
#define TEST_TSAN_CRITERION_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct plain_options {
	void (*init)(void);
	void (*fini)(void);
	double timeout;
};

struct plain_test {
	const char *suite, *name;
	void (*body)(void);
	struct plain_options options;
	struct plain_test *next;
};

struct plain_suite {
	const char *name;
	struct plain_options options;
	struct plain_suite *next;
};

static struct plain_test *plain_tests;
static struct plain_suite *plain_suites;

#define Test(suite_, name_, ...)                                                                   \
	static void suite_##_##name_##_body(void);                                                 \
	static struct plain_test suite_##_##name_ = {.suite = #suite_,                             \
		.name = #name_,                                                                    \
		.body = suite_##_##name_##_body,                                                   \
		.options = {__VA_ARGS__}};                                                         \
	__attribute__((constructor)) static void suite_##_##name_##_add(void)                      \
	{                                                                                          \
		suite_##_##name_.next = plain_tests;                                               \
		plain_tests = &suite_##_##name_;                                                   \
	}                                                                                          \
	static void suite_##_##name_##_body(void)

#define TestSuite(name_, ...)                                                                      \
	static struct plain_suite name_##_suite = {.name = #name_, .options = {__VA_ARGS__}};      \
	__attribute__((constructor)) static void name_##_suite_add(void)                           \
	{                                                                                          \
		name_##_suite.next = plain_suites;                                                 \
		plain_suites = &name_##_suite;                                                     \
	}

#define cr_assert(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)
#define cr_skip_test(...)                                                                          \
	do {                                                                                       \
		fprintf(stderr, "SKIP " __VA_ARGS__);                                              \
		_exit(0);                                                                          \
	} while (0)
#define eq(tag, a, b)  SAME_##tag(a, b)
#define SAME(a, b)     ((a) == (b))
#define SAME_int       SAME
#define SAME_uint      SAME
#define SAME_chr       SAME
#define SAME_u16       SAME
#define SAME_u32       SAME
#define SAME_u64       SAME
#define SAME_i64       SAME
#define SAME_sz        SAME
#define SAME_ptr       SAME
#define SAME_str(a, b) (strcmp(a, b) == 0)
#define ne(tag, a, b)  ((a) != (b))
#define lt(tag, a, b)  ((a) < (b))
#define le(tag, a, b)  ((a) <= (b))
#define gt(tag, a, b)  ((a) > (b))
#define ge(tag, a, b)  ((a) >= (b))
#define not(a) (!(a))

/* Children of fork() start their own drain thread: that is what is tested. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

static inline void plain_run(const struct plain_test *test)
{
	const struct plain_suite *suite = plain_suites;
	while (suite != NULL && strcmp(suite->name, test->suite) != 0)
		suite = suite->next;
	(void)alarm(240);
	if (suite != NULL && suite->options.init != NULL)
		suite->options.init();
	if (test->options.init != NULL)
		test->options.init();
	test->body();
	if (suite != NULL && suite->options.fini != NULL)
		suite->options.fini();
}

int main(void)
{
	unsigned tested = 0, passed = 0;
	for (const struct plain_test *test = plain_tests; test != NULL; test = test->next) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0) {
			plain_run(test);
			exit(0);
		}
		tested++;
		if (waitpid(pid, &status, 0) == pid && status == 0)
			passed++;
		else
			fprintf(stderr, "[FAIL] %s::%s (status %d)\n", test->suite, test->name,
				status);
	}
	fprintf(stderr, "[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0 \n",
		tested, passed, tested - passed);
	return passed != tested;
}

#endif
