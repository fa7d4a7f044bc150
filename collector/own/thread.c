/* SPDX-License-Identifier: MIT */
#include "collector/own/thread.h"

__thread struct thread_block thread_block LINKAGE_TLS;
