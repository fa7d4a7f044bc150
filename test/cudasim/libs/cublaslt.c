/* SPDX-License-Identifier: MIT */
/* Stand-in for libcublasLt: products described by descriptors, with their epilogues. */
#include <stdlib.h>
#include <string.h>

#include "gemm.h"

enum {
	SUCCESS = 0,
	ALLOC_FAILED = 3,
	INVALID_VALUE = 7,
	EXECUTION_FAILED = 13,
	NOT_SUPPORTED = 15
};

enum {
	RESULT_SIZE = 96, /* of one heuristic result; zeroes are a good one */
	PREFERENCE_SIZE = 64,
	COLUMN_MAJOR = 0
};

struct description {
	int32_t scale_type;
	int32_t pointer_mode;
	int32_t trans_a, trans_b;
	uint32_t epilogue;
	void *bias;
	int64_t bias_batch;
	int32_t bias_type;
	void *aux;
	int64_t aux_ld, aux_batch;
	int refused; /* an attribute that changes the result and is not computed */
};

struct layout {
	uint32_t type;
	int32_t order;
	uint64_t rows, columns;
	int64_t ld;
	int32_t batch;
	int64_t batch_step;
};

const struct cudasim_kernel launcher_kernels[] = {GEMM_KERNELS, {NULL, NULL, 0, NULL, NULL, NULL}};

#define API(name, ...)                                                                             \
	LIB_EXPORT int name(__VA_ARGS__);                                                          \
	int name(__VA_ARGS__)

/* Attributes by number: where each goes. */
struct field {
	int attribute;
	size_t offset;
	size_t size;
};

#define FIELD(number, type, member)                                                                \
	{                                                                                          \
		number, offsetof(struct type, member), sizeof(((struct type *)0)->member)          \
	}

static const struct field description_fields[] = {
	FIELD(1, description, scale_type),
	FIELD(2, description, pointer_mode),
	FIELD(3, description, trans_a),
	FIELD(4, description, trans_b),
	FIELD(7, description, epilogue),
	FIELD(8, description, bias),
	FIELD(10, description, bias_batch),
	FIELD(11, description, aux),
	FIELD(12, description, aux_ld),
	FIELD(13, description, aux_batch),
	FIELD(26, description, bias_type),
};

static const struct field layout_fields[] = {
	FIELD(0, layout, type),
	FIELD(1, layout, order),
	FIELD(2, layout, rows),
	FIELD(3, layout, columns),
	FIELD(4, layout, ld),
	FIELD(5, layout, batch),
	FIELD(6, layout, batch_step),
};

static int set_field(const struct field *fields, size_t count, void *object, int attribute,
	const void *value, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		if (fields[i].attribute != attribute)
			continue;
		if (size != fields[i].size)
			return INVALID_VALUE;
		memcpy((char *)object + fields[i].offset, value, size);
		return SUCCESS;
	}
	return NOT_SUPPORTED;
}

/* What is there, whole: as many bytes as it has, or no more than asked for. */
static int get_field(const struct field *fields, size_t count, const void *object, int attribute,
	void *ret_value, size_t size, size_t *ret_size)
{
	for (size_t i = 0; i < count; i++) {
		if (fields[i].attribute != attribute)
			continue;
		if (ret_size)
			*ret_size = fields[i].size;
		if (size == 0 && ret_size)
			return SUCCESS; /* asked for the size alone */
		if (!ret_value || size != fields[i].size)
			return INVALID_VALUE;
		memcpy(ret_value, (const char *)object + fields[i].offset, size);
		return SUCCESS;
	}
	return NOT_SUPPORTED;
}

LIB_EXPORT size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void)
{
	return CUDART_MAJOR == 12 ? 120804 : 130200;
}

API(cublasLtCreate, void **ret_handle)
{
	*ret_handle = calloc(1, 64);
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

API(cublasLtDestroy, void *handle)
{
	free(handle);
	return SUCCESS;
}

API(cublasLtMatmulDescCreate, struct description **ret_description, int compute, int scale_type)
{
	(void)compute;
	*ret_description = calloc(1, sizeof(**ret_description));
	if (!*ret_description)
		return ALLOC_FAILED;
	(*ret_description)->scale_type = scale_type;
	(*ret_description)->bias_type = -1;
	return SUCCESS;
}

API(cublasLtMatmulDescDestroy, struct description *description)
{
	free(description);
	return SUCCESS;
}

API(cublasLtMatmulDescSetAttribute, struct description *description, int attribute,
	const void *value, size_t size)
{
	int result = set_field(description_fields,
		sizeof(description_fields) / sizeof(*description_fields), description, attribute,
		value, size);

	if (result != NOT_SUPPORTED)
		return result;
	/* Scales, modes and triangles change the result; counts of processors do not. */
	description->refused |= attribute != 15 && attribute != 25;
	return SUCCESS;
}

API(cublasLtMatmulDescGetAttribute, const struct description *description, int attribute,
	void *ret_value, size_t size, size_t *ret_size)
{
	return get_field(description_fields,
		sizeof(description_fields) / sizeof(*description_fields), description, attribute,
		ret_value, size, ret_size);
}

API(cublasLtMatrixLayoutCreate, struct layout **ret_layout, int type, uint64_t rows,
	uint64_t columns, int64_t ld)
{
	*ret_layout = calloc(1, sizeof(**ret_layout));
	if (!*ret_layout)
		return ALLOC_FAILED;
	**ret_layout = (struct layout){
		.type = (uint32_t)type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
	return SUCCESS;
}

API(cublasLtMatrixLayoutDestroy, struct layout *layout)
{
	free(layout);
	return SUCCESS;
}

API(cublasLtMatrixLayoutSetAttribute, struct layout *layout, int attribute, const void *value,
	size_t size)
{
	return set_field(layout_fields, sizeof(layout_fields) / sizeof(*layout_fields), layout,
		attribute, value, size);
}

API(cublasLtMatrixLayoutGetAttribute, const struct layout *layout, int attribute, void *ret_value,
	size_t size, size_t *ret_size)
{
	return get_field(layout_fields, sizeof(layout_fields) / sizeof(*layout_fields), layout,
		attribute, ret_value, size, ret_size);
}

API(cublasLtMatmulPreferenceCreate, void **ret_preference)
{
	*ret_preference = calloc(1, PREFERENCE_SIZE);
	return *ret_preference ? SUCCESS : ALLOC_FAILED;
}

API(cublasLtMatmulPreferenceDestroy, void *preference)
{
	free(preference);
	return SUCCESS;
}

/* Limits on workspace and alignment: no product here needs either. */
API(cublasLtMatmulPreferenceSetAttribute, void *preference, int attribute, const void *value,
	size_t size)
{
	(void)preference;
	(void)attribute;
	(void)value;
	(void)size;
	return SUCCESS;
}

static struct gemm_matrix matrix_of(const void *data, const struct layout *layout, int transposed)
{
	struct gemm_matrix matrix = gemm_matrix(data, (int)layout->type, layout->ld, transposed);

	if (layout->order != COLUMN_MAJOR)
		matrix.type = TYPE_NONE;
	matrix.batch = layout->batch_step;
	return matrix;
}

/* 1 when the product can be computed as described. */
static int describe(const struct description *description, const struct layout *a,
	const struct layout *b, const struct layout *c, const struct layout *d, struct gemm *gemm)
{
	gemm->a = matrix_of(NULL, a, description->trans_a);
	gemm->b = matrix_of(NULL, b, description->trans_b);
	gemm->c = matrix_of(NULL, c, 0);
	gemm->d = matrix_of(NULL, d, 0);
	gemm->m = (int64_t)d->rows;
	gemm->n = (int64_t)d->columns;
	gemm->k = (int64_t)(description->trans_a ? a->rows : a->columns);
	gemm->batch = d->batch;
	gemm->epilogue = description->epilogue;
	gemm->bias = description->bias;
	gemm->bias_type =
		description->bias_type < 0 ? gemm->d.type : gemm_type(description->bias_type);
	gemm->bias_batch = description->bias_batch;
	gemm->aux = description->aux;
	gemm->aux_ld = description->aux_ld;
	gemm->aux_batch = description->aux_batch;
	gemm->scale = gemm_type(description->scale_type);
	return !description->refused && description->pointer_mode <= 1 &&
	       !(gemm->epilogue & GEMM_BIAS_BACK) && gemm->a.type != TYPE_NONE &&
	       gemm->b.type != TYPE_NONE && gemm->c.type != TYPE_NONE &&
	       gemm->d.type != TYPE_NONE && gemm->scale != TYPE_NONE &&
	       gemm->bias_type != TYPE_NONE;
}

API(cublasLtMatmulAlgoGetHeuristic, void *handle, const struct description *description,
	const struct layout *a, const struct layout *b, const struct layout *c,
	const struct layout *d, void *preference, int wanted, void *ret_results, int *ret_count)
{
	struct gemm gemm = {0};

	(void)handle;
	(void)preference;
	*ret_count = 0;
	if (!describe(description, a, b, c, d, &gemm))
		return NOT_SUPPORTED;
	if (wanted < 1)
		return INVALID_VALUE;
	memset(ret_results, 0, RESULT_SIZE);
	*ret_count = 1;
	return SUCCESS;
}

API(cublasLtMatmul, void *handle, const struct description *description, const void *alpha,
	const void *a, const struct layout *a_layout, const void *b, const struct layout *b_layout,
	const void *beta, const void *c, const struct layout *c_layout, void *d,
	const struct layout *d_layout, const void *algorithm, void *workspace,
	size_t workspace_size, launch_stream stream)
{
	struct gemm gemm = {0};

	(void)handle;
	(void)algorithm;
	(void)workspace;
	(void)workspace_size;
	if (!describe(description, a_layout, b_layout, c_layout, d_layout, &gemm))
		return NOT_SUPPORTED;
	gemm.a.data = (void *)a;
	gemm.b.data = (void *)b;
	gemm.c.data = (void *)c;
	gemm.d.data = d;
	gemm_scalars(&gemm, alpha, beta, gemm.scale, description->pointer_mode);
	return gemm_launch(&gemm, stream) ? EXECUTION_FAILED : SUCCESS;
}
