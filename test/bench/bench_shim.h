/* SPDX-License-Identifier: MIT */
/* The five-field tracepoint that the shim is compared with. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench_shim
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "test/bench/bench_shim.h"

#if !defined(BENCH_SHIM_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_SHIM_H
#include <lttng/tracepoint.h>
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bench_shim, launch,
	LTTNG_UST_TP_ARGS(const void *, function, unsigned, grid, unsigned, block,
		void *, stream, unsigned, shared),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(unsigned long, function, (unsigned long)function)
		lttng_ust_field_integer(unsigned, grid, grid)
		lttng_ust_field_integer(unsigned, block, block)
		lttng_ust_field_integer_hex(unsigned long, stream, (unsigned long)stream)
		lttng_ust_field_integer(unsigned, shared, shared)
	)
)
/* clang-format on */
#endif
#include <lttng/tracepoint-event.h>
