/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/shape.h"

#include <stddef.h>

/* A call belongs to a step when so many of the steps that were learnt from have it. */
#define USUAL_SHARE 0.75
/* An evaluation launches at least so much of what a step launches, and of the same kernels. */
#define EVALUATION_SHARE 0.5
/* A program that is interrupted more often than that per step has no usual step. */
#define INTERRUPTIONS_MOST 2u
#define USEFUL_FROM        32u

/* The token's entry, a new one if there is room; NULL: none. */
static struct shape_token *find(struct shape *shape, uint64_t token)
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

/* The kernel's entry of the table, which may be empty. */
static uint64_t *name_slot(struct shape *shape, uint64_t name)
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

/* A call of the step came after another one of it. */
static void follow(struct shape *shape, const struct shape_call *call, struct shape_token *token)
{
	uint32_t number = (uint32_t)(token - shape->tokens) + 1;
	if (number == shape->last)
		return; /* a line that makes many calls: it is the last one that counts */
	struct shape_pauses *pauses = last_pauses(shape);
	pauses->ns += call->pause_ns;
	pauses->count++;
	shape->last = number;
}

/* How much of the pause before the call is what usually passes there in a step. */
static uint64_t usual_pause(struct shape *shape, const struct shape_call *call)
{
	const struct shape_pauses *pauses = last_pauses(shape);
	uint64_t ns = pauses->count > 0 ? pauses->ns / pauses->count : 0;
	return ns < call->pause_ns ? ns : call->pause_ns;
}

static void learn(struct shape *shape, const struct shape_call *call)
{
	struct shape_token *token = find(shape, call->token);
	if (shape->steps == 0)
		return; /* before the first end lies the program's set-up */
	if (token != NULL)
		follow(shape, call, token);
	shape->launches += call->kind == SHAPE_LAUNCH && !shape->backward;
	if (call->kind == SHAPE_LAUNCH && !shape->backward && call->name != 0 &&
		shape->name_count < SHAPE_NAMES / 2) {
		uint64_t *name = name_slot(shape, call->name);
		shape->name_count += *name == 0;
		*name = call->name;
	}
	if (token == NULL)
		return;
	token->kind = (uint8_t)call->kind;
	if (token->step != shape->steps) {
		token->step = shape->steps;
		token->steps++;
		token->late |= shape->backward;
	} else if (token->round == shape->round) {
		token->repeats = true;
	}
	token->round = shape->round;
}

static bool is_usual(const struct shape_token *token)
{
	return token->steps >= USUAL_SHARE * SHAPE_LEARNT;
}

/* Work like that of a forward pass, and so much of it that it may be one. */
static bool is_forward(const struct shape *shape, uint64_t launches, uint64_t alike)
{
	double least = EVALUATION_SHARE * (double)shape->launches / SHAPE_LEARNT;
	return launches > 0 && (double)launches >= least &&
	       (double)alike >= EVALUATION_SHARE * (double)launches;
}

enum phase shape_phase(const struct shape *shape)
{
	if (!shape->away || shape->gap.trains)
		return PHASE_NONE;
	if (shape->gap.saves)
		return PHASE_CHECKPOINT;
	if (shape->gap.loads > 0 && shape->gap.launches > 0)
		return PHASE_EVALUATION;
	return is_forward(shape, shape->gap.launches, shape->gap.alike) ? PHASE_EVALUATION
									: PHASE_NONE;
}

/* The interruption is over, and what it consists of is known. */
static void come_back(struct shape *shape)
{
	for (uint32_t i = 0; i < shape->saved_count; i++)
		shape->tokens[shape->saved[i]].returned = true;
	shape->away = false;
}

static bool is_alike(struct shape *shape, const struct shape_call *call)
{
	return call->kind == SHAPE_LAUNCH && call->name != 0 &&
	       *name_slot(shape, call->name) == call->name;
}

static void note(struct shape *shape, const struct shape_call *call, struct shape_token *token)
{
	shape->gap.launches += call->kind == SHAPE_LAUNCH;
	shape->gap.alike += is_alike(shape, call);
	shape->gap.loads += call->kind == SHAPE_LOAD;
	shape->gap.saves |= call->saves;
	/* its line is the one that launches, or that saves */
	if (call->saves ||
		(call->kind == SHAPE_LAUNCH && shape->gap.launches == 1 && !shape->gap.saves))
		shape->gap.place = call->place;
	if (token == NULL || token->returned)
		return;
	if (shape->saved_count < sizeof(shape->saved) / sizeof(shape->saved[0]))
		shape->saved[shape->saved_count++] = (uint32_t)(token - shape->tokens);
}

static enum shape_says unusual(struct shape *shape, const struct shape_call *call,
	struct shape_token *token, enum phase *ret_phase)
{
	enum shape_says says = SHAPE_NOTHING;
	bool returned = token != NULL && token->returned;
	if (!shape->away) {
		shape->gap =
			(__typeof__(shape->gap)){.place = call->place, .all_returned = returned};
		shape->away = true;
		shape->passed = false;
		shape->saved_count = 0;
		shape->interruptions++;
		shape->usual_ns = usual_pause(shape, call);
		says = SHAPE_LEAVES;
	} else if (shape->gap.all_returned && !returned && !shape->passed) {
		*ret_phase = shape_phase(shape);
		shape->passed = true;
		says = SHAPE_PASSES;
	}
	note(shape, call, token);
	return says;
}

static enum shape_says usual(struct shape *shape, const struct shape_call *call,
	struct shape_token *token, enum phase *ret_phase)
{
	if (!shape->away)
		follow(shape, call, token);
	else
		shape->last = (uint32_t)(token - shape->tokens) + 1;
	bool again = token->round == shape->round && !token->repeats && !token->late &&
		     token->kind != SHAPE_OTHER && !shape->backward &&
		     is_forward(shape, shape->forward, shape->alike);
	token->round = shape->round;
	if (again) {
		come_back(shape);
		shape->forward = shape->alike = 0;
		token->round = ++shape->round;
		*ret_phase = PHASE_EVALUATION;
		return SHAPE_REPEATS;
	}
	if (!shape->away)
		return SHAPE_NOTHING;
	*ret_phase = shape_phase(shape);
	come_back(shape);
	return SHAPE_RETURNS;
}

enum shape_says shape_call(
	struct shape *shape, const struct shape_call *call, enum phase *ret_phase)
{
	*ret_phase = PHASE_NONE;
	if (shape->useless)
		return SHAPE_NOTHING;
	shape->in_backward = false;
	if (!shape->known) {
		learn(shape, call);
		return SHAPE_NOTHING;
	}
	struct shape_token *token = find(shape, call->token);
	enum shape_says says = token != NULL && is_usual(token)
				       ? usual(shape, call, token, ret_phase)
				       : unusual(shape, call, token, ret_phase);
	shape->forward += call->kind == SHAPE_LAUNCH;
	shape->alike += is_alike(shape, call);
	return says;
}

void shape_backward(struct shape *shape)
{
	shape->gap.trains = true;
	if (!shape->in_backward)
		shape->round++;
	shape->backward = shape->in_backward = true;
}

void shape_end(struct shape *shape)
{
	shape->last = 0;
	shape->round++;
	shape->backward = shape->in_backward = false;
	shape->forward = shape->alike = 0;
	shape->ends++;
	if (shape->away)
		come_back(shape);
	if (!shape->known && ++shape->steps > SHAPE_LEARNT)
		shape->known = true;
	if (shape->ends >= USEFUL_FROM && shape->interruptions > INTERRUPTIONS_MOST * shape->ends)
		shape->useless = true;
}
