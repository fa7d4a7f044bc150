/* SPDX-License-Identifier: MIT */
/*
 * All that a model (model.h) knows about a process, while records come and at the end. The files
 * of the model work on it; the report reads its figures once all records have come.
 *
 * Plain data of one model; not thread-safe.
 */
#ifndef ANALYZER_MODEL_STATE_H
#define ANALYZER_MODEL_STATE_H

#include "analyzer/device/device.h"
#include "analyzer/device/join.h"
#include "analyzer/model/marks.h"
#include "analyzer/model/observer.h"
#include "analyzer/model/thread.h"
#include "analyzer/names/opname.h"
#include "analyzer/steps/bare.h"
#include "analyzer/steps/steps.h"
#include "analyzer/timeline/lines.h"
#include "analyzer/timeline/spot.h"

struct model_job; /* settle.h */

/* Flag of an OP, in memory alone: it is none of the trace's. */
#define MODEL_CARRIED (1u << 31)
#define MODEL_PREFIX  32768u
#define MODEL_METRICS 16u
#define MODEL_DEVICES 64u

struct model_options {
	uint64_t join_ns;    /* pauses between calls up to this count as launching */
	uint64_t blocked_ns; /* a launch that takes longer may have found the queue full */
	double matched_pct;  /* of operations that make a stretch a measured one */
	const struct observer *observer;                      /* NULL: nobody looks */
	const struct watch *watch;                            /* at the account; NULL: nobody */
	bool (*selected)(const void *context, uint64_t step); /* NULL: all steps */
	const void *context;
	enum step_method asked; /* STEP_BY_RANGE or _MARKER of that name goes before all others */
	const char *asked_name;
};

/* Counted per step as records come. */
enum model_value {
	MODEL_LAUNCHES, /* of kernels and of graphs, each of which is one */
	MODEL_GRAPHS,   /* of graphs */
	MODEL_LAUNCH_NS,
	MODEL_COPIES,
	MODEL_TO_DEVICE_BYTES,
	MODEL_TO_HOST_BYTES,
	MODEL_SYNCS,
	MODEL_ALLOCS,
	MODEL_OPS,
	MODEL_LOADS, /* ranges of a data loader */
	MODEL_LOAD_NS,
	MODEL_OPTIMIZER_NS,
	MODEL_BACKWARD_NS,
	MODEL_HELD_NS,     /* the thread that steps was blocked in calls that say so */
	MODEL_FILE_NS,     /* in reads of files */
	MODEL_COLLECTIONS, /* of Python's garbage, on threads that launch */
	MODEL_FULL_COLLECTIONS,
	MODEL_COLLECTION_NS,
	MODEL_GIL_WAITS, /* for Python's lock, of threads that launch */
	MODEL_GIL_NS,
	MODEL_COVERED,  /* 1: operators were recorded in all of the step */
	MODEL_MAYBE_NS, /* in calls for something else that may have waited for the device */
	MODEL_VALUE_COUNT
};

struct model_metric {
	uint64_t first, last;
	bool known;
};

struct model {
	struct lookup lookup;
	struct model_options options;
	struct opname_cache opnames;
	struct join *join; /* NULL until the device's side says something about calls */
	struct spots *spots;
	struct device *device;
	struct lines lines;
	struct steps steps;
	struct sweep sweep;
	struct pace pace;
	struct series counted;
	uint64_t *values; /* of the running step in counted; unwanted when it is not selected */
	uint64_t unwanted[MODEL_VALUE_COUNT];
	struct idmap threads;
	struct model_thread *thread_list, *last_thread;
	struct model_prefix *prefix; /* NULL once it has been worked through */
	uint32_t prefix_count;
	struct bare bare; /* steps without operators */
	bool alone;       /* nothing has been given to a device: the host is all there is */
	struct stepping stepping;
	uint64_t collection_longest_ns; /* of the steps that count */
	struct model_holder holders[MODEL_HOLDERS];
	struct {
		uint32_t thread;
		uint64_t copied_ns; /* 0: never */
	} feeders[2]; /* threads that copy to the device and do little else, the last ones */
	/* waits */
	uint64_t least_sync_ns, least_release_ns, least_unload_ns;
	bool empty;                /* nothing was running where the current stretch began */
	uint64_t first_enqueue_ns; /* in the current stretch; 0: none yet */
	/* totals */
	uint64_t devices; /* that records name, bit per id; those above do not count */
	uint64_t events, kinds[RECORD_KIND_LIMIT];
	uint64_t from_ns, to_ns; /* the window; to_ns 0: none */
	uint64_t first_ns, last_ns;
	uint64_t kept_up;   /* waits after the first step began for which the device had finished */
	uint64_t waits;     /* for which it had not */
	uint64_t waited_ns; /* that the device kept the host waiting, also after the last step */
	uint64_t blocked;   /* launches that found the queue full */
	uint64_t unseen_from_ns, unseen_ns; /* recording is on again, no wait since; all of that */
	/* stretches that wait for records of the device */
	CIRCLE(struct model_job) jobs;
	uint64_t resolved;  /* operations up to this number have all that is to come */
	uint64_t device_ns; /* newest end of an operation */
	uint64_t matched_op, matched_ops[DEVICE_STREAM_LIMIT]; /* newest ones with a record */
	uint64_t measured;                      /* operations that the device reported */
	uint64_t calls_expected, calls_matched; /* that own operations */
	uint64_t held_bytes, most_held_bytes;   /* of memory that was allocated */
	uint64_t calls_beyond;                  /* others: what they asked for may have run later */
	uint64_t late_operations, whole_graphs; /* too late; told as one operation */
	struct model_metric metrics[MODEL_METRICS];
	struct load load;
};

/* What of a record lies within the window. */
static inline struct record model_within(const struct model *model, const struct record *record)
{
	struct record part = *record;
	part.begin = part.begin < model->from_ns ? model->from_ns : part.begin;
	part.end = part.end > model->to_ns ? model->to_ns : part.end;
	return part;
}

/* Whether figures of the running step are wanted at all. */
static inline bool model_counts(const struct model *model)
{
	return model->values != model->unwanted;
}

/* A record names the device that it is about. */
static inline void model_note_device(struct model *model, uint32_t id)
{
	model->devices |= id < MODEL_DEVICES ? 1ull << id : 0;
}

#endif
