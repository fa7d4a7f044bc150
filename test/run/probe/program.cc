// SPDX-License-Identifier: MIT
// Calls the functions of library.cc and prints what they give; to stderr how often each was called.
#include "library.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" jmp_buf probe_test_leap;

static void all_shapes()
{
	printf("%ld\n", shapes::many_longs(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%.17g\n", shapes::many(1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9, 10.5, 11, 12.5, 13, 14.5, 15,
				       16.5, 17, 18.5, 19, 20.5));
	shapes::two_doubles two = shapes::pair(1.25);
	shapes::mixed mixed = shapes::both(7);
	printf("%.17g %.17g %ld %.17g\n", two.a, two.b, mixed.a, mixed.b);
	printf("%.21Lg\n", shapes::extended(3.14159265358979323846L));
	shapes::large in;
	for (int i = 0; i < 40; i++)
		in.words[i] = i;
	shapes::large out = shapes::big(in, 3);
	long sum = 0;
	for (long word : out.words)
		sum += word;
	printf("%ld %ld\n", sum, in.words[39]);
	printf("%s\n", shapes::text("a text that is not short", "another one").c_str());
	printf("%d %d\n", shapes::variadic(6, 1, 2.5, 3, 4.5, 5, 6.5), shapes::variadic(0));
	printf("%.9g %d\n", shapes::single(1), plain(41));
	errno = 77;
	shapes::nothing();
	printf("%d\n", errno);
	fprintf(stderr, "shapes::many_longs 1\nshapes::many 1\nshapes::pair 1\nshapes::both 1\n"
			"shapes::extended 1\nshapes::big 1\nshapes::text 1\nshapes::variadic 2\n"
			"shapes::single 1\nplain 1\nshapes::nothing 1\n");
}

static void exceptions()
{
	int caught = 0, cleaned = 0;
	struct cleaner {
		int &count;
		~cleaner() { count++; }
	};
	for (int i = 0; i < 3; i++) {
		try {
			cleaner here{cleaned};
			shapes::throws(i);
		} catch (const std::runtime_error &error) {
			caught += std::strcmp(error.what(), "from within") == 0;
		}
	}
	shapes::nothing();
	printf("%d %d\n", caught, cleaned);
	fprintf(stderr, "shapes::throws 6\nshapes::throws_deeper 3\nshapes::nothing 1\n");
}

static void leaps()
{
	volatile int times = 0;
	for (int i = 0; i < 200; i++)
		if (setjmp(probe_test_leap) == 0)
			shapes::leaps(2);
		else
			times = times + 1;
	shapes::nothing();
	printf("%d\n", times);
	fprintf(stderr, "shapes::nothing 1\n");
}

static void recursion(int depth)
{
	printf("%d\n", shapes::recursive(depth));
	fprintf(stderr, "shapes::recursive %d\nshapes::recursive_deeper %d\n", depth + 1, depth);
}

static void threads()
{
	std::vector<std::thread> all;
	long sums[16] = {};
	for (int i = 0; i < 16; i++)
		all.emplace_back([i, &sums] {
			for (int j = 0; j < 5000; j++)
				sums[i] += plain(j) + shapes::many_longs(j, 1, 1, 1, 1, 1, 1, 1, 1, i);
		});
	long sum = 0;
	for (std::thread &one : all)
		one.join();
	for (long one : sums)
		sum += one;
	printf("%ld\n", sum);
	fprintf(stderr, "shapes::many_longs 80000\nplain 80000\n");
}

/* In threads that have recorded nothing yet, where most is done between the call and the function. */
#if defined(__x86_64__)
__attribute__((target("avx"))) static bool four_right(double x)
{
	alignas(32) double got[4];
	shapes::four in = {_mm256_set_pd(x + 3, x + 2, x + 1, x)};
	_mm256_store_pd(got, shapes::twice_four(in, 0.5).numbers);
	return got[0] == 2 * x + 0.5 && got[1] == 2 * x + 2.5 && got[2] == 2 * x + 4.5 && got[3] == 2 * x + 6.5;
}

__attribute__((target("avx512f"))) static bool eight_right(double x)
{
	alignas(64) double got[8];
	shapes::eight in = {_mm512_set_pd(x + 7, x + 6, x + 5, x + 4, x + 3, x + 2, x + 1, x)};
	_mm512_store_pd(got, shapes::twice_eight(in, 0.5).numbers);
	bool right = true;
	for (int i = 0; i < 8; i++)
		right = right && got[i] == 2 * (x + i) + 0.5;
	return right;
}

static void vectors()
{
	bool has_four = __builtin_cpu_supports("avx"), has_eight = __builtin_cpu_supports("avx512f");
	int right = 0;
	for (int i = 0; i < 8; i++)
		std::thread([&] {
			for (int j = 0; j < 100; j++) {
				right += !has_eight || eight_right(i + j);
				right += !has_four || four_right(i + j);
			}
		}).join();
	printf("%d\n", right);
	if (has_eight)
		fprintf(stderr, "shapes::twice_eight 800\n");
	if (has_four)
		fprintf(stderr, "shapes::twice_four 800\n");
}
#else
static void vectors() {}
#endif

static void *cancelled(void *)
{
	shapes::nothing();
	pthread_exit(nullptr);
}

static void ends()
{
	pthread_t thread;
	pthread_create(&thread, nullptr, cancelled, nullptr);
	pthread_join(thread, nullptr);
	pid_t child = fork();
	if (child == 0) {
		int made = plain(1);
		_exit(made == 2 ? 0 : 1);
	}
	int status;
	waitpid(child, &status, 0);
	printf("%d\n", status);
	fprintf(stderr, "shapes::nothing 1\nplain 1\n");
}

/* A library that comes and goes, every time as another copy; what it calls is looked at too. */
static void unloads(const char *path)
{
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library == nullptr) {
			printf("%s\n", dlerror());
			exit(1);
		}
		int (*visit)(int) = reinterpret_cast<int (*)(int)>(dlsym(library, "visit"));
		sum += visit(i);
		dlclose(library);
	}
	printf("%d\n", sum);
	fprintf(stderr, "plain 20\n");
}

/* It is somewhere else after the first look at it (moved.c). */
static void moves(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	(void)dlsym(library, "visit");
	void *(*again)() = reinterpret_cast<void *(*)()>(dlsym(RTLD_DEFAULT, "moved"));
	int (*visit)(int) = reinterpret_cast<int (*)(int)>(dlsym(again(), "visit"));
	printf("%d\n", visit(1));
}

int main(int argc, char **argv)
{
	if (argc > 1 && std::strcmp(argv[1], "throws") == 0)
		exceptions();
	else if (argc > 1 && std::strcmp(argv[1], "leaps") == 0)
		leaps();
	else if (argc > 1 && std::strcmp(argv[1], "recursion") == 0)
		recursion(argc > 2 ? std::atoi(argv[2]) : 50);
	else if (argc > 1 && std::strcmp(argv[1], "vectors") == 0)
		vectors();
	else if (argc > 1 && std::strcmp(argv[1], "threads") == 0)
		threads();
	else if (argc > 1 && std::strcmp(argv[1], "ends") == 0)
		ends();
	else if (argc > 2 && std::strcmp(argv[1], "unloads") == 0)
		unloads(argv[2]);
	else if (argc > 2 && std::strcmp(argv[1], "moves") == 0)
		moves(argv[2]);
	else
		all_shapes();
}
