/* SPDX-License-Identifier: MIT */
/*
 * Random numbers: distributions and dropout. They depend on PyTorch's seed, offset and the
 * element alone, so that a seeded program repeats itself; they are not the numbers that a GPU
 * would draw.
 */
#include "random.h"

#include <math.h>

#include "elementwise.h"
#include "kernel.h"
#include "layout.h"
#include "name.h"
#include "tensor.h"

enum distribution {
	UNIFORM,
	NORMAL,
	BERNOULLI,
	EXPONENTIAL,
	FROM_TO,
	ANY
};

struct random random_of(const void *state, int cudart)
{
	struct random random = {FIELD_AT(state, 0, uint64_t), FIELD_AT(state, 8, uint64_t)};

	if (FIELD_AT(state, layout_for(cudart)->captured_at, uint8_t)) {
		random.seed = *FIELD_AT(state, 0, const uint64_t *);
		random.offset =
			*FIELD_AT(state, 8, const uint64_t *) + FIELD_AT(state, 16, uint32_t);
	}
	return random;
}

static uint64_t mix(uint64_t bits)
{
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
	return bits ^ bits >> 31;
}

uint64_t random_bits(const struct random *generator, uint64_t index)
{
	return mix(mix(generator->seed + 0x9e3779b97f4a7c15ull * (generator->offset + 1)) +
		   0x9e3779b97f4a7c15ull * (index + 1));
}

double random_unit(const struct random *generator, uint64_t index)
{
	return (double)((random_bits(generator, index) >> 11) + 1) * 0x1p-53;
}

static double normal_at(const struct random *generator, uint64_t index)
{
	struct random other = {~generator->seed, generator->offset};

	return sqrt(-2 * log(random_unit(generator, index))) *
	       cos(2 * M_PI * random_unit(&other, index));
}

/*
 * distribution_elementwise_grid_stride_kernel<..., distribution_nullary_kernel<type, calculating,
 * ...>::{lambda(int, calculating)#1 or 2}>(count, state, functor, lambda)
 */
int random_bind(struct kernel *kernel)
{
	static const struct {
		const char *name;
		enum distribution distribution;
	} known[] = {
		{"uniform_kernel<", UNIFORM},
		{"normal_kernel<", NORMAL},
		{"bernoulli_kernel<", BERNOULLI},
		{"exponential_kernel<", EXPONENTIAL},
		{"random_from_to_kernel<", FROM_TO},
		{"random_kernel<", ANY},
	};
	const char *inner = strstr(kernel->name, "distribution_nullary_kernel<");
	char lambda[4096];

	if (!inner || !name_argument(kernel->name, 3, lambda, sizeof(lambda)))
		return 0;
	kernel->types[0] = name_type(inner, 0);
	kernel->types[1] = name_type(inner, 1);
	kernel->flags = lambda[strlen(lambda) - 2] == '2';                      /* strided */
	kernel->offset = kernel->flags ? ALIGN_UP(offsets_size(1), 8) + 8 : 12; /* of the functor */
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strstr(kernel->name, known[i].name))
			continue;
		kernel->count = known[i].distribution;
		if (kernel->count == FROM_TO || kernel->count == BERNOULLI)
			kernel->offset = ALIGN_UP(kernel->offset, 8);
		kernel->params = "pGb#";
		kernel->sizes[0] = kernel->offset + 16;
		return kernel->types[0] != TYPE_NONE;
	}
	return 0;
}

/* Bits of a random number of that type. */
static uint64_t any_mask(enum type type)
{
	switch (type) {
	case TYPE_HALF:
		return (1u << 11) - 1;
	case TYPE_BFLOAT16:
		return (1u << 8) - 1;
	case TYPE_FLOAT:
		return (1u << 24) - 1;
	case TYPE_DOUBLE:
		return (1ull << 53) - 1;
	case TYPE_BOOL:
		return 1;
	default:
		return (1ull << (8 * type_size(type) - 1)) - 1;
	}
}

static union value draw(const struct kernel *kernel, const struct random *generator,
	const char *functor, uint64_t i)
{
	enum type acc = kernel->types[1] == TYPE_DOUBLE ? TYPE_DOUBLE : TYPE_FLOAT;
	double first = type_get(kernel->count == BERNOULLI ? TYPE_DOUBLE : acc, functor, 0);
	double second =
		kernel->count == UNIFORM || kernel->count == NORMAL ? type_get(acc, functor, 1) : 0;
	union value value = {0};

	switch (kernel->count) {
	case UNIFORM: /* {range, from}; the end is not part of it */
		value.f = (1 - random_unit(generator, i)) * first + second;
		break;
	case NORMAL: /* {mean, deviation} */
		value.f = normal_at(generator, i) * second + first;
		break;
	case BERNOULLI: /* {double probability} */
		value.f = random_unit(generator, i) <= first;
		break;
	case EXPONENTIAL: /* {rate} */
		value.f = -log(random_unit(generator, i)) / first;
		break;
	case ANY: /* {}: all numbers that are not negative, of floats those without a gap */
		value.i = (int64_t)(random_bits(generator, i) >> 1 & any_mask(kernel->types[0]));
		value.f = type_is_float(kernel->types[0]) ? (double)value.i : value.f;
		break;
	default: /* {range, base} */
		value.i = (int64_t)(random_bits(generator, i) % FIELD_AT(functor, 0, uint64_t)) +
			  FIELD_AT(functor, 8, int64_t);
	}
	return value;
}

void random_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct random generator = random_of(launch->args[1], launch->cudart);
	const char *lambda = launch->args[3];
	char *out = FIELD_AT(lambda, kernel->flags ? kernel->offset - 8 : 0, char *);

	if (kernel->flags)
		out = FIELD_AT(lambda, ALIGN_UP(offsets_size(1), 8), char *);
	for (int64_t i = 0; i < ARG(launch, 0, int64_t); i++) {
		int64_t at = FIELD_AT(lambda, 8, int32_t) * i;
		uint32_t offset;

		if (kernel->flags) {
			offsets_of(lambda, 1, (uint32_t)i, &offset);
			at = offset;
		}
		type_store(kernel->types[0], out + at,
			draw(kernel, &generator, lambda + kernel->offset, (uint64_t)i),
			kernel->count != FROM_TO &&
				(kernel->count != ANY || type_is_float(kernel->types[0])));
	}
}

/* fused_dropout_kernel[_vec]<type, calculating, number, ...>(in, out, mask, count, keep, state) */
int dropout_bind(struct kernel *kernel)
{
	for (int i = 0; i < 3; i++)
		kernel->types[i] = name_type(kernel->name, i);
	kernel->flags = kernel->types[2] == TYPE_UINT64;
	kernel->params = "###p#G";
	kernel->sizes[0] = kernel->sizes[1] = kernel->sizes[2] = tensor_info_size(kernel->flags);
	kernel->sizes[3] = type_size(kernel->types[1]);
	if (!kernel->flags)
		kernel->params = "###i#G";
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       (kernel->flags || kernel->types[2] == TYPE_UINT32);
}

void dropout_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor in = tensor_view(launch->args[0], kernel->flags);
	struct tensor out = tensor_view(launch->args[1], kernel->flags);
	struct tensor mask = tensor_view(launch->args[2], kernel->flags);
	struct random generator = random_of(launch->args[5], launch->cudart);
	double keep = type_get(kernel->types[1], launch->args[4], 0);

	for (int64_t i = 0; i < type_get_int(kernel->types[2], launch->args[3], 0); i++) {
		int kept = random_unit(&generator, (uint64_t)i) <= keep;

		((uint8_t *)mask.data)[tensor_offset(&mask, i)] = (uint8_t)kept;
		type_put(kernel->types[0], out.data, tensor_offset(&out, i),
			kept ? type_get(kernel->types[0], in.data, tensor_offset(&in, i)) / keep
			     : 0);
	}
}

/* kernelPointwiseApply2<bernoulli lambda, out, probability, number, ...>(out, probability, ...) */
int bernoulli_bind(struct kernel *kernel)
{
	char probability[64];

	if (!strstr(kernel->name, "bernoulli_tensor_cuda_kernel<") ||
		!name_argument(kernel->name, 2, probability, sizeof(probability)))
		return 0;
	kernel->types[0] = name_type(kernel->name, 1);
	kernel->types[1] = type_parse(probability);
	kernel->types[2] = name_type(kernel->name, 3);
	kernel->flags = kernel->types[2] == TYPE_UINT64;
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       (kernel->flags || kernel->types[2] == TYPE_UINT32);
}

/* (out, probability, count, {state}) */
void bernoulli_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor out = tensor_view(launch->args[0], kernel->flags);
	struct tensor probability = tensor_view(launch->args[1], kernel->flags);
	struct random generator = random_of(launch->args[3], launch->cudart);

	for (int64_t i = 0; i < type_get_int(kernel->types[2], launch->args[2], 0); i++)
		type_put(kernel->types[0], out.data, tensor_offset(&out, i),
			random_unit(&generator, (uint64_t)i) <=
				type_get(kernel->types[1], probability.data,
					tensor_offset(&probability, i)));
}
