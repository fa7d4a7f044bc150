/* SPDX-License-Identifier: MIT */
#include "analyzer/model/marks.h"

#include "collector/base/hash.h"
#include "collector/format/fields.h"

/* So many of the optimiser's steps without a new batch before them are neither all nor none. */
#define BY_BATCH_LEAST 0.3
#define BY_BATCH_MOST  0.9
/* Batches that no step follows are those of another phase. */
#define BATCHES_USED 0.8
/* More than that is training, not the preparation of a capture. */
#define PREPARATION_STEPS 16u

static enum mark tell(struct marks *marks, uint64_t key, uint64_t group, uint32_t thread)
{
	marks->vote.thread = thread;
	bool fresh = marks->load_since;
	if (!marks->told) {
		vote_count(&marks->vote, key);
		marks->load_since = false;
		*(fresh ? &marks->with_load : &marks->without_load) += 1;
		return MARK_NONE;
	}
	if (!vote_ends(&marks->vote, key, group) || (marks->by_batch && !fresh))
		return MARK_NONE;
	marks->load_since = false;
	return MARK_STEP;
}

enum mark marks_optimizer(struct marks *marks, const struct record *record, uint32_t thread)
{
	uint64_t object = record_OP_object(record);
	uint64_t key = hash_mix(record->name, object != 0 ? object : record->place);
	if (marks->capturing) {
		marks->captured = key;
		return MARK_NONE;
	}
	marks->eager++;
	/* those that step at one line are for each other's clients, folds or trials */
	return tell(marks, key, object != 0 ? hash_mix(record->name, record->place) : 0, thread);
}

void marks_load(struct marks *marks)
{
	marks->load_since = true;
	marks->loads++;
}

static void note_graph(struct marks *marks, uint64_t graph, uint64_t key)
{
	uint64_t at = marks->graph_count++ % MARKS_GRAPHS;
	marks->graphs[at].graph = graph;
	marks->graphs[at].exec = 0;
	marks->graphs[at].key = key;
}

static void instantiate(struct marks *marks, uint64_t graph, uint64_t exec)
{
	for (uint64_t i = marks->graph_count; i-- > 0 && marks->graph_count - i <= MARKS_GRAPHS;)
		if (marks->graphs[i % MARKS_GRAPHS].graph == graph) {
			marks->graphs[i % MARKS_GRAPHS].exec = exec;
			return;
		}
}

/* Another one may get the handle of what is destroyed. */
static void forget(struct marks *marks, uint64_t graph, uint64_t exec)
{
	for (uint32_t i = 0; i < MARKS_GRAPHS; i++) {
		if (graph != 0 && marks->graphs[i].graph == graph)
			marks->graphs[i].graph = 0;
		if (exec != 0 && marks->graphs[i].exec == exec)
			marks->graphs[i].exec = 0;
	}
}

static enum mark launch(struct marks *marks, uint64_t exec, uint32_t thread)
{
	uint64_t i = marks->graph_count < MARKS_GRAPHS ? marks->graph_count : MARKS_GRAPHS;
	while (i > 0 && marks->graphs[i - 1].exec != exec)
		i--;
	if (i == 0)
		return MARK_NONE;
	bool first = !marks->replayed && marks->eager <= PREPARATION_STEPS;
	if (first && !marks->told)
		marks->vote = (struct vote){0};
	marks->replayed = true;
	enum mark mark = tell(marks, marks->graphs[i - 1].key, 0, thread);
	return mark == MARK_STEP && first ? MARK_REPLAY : mark;
}

enum mark marks_graph(struct marks *marks, const struct record *record, uint32_t thread)
{
	unsigned flags = record_flags(record);
	if (record->result != 0)
		return MARK_NONE;
	if ((flags & RECORD_LAUNCH_GRAPH) != 0)
		return (flags & RECORD_CAPTURED) != 0
			       ? MARK_NONE
			       : launch(marks, record_GRAPH_exec(record), thread);
	if ((flags & RECORD_INSTANTIATE) != 0) {
		instantiate(marks, record_GRAPH_graph(record), record_GRAPH_exec(record));
	} else if ((flags & RECORD_DESTROY) != 0) {
		forget(marks, record_GRAPH_graph(record), record_GRAPH_exec(record));
	} else if ((flags & RECORD_CAPTURED) != 0) {
		marks->capturing = (flags & RECORD_CREATE) != 0;
		if (!marks->capturing && marks->captured != 0)
			note_graph(marks, record_GRAPH_graph(record), marks->captured);
		marks->captured = 0;
	}
	return MARK_NONE;
}

void marks_decide(struct marks *marks)
{
	struct marks fresh = {.vote = marks->vote, .told = true};
	fresh.vote.staged = true;
	uint64_t all = marks->with_load + marks->without_load;
	fresh.by_batch = (double)marks->without_load > BY_BATCH_LEAST * (double)all &&
			 (double)marks->without_load < BY_BATCH_MOST * (double)all &&
			 (double)marks->with_load > BATCHES_USED * (double)marks->loads;
	*marks = fresh;
	vote_elect(&marks->vote);
}
