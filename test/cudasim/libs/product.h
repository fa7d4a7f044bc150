/* SPDX-License-Identifier: MIT */
/*
 * Products of float matrices in blocks that stay in the processor's caches, with the vector
 * instructions that it has. Sums are made in single precision, of blocks of PRODUCT_BLOCK terms.
 */
#ifndef CUDASIM_LIBS_PRODUCT_H
#define CUDASIM_LIBS_PRODUCT_H

#include <stdint.h>

enum {
	PRODUCT_BLOCK = 256
};

/* Element (i, j) is data[i * row + j * column]; row and column are distances in elements. */
struct product_matrix {
	const float *data;
	int64_t row, column;
};

/*
 * Adds the product of a (m rows, k columns) and b (k rows, n columns) to c, whose rows are
 * contiguous and ld elements apart. Returns 0, or -1 without memory; then c is as it was.
 */
int product_add(int64_t m, int64_t n, int64_t k, struct product_matrix a, struct product_matrix b,
	float *c, int64_t ld);

#endif
