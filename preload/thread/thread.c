/* SPDX-License-Identifier: MIT */
#include "preload/thread/thread.h"

#include "preload/thread/guard.h"

__thread struct guard guard;
__thread struct thread_state thread_state;
