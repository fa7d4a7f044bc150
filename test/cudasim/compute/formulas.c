/* SPDX-License-Identifier: MIT */
/* What the rows of ops.def come to: functions of each expression for one element and for lines. */
#include <fnmatch.h>
#include <math.h>

#include "elementwise.h"

static double floor_divide(double a, double b)
{
	double rest = fmod(a, b);

	if (b == 0)
		return a / b;
	return nearbyint((a - rest) / b) - (rest != 0 && (rest < 0) != (b < 0));
}

static int64_t floor_divide_int(int64_t a, int64_t b)
{
	if (!b)
		return 0;
	return a / b - (a % b && (a % b < 0) != (b < 0));
}

static double modulo(double a, double b)
{
	double rest = fmod(a, b);

	return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t modulo_int(int64_t a, int64_t b)
{
	int64_t rest = b ? a % b : 0;

	return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int compare(int64_t kind, double a, double b)
{
	return kind == 0 ? a >= b : kind == 1 ? a > b : kind == 2 ? a <= b : a < b;
}

static int compare_int(int64_t kind, int64_t a, int64_t b)
{
	return kind == 0 ? a >= b : kind == 1 ? a > b : kind == 2 ? a <= b : a < b;
}

static double clamp(int64_t kind, double a, double low, double high)
{
	if (kind != 1 && a < low)
		a = low;
	if (kind != 0 && a > high)
		a = high;
	return a;
}

static int64_t clamp_int(int64_t kind, int64_t a, int64_t low, int64_t high)
{
	if (kind != 1 && a < low)
		a = low;
	if (kind != 0 && a > high)
		a = high;
	return a;
}

static int either_nan(double a, double b)
{
	return isnan(a) || isnan(b);
}

static int64_t pow_int(int64_t base, int64_t exponent)
{
	int64_t result = 1;

	if (exponent < 0)
		return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
	while (exponent-- > 0)
		result *= base;
	return result;
}

static double normal_cdf(double x)
{
	return 0.5 * (1 + erf(x * M_SQRT1_2));
}

static double normal_pdf(double x)
{
	return exp(-0.5 * x * x) * 0.5 * M_SQRT1_2 * M_2_SQRTPI;
}

static double gelu_tanh_argument(double x)
{
	return M_SQRT2 * M_2_SQRTPI * 0.5 * (x + 0.044715 * x * x * x);
}

static double gelu_tanh(double x)
{
	return 0.5 * x * (1 + tanh(gelu_tanh_argument(x)));
}

static double gelu_tanh_slope(double x)
{
	double t = tanh(gelu_tanh_argument(x));
	double inner = M_SQRT2 * M_2_SQRTPI * 0.5 * (1 + 3 * 0.044715 * x * x);

	return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
}

static double silu_slope(double x)
{
	double s = 1 / (1 + exp(-x));

	return s * (1 + x * (1 - s));
}

/* s: the coefficients for negative, positive and incoming values; whether b is the result. */
static double elu_backward(double a, double b, const union value *s)
{
	double negative = s[0].f, positive = s[1].f, incoming = s[2].f;

	if (b > 0)
		return a * positive;
	if (s[3].i)
		return a * incoming * (b + negative);
	return a * incoming * negative * exp(b * incoming);
}

static double smooth_l1(double z, double beta)
{
	return z < beta ? 0.5 * z * z / beta : z - 0.5 * beta;
}

static double huber(double z, double delta)
{
	return z <= delta ? 0.5 * z * z : delta * (z - 0.5 * delta);
}

#define E0 s[0].i
#define A  in[0].f
#define B  in[1].f
#define C  in[2].f
#define S0 s[0].f
#define S1 s[1].f
#define S2 s[2].f
#define OP(id, pattern, result, scalars, real, whole)                                              \
	static double id##_real(const union value *in, const union value *s)                       \
	{                                                                                          \
		(void)in;                                                                          \
		(void)s;                                                                           \
		return real;                                                                       \
	}
#include "ops.def"
#undef OP

/* The same for a line of floats: the compiler drops what the expression does not use. */
#define OP(id, pattern, result, scalars, real, whole)                                              \
	static void id##_floats(const struct op_line *line, const union value *s)                  \
	{                                                                                          \
		union value in[OP_LINE_INPUTS];                                                    \
                                                                                                   \
		for (int64_t n = 0; n < line->count; n++) {                                        \
			A = line->in[0][n * line->step[0]];                                        \
			B = line->in[1][n * line->step[1]];                                        \
			C = line->in[2][n * line->step[2]];                                        \
			line->out[n * line->out_step] = (float)id##_real(in, s);                   \
		}                                                                                  \
	}
#include "ops.def"
#undef OP
#undef A
#undef B
#undef C
#undef S0
#undef S1
#undef S2

#define A  in[0].i
#define B  in[1].i
#define C  in[2].i
#define S0 s[0].i
#define S1 s[1].i
#define S2 s[2].i
#define OP(id, pattern, result, scalars, real, whole)                                              \
	static int64_t id##_whole(const union value *in, const union value *s)                     \
	{                                                                                          \
		(void)in;                                                                          \
		(void)s;                                                                           \
		return whole;                                                                      \
	}
#include "ops.def"
#undef OP

#define OP(id, pattern, result, scalars, real, whole)                                              \
	{pattern, result, scalars, id##_real, id##_whole, id##_floats},
static const struct op ops[] = {
#include "ops.def"
};
#undef OP

const struct op *op_find(const char *functor)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!fnmatch(ops[i].pattern, functor, 0))
			return &ops[i];
	return NULL;
}
