/* SPDX-License-Identifier: MIT */
/*
 * The marks that a framework leaves in a training loop: which of the optimisers' steps ends a step
 * of the program. Two optimisers on one batch are one step, and so are two steps of an optimiser
 * where each batch of the loader has several; a step that was captured into a graph takes place
 * when the graph is launched, and those before the capture were its preparation.
 *
 * The beginning of a trace is seen twice: first to learn, then to tell.
 * And what a model keeps about the ends of its steps until the device has reached them: cuts of the
 * host, and stretches of time that wait for them (pace.h). Plain data of a model; not thread-safe.
 */
#ifndef ANALYZER_MODEL_MARKS_H
#define ANALYZER_MODEL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/device/device.h"
#include "analyzer/names/stepname.h"
#include "analyzer/steps/burst.h"
#include "analyzer/steps/period.h"
#include "analyzer/steps/results.h"
#include "analyzer/steps/shape.h"
#include "analyzer/timeline/sweep.h"
#include "collector/base/circle.h"
#include "collector/base/vec.h"
#include "collector/format/record.h"

#define MARKS_GRAPHS 32u

struct model_thread;

struct marks {
	struct vote vote;
	bool told;     /* learning is over */
	bool by_batch; /* a batch of the loader has several steps of the optimiser */
	bool load_since;
	uint64_t loads, with_load, without_load; /* steps of optimisers after a batch or not */
	bool capturing;
	uint64_t captured; /* key of the optimiser that the running capture has seen */
	uint64_t eager;    /* steps that were not launched as a graph */
	bool replayed;
	struct {
		uint64_t graph, exec, key;
	} graphs[MARKS_GRAPHS]; /* a circle */
	uint64_t graph_count;
};

enum mark {
	MARK_NONE,
	MARK_STEP,  /* a step ends */
	MARK_REPLAY /* and it is the first that was captured before */
};

/* A record that is not counted yet. */
struct model_held {
	struct record record;
	struct model_thread *thread;
};

/* Marks of steps that ended while recording was off. */
struct passed {
	uint64_t marks, optimizer_steps, loads, steps;
};

/* All that a model knows about where steps end; steps.h works on it. */
struct stepping {
	struct marks marks;
	struct vote loaders;
	struct results results; /* of compiled functions */
	uint64_t learnt_ns;     /* begin of the last launch of the beginning */
	uint64_t launches;      /* since the last cut */
	uint32_t ranges;        /* that are named like steps */
	uint64_t range_ns;      /* begin of the last one */
	bool told;              /* the program says where they end */
	/* that the user named */
	struct stepname names;
	const struct model_thread *asked_thread; /* whose steps these are; NULL: of none yet */
	uint64_t asked_ns;                       /* begin of the last one */
	uint64_t held_ns; /* end of the last record that was held and is counted */
	bool unsplit;     /* a range began before that: its step has what was before it, too */
	VEC(struct model_held) held; /* records that wait for the end of a range */
	/* what lies between steps */
	struct shape shape;
	struct burst burst;
	uint32_t thread;   /* that ended the last step; 0: none has ended */
	uint64_t call_ns;  /* end of the last call that has a part in the shape */
	bool lines;        /* waits have lines of the program */
	bool broken, tail; /* the running step is; what was put by of it counts */
	uint64_t changed;  /* steps that are not known one by one, as an optimiser took over */
	struct passed passed;

	/* by period */
	struct period period;
	uint64_t *tokens; /* of the thread that launches most: a circle */
	uint64_t token_count, token_cut;
	bool launches_pass;   /* they are not looked at any more */
	uint64_t next_search; /* number of events at which to look for a pattern again */
	uint32_t main_thread;
};

/* A step of an optimiser (OP), of class OPTIMIZER, on that thread; and a range of a loader. */
enum mark marks_optimizer(struct marks *marks, const struct record *record, uint32_t thread);
void marks_load(struct marks *marks);

/* GRAPH. */
enum mark marks_graph(struct marks *marks, const struct record *record, uint32_t thread);

/* The beginning has been seen: from now on tell. */
void marks_decide(struct marks *marks);

#define PACE_STRETCHES 4096u

/* The end of a step's calls. */
struct pace_cut {
	uint64_t host_ns;
	uint64_t until_op; /* number of the first operation that is not before it */
	uint64_t streams;  /* whose work has to be done, bit per index */
	enum step_cut kind;
	uint32_t phase; /* number, of what is put aside */
	uint64_t more;  /* steps that end there too, of which the trace has nothing */
};

/* A cut as the host made it, until the sweep has reached it. */
struct pace_end {
	uint64_t host_ns, more;
	enum step_cut kind;
	uint32_t phase;
	struct step_loose loose;
	bool catches; /* it has the time of steps before it */
};

struct pace_stretch {
	struct sweep_end end;
};

struct pace {
	CIRCLE(struct pace_cut) cuts;        /* of steps of which it is not known when they end */
	struct pace_end ends[STEPS_PENDING]; /* a circle: the sweep's cuts */
	uint64_t first_end, until_end;
	uint64_t kernels, copies; /* streams of the running step, bit per index */
	CIRCLE(struct pace_stretch) stretches;
	uint64_t limit_ns;       /* of what was retired last */
	uint64_t waited, behind; /* of pace_work; whose steps may have ended too early */
	struct step_loose loose; /* what was retired since the last cut */
	bool measured, away;     /* the last stretch was; it ended in what may be no step */
	bool is_beyond;          /* a step ended behind the window, and so do all after it */
};

#endif
