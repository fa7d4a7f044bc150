/* SPDX-License-Identifier: MIT */
/*
 * Matrix products: what the stand-ins of cuBLAS and cuBLASLt have in common.
 *
 * D = epilogue(alpha * A * B + beta * C + bias), for each of a batch. Every matrix is a pointer
 * with the distances between rows, columns and batches, in elements, so that transposition needs
 * no case of its own. The struct is the kernel's parameter: the product is computed when the
 * launch takes effect, in single precision (in double where A and B are) and rounded to the type
 * of D.
 */
#ifndef CUDASIM_LIBS_GEMM_H
#define CUDASIM_LIBS_GEMM_H

#include "../compute/types.h"
#include "launcher.h"

/* Bits of an epilogue, numbered as the callers of cublasLtMatmul number them. */
enum gemm_epilogue {
	GEMM_RELU = 2,
	GEMM_BIAS = 4,
	GEMM_RELU_BACK = 8,
	GEMM_BIAS_BACK = 16,
	GEMM_GELU = 32,
	GEMM_GELU_BACK = 64,
	GEMM_AUX = 128,
	GEMM_BIAS_OF_A = 256,
	GEMM_BIAS_OF_B = 512
};

struct gemm_matrix {
	void *data;
	int64_t row; /* distance between rows */
	int64_t column;
	int64_t batch;
	enum type type;
	int list; /* data is an array of pointers, one for each of the batch */
};

struct gemm {
	int64_t m, n, k, batch;
	struct gemm_matrix a, b, c, d;
	double alpha, beta;
	const void *alpha_at; /* on the device; NULL: alpha and beta hold */
	const void *beta_at;
	enum type scale;
	uint32_t epilogue;
	void *bias;
	enum type bias_type;
	int64_t bias_batch;
	void *aux;
	int64_t aux_ld;
	int64_t aux_batch;
};

/* TYPE_NONE for a cudaDataType that is not computed. */
enum type gemm_type(int cuda_type);

/* A column-major matrix with that leading dimension, transposed or not. */
struct gemm_matrix gemm_matrix(const void *data, int cuda_type, int64_t ld, int transposed);

/* Takes the scalars from the host or, with on_device, remembers where they are. */
void gemm_scalars(
	struct gemm *gemm, const void *alpha, const void *beta, enum type type, int on_device);

/* Launches the product. Returns 0 or a driver error. */
int gemm_launch(struct gemm *gemm, launch_stream stream);

/* For the table of kernels of a library that multiplies. */
void gemm_effect(const struct compute_launch *launch);
uint64_t gemm_duration(const struct compute_launch *launch);

extern const size_t gemm_parameter_sizes[1];

/* One row for each name that gemm_launch() uses. */
#define GEMM_KERNEL(name)                                                                          \
	{                                                                                          \
		name, gemm_effect, 1, gemm_parameter_sizes, gemm_duration, NULL                    \
	}
#define GEMM_KERNELS                                                                               \
	GEMM_KERNEL("sim_sgemm_128x64_nn"), GEMM_KERNEL("sim_sgemm_128x64_nt"),                    \
		GEMM_KERNEL("sim_sgemm_128x64_tn"), GEMM_KERNEL("sim_sgemm_128x64_tt"),            \
		GEMM_KERNEL("sim_dgemm_64x64_nn"), GEMM_KERNEL("sim_dgemm_64x64_nt"),              \
		GEMM_KERNEL("sim_dgemm_64x64_tn"), GEMM_KERNEL("sim_dgemm_64x64_tt"),              \
		GEMM_KERNEL("sim_fp16_s16816gemm_128x128_nn"),                                     \
		GEMM_KERNEL("sim_fp16_s16816gemm_128x128_nt"),                                     \
		GEMM_KERNEL("sim_fp16_s16816gemm_128x128_tn"),                                     \
		GEMM_KERNEL("sim_fp16_s16816gemm_128x128_tt"),                                     \
		GEMM_KERNEL("sim_bf16_s16816gemm_128x128_nn"),                                     \
		GEMM_KERNEL("sim_bf16_s16816gemm_128x128_nt"),                                     \
		GEMM_KERNEL("sim_bf16_s16816gemm_128x128_tn"),                                     \
		GEMM_KERNEL("sim_bf16_s16816gemm_128x128_tt")

#endif
