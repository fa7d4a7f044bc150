/* SPDX-License-Identifier: MIT */
#include "product.h"

#include <stdlib.h>
#include <string.h>

/*
 * The innermost loop keeps TILE_ROWS x TILE_COLUMNS sums in registers: 12 of the 16 that AVX2 has.
 * Strips of a and b are copied before, so that it reads both in order; missing rows and columns
 * are zeroes there.
 */
enum {
	TILE_ROWS = 6,
	LANES = 8,
	TILE_COLUMNS = 2 * LANES,
	BLOCK_ROWS = 96,
	BLOCK_COLUMNS = 1024
};

typedef float vector __attribute__((vector_size(32), aligned(4), may_alias)); /* of LANES */

struct block {
	int64_t rows, columns, depth;
	const float *a; /* strips of TILE_ROWS */
	const float *b; /* strips of TILE_COLUMNS */
	float *c;
	int64_t ld;
};

typedef void multiply_fn(const struct block *block);

static inline int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline __attribute__((always_inline)) void tile(const float *restrict a,
	const float *restrict b, int64_t depth, float *restrict c, int64_t ld, int64_t rows,
	int64_t columns)
{
	vector left[TILE_ROWS] = {0}, right[TILE_ROWS] = {0};

	for (int64_t p = 0; p < depth; p++, a += TILE_ROWS, b += TILE_COLUMNS) {
		const vector first = *(const vector *)b, second = *(const vector *)(b + LANES);

#pragma GCC unroll 6
		for (int i = 0; i < TILE_ROWS; i++) {
			left[i] += a[i] * first;
			right[i] += a[i] * second;
		}
	}
	if (rows == TILE_ROWS && columns == TILE_COLUMNS) {
#pragma GCC unroll 6
		for (int i = 0; i < TILE_ROWS; i++) {
			*(vector *)(c + i * ld) += left[i];
			*(vector *)(c + i * ld + LANES) += right[i];
		}
		return;
	}
	float whole[TILE_ROWS][TILE_COLUMNS];

#pragma GCC unroll 6
	for (int i = 0; i < TILE_ROWS; i++) {
		*(vector *)whole[i] = left[i];
		*(vector *)(whole[i] + LANES) = right[i];
	}
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			c[i * ld + j] += whole[i][j];
}

static inline __attribute__((always_inline)) void multiply(const struct block *block)
{
	for (int64_t j = 0; j < block->columns; j += TILE_COLUMNS)
		for (int64_t i = 0; i < block->rows; i += TILE_ROWS)
			tile(block->a + i * block->depth, block->b + j * block->depth, block->depth,
				block->c + i * block->ld + j, block->ld,
				smaller(block->rows - i, TILE_ROWS),
				smaller(block->columns - j, TILE_COLUMNS));
}

static void multiply_plain(const struct block *block)
{
	multiply(block);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static void multiply_avx2(const struct block *block)
{
	multiply(block);
}
#endif

static multiply_fn *best(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return multiply_avx2;
#endif
	return multiply_plain;
}

/* Strips of so many lines, depth steps each; lines that are missing in the last one are 0. */
static void pack(float *to, const float *from, int64_t lines, int64_t line, int64_t depth,
	int64_t step, int strip)
{
	for (int64_t begin = 0; begin < lines; begin += strip, from += strip * line) {
		int64_t here = smaller(lines - begin, strip);

		for (int64_t p = 0; p < depth; p++, to += strip) {
			for (int64_t i = 0; i < here; i++)
				to[i] = from[i * line + p * step];
			for (int64_t i = here; i < strip; i++)
				to[i] = 0;
		}
	}
}

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

int product_add(int64_t m, int64_t n, int64_t k, struct product_matrix a, struct product_matrix b,
	float *c, int64_t ld)
{
	int64_t wide = round_up(smaller(n, BLOCK_COLUMNS), TILE_COLUMNS);
	int64_t high = round_up(smaller(m, BLOCK_ROWS), TILE_ROWS);
	int64_t deep = smaller(k, PRODUCT_BLOCK);
	float *packed = malloc((size_t)((wide + high) * deep + 1) * sizeof(float));
	struct block block = {.a = packed + wide * deep, .b = packed, .ld = ld};
	multiply_fn *run = best();

	if (!packed)
		return -1;
	for (int64_t j = 0; j < n; j += BLOCK_COLUMNS)
		for (int64_t p = 0; p < k; p += PRODUCT_BLOCK) {
			block.columns = smaller(n - j, BLOCK_COLUMNS);
			block.depth = smaller(k - p, PRODUCT_BLOCK);
			pack(packed, b.data + p * b.row + j * b.column, block.columns, b.column,
				block.depth, b.row, TILE_COLUMNS);
			for (int64_t i = 0; i < m; i += BLOCK_ROWS) {
				block.rows = smaller(m - i, BLOCK_ROWS);
				pack(packed + wide * deep, a.data + i * a.row + p * a.column,
					block.rows, a.row, block.depth, a.column, TILE_ROWS);
				block.c = c + i * ld + j;
				run(&block);
			}
		}
	free(packed);
	return 0;
}
