/* SPDX-License-Identifier: MIT */
/* Stand-in for the part of libcufft that programs ask before they use it: its version. */
#include "version.h"

enum {
	VERSION = CUDART_MAJOR == 12 ? 11304 : 12200
};

VERSION_API(cufftGetVersion, int *ret_version)
{
	*ret_version = VERSION;
	return 0;
}

VERSION_API(cufftGetProperty, int type, int *ret_value)
{
	return version_part(VERSION, type, ret_value);
}
