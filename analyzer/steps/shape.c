/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/shape.h"

#include "analyzer/steps/learn.h"

#include <stddef.h>

/* A call belongs to a step when so many of the steps that were learnt from have it. */
#define USUAL_SHARE 0.75
/* An evaluation launches at least so much of what a step launches, and of the same kernels. */
#define EVALUATION_SHARE 0.5
/* A program that is interrupted more often than that per step has no usual step. */
#define INTERRUPTIONS_MOST    2u
#define INTERRUPTIONS_COUNTED 4u /* of a step: many in few of them are a phase of its own */
#define USEFUL_FROM           32u
#define HEADLESS              UINT64_MAX /* all since the last end is put aside */

static bool is_usual(const struct shape *shape, const struct shape_token *token)
{
	return token->steps >= USUAL_SHARE * shape->learnt;
}

/* More than once in a round, and not only where an epoch ended or something was evaluated. */
static bool is_repeating(const struct shape *shape, const struct shape_token *token)
{
	return token->repeats > (1 - USUAL_SHARE) * shape->learnt;
}

static bool is_enough(const struct shape *shape, uint64_t launches)
{
	double least = EVALUATION_SHARE * (double)shape->launches / shape->learnt;
	return launches > 0 && (double)launches >= least;
}

/* Work like that of a forward pass, and so much of it that it may be one. */
static bool is_forward(const struct shape *shape, uint64_t launches, uint64_t alike)
{
	return is_enough(shape, launches) && (double)alike >= EVALUATION_SHARE * (double)launches;
}

/*
 * A batch was drawn for what was launched: behind it, or to go on after a forward pass. Where steps
 * launch nothing, for whatever work there was.
 */
static bool is_drawing(const struct shape *shape)
{
	if (shape->launches == 0 && shape->gap.loads > 0 && shape->gap.works)
		return true;
	return shape->gap.drawn > 0 || (shape->gap.loads > 0 && shape->gap.launches > 0 &&
					       is_enough(shape, shape->forward));
}

struct shape_told shape_phase(const struct shape *shape)
{
	struct shape_told told = {.phase = PHASE_NONE, .place = shape->gap.place};
	if (!shape->away || shape->gap.trains)
		return told;
	if (shape->gap.saves) {
		told.phase = PHASE_CHECKPOINT;
	} else if (is_drawing(shape) || is_forward(shape, shape->gap.launches, shape->gap.alike)) {
		told.phase = PHASE_EVALUATION;
	} else if (shape->gap.saved_place != 0) {
		told.phase = PHASE_CHECKPOINT;
		told.place = shape->gap.saved_place;
	}
	return told;
}

struct shape_told shape_close(struct shape *shape)
{
	struct shape_told told = shape_phase(shape);
	if (shape->passed)
		told.phase = PHASE_NONE;
	shape->passed |= told.phase != PHASE_NONE;
	return told;
}

/* The interruption is over, and what it consists of is known. A phase has no part in the step. */
static struct shape_told come_back(struct shape *shape)
{
	struct shape_told told = shape_phase(shape);
	for (uint32_t i = 0; i < shape->saved_count; i++)
		shape->tokens[shape->saved[i]].returned = true;
	if (told.phase != PHASE_NONE) {
		shape->forward -= shape->gap.launches;
		shape->alike -= shape->gap.alike;
	}
	shape->away = false;
	return told;
}

static bool is_known(struct shape *shape, uint64_t name)
{
	return name != 0 && *learn_name(shape, name) == name;
}

static bool is_alike(struct shape *shape, const struct shape_call *call)
{
	return call->kind == SHAPE_LAUNCH && is_known(shape, call->name);
}

static void note(struct shape *shape, const struct shape_call *call, struct shape_token *token)
{
	shape->gap.launches += call->kind == SHAPE_LAUNCH;
	shape->gap.alike += is_alike(shape, call);
	shape->gap.loads += call->kind == SHAPE_LOAD;
	shape->gap.drawn += call->kind == SHAPE_LAUNCH && shape->gap.loads > 0;
	shape->gap.saves |= call->saves;
	/* its line is the one that launches, or that saves; else the one that draws batches */
	if (call->saves ||
		(call->kind == SHAPE_LAUNCH && shape->gap.launches == 1 && !shape->gap.saves) ||
		(call->kind == SHAPE_LOAD && shape->gap.loads == 1 && shape->gap.launches == 0 &&
			!shape->gap.saves))
		shape->gap.place = call->place;
	if (token == NULL || token->returned)
		return;
	if (shape->saved_count < sizeof(shape->saved) / sizeof(shape->saved[0]))
		shape->saved[shape->saved_count++] = (uint32_t)(token - shape->tokens);
}

static void leave(struct shape *shape, const struct shape_call *call, bool returned)
{
	shape->gap = (__typeof__(shape->gap)){.place = call->place, .all_returned = returned};
	shape->away = true;
	shape->passed = false;
	shape->saved_count = 0;
}

/* What was evaluated is saved, or other work follows on saving. */
static bool is_turn(const struct shape *shape, const struct shape_call *call)
{
	if (shape->passed)
		return false;
	if (shape->gap.saves)
		return call->kind == SHAPE_LAUNCH || call->kind == SHAPE_LOAD;
	return call->saves && shape_phase(shape).phase == PHASE_EVALUATION;
}

static enum shape_says unusual(struct shape *shape, const struct shape_call *call,
	struct shape_token *token, struct shape_told *ret_told)
{
	enum shape_says says = SHAPE_NOTHING;
	bool returned = token != NULL && token->returned;
	if (!shape->away) {
		leave(shape, call, returned);
		ret_told->head = shape->head == 0 && !shape->backward;
		if (ret_told->head)
			shape->head = shape->calls;
		shape->interruptions += shape->interrupted++ < INTERRUPTIONS_COUNTED;
		shape->usual_ns = learn_pause(shape, call);
		says = SHAPE_LEAVES;
	} else if (is_turn(shape, call)) {
		*ret_told = come_back(shape);
		leave(shape, call, returned);
		if (ret_told->phase == PHASE_CHECKPOINT)
			shape->gap.saved_place = ret_told->place;
		says = SHAPE_TURNS;
	} else if (shape->gap.all_returned && !returned && !shape->passed) {
		*ret_told = shape_phase(shape);
		shape->passed = true;
		if (shape->head != 0 && shape->again == 0)
			shape->head = shape->head == HEADLESS ? HEADLESS : shape->calls;
		says = SHAPE_PASSES;
	}
	note(shape, call, token);
	return says;
}

/* As much was launched as a forward pass does, between two batches and without a backward pass. */
static bool is_batch(const struct shape *shape, const struct shape_token *token)
{
	return token->kind == SHAPE_LOAD && token->round == shape->round &&
	       is_enough(shape, shape->forward);
}

/* What comes at the beginning of a step, after a forward pass that had no backward pass. */
static bool is_again(const struct shape *shape, const struct shape_token *token)
{
	bool begins = token->kind == SHAPE_LOAD && !token->inside;
	if (token->round != shape->round && !begins)
		return false;
	if (is_repeating(shape, token) || token->late || token->kind == SHAPE_OTHER ||
		shape->backward)
		return false;
	if (begins && shape->launches == 0) /* without a GPU */
		return token->round == shape->round && shape->worked;
	if (shape->again == token->token && token->kind != SHAPE_LOAD)
		return true; /* however short: it is one more of those that were long enough */
	return is_forward(shape, shape->forward, shape->alike) ||
	       (begins && is_batch(shape, token));
}

/* A loader has no more, and is asked anew, or another one is by the same line. */
static bool is_beginning(
	const struct shape *shape, const struct shape_call *call, const struct shape_token *token)
{
	return call->kind == SHAPE_LOAD && shape->drew && !shape->away && !shape->began &&
	       !shape->backward && !is_repeating(shape, token);
}

/*
 * What repeats began after the step was left for the first time: what came before that is usual
 * after a step (a mean of the weights), and was none of it.
 */
static bool is_headed(const struct shape *shape, const struct shape_token *token)
{
	return shape->head != 0 && token->first >= shape->head;
}

/* Of the step, before what was repeated, and for the first time since the last end: it is over. */
static bool is_over(const struct shape *shape, const struct shape_token *token, bool fresh)
{
	return fresh && shape->again != 0 && !shape->backward &&
	       token->order < shape->repeater_order;
}

/* What has been repeated before comes after other calls of the step: it may be again. */
static bool is_head(const struct shape *shape, const struct shape_token *token, bool fresh)
{
	return fresh && token->token == shape->repeater && shape->head == 0 && shape->last != 0 &&
	       !shape->away && !shape->backward;
}

static void repeat(struct shape *shape, const struct shape_call *call, struct shape_token *token,
	struct shape_told *ret_told)
{
	ret_told->rest = shape->began || is_headed(shape, token);
	if (!ret_told->rest)
		shape->head = HEADLESS;
	shape->usual_ns = shape->end_pauses.least_ns < call->pause_ns ? shape->end_pauses.least_ns
								      : call->pause_ns;
	shape->forward = shape->alike = 0;
	shape->again = token->token;
	token->round = ++shape->round;
	token->first = shape->calls;
	ret_told->left = ret_told->phase;
	ret_told->left_place = ret_told->place;
	ret_told->phase = PHASE_EVALUATION;
	ret_told->place = shape->forward_place != 0 ? shape->forward_place : call->place;
}

static enum shape_says usual(struct shape *shape, const struct shape_call *call,
	struct shape_token *token, struct shape_told *ret_told)
{
	bool away = shape->away;
	bool fresh = token->ended != shape->ends + 1;
	bool begins = is_beginning(shape, call, token), head = is_head(shape, token, fresh);
	if (away) {
		*ret_told = come_back(shape);
		shape->last = (uint32_t)(token - shape->tokens) + 1;
	} else {
		learn_follow(shape, call, token);
	}
	bool over = is_over(shape, token, fresh);
	bool again = over || is_again(shape, token);
	token->ended = shape->ends + 1;
	if (token->round != shape->round)
		token->first = shape->calls;
	token->round = shape->round;
	shape->worked = false;
	shape->began |= !again && begins;
	if (head)
		shape->head = shape->calls;
	if (!again)
		return begins || head ? SHAPE_BEGINS : away ? SHAPE_RETURNS : SHAPE_NOTHING;
	repeat(shape, call, token, ret_told);
	if (over) {
		shape->again = 0;
	} else {
		shape->repeater = token->token;
		shape->repeater_order = token->order;
	}
	return SHAPE_REPEATS;
}

static void count_forward(struct shape *shape, const struct shape_call *call)
{
	if (call->kind != SHAPE_LAUNCH)
		return;
	if (shape->forward++ == 0)
		shape->forward_place = call->place;
	shape->alike += is_alike(shape, call);
}

enum shape_says shape_call(
	struct shape *shape, const struct shape_call *call, struct shape_told *ret_told)
{
	*ret_told = (struct shape_told){.phase = PHASE_NONE};
	if (shape->useless)
		return SHAPE_NOTHING;
	shape->in_backward = false;
	if (!shape->known) {
		learn_call(shape, call);
		count_forward(shape, call);
		return SHAPE_NOTHING;
	}
	struct shape_token *token = learn_token(shape, call->token);
	shape->calls++;
	enum shape_says says = token != NULL && is_usual(shape, token)
				       ? usual(shape, call, token, ret_told)
				       : unusual(shape, call, token, ret_told);
	shape->drew = call->kind == SHAPE_LOAD;
	count_forward(shape, call);
	return says;
}

bool shape_is_untrained(const struct shape *shape)
{
	return shape->known && !shape->backward && shape->backwards >= USUAL_SHARE * shape->learnt;
}

bool shape_is_forward_only(const struct shape *shape, uint32_t *ret_place)
{
	*ret_place = shape->forward_place;
	return shape_is_untrained(shape) && is_enough(shape, shape->forward);
}

void shape_work(struct shape *shape, uint64_t name, uint32_t place)
{
	if (shape->useless)
		return;
	bool alike = is_known(shape, name);
	if (!shape->known)
		learn_launch(shape, name);
	if (shape->known && shape->away) {
		shape->gap.launches++;
		shape->gap.alike += alike;
		shape->gap.drawn += shape->gap.loads > 0;
	}
	if (shape->forward++ == 0)
		shape->forward_place = 0;
	if (shape->forward_place == 0)
		shape->forward_place = place;
	shape->alike += alike;
}

void shape_backward(struct shape *shape)
{
	shape->gap.trains = true;
	if (!shape->in_backward)
		shape->round++;
	shape->backward = shape->in_backward = true;
}

void shape_learnt(struct shape *shape)
{
	if (shape->known || shape->steps <= SHAPE_FEWEST)
		return;
	shape->learnt = shape->steps - 1;
	shape->known = true;
}

void shape_end(struct shape *shape)
{
	shape->last = 0;
	shape->round++;
	shape->backwards += !shape->known && shape->steps > 0 && shape->backward;
	shape->backward = shape->in_backward = shape->worked = shape->drew = shape->began = false;
	shape->forward = shape->alike = shape->again = shape->head = 0;
	shape->ends++;
	shape->interrupted = 0;
	if (shape->away)
		come_back(shape);
	if (!shape->known)
		learn_order(shape);
	if (!shape->known && ++shape->steps > SHAPE_LEARNT)
		shape_learnt(shape);
	if (shape->ends >= USEFUL_FROM && shape->interruptions > INTERRUPTIONS_MOST * shape->ends)
		shape->useless = true;
}
