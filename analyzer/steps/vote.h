/* SPDX-License-Identifier: MIT */
/*
 * Which of several marks that recur ends a step: a program may have two optimisers, of which one
 * works in each step and the other in each or in some. The one that recurs most often ends the
 * steps; of those that are equally often there, the one that was last to come for the first time,
 * because that is the last in each round.
 *
 * The marks of a beginning are counted, then one is elected. Should it cease to come while others
 * do, for longer than an evaluation between two epochs, the next one takes over: a training in
 * stages has an optimiser for each, and where that was seen in the beginning, the one of the first
 * stage is elected. Where stages are short, as of clients that train in turn, most steps would be
 * those before that is known: who has always come several times in a row takes over at once, and so
 * does a new one of the elected one's group. What came beside the elected one all along, on another
 * thread, is no stage but another training. Pure; an all-zero struct is a vote without marks.
 */
#ifndef ANALYZER_STEPS_VOTE_H
#define ANALYZER_STEPS_VOTE_H

#include <stdbool.h>
#include <stdint.h>

/* Of more kinds of marks in the beginning the rarest has no vote: they are those of a set-up. */
#define VOTE_KEYS 64u

struct vote {
	struct {
		uint64_t key, count;
		uint64_t first, last; /* among all marks of the beginning; later last is kept up */
		uint32_t since;       /* since the elected one */
		int32_t rank;         /* kinds of a lower one have no vote beside it */
		uint32_t name;        /* the caller's */
		uint32_t run;         /* so many in a row, at most, in the beginning */
		uint32_t shortest;    /* and at least, in rows that have ended; 0: none has */
		uint32_t thread;      /* on which it came the last time */
	} marks[VOTE_KEYS];           /* in the order in which they came */
	uint32_t count;
	bool decided;
	uint64_t elected;
	uint64_t others;  /* marks since the elected one, of others that may take over */
	uint64_t ends;    /* what the elected one has ended, or had come in the beginning */
	uint64_t ended;   /* the former */
	uint64_t seen;    /* marks of the beginning, and of others than the elected one */
	bool staged;      /* one that comes alone takes over soon */
	uint64_t running; /* the last mark, */
	uint32_t run;     /* and how many in a row it was */
	uint64_t group;   /* of the elected one; 0: none */
	uint32_t missed;  /* marks that the one which has just taken over has had before */
	uint32_t thread;  /* the caller's: on which the next mark comes; 0: not known */
};

/* A mark of the beginning. */
void vote_count(struct vote *vote, uint64_t key);

/* A kind that has been counted, and its name; without it both are 0. */
void vote_rank(struct vote *vote, uint64_t key, int32_t rank, uint32_t name);

/* No more of them: elect one. Without any the next mark is it. */
void vote_elect(struct vote *vote);

/*
 * Whether the elected one, whose name becomes *ret_elected, is so by its number alone: in the
 * beginning it took turns with another one, each several times in a row, as a training does with an
 * evaluation, and no rank says which is which. The name of the other one; 0: it did not.
 */
uint32_t vote_rival(const struct vote *vote, uint32_t *ret_elected);

/*
 * A mark: true when it is the one that ends steps. If vote->missed is not 0 then, it has just
 * become that, and so many marks of its own before have ended steps, too. Group: of marks that may
 * stand for each other; 0: of none.
 */
bool vote_ends(struct vote *vote, uint64_t key, uint64_t group);

#endif
