// SPDX-License-Identifier: MIT
// Functions that pass arguments and results in every way that the calling convention knows.
#pragma once
#include <string>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shapes
{
struct two_doubles {
	double a, b;
};
struct mixed {
	long a;
	double b;
};
struct large {
	long words[40];
};

long many_longs(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
double many(int a, double b, int c, double d, int e, double f, int g, double h, int i, double j,
	int k, double l, int m, double n, int o, double p, int q, double r, int s, double t);
two_doubles pair(double x);
mixed both(long x);
long double extended(long double x);
large big(large in, int factor);
std::string text(std::string in, const std::string &other);
int variadic(int count, ...);
float single(float x);
void throws(int depth);
void throws_deeper(int depth);
int recursive(int depth);
int recursive_deeper(int depth);
void leaps(int depth);
void leaps_deeper(int depth);
void nothing();
#if defined(__x86_64__)
struct four {
	__m256d numbers;
};
struct eight {
	__m512d numbers;
};
four twice_four(four x, double y);
eight twice_eight(eight x, double y);
#endif
} // namespace shapes

extern "C" {
int plain(int x);
extern int (*plain_pointer)(int);
}
