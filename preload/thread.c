/* SPDX-License-Identifier: MIT */
#include "preload/thread.h"

#include "preload/guard.h"

__thread struct guard guard;
__thread struct thread_state thread_state;
