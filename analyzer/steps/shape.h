/* SPDX-License-Identifier: MIT */
/*
 * What a step usually consists of, to tell what is none of it. Calls are told apart by tokens: what
 * was done, from which line. The first steps show which calls belong to a step, what comes beside
 * them now and then is an interruption, and what it was shows in what it did:
 *
 *	evaluation: the kernels of the forward pass run from other lines, or a batch of another
 *	loader is drawn for kernels, and no backward pass follows; or the forward pass begins again
 *	without one
 *	saving: results are fetched in order to be written to a file
 *
 * One may follow the other without a call of a step between them: they are two.
 *
 * What the host does between a call of a step and the first of an interruption may belong to
 * either: so much of it is the step's as usually passes after that call.
 *
 * All else between steps (logging, a histogram) is part of them. Pure; an all-zero struct is empty.
 */
#ifndef ANALYZER_STEPS_SHAPE_H
#define ANALYZER_STEPS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/steps/phase.h"

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

/* What a call means for the time before it, since the last end. */
enum shape_says {
	SHAPE_NOTHING,
	SHAPE_LEAVES,  /* from here on it may be none of the step's */
	SHAPE_RETURNS, /* what passed since it left was the phase; PHASE_NONE: of the step */
	SHAPE_TURNS,   /* the same until the call before, and from there on it is another one */
	SHAPE_REPEATS, /* so was all since the last step's end, or since it began anew */
	SHAPE_PASSES,  /* what passed since it left may have been all, and ends here */
	SHAPE_BEGINS   /* an epoch begins, of training or not: what passed before is of the step */
};

/* What it was, and where. */
struct shape_told {
	enum phase phase;
	uint32_t place;
	/* REPEATS: of all that, what passed since it left was this; PHASE_NONE: nothing else */
	enum phase left;
	uint32_t left_place;
	bool began; /* REPEATS: since it began anew, as was said */
};

struct shape_pauses {
	uint64_t ns, count, least_ns;
};

struct shape_token {
	uint64_t token;
	struct shape_pauses pauses; /* after it, before another one */
	uint64_t round;             /* in which it was seen last */
	uint32_t step, steps;
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
	struct shape_pauses end_pauses; /* after a step's end */
	uint32_t last;                  /* call of the step, its index + 1; 0: none since the end */
	uint64_t usual_ns; /* LEAVES, REPEATS: so much of the pause before it is the step's */
	/* launches since the last end or repetition, but for phases, and of usual kernels */
	uint64_t forward, alike, again; /* again: what the last repetition began with, 0: none */
	uint32_t forward_place;         /* of the first of them */
	/* the interruption */
	struct {
		uint64_t launches, alike, loads, drawn; /* drawn: launches behind a load */
		uint32_t place, saved_place; /* saved_place: of a save that it follows; 0: none */
		bool saves, trains, all_returned, works;
	} gap;
	uint32_t saved[32]; /* its tokens, by index */
	uint32_t saved_count;
};

/* A call is about to be made; *ret_told is what the interruption was. */
enum shape_says shape_call(
	struct shape *shape, const struct shape_call *call, struct shape_told *ret_told);

/*
 * Asked where only batches tell where steps end: usual steps have a backward pass, and there was
 * none since the last end. Then what there was is that of an evaluation's batch, *ret_place being
 * where it begins, or too little for one (false).
 */
bool shape_is_untrained(const struct shape *shape);
bool shape_is_forward_only(const struct shape *shape, uint32_t *ret_place);

/*
 * Work that is no call: it has no line that could be told apart, but how much of it there is says
 * what is done. place: 0 where it is unknown.
 */
void shape_work(struct shape *shape, uint64_t name, uint32_t place);

/* An operator that is no call of these: work of the step, or of what interrupts it. */
static inline void shape_works(struct shape *shape)
{
	shape->gap.works = shape->worked = true;
}

/* A part of a backward pass; the end of a step; there are no more to learn from. */
void shape_backward(struct shape *shape);
void shape_end(struct shape *shape);
void shape_learnt(struct shape *shape);

/* What the interruption that is not over has been so far. */
struct shape_told shape_phase(const struct shape *shape);

/* The same, and it is over: it is told once. */
struct shape_told shape_close(struct shape *shape);

#endif
