// SPDX-License-Identifier: MIT
#include "library.h"

#include <csetjmp>
#include <cstdarg>
#include <stdexcept>

extern "C" jmp_buf probe_test_leap;
jmp_buf probe_test_leap;

namespace shapes {
long many_longs(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

double many(int a, double b, int c, double d, int e, double f, int g, double h, int i, double j,
	    int k, double l, int m, double n, int o, double p, int q, double r, int s, double t)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17 * q + 18 * r + 19 * s + 20 * t;
}

two_doubles pair(double x) { return {x, 2 * x}; }
mixed both(long x) { return {x, x / 2.0}; }
long double extended(long double x) { return x * 1.0000000000000000001L; }

large big(large in, int factor)
{
	for (long &word : in.words)
		word *= factor;
	return in;
}

std::string text(std::string in, const std::string &other) { return in + "-" + other; }

int variadic(int count, ...)
{
	va_list list;
	double sum = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return static_cast<int>(sum);
}

float single(float x) { return x / 3; }

void throws(int depth)
{
	if (depth == 0)
		throw std::runtime_error("from within");
	throws_deeper(depth - 1);
}

void throws_deeper(int depth) { throws(depth); }

int recursive(int depth) { return depth == 0 ? 1 : depth + recursive_deeper(depth - 1); }
int recursive_deeper(int depth) { return recursive(depth); }

void leaps(int depth)
{
	if (depth == 0)
		longjmp(probe_test_leap, 1);
	leaps_deeper(depth - 1);
}

void leaps_deeper(int depth) { leaps(depth); }

void nothing() {}

#if defined(__x86_64__)
__attribute__((target("avx"))) four twice_four(four x, double y)
{
	return {_mm256_add_pd(_mm256_add_pd(x.numbers, x.numbers), _mm256_set1_pd(y))};
}

__attribute__((target("avx512f"))) eight twice_eight(eight x, double y)
{
	return {_mm512_add_pd(_mm512_add_pd(x.numbers, x.numbers), _mm512_set1_pd(y))};
}
#endif
} // namespace shapes

int plain(int x) { return x + 1; }
int (*plain_pointer)(int) = plain;
