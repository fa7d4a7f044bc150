/* SPDX-License-Identifier: MIT */
/*
 * What the first steps show of the calls that belong to one: which they are, what is launched, how
 * long the host takes after each. For the shape of steps (shape.h), on whose tables it works. Pure.
 */
#ifndef ANALYZER_STEPS_LEARN_H
#define ANALYZER_STEPS_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#define SHAPE_TOKENS 512u /* kept, a power of two */
#define SHAPE_NAMES  256u
#define SHAPE_LEARNT 12u /* steps that show what the others are like; where there are no more: */
#define SHAPE_FEWEST 6u

enum shape_kind {
	SHAPE_OTHER,  /* reads a result, waits */
	SHAPE_LAUNCH, /* of a kernel; name says which */
	SHAPE_UPLOAD,
	SHAPE_LOAD /* a batch of a loader */
};

struct shape_call {
	uint64_t token, name;
	uint64_t pause_ns; /* since the call before, or the end of a step */
	enum shape_kind kind;
	uint32_t place;
	bool saves; /* is made in order to write a file */
};

struct shape_pauses {
	uint64_t ns, count, least_ns;
};

struct shape_token {
	uint64_t token;
	struct shape_pauses pauses;         /* after it, before another one */
	uint64_t round, first;              /* in which it was seen last; its first call then */
	uint32_t step, steps, place, order; /* different calls before it: in that step, usually */
	uint64_t ended;                     /* it was seen after so many ends last */
	uint32_t repeated, repeats; /* step with more than one in a round; how many there were */
	bool late, inside;          /* first after a backward pass, after a launch of its step */
	bool returned;              /* interruptions with it have ended */
	uint8_t kind;
};

struct shape {
	struct shape_token tokens[SHAPE_TOKENS];
	uint32_t token_count;
	uint64_t names[SHAPE_NAMES]; /* kernels of the forward pass */
	uint32_t name_count;
	uint32_t steps, learnt; /* ends seen, until enough is known; steps that it is known from */
	uint64_t round;         /* ends and backward passes */
	uint64_t launches;      /* before the backward pass, in the steps that were learnt from */
	uint32_t backwards;     /* of these, with such a pass */
	bool known, useless;    /* what a step is like; interrupted too often for that */
	bool backward, in_backward;     /* since the last end; since the last call */
	bool worked;                    /* operators since the last end, or the last batch */
	bool away, passed;              /* in an interruption; SHAPE_PASSES was said */
	bool drew, began;               /* the last call drew a batch; SHAPE_BEGINS was said */
	uint64_t interruptions, ends;   /* of a step at most INTERRUPTIONS_COUNTED */
	uint32_t interrupted;           /* since the last end */
	uint32_t order, least_order;    /* different calls since the last end; in a short step */
	uint64_t calls, head;           /* head: the first that left since the last end; 0: none */
	struct shape_pauses end_pauses; /* after a step's end */
	uint32_t last;                  /* call of the step, its index + 1; 0: none since the end */
	uint64_t usual_ns; /* LEAVES, REPEATS: so much of the pause before it is the step's */
	/* launches since the last end or repetition, but for phases, and of usual kernels */
	uint64_t forward, alike, again; /* again: what the last repetition began with, 0: none */
	uint64_t repeater;              /* the same of any step, and its order */
	uint32_t repeater_order;
	uint32_t forward_place; /* of the first of them */
	/* the interruption */
	struct {
		uint64_t launches, alike, loads, drawn; /* drawn: launches behind a load */
		uint32_t place, saved_place; /* saved_place: of a save that it follows; 0: none */
		bool saves, trains, all_returned, works;
	} gap;
	uint32_t saved[32]; /* its tokens, by index */
	uint32_t saved_count;
};

/* The token's entry, a new one if there is room; NULL: none. */
struct shape_token *learn_token(struct shape *shape, uint64_t token);

/* The kernel's entry of the table, which may be empty. */
uint64_t *learn_name(struct shape *shape, uint64_t name);

/* A call of the step came after another one of it. */
void learn_follow(struct shape *shape, const struct shape_call *call, struct shape_token *token);

/* How much of the pause before the call is what usually passes there in a step. */
uint64_t learn_pause(struct shape *shape, const struct shape_call *call);

/* While it is not known what is usual: a kernel of that name is launched; any call is made. */
void learn_launch(struct shape *shape, uint64_t launched);
void learn_call(struct shape *shape, const struct shape_call *call);

/* A step that was learnt from ends: that with the fewest calls shows in which order they come. */
void learn_order(struct shape *shape);

#endif
