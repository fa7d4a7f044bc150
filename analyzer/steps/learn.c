/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/learn.h"

#include <stddef.h>

struct shape_token *learn_token(struct shape *shape, uint64_t token)
{
	uint32_t at = (uint32_t)(token >> 32 ^ token) % SHAPE_TOKENS;
	while (shape->tokens[at].token != 0 && shape->tokens[at].token != token)
		at = (at + 1) % SHAPE_TOKENS;
	if (shape->tokens[at].token == 0) {
		if (shape->token_count >= SHAPE_TOKENS / 2)
			return NULL;
		shape->token_count++;
		shape->tokens[at].token = token;
	}
	return &shape->tokens[at];
}

uint64_t *learn_name(struct shape *shape, uint64_t name)
{
	uint32_t at = (uint32_t)(name * 0x9e3779b97f4a7c15u >> 40) % SHAPE_NAMES;
	while (shape->names[at] != 0 && shape->names[at] != name)
		at = (at + 1) % SHAPE_NAMES;
	return &shape->names[at];
}

static struct shape_pauses *last_pauses(struct shape *shape)
{
	return shape->last == 0 ? &shape->end_pauses : &shape->tokens[shape->last - 1].pauses;
}

void learn_follow(struct shape *shape, const struct shape_call *call, struct shape_token *token)
{
	uint32_t number = (uint32_t)(token - shape->tokens) + 1;
	if (number == shape->last) /* a line that makes many calls: the last one counts */
		return;
	struct shape_pauses *pauses = last_pauses(shape);
	if (pauses->count++ == 0 || call->pause_ns < pauses->least_ns)
		pauses->least_ns = call->pause_ns;
	pauses->ns += call->pause_ns;
	shape->last = number;
}

uint64_t learn_pause(struct shape *shape, const struct shape_call *call)
{
	const struct shape_pauses *pauses = last_pauses(shape);
	uint64_t ns = pauses->count > 0 ? pauses->ns / pauses->count : 0;
	return ns < call->pause_ns ? ns : call->pause_ns;
}

void learn_launch(struct shape *shape, uint64_t launched)
{
	if (shape->steps == 0 || shape->backward)
		return;
	shape->launches++;
	if (launched == 0 || shape->name_count >= SHAPE_NAMES / 2)
		return;
	uint64_t *name = learn_name(shape, launched);
	shape->name_count += *name == 0;
	*name = launched;
}

void learn_call(struct shape *shape, const struct shape_call *call)
{
	struct shape_token *token = learn_token(shape, call->token);
	if (shape->steps == 0)
		return; /* before the first end lies the program's set-up */
	if (token != NULL)
		learn_follow(shape, call, token);
	if (call->kind == SHAPE_LAUNCH)
		learn_launch(shape, call->name);
	if (token == NULL)
		return;
	token->kind = (uint8_t)call->kind;
	if (token->step != shape->steps) {
		token->step = shape->steps;
		token->steps++;
		token->place = shape->order++;
		token->late |= shape->backward;
		token->inside |= shape->forward > 0;
	} else if (token->round == shape->round && token->repeated != shape->steps) {
		token->repeated = shape->steps;
		token->repeats++;
	}
	token->round = shape->round;
}

void learn_order(struct shape *shape)
{
	bool least = shape->least_order == 0 || shape->order < shape->least_order;
	if (shape->steps > 0 && shape->order > 0 && least) {
		shape->least_order = shape->order;
		for (uint32_t i = 0; i < SHAPE_TOKENS; i++)
			if (shape->tokens[i].step == shape->steps)
				shape->tokens[i].order = shape->tokens[i].place;
	}
	shape->order = 0;
}
