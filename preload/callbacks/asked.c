/* SPDX-License-Identifier: MIT */
/* PyTorch's own questions that come by way of us. */
#include "preload/callbacks/userscope.h"
#include "preload/frameworks/forward.h"

#define EXPORTED __attribute__((visibility("default")))
#define ANSWER(id, symbol)                                                                         \
	static struct forward next_##id = {#symbol, NULL};                                         \
	EXPORTED userscope_asked symbol;                                                           \
	void *symbol(void *ret_answer, uint8_t scope)                                              \
	{                                                                                          \
		userscope_asked *real = forward_next(&next_##id, __builtin_return_address(0));     \
		return userscope_answer(real, ret_answer, scope);                                  \
	}
#define INTERPOSED(id, form, symbol) form(id, symbol)
#include "preload/callbacks/interposed.def"
