/* SPDX-License-Identifier: MIT */
#include "analyzer/names/callname.h"

#include <string.h>

#include "collector/format/value.h"

const char *callname_copy(uint64_t direction)
{
	static const char *const labels[] = {
		[COPY_HOST_TO_HOST] = "[CUDA memcpy HtoH]",
		[COPY_HOST_TO_DEVICE] = "[CUDA memcpy HtoD]",
		[COPY_DEVICE_TO_HOST] = "[CUDA memcpy DtoH]",
		[COPY_DEVICE_TO_DEVICE] = "[CUDA memcpy DtoD]",
		[COPY_DEFAULT] = "[CUDA memcpy]",
		[COPY_PEER] = "[CUDA memcpy PtoP]",
	};
	return direction < sizeof(labels) / sizeof(labels[0]) ? labels[direction] : labels[4];
}

const char *callname_api(const char *function, bool driver)
{
	if (driver)
		return "driver";
	return strncmp(function, "cuda", 4) == 0 || strncmp(function, "__cuda", 6) == 0 ? "runtime"
											: "other";
}
