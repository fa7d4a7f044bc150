// SPDX-License-Identifier: MIT
// A library that calls another one's function.
#include "library.h"

extern "C" int visit(int x) { return plain(x) + 1; }
