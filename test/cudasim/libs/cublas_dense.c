/* SPDX-License-Identifier: MIT */
/* The part of libcublas that torch.linalg uses: triangular solutions, batches of decompositions. */
#include "cublas.h"
#include "dense.h"

static int start(struct cublas *handle, struct dense dense, int *host_info)
{
	if (!handle)
		return CUBLAS_NOT_INITIALIZED;
	if (host_info)
		*host_info = 0;
	return dense_launch(&dense, handle->stream) ? CUBLAS_EXECUTION_FAILED : CUBLAS_SUCCESS;
}

static struct dense_matrix matrix(const void *data, int ld)
{
	return (struct dense_matrix){(void *)data, ld, 0};
}

/* A scalar on the device is not read: callers pass theirs from the host. */
#define DENSE_OF(L, T, TYPE)                                                                       \
	API(cublas##L##trsm_v2, struct cublas *handle, int right, int upper, int trans, int unit,  \
		int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb)                  \
	{                                                                                          \
		if (handle && handle->on_device)                                                   \
			return CUBLAS_NOT_SUPPORTED;                                               \
		return start(handle,                                                               \
			(struct dense){.job = DENSE_TRSM,                                          \
				.type = TYPE,                                                      \
				.m = m,                                                            \
				.n = n,                                                            \
				.batch = 1,                                                        \
				.a = matrix(a, lda),                                               \
				.b = matrix(b, ldb),                                               \
				.right = right,                                                    \
				.upper = upper,                                                    \
				.transposed = trans != 0,                                          \
				.unit = unit,                                                      \
				.alpha = *alpha},                                                  \
			NULL);                                                                     \
	}                                                                                          \
	API(cublas##L##trsmBatched, struct cublas *handle, int right, int upper, int trans,        \
		int unit, int m, int n, const T *alpha, const T *const *a, int lda, T *const *b,   \
		int ldb, int batch)                                                                \
	{                                                                                          \
		if (handle && handle->on_device)                                                   \
			return CUBLAS_NOT_SUPPORTED;                                               \
		return start(handle,                                                               \
			(struct dense){.job = DENSE_TRSM,                                          \
				.type = TYPE,                                                      \
				.m = m,                                                            \
				.n = n,                                                            \
				.batch = batch,                                                    \
				.list = 1,                                                         \
				.a = matrix(a, lda),                                               \
				.b = matrix(b, ldb),                                               \
				.right = right,                                                    \
				.upper = upper,                                                    \
				.transposed = trans != 0,                                          \
				.unit = unit,                                                      \
				.alpha = *alpha},                                                  \
			NULL);                                                                     \
	}                                                                                          \
	API(cublas##L##getrfBatched, struct cublas *handle, int n, T *const *a, int lda,           \
		int *pivots, int *info, int batch)                                                 \
	{                                                                                          \
		return start(handle,                                                               \
			(struct dense){.job = DENSE_GETRF,                                         \
				.type = TYPE,                                                      \
				.m = n,                                                            \
				.n = n,                                                            \
				.batch = batch,                                                    \
				.list = 1,                                                         \
				.a = matrix(a, lda),                                               \
				.pivots = pivots,                                                  \
				.info = info},                                                     \
			NULL);                                                                     \
	}                                                                                          \
	API(cublas##L##getrsBatched, struct cublas *handle, int trans, int n, int count,           \
		const T *const *a, int lda, const int *pivots, T *const *b, int ldb,               \
		int *host_info, int batch)                                                         \
	{                                                                                          \
		return start(handle,                                                               \
			(struct dense){.job = DENSE_GETRS,                                         \
				.type = TYPE,                                                      \
				.m = n,                                                            \
				.n = n,                                                            \
				.k = count,                                                        \
				.batch = batch,                                                    \
				.list = 1,                                                         \
				.a = matrix(a, lda),                                               \
				.b = matrix(b, ldb),                                               \
				.pivots = (int *)pivots,                                           \
				.transposed = trans != 0},                                         \
			host_info);                                                                \
	}                                                                                          \
	API(cublas##L##geqrfBatched, struct cublas *handle, int m, int n, T *const *a, int lda,    \
		T *const *tau, int *host_info, int batch)                                          \
	{                                                                                          \
		return start(handle,                                                               \
			(struct dense){.job = DENSE_GEQRF,                                         \
				.type = TYPE,                                                      \
				.m = m,                                                            \
				.n = n,                                                            \
				.batch = batch,                                                    \
				.list = 1,                                                         \
				.a = matrix(a, lda),                                               \
				.w = matrix(tau, 0)},                                              \
			host_info);                                                                \
	}

DENSE_OF(S, float, TYPE_FLOAT)
DENSE_OF(D, double, TYPE_DOUBLE)
