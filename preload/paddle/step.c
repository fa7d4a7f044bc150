/* SPDX-License-Identifier: MIT */
#include "preload/paddle/step.h"

#include <stdio.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/thread/thread.h"
#include "preload/thread/threadmem.h"

/* Where the optimisers' code lies, between updates too: rates, clipping, decay. */
#define OPTIMIZERS "/paddle/optimizer/"

/* How many updates a step at a place of the program has. */
#define PLACES 4u
struct step_place {
	uint32_t place, count;
};

struct step {
	uint64_t begin, end; /* end 0: the first update is still going on */
	uint64_t head;       /* of the ring, once the last update is recorded */
	const void *update;  /* the event that updates a parameter now */
	uint32_t name, place, count;
	bool open, over; /* over: recorded, and nothing else was done since */
	struct step_place *known, places[PLACES]; /* known: the place of this step */
};

static struct threadmem pool;
static __thread struct step *own __attribute__((tls_model("initial-exec")));

static bool make_own(void)
{
	if (own == NULL && (own = threadmem_take(&pool, sizeof(*own))) != NULL)
		*own = (struct step){0};
	return own != NULL;
}

/* The operators that update parameters: in place, hence with an underscore. */
static bool is_update(const char *text, size_t length)
{
	static const char *const updates[] = {"sgd_", "momentum_", "adam_", "adamw_", "lamb_",
		"rmsprop_", "adagrad_", "adadelta_", "adamax_", "nadam_", "radam_", "asgd_",
		"rprop_", "merged_adam_", "merged_momentum_", "fused_adam_"};
	if (length < 2 || text[length - 1] != '_')
		return false;
	for (size_t i = 0; i < sizeof(updates) / sizeof(updates[0]); i++)
		if (strncmp(text, updates[i], length) == 0 && updates[i][length] == '\0')
			return true;
	return false;
}

static void open_step(const char *text, size_t length)
{
	char name[64];
	int size = snprintf(name, sizeof(name), "Optimizer.step#%.*s", (int)length - 1, text);
	thread_trains();
	own->name = collector_name(name, (size_t)size);
	own->place = python_place();
	struct step_place *known = &own->places[own->place % PLACES];
	if (known->place != own->place)
		*known = (struct step_place){.place = own->place};
	own->known = known;
	own->open = true;
	own->end = 0;
	own->begin = clock_ticks();
}

static void emit(void)
{
	struct operator_open step = {.begin = own->begin,
		.name = own->name,
		.place = own->place,
		.scope = OP_USER_SCOPE,
		.framework = OP_PADDLE};
	/* records of a thread are in the order of their ends */
	bool last = collector_published() <= own->head;
	own->open = false;
	if (own->end != 0)
		operators_emit(&step, last ? own->end : clock_ticks());
}

void step_look(const void *event, const char *text)
{
	size_t length = strcspn(text, " ");
	if (is_update(text, length)) {
		if (!make_own())
			return;
		if (!own->open && !own->over)
			open_step(text, length);
		own->count++;
		own->update = event;
	} else if (own != NULL && (own->open || own->over) && python_owner(NULL, OPTIMIZERS) == 0) {
		step_close();
	}
}

void step_ended(const void *event, uint64_t end)
{
	if (own == NULL || own->update != event)
		return;
	own->update = NULL;
	own->end = end;
	own->head = collector_published();
	if (!own->open || own->count != own->known->count)
		return;
	emit();
	own->over = true;
}

void step_close(void)
{
	if (own == NULL)
		return;
	if (own->open)
		emit();
	if (own->count > 0)
		own->known->count = own->count;
	own->over = false;
	own->count = 0;
}

void step_forget(void)
{
	if (own == NULL)
		return;
	own->update = NULL;
	own->open = own->over = false;
}
