/* SPDX-License-Identifier: MIT */
/*
 * Linear algebra of small dense matrices: what the stand-ins of cuSOLVER and cuBLAS have in common.
 *
 * A job is one decomposition or solution for each matrix of a batch, as LAPACK has it: matrices
 * are column-major, factors take the place of what was factored. The struct is the kernel's
 * parameter; the job is done, in double precision, when the launch takes effect. Signs of
 * eigenvectors and singular vectors are not those of a GPU. Real types only.
 */
#ifndef CUDASIM_LIBS_DENSE_H
#define CUDASIM_LIBS_DENSE_H

#include "../compute/types.h"
#include "launcher.h"

/* DENSE_JOB(ID, "name of the kernel") */
#define DENSE_JOBS                                                                                 \
	DENSE_JOB(GETRF, "sim_getrf")                                                              \
	DENSE_JOB(GETRS, "sim_getrs")                                                              \
	DENSE_JOB(POTRF, "sim_potrf")                                                              \
	DENSE_JOB(POTRS, "sim_potrs")                                                              \
	DENSE_JOB(TRSM, "sim_trsm")                                                                \
	DENSE_JOB(GEQRF, "sim_geqrf")                                                              \
	DENSE_JOB(ORGQR, "sim_orgqr")                                                              \
	DENSE_JOB(ORMQR, "sim_ormqr")                                                              \
	DENSE_JOB(SYEVD, "sim_syevd")                                                              \
	DENSE_JOB(GESVD, "sim_gesvd")

#define DENSE_JOB(id, name) DENSE_##id,
enum dense_job {
	DENSE_JOBS DENSE_COUNT
};
#undef DENSE_JOB

struct dense_matrix {
	void *data;   /* or, of a list, an array of pointers, one for each of the batch */
	int64_t ld;   /* distance between columns */
	int64_t step; /* distance between matrices of the batch; all in elements */
};

struct dense {
	enum dense_job job;
	enum type type;
	int64_t m, n; /* of a, or of b where only that has two sizes (TRSM, ORMQR) */
	int64_t k;    /* right-hand sides, or reflectors */
	int64_t batch;
	int list;              /* a, b and a list of scales are arrays of pointers */
	struct dense_matrix a; /* is factored, or holds the factors */
	struct dense_matrix b; /* is solved, multiplied, or gets U */
	struct dense_matrix v; /* gets V */
	struct dense_matrix w; /* eigenvalues, singular values, or scales of reflectors */
	int *pivots;           /* m for each matrix; NULL: rows stay where they are */
	int *info;             /* one for each matrix; NULL: not wanted */
	int upper, transposed, right, unit;
	int vectors;   /* wanted */
	int v_is_rows; /* v gets the transpose of V */
	int full;      /* U and V are square */
	double alpha;  /* of TRSM */
};

/* Launches the job. Returns 0 or a driver error. */
int dense_launch(struct dense *dense, launch_stream stream);

/* For the table of kernels of a library that does such jobs. */
void dense_effect(const struct compute_launch *launch);
uint64_t dense_duration(const struct compute_launch *launch);
extern const size_t dense_parameter_sizes[1];

#define DENSE_KERNEL(name)                                                                         \
	{                                                                                          \
		name, dense_effect, 1, dense_parameter_sizes, dense_duration, NULL                 \
	}
#define DENSE_KERNELS                                                                              \
	DENSE_KERNEL("sim_getrf"), DENSE_KERNEL("sim_getrs"), DENSE_KERNEL("sim_potrf"),           \
		DENSE_KERNEL("sim_potrs"), DENSE_KERNEL("sim_trsm"), DENSE_KERNEL("sim_geqrf"),    \
		DENSE_KERNEL("sim_orgqr"), DENSE_KERNEL("sim_ormqr"), DENSE_KERNEL("sim_syevd"),   \
		DENSE_KERNEL("sim_gesvd")

#endif
