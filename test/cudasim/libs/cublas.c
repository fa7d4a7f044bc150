/* SPDX-License-Identifier: MIT */
/* Stand-in for the part of libcublas that PyTorch's layers use: handles, products, dots. */
#include <stdlib.h>

#include "cublas.h"
#include "dense.h"
#include "gemm.h"

enum {
	REAL_32F = 0,
	REAL_64F = 1
};

const struct cudasim_kernel launcher_kernels[] = {
	GEMM_KERNELS, DENSE_KERNELS, {NULL, NULL, 0, NULL, NULL, NULL}};

API(cublasCreate_v2, struct cublas **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? CUBLAS_SUCCESS : CUBLAS_ALLOC_FAILED;
}

API(cublasDestroy_v2, struct cublas *handle)
{
	free(handle);
	return CUBLAS_SUCCESS;
}

enum {
	VERSION = CUDART_MAJOR == 12 ? 120804 : 130200
};

API(cublasGetVersion_v2, const struct cublas *handle, int *ret_version)
{
	(void)handle; /* may be NULL */
	*ret_version = VERSION;
	return CUBLAS_SUCCESS;
}

/* type: of libraryPropertyType, major, minor, patch. */
API(cublasGetProperty, int type, int *ret_value)
{
	const int parts[] = {VERSION / 10000, VERSION / 100 % 100, VERSION % 100};
	if (type < 0 || type > 2)
		return CUBLAS_INVALID_VALUE;
	*ret_value = parts[type];
	return CUBLAS_SUCCESS;
}

API(cublasSetStream_v2, struct cublas *handle, launch_stream stream)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	handle->stream = stream;
	return CUBLAS_SUCCESS;
}

API(cublasGetStream_v2, struct cublas *handle, launch_stream *ret_stream)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	*ret_stream = handle->stream;
	return CUBLAS_SUCCESS;
}

API(cublasSetMathMode, struct cublas *handle, int mode)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	handle->math_mode = mode;
	return CUBLAS_SUCCESS;
}

API(cublasGetMathMode, struct cublas *handle, int *ret_mode)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	*ret_mode = handle->math_mode;
	return CUBLAS_SUCCESS;
}

API(cublasSetPointerMode_v2, struct cublas *handle, int mode)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	handle->on_device = mode;
	return CUBLAS_SUCCESS;
}

API(cublasGetPointerMode_v2, struct cublas *handle, int *ret_mode)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	*ret_mode = handle->on_device;
	return CUBLAS_SUCCESS;
}

/* The products need no workspace. */
API(cublasSetWorkspace_v2, struct cublas *handle, void *workspace, size_t size)
{
	(void)workspace;
	(void)size;
	return handle ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

/* The device that is modelled has no partitions. */
API(cublasSetSmCountTarget, struct cublas *handle, int count)
{
	(void)count;
	return handle ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

/* One product for all entry points; type is that of alpha and beta. */
static int multiply(struct cublas *handle, struct gemm *gemm, const void *alpha, const void *beta,
	enum type type)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	if (gemm->a.type == TYPE_NONE || gemm->b.type == TYPE_NONE || gemm->c.type == TYPE_NONE ||
		type == TYPE_NONE)
		return CUBLAS_NOT_SUPPORTED;
	gemm->d = gemm->c;
	gemm_scalars(gemm, alpha, beta, type, handle->on_device);
	return gemm_launch(gemm, handle->stream) ? CUBLAS_EXECUTION_FAILED : CUBLAS_SUCCESS;
}

/* 64 is CUBLAS_COMPUTE_16F: half scalars; 70 on: double. Older callers pass a data type. */
static enum type scale_type(int compute)
{
	if (compute == 2 || compute == 64 || compute == 65)
		return TYPE_HALF;
	return compute == 1 || compute == 70 || compute == 71 ? TYPE_DOUBLE : TYPE_FLOAT;
}

API(cublasGemmStridedBatchedEx, struct cublas *handle, int trans_a, int trans_b, int m, int n,
	int k, const void *alpha, const void *a, int a_type, int lda, long long a_step,
	const void *b, int b_type, int ldb, long long b_step, const void *beta, void *c, int c_type,
	int ldc, long long c_step, int batch, int compute, int algorithm)
{
	struct gemm gemm = {.m = m, .n = n, .k = k, .batch = batch};

	(void)algorithm;
	gemm.a = gemm_matrix(a, a_type, lda, trans_a);
	gemm.b = gemm_matrix(b, b_type, ldb, trans_b);
	gemm.c = gemm_matrix(c, c_type, ldc, 0);
	gemm.a.batch = a_step;
	gemm.b.batch = b_step;
	gemm.c.batch = c_step;
	return multiply(handle, &gemm, alpha, beta, scale_type(compute));
}

API(cublasGemmEx, struct cublas *handle, int trans_a, int trans_b, int m, int n, int k,
	const void *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
	const void *beta, void *c, int c_type, int ldc, int compute, int algorithm)
{
	return cublasGemmStridedBatchedEx(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda,
		0, b, b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}

API(cublasSgemmEx, struct cublas *handle, int trans_a, int trans_b, int m, int n, int k,
	const float *alpha, const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
	const float *beta, void *c, int c_type, int ldc)
{
	return cublasGemmEx(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, b, b_type,
		ldb, beta, c, c_type, ldc, REAL_32F, 0);
}

/* The four products of one type: plain and strided batched. */
#define GEMM_OF(letter, T, cuda_type)                                                              \
	API(cublas##letter##gemm_v2, struct cublas *handle, int trans_a, int trans_b, int m,       \
		int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,            \
		const T *beta, T *c, int ldc)                                                      \
	{                                                                                          \
		return cublasGemmEx(handle, trans_a, trans_b, m, n, k, alpha, a, cuda_type, lda,   \
			b, cuda_type, ldb, beta, c, cuda_type, ldc, cuda_type, 0);                 \
	}                                                                                          \
	API(cublas##letter##gemmStridedBatched, struct cublas *handle, int trans_a, int trans_b,   \
		int m, int n, int k, const T *alpha, const T *a, int lda, long long a_step,        \
		const T *b, int ldb, long long b_step, const T *beta, T *c, int ldc,               \
		long long c_step, int batch)                                                       \
	{                                                                                          \
		return cublasGemmStridedBatchedEx(handle, trans_a, trans_b, m, n, k, alpha, a,     \
			cuda_type, lda, a_step, b, cuda_type, ldb, b_step, beta, c, cuda_type,     \
			ldc, c_step, batch, cuda_type, 0);                                         \
	}                                                                                          \
	API(cublas##letter##gemv_v2, struct cublas *handle, int trans, int m, int n,               \
		const T *alpha, const T *a, int lda, const T *x, int x_step, const T *beta, T *y,  \
		int y_step)                                                                        \
	{                                                                                          \
		struct gemm gemm = {.m = trans ? n : m, .n = 1, .k = trans ? m : n, .batch = 1};   \
                                                                                                   \
		gemm.a = gemm_matrix(a, cuda_type, lda, trans);                                    \
		gemm.b = gemm_matrix(x, cuda_type, 0, 0);                                          \
		gemm.c = gemm_matrix(y, cuda_type, 0, 0);                                          \
		gemm.b.row = x_step;                                                               \
		gemm.c.row = y_step;                                                               \
		return multiply(handle, &gemm, alpha, beta, gemm_type(cuda_type));                 \
	}

GEMM_OF(S, float, REAL_32F)
GEMM_OF(D, double, REAL_64F)

API(cublasDotEx, struct cublas *handle, int n, const void *x, int x_type, int x_step, const void *y,
	int y_type, int y_step, void *result, int result_type, int compute_type)
{
	struct gemm gemm = {.m = 1, .n = 1, .k = n, .batch = 1, .alpha = 1};
	int failed;

	(void)compute_type;
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	gemm.a = gemm_matrix(x, x_type, x_step, 0);
	gemm.b = gemm_matrix(y, y_type, 0, 0);
	gemm.b.row = y_step;
	gemm.d = gemm_matrix(result, result_type, 1, 0);
	if (gemm.a.type == TYPE_NONE || gemm.b.type == TYPE_NONE || gemm.d.type == TYPE_NONE)
		return CUBLAS_NOT_SUPPORTED;
	failed = gemm_launch(&gemm, handle->stream);
	if (!failed && !handle->on_device) /* a result on the host is waited for */
		failed = launcher_wait(handle->stream);
	return failed ? CUBLAS_EXECUTION_FAILED : CUBLAS_SUCCESS;
}

API(cublasSdot_v2, struct cublas *handle, int n, const float *x, int x_step, const float *y,
	int y_step, float *result)
{
	return cublasDotEx(
		handle, n, x, REAL_32F, x_step, y, REAL_32F, y_step, result, REAL_32F, REAL_32F);
}

API(cublasDdot_v2, struct cublas *handle, int n, const double *x, int x_step, const double *y,
	int y_step, double *result)
{
	return cublasDotEx(
		handle, n, x, REAL_64F, x_step, y, REAL_64F, y_step, result, REAL_64F, REAL_64F);
}
