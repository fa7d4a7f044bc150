/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for the part of libcusolver that torch.linalg uses, of real types: versions, handles,
 * decompositions by dense.h. None needs a workspace, but callers want a size that is not 0.
 */
#include <stdlib.h>

#include "dense.h"
#include "version.h"

enum {
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 2,
	INVALID_VALUE = 3,
	EXECUTION_FAILED = 6,
	NOT_SUPPORTED = 9,
	WORKSPACE = 16, /* elements, or bytes */
	REAL_32F = 0,
	REAL_64F = 1,
	VERSION = CUDART_MAJOR == 12 ? 11703 : 12100
};

struct solver {
	launch_stream stream;
};

struct settings {
	int unused;
};

const struct cudasim_kernel launcher_kernels[] = {DENSE_KERNELS, {NULL, NULL, 0, NULL, NULL, NULL}};

VERSION_API(cusolverGetVersion, int *ret_version)
{
	*ret_version = VERSION;
	return SUCCESS;
}

VERSION_API(cusolverGetProperty, int type, int *ret_value)
{
	return version_part(VERSION, type, ret_value) ? INVALID_VALUE : SUCCESS;
}

VERSION_API(cusolverDnCreate, struct solver **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? SUCCESS : ALLOC_FAILED;
}

VERSION_API(cusolverDnDestroy, struct solver *handle)
{
	free(handle);
	return SUCCESS;
}

VERSION_API(cusolverDnSetStream, struct solver *handle, launch_stream stream)
{
	if (!handle)
		return NOT_INITIALIZED;
	handle->stream = stream;
	return SUCCESS;
}

/* Settings of an algorithm; there is one for each job, and it is exact. */
#define SETTINGS(kind)                                                                             \
	VERSION_API(cusolverDnCreate##kind, struct settings **ret_settings)                        \
	{                                                                                          \
		*ret_settings = calloc(1, sizeof(**ret_settings));                                 \
		return *ret_settings ? SUCCESS : ALLOC_FAILED;                                     \
	}                                                                                          \
	VERSION_API(cusolverDnDestroy##kind, struct settings *settings)                            \
	{                                                                                          \
		free(settings);                                                                    \
		return SUCCESS;                                                                    \
	}
SETTINGS(Params)
SETTINGS(GesvdjInfo)
SETTINGS(SyevjInfo)

VERSION_API(cusolverDnXgesvdjSetTolerance, struct settings *settings, double tolerance)
{
	(void)tolerance;
	return settings ? SUCCESS : INVALID_VALUE;
}

#define SETTING(name)                                                                              \
	VERSION_API(name, struct settings *settings, int value)                                    \
	{                                                                                          \
		(void)value;                                                                       \
		return settings ? SUCCESS : INVALID_VALUE;                                         \
	}
SETTING(cusolverDnXgesvdjSetMaxSweeps)
SETTING(cusolverDnXgesvdjSetSortEig)

static int start(struct solver *handle, struct dense dense)
{
	if (!handle)
		return NOT_INITIALIZED;
	if (dense.type == TYPE_NONE)
		return NOT_SUPPORTED;
	dense.batch = dense.batch ? dense.batch : 1;
	return dense_launch(&dense, handle->stream) ? EXECUTION_FAILED : SUCCESS;
}

static struct dense_matrix whole(const void *data, int64_t ld, int64_t columns)
{
	return (struct dense_matrix){(void *)data, ld, ld * columns};
}

static enum type type_of(int cuda_type)
{
	return cuda_type == REAL_32F ? TYPE_FLOAT : cuda_type == REAL_64F ? TYPE_DOUBLE : TYPE_NONE;
}

/* What all entries that factor one matrix begin with. */
#define JOB(which, of_type, rows, columns, more...)                                                \
	start(handle, (struct dense){.job = DENSE_##which,                                         \
			      .type = of_type,                                                     \
			      .m = rows,                                                           \
			      .n = columns,                                                        \
			      .a = whole(a, lda, columns),                                         \
			      more})

/* The size of a workspace that is asked for with whatever the function itself gets. */
#define ROOM(name, ...)                                                                            \
	VERSION_API(name##_bufferSize, struct solver *handle, __VA_ARGS__)                         \
	{                                                                                          \
		*ret_size = WORKSPACE;                                                             \
		return handle ? SUCCESS : NOT_INITIALIZED;                                         \
	}

/* The same of entries for all types, with their sizes on the device and on the host. */
#define ROOMS(name, ...)                                                                           \
	VERSION_API(name##_bufferSize, struct solver *handle, const struct settings *settings,     \
		__VA_ARGS__)                                                                       \
	{                                                                                          \
		(void)settings;                                                                    \
		*ret_size = WORKSPACE;                                                             \
		*ret_host_size = 0;                                                                \
		return handle ? SUCCESS : NOT_INITIALIZED;                                         \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* as the vendor declares them */

#define FACTORS_OF(L, T, TYPE)                                                                     \
	ROOM(cusolverDn##L##getrf, int m, int n, T *a, int lda, int *ret_size)                     \
	VERSION_API(cusolverDn##L##getrf, struct solver *handle, int m, int n, T *a, int lda,      \
		T *room, int *pivots, int *info)                                                   \
	{                                                                                          \
		return JOB(GETRF, TYPE, m, n, .pivots = pivots, .info = info);                     \
	}                                                                                          \
	VERSION_API(cusolverDn##L##getrs, struct solver *handle, int trans, int n, int count,      \
		const T *a, int lda, const int *pivots, T *b, int ldb, int *info)                  \
	{                                                                                          \
		return JOB(GETRS, TYPE, n, n, .k = count, .b = whole(b, ldb, count),               \
			.pivots = (int *)pivots, .transposed = trans != 0, .info = info);          \
	}                                                                                          \
	ROOM(cusolverDn##L##potrf, int upper, int n, T *a, int lda, int *ret_size)                 \
	VERSION_API(cusolverDn##L##potrf, struct solver *handle, int upper, int n, T *a, int lda,  \
		T *room, int size, int *info)                                                      \
	{                                                                                          \
		return JOB(POTRF, TYPE, n, n, .upper = upper, .info = info);                       \
	}                                                                                          \
	VERSION_API(cusolverDn##L##potrfBatched, struct solver *handle, int upper, int n, T **a,   \
		int lda, int *info, int batch)                                                     \
	{                                                                                          \
		return JOB(POTRF, TYPE, n, n, .upper = upper, .info = info, .batch = batch,        \
			.list = 1);                                                                \
	}                                                                                          \
	VERSION_API(cusolverDn##L##potrs, struct solver *handle, int upper, int n, int count,      \
		const T *a, int lda, T *b, int ldb, int *info)                                     \
	{                                                                                          \
		return JOB(POTRS, TYPE, n, n, .k = count, .b = whole(b, ldb, count),               \
			.upper = upper, .info = info);                                             \
	}                                                                                          \
	VERSION_API(cusolverDn##L##potrsBatched, struct solver *handle, int upper, int n,          \
		int count, T **a, int lda, T **b, int ldb, int *info, int batch)                   \
	{                                                                                          \
		return JOB(POTRS, TYPE, n, n, .k = count, .b = whole(b, ldb, count),               \
			.upper = upper, .batch = batch, .list = 1);                                \
	}

#define REFLECTORS_OF(L, T, TYPE)                                                                  \
	ROOM(cusolverDn##L##geqrf, int m, int n, T *a, int lda, int *ret_size)                     \
	VERSION_API(cusolverDn##L##geqrf, struct solver *handle, int m, int n, T *a, int lda,      \
		T *tau, T *room, int size, int *info)                                              \
	{                                                                                          \
		return JOB(GEQRF, TYPE, m, n, .w = whole(tau, 0, 0), .info = info);                \
	}                                                                                          \
	ROOM(cusolverDn##L##orgqr, int m, int n, int k, const T *a, int lda, const T *tau,         \
		int *ret_size)                                                                     \
	VERSION_API(cusolverDn##L##orgqr, struct solver *handle, int m, int n, int k, T *a,        \
		int lda, const T *tau, T *room, int size, int *info)                               \
	{                                                                                          \
		return JOB(ORGQR, TYPE, m, n, .k = k, .w = whole(tau, 0, 0), .info = info);        \
	}                                                                                          \
	ROOM(cusolverDn##L##ormqr, int right, int trans, int m, int n, int k, const T *a, int lda, \
		const T *tau, const T *b, int ldb, int *ret_size)                                  \
	VERSION_API(cusolverDn##L##ormqr, struct solver *handle, int right, int trans, int m,      \
		int n, int k, const T *a, int lda, const T *tau, T *b, int ldb, T *room, int size, \
		int *info)                                                                         \
	{                                                                                          \
		return JOB(ORMQR, TYPE, m, n, .k = k, .b = whole(b, ldb, n), .right = right,       \
			.transposed = trans != 0, .w = whole(tau, 0, 0), .info = info);            \
	}

/* Vectors or not, one or a batch of contiguous ones. */
#define EIGEN_OF(L, T, TYPE)                                                                       \
	ROOM(cusolverDn##L##syevd, int vectors, int upper, int n, const T *a, int lda, const T *w, \
		int *ret_size)                                                                     \
	VERSION_API(cusolverDn##L##syevd, struct solver *handle, int vectors, int upper, int n,    \
		T *a, int lda, T *w, T *room, int size, int *info)                                 \
	{                                                                                          \
		return JOB(SYEVD, TYPE, n, n, .vectors = vectors, .upper = upper,                  \
			.w = whole(w, n, 1), .info = info);                                        \
	}                                                                                          \
	ROOM(cusolverDn##L##syevj, int vectors, int upper, int n, const T *a, int lda, const T *w, \
		int *ret_size, struct settings *settings)                                          \
	VERSION_API(cusolverDn##L##syevj, struct solver *handle, int vectors, int upper, int n,    \
		T *a, int lda, T *w, T *room, int size, int *info, struct settings *settings)      \
	{                                                                                          \
		return JOB(SYEVD, TYPE, n, n, .vectors = vectors, .upper = upper,                  \
			.w = whole(w, n, 1), .info = info);                                        \
	}                                                                                          \
	ROOM(cusolverDn##L##syevjBatched, int vectors, int upper, int n, const T *a, int lda,      \
		const T *w, int *ret_size, struct settings *settings, int batch)                   \
	VERSION_API(cusolverDn##L##syevjBatched, struct solver *handle, int vectors, int upper,    \
		int n, T *a, int lda, T *w, T *room, int size, int *info,                          \
		struct settings *settings, int batch)                                              \
	{                                                                                          \
		return JOB(SYEVD, TYPE, n, n, .vectors = vectors, .upper = upper,                  \
			.w = whole(w, n, 1), .info = info, .batch = batch);                        \
	}

/* A letter of what is wanted of U: 'A' all, 'S' as many as there are values, 'N' none. */
#define SINGULAR_OF(L, T, TYPE)                                                                    \
	ROOM(cusolverDn##L##gesvd, int m, int n, int *ret_size)                                    \
	VERSION_API(cusolverDn##L##gesvd, struct solver *handle, signed char want_u,               \
		signed char want_v, int m, int n, T *a, int lda, T *s, T *u, int ldu, T *v,        \
		int ldv, T *room, int size, T *rest, int *info)                                    \
	{                                                                                          \
		return JOB(GESVD, TYPE, m, n, .vectors = want_u != 'N', .full = want_u == 'A',     \
			.b = whole(u, ldu, m), .v = whole(v, ldv, n), .v_is_rows = 1,              \
			.w = whole(s, 1, 1), .info = info);                                        \
	}                                                                                          \
	ROOM(cusolverDn##L##gesvdj, int vectors, int economical, int m, int n, const T *a,         \
		int lda, const T *s, const T *u, int ldu, const T *v, int ldv, int *ret_size,      \
		struct settings *settings)                                                         \
	VERSION_API(cusolverDn##L##gesvdj, struct solver *handle, int vectors, int economical,     \
		int m, int n, T *a, int lda, T *s, T *u, int ldu, T *v, int ldv, T *room,          \
		int size, int *info, struct settings *settings)                                    \
	{                                                                                          \
		return JOB(GESVD, TYPE, m, n, .vectors = vectors, .full = !economical,             \
			.b = whole(u, ldu, m), .v = whole(v, ldv, n), .w = whole(s, 1, 1),         \
			.info = info);                                                             \
	}                                                                                          \
	ROOM(cusolverDn##L##gesvdjBatched, int vectors, int m, int n, const T *a, int lda,         \
		const T *s, const T *u, int ldu, const T *v, int ldv, int *ret_size,               \
		struct settings *settings, int batch)                                              \
	VERSION_API(cusolverDn##L##gesvdjBatched, struct solver *handle, int vectors, int m,       \
		int n, T *a, int lda, T *s, T *u, int ldu, T *v, int ldv, T *room, int size,       \
		int *info, struct settings *settings, int batch)                                   \
	{                                                                                          \
		return JOB(GESVD, TYPE, m, n, .vectors = vectors, .full = 1,                       \
			.b = whole(u, ldu, m), .v = whole(v, ldv, n),                              \
			.w = whole(s, m < n ? m : n, 1), .info = info, .batch = batch);            \
	}

/* clang-format off */
FACTORS_OF(S, float, TYPE_FLOAT)
FACTORS_OF(D, double, TYPE_DOUBLE)
REFLECTORS_OF(S, float, TYPE_FLOAT)
REFLECTORS_OF(D, double, TYPE_DOUBLE)
EIGEN_OF(S, float, TYPE_FLOAT)
EIGEN_OF(D, double, TYPE_DOUBLE)
SINGULAR_OF(S, float, TYPE_FLOAT)
SINGULAR_OF(D, double, TYPE_DOUBLE)

ROOMS(cusolverDnXpotrf, int upper, int64_t n, int type, const void *a, int64_t lda, int compute,
	size_t *ret_size, size_t *ret_host_size)

ROOMS(cusolverDnXgeqrf, int64_t m, int64_t n, int type, const void *a, int64_t lda, int tau_type,
	const void *tau, int compute, size_t *ret_size, size_t *ret_host_size)

ROOMS(cusolverDnXsyevd, int vectors, int upper, int64_t n, int type, const void *a, int64_t lda,
	int w_type, const void *w, int compute, size_t *ret_size, size_t *ret_host_size)

ROOMS(cusolverDnXsyevBatched, int vectors, int upper, int64_t n, int type, const void *a,
	int64_t lda, int w_type, const void *w, int compute, size_t *ret_size,
	size_t *ret_host_size, int64_t batch)
/* clang-format on */

VERSION_API(cusolverDnXpotrf, struct solver *handle, const struct settings *settings, int upper,
	int64_t n, int type, void *a, int64_t lda, int compute, void *room, size_t size,
	void *host_room, size_t host_size, int *info)
{
	return JOB(POTRF, type_of(type), n, n, .upper = upper, .info = info);
}

VERSION_API(cusolverDnXpotrs, struct solver *handle, const struct settings *settings, int upper,
	int64_t n, int64_t count, int type, const void *a, int64_t lda, int b_type, void *b,
	int64_t ldb, int *info)
{
	return JOB(POTRS, type == b_type ? type_of(type) : TYPE_NONE, n, n, .k = count,
		.b = whole(b, ldb, count), .upper = upper, .info = info);
}

VERSION_API(cusolverDnXgeqrf, struct solver *handle, const struct settings *settings, int64_t m,
	int64_t n, int type, void *a, int64_t lda, int tau_type, void *tau, int compute, void *room,
	size_t size, void *host_room, size_t host_size, int *info)
{
	return JOB(GEQRF, type == tau_type ? type_of(type) : TYPE_NONE, m, n, .w = whole(tau, 0, 0),
		.info = info);
}

VERSION_API(cusolverDnXsyevBatched, struct solver *handle, const struct settings *settings,
	int vectors, int upper, int64_t n, int type, void *a, int64_t lda, int w_type, void *w,
	int compute, void *room, size_t size, void *host_room, size_t host_size, int *info,
	int64_t batch)
{
	return JOB(SYEVD, type == w_type ? type_of(type) : TYPE_NONE, n, n, .vectors = vectors,
		.upper = upper, .w = whole(w, n, 1), .info = info, .batch = batch);
}

VERSION_API(cusolverDnXsyevd, struct solver *handle, const struct settings *settings, int vectors,
	int upper, int64_t n, int type, void *a, int64_t lda, int w_type, void *w, int compute,
	void *room, size_t size, void *host_room, size_t host_size, int *info)
{
	return cusolverDnXsyevBatched(handle, settings, vectors, upper, n, type, a, lda, w_type, w,
		compute, room, size, host_room, host_size, info, 1);
}

#pragma GCC diagnostic pop
