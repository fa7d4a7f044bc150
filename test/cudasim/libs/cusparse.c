/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for the part of libcusparse that torch.sparse's products use: versions, handles,
 * descriptions, products of a sparse matrix (rows packed or by coordinates) with a dense one.
 */
#include <stdlib.h>

#include "../compute/types.h"
#include "launcher.h"
#include "version.h"

enum {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 2,
	INVALID_VALUE = 3,
	EXECUTION_FAILED = 6,
	NOT_SUPPORTED = 10,
	WORKSPACE = 16,
	ORDER_ROW = 2,
	VERSION = CUDART_MAJOR == 12 ? 12508 : 12700
};

struct sparse {
	launch_stream stream;
	int on_device; /* where scalars are */
};

/* A sparse matrix: of row i the elements rows[i] to rows[i + 1] - 1, or element e in rows[e]. */
struct sparse_matrix {
	int64_t rows, columns, count;
	void *row_index, *column_index, *values;
	enum type row_type, column_type, type;
	int packed, base, batch;
	int64_t row_step, step; /* of a batch: distance between row_index, and the others */
};

struct dense_matrix { /* or a vector, of one column */
	int64_t rows, columns, row, column, step;
	void *values;
	enum type type;
	int batch;
};

struct product {
	struct sparse_matrix a;
	struct dense_matrix b, c;
	int a_transposed;
	double alpha, beta;
};

struct packing {
	const int *rows;
	int *packed;
	int count, size, base;
};

static const size_t product_sizes[1] = {sizeof(struct product)};
static const size_t packing_sizes[1] = {sizeof(struct packing)};

static double b_of(const struct product *product, int64_t batch, int64_t i, int64_t j)
{
	const struct dense_matrix *b = &product->b;

	return type_get(b->type, b->values, batch * b->step + i * b->row + j * b->column);
}

static void add(const struct product *product, int64_t batch, int64_t i, int64_t k, double value)
{
	const struct dense_matrix *c = &product->c;

	for (int64_t j = 0; j < c->columns; j++) {
		int64_t at = batch * c->step + i * c->row + j * c->column;

		type_put(c->type, c->values, at,
			type_get(c->type, c->values, at) +
				product->alpha * value * b_of(product, batch, k, j));
	}
}

/* Elements from..to - 1 of the matrix; row < 0: by their own coordinates. */
static void add_elements(
	const struct product *product, int64_t batch, int64_t row, int64_t from, int64_t to)
{
	const struct sparse_matrix *a = &product->a;
	int64_t at = batch * a->step;

	from = from < 0 ? 0 : from;
	to = to > a->count ? a->count : to;
	for (int64_t e = at + from; e < at + to; e++) {
		int64_t i = row < 0 ? type_get_int(a->row_type, a->row_index, e) - a->base : row;
		int64_t k = type_get_int(a->column_type, a->column_index, e) - a->base;
		double value = type_get(a->type, a->values, e);

		if (i < 0 || i >= a->rows || k < 0 || k >= a->columns)
			continue; /* a kernel that was not computed left them as they were */
		if (product->a_transposed)
			add(product, batch, k, i, value);
		else
			add(product, batch, i, k, value);
	}
}

static double operations_of(const struct product *product)
{
	return 2.0 * (double)product->a.count * (double)product->c.columns *
	       (double)product->c.batch;
}

static void multiply(const struct compute_launch *launch)
{
	const struct product *product = launch->args[0];
	const struct sparse_matrix *a = &product->a;
	const struct dense_matrix *c = &product->c;

	for (int64_t batch = 0; batch < c->batch; batch++) {
		for (int64_t i = 0; i < c->rows * c->columns; i++) {
			int64_t at = batch * c->step + i / c->columns * c->row +
				     i % c->columns * c->column;
			double old = product->beta != 0 ? type_get(c->type, c->values, at) : 0;

			type_put(c->type, c->values, at, product->beta * old);
		}
		if (!launcher_affords(
			    "a sparse product", operations_of(product), "it is taken to be 0"))
			continue;
		if (!a->packed)
			add_elements(product, batch, -1, 0, a->count);
		for (int64_t i = 0; a->packed && i < a->rows; i++) {
			int64_t at = batch * a->row_step + i;

			add_elements(product, batch, i,
				type_get_int(a->row_type, a->row_index, at) - a->base,
				type_get_int(a->row_type, a->row_index, at + 1) - a->base);
		}
	}
}

/* Each element moves 12 bytes or more: 100 G elements times columns a second, and 4 us. */
static uint64_t product_duration(const struct compute_launch *launch)
{
	return 4000 + (uint64_t)(operations_of(launch->args[0]) / 200);
}

/* Where each row of sorted coordinates begins. */
static void pack(const struct compute_launch *launch)
{
	const struct packing *packing = launch->args[0];

	for (int row = 0, e = 0; row <= packing->size; row++) {
		while (e < packing->count && packing->rows[e] - packing->base < row)
			e++;
		packing->packed[row] = e + packing->base;
	}
}

const struct cudasim_kernel launcher_kernels[] = {
	{"sim_csrmm", multiply, 1, product_sizes, product_duration, NULL},
	{"sim_csrmv", multiply, 1, product_sizes, product_duration, NULL},
	{"sim_coo2csr", pack, 1, packing_sizes, NULL, NULL}, {NULL, NULL, 0, NULL, NULL, NULL}};

VERSION_API(cusparseGetVersion, const struct sparse *handle, int *ret_version)
{
	(void)handle; /* may be NULL */
	*ret_version = VERSION;
	return SUCCESS;
}

VERSION_API(cusparseGetProperty, int type, int *ret_value)
{
	return version_part(VERSION, type, ret_value) ? INVALID_VALUE : SUCCESS;
}

VERSION_API(cusparseCreate, struct sparse **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

VERSION_API(cusparseDestroy, struct sparse *handle)
{
	free(handle);
	return SUCCESS;
}

VERSION_API(cusparseSetStream, struct sparse *handle, launch_stream stream)
{
	if (!handle)
		return NOT_INITIALIZED;
	handle->stream = stream;
	return SUCCESS;
}

VERSION_API(cusparseSetPointerMode, struct sparse *handle, int mode)
{
	if (!handle)
		return NOT_INITIALIZED;
	handle->on_device = mode;
	return SUCCESS;
}

static enum type index_type(int type)
{
	return type == 2 ? TYPE_INT32 : type == 3 ? TYPE_INT64 : TYPE_NONE;
}

static enum type value_type(int cuda_type)
{
	return cuda_type == 0    ? TYPE_FLOAT
	       : cuda_type == 1  ? TYPE_DOUBLE
	       : cuda_type == 2  ? TYPE_HALF
	       : cuda_type == 14 ? TYPE_BFLOAT16
				 : TYPE_NONE;
}

static int keep(const void *object, size_t size, void **ret_copy)
{
	*ret_copy = malloc(size);
	if (!*ret_copy)
		return ALLOC_FAILED;
	__builtin_memcpy(*ret_copy, object, size);
	return SUCCESS;
}

VERSION_API(cusparseCreateCsr, void **ret_matrix, int64_t rows, int64_t columns, int64_t count,
	void *row_index, void *column_index, void *values, int row_type, int column_type, int base,
	int type)
{
	struct sparse_matrix matrix = {rows, columns, count, row_index, column_index, values,
		index_type(row_type), index_type(column_type), value_type(type), 1, base, 1, 0, 0};

	if (matrix.row_type == TYPE_NONE || matrix.column_type == TYPE_NONE)
		return NOT_SUPPORTED;
	return keep(&matrix, sizeof(matrix), ret_matrix);
}

VERSION_API(cusparseCreateCoo, void **ret_matrix, int64_t rows, int64_t columns, int64_t count,
	void *row_index, void *column_index, void *values, int type_of_index, int base, int type)
{
	struct sparse_matrix matrix = {rows, columns, count, row_index, column_index, values,
		index_type(type_of_index), index_type(type_of_index), value_type(type), 0, base, 1,
		0, 0};

	if (matrix.row_type == TYPE_NONE)
		return NOT_SUPPORTED;
	return keep(&matrix, sizeof(matrix), ret_matrix);
}

VERSION_API(cusparseCsrSetStridedBatch, struct sparse_matrix *matrix, int batch, int64_t row_step,
	int64_t step)
{
	matrix->batch = batch;
	matrix->row_step = row_step;
	matrix->step = step;
	return SUCCESS;
}

VERSION_API(cusparseCreateDnMat, void **ret_matrix, int64_t rows, int64_t columns, int64_t ld,
	void *values, int type, int order)
{
	struct dense_matrix matrix = {rows, columns, order == ORDER_ROW ? ld : 1,
		order == ORDER_ROW ? 1 : ld, 0, values, value_type(type), 1};

	return keep(&matrix, sizeof(matrix), ret_matrix);
}

VERSION_API(cusparseDnMatSetStridedBatch, struct dense_matrix *matrix, int batch, int64_t step)
{
	matrix->batch = batch;
	matrix->step = step;
	return SUCCESS;
}

VERSION_API(cusparseCreateDnVec, void **ret_vector, int64_t size, void *values, int type)
{
	struct dense_matrix vector = {size, 1, 1, 0, 0, values, value_type(type), 1};

	return keep(&vector, sizeof(vector), ret_vector);
}

#define DESTROY(name)                                                                              \
	VERSION_API(name, void *object)                                                            \
	{                                                                                          \
		free(object);                                                                      \
		return SUCCESS;                                                                    \
	}
DESTROY(cusparseDestroySpMat)
DESTROY(cusparseDestroyDnMat)
DESTROY(cusparseDestroyDnVec)

static struct dense_matrix turned(const struct dense_matrix *matrix, int operation)
{
	struct dense_matrix turned = *matrix;

	if (operation) {
		turned.rows = matrix->columns, turned.columns = matrix->rows;
		turned.row = matrix->column, turned.column = matrix->row;
	}
	return turned;
}

static int launch_product(struct sparse *handle, const char *kernel, struct product *product,
	const void *alpha, const void *beta, int compute)
{
	struct launch_shape shape = {
		.grid = {(uint32_t)((product->c.rows + 7) / 8), 1, 1}, .block = {256, 1, 1}};
	enum type scale = compute == 1 ? TYPE_DOUBLE : TYPE_FLOAT; /* as the types of values */

	if (!handle)
		return NOT_INITIALIZED;
	if (handle->on_device || compute > 1 || product->a.type == TYPE_NONE ||
		product->b.type == TYPE_NONE || product->c.type == TYPE_NONE)
		return NOT_SUPPORTED;
	product->alpha = type_get(scale, alpha, 0);
	product->beta = type_get(scale, beta, 0);
	if (product->c.rows <= 0 || product->c.columns <= 0)
		return SUCCESS;
	return launcher_launch(kernel, shape, handle->stream, product) ? EXECUTION_FAILED : SUCCESS;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* as the vendor declares them */

VERSION_API(cusparseSpMM_bufferSize, struct sparse *handle, int operation_a, int operation_b,
	const void *alpha, const struct sparse_matrix *a, const struct dense_matrix *b,
	const void *beta, const struct dense_matrix *c, int compute, int algorithm,
	size_t *ret_size)
{
	*ret_size = WORKSPACE;
	return handle ? SUCCESS : NOT_INITIALIZED;
}

VERSION_API(cusparseSpMM, struct sparse *handle, int operation_a, int operation_b,
	const void *alpha, const struct sparse_matrix *a, const struct dense_matrix *b,
	const void *beta, const struct dense_matrix *c, int compute, int algorithm, void *room)
{
	struct product product = {*a, turned(b, operation_b), *c, operation_a, 0, 0};

	return launch_product(handle, "sim_csrmm", &product, alpha, beta, compute);
}

VERSION_API(cusparseSpMV_bufferSize, struct sparse *handle, int operation, const void *alpha,
	const struct sparse_matrix *a, const struct dense_matrix *x, const void *beta,
	const struct dense_matrix *y, int compute, int algorithm, size_t *ret_size)
{
	*ret_size = WORKSPACE;
	return handle ? SUCCESS : NOT_INITIALIZED;
}

VERSION_API(cusparseSpMV, struct sparse *handle, int operation, const void *alpha,
	const struct sparse_matrix *a, const struct dense_matrix *x, const void *beta,
	const struct dense_matrix *y, int compute, int algorithm, void *room)
{
	struct product product = {*a, *x, *y, operation, 0, 0};

	return launch_product(handle, "sim_csrmv", &product, alpha, beta, compute);
}

#pragma GCC diagnostic pop

VERSION_API(cusparseXcoo2csr, struct sparse *handle, const int *rows, int count, int size,
	int *packed, int base)
{
	struct packing packing = {rows, packed, count, size, base};
	struct launch_shape shape = {
		.grid = {(uint32_t)(count / 256 + 1), 1, 1}, .block = {256, 1, 1}};

	if (!handle)
		return NOT_INITIALIZED;
	return launcher_launch("sim_coo2csr", shape, handle->stream, &packing) ? EXECUTION_FAILED
									       : SUCCESS;
}
