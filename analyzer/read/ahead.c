/* SPDX-License-Identifier: MIT */
#include "analyzer/read/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "collector/base/processors.h"

#define MESSAGES    256u
#define ROOM        (8 * CODEC_BLOCK_LIMIT) /* records */
#define WAKE        (3 * CODEC_BLOCK_LIMIT) /* for which the caller gets up */
#define STACK_BYTES (512u << 10)

enum what {
	WHAT_FRAME,
	WHAT_ITEM, /* with ITEM_END or an error: the last of the frame */
	WHAT_STOP
};

struct message {
	enum what what;
	int result;            /* of the walk or the decoder */
	uint64_t skipped;      /* since the message before */
	uint64_t record_until; /* records of it and those before end here */
	union {
		struct ahead_frame frame;
		struct item item;
	};
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, room;
	/* under the lock; numbers only grow */
	uint64_t sent, taken, record_taken;
	uint64_t wanted, record_wanted; /* the thread waits until so many were taken */
	bool waits, wanting, ending;    /* the thread, the caller; the caller wants no more */
	/* the thread's */
	struct walk *walk;
	struct decoder *decoder;
	uint64_t record_until; /* of what it has put into the room */
	uint64_t skipped;
	uint64_t raw_until; /* messages that refer to the bytes of the frame */
	/* the caller's */
	struct decoder *definitions;
	bool holds; /* the oldest message is being looked at */
	/* handed over */
	struct message *messages;
	struct record *records;
};

/* Under the lock: there is something for the caller, who has nothing left. */
static void wake_caller(struct worker *worker)
{
	worker->wanting = false;
	(void)pthread_cond_signal(&worker->more);
}

/* Wait until so much was taken. False: nobody wants more. */
static bool wait_taken(struct worker *worker, uint64_t wanted, uint64_t record_wanted)
{
	(void)pthread_mutex_lock(&worker->lock);
	worker->wanted = wanted;
	worker->record_wanted = record_wanted;
	while (!worker->ending &&
		(worker->taken < wanted || worker->record_taken < record_wanted)) {
		if (worker->wanting)
			wake_caller(worker);
		worker->waits = true;
		(void)pthread_cond_wait(&worker->room, &worker->lock);
	}
	worker->waits = false;
	bool goes_on = !worker->ending;
	(void)pthread_mutex_unlock(&worker->lock);
	return goes_on;
}

/* Room for records side by side; when it is full, until half of it is free. */
static struct record *make_room(void *context, unsigned count)
{
	struct worker *worker = context;
	uint64_t from = worker->record_until, at = from % ROOM;
	if (at + count > ROOM)
		from += ROOM - at;
	uint64_t wanted = from + count > ROOM ? from + count - ROOM : 0;
	(void)pthread_mutex_lock(&worker->lock);
	bool full = worker->record_taken < wanted;
	(void)pthread_mutex_unlock(&worker->lock);
	if (full && wanted + ROOM / 2 < worker->record_until)
		wanted += ROOM / 2;
	if (full && !wait_taken(worker, 0, wanted))
		return NULL;
	worker->record_until = from + count;
	return &worker->records[from % ROOM];
}

/* Where the next message goes; when there are too many, once half of them are taken. */
static struct message *next_message(struct worker *worker)
{
	(void)pthread_mutex_lock(&worker->lock);
	uint64_t sent = worker->sent;
	bool full = sent - worker->taken == MESSAGES;
	(void)pthread_mutex_unlock(&worker->lock);
	if (full && !wait_taken(worker, sent - MESSAGES / 2, 0))
		return NULL;
	return &worker->messages[sent % MESSAGES];
}

static void send(struct worker *worker, struct message *message, enum what what, int result)
{
	uint64_t skipped = decoder_skipped(worker->decoder);
	message->what = what;
	message->result = result;
	message->skipped = skipped - worker->skipped;
	message->record_until = worker->record_until;
	worker->skipped = skipped;
	(void)pthread_mutex_lock(&worker->lock);
	worker->sent++;
	if (worker->wanting &&
		(what == WHAT_STOP || worker->record_until - worker->record_taken >= WAKE))
		wake_caller(worker);
	(void)pthread_mutex_unlock(&worker->lock);
}

/* The items of a frame, to its end or to where it is damaged. False: nobody wants more. */
static bool send_items(struct worker *worker)
{
	for (;;) {
		struct message *message = next_message(worker);
		if (message == NULL)
			return false;
		int err = decoder_next(worker->decoder, &message->item, NULL);
		bool ends = err < 0 || message->item.type == ITEM_END;
		bool raw = message->item.type == ITEM_RAW;
		send(worker, message, WHAT_ITEM, err);
		if (raw)
			worker->raw_until = worker->sent;
		if (ends)
			return true;
	}
}

static void *run(void *context)
{
	struct worker *worker = context;
	struct walk *walk = worker->walk;
	/* the bytes of the frame before have been looked at */
	while (wait_taken(worker, worker->raw_until, 0)) {
		struct message *message = next_message(worker);
		if (message == NULL)
			break;
		int result = walk_next(walk, NULL, NULL);
		if (result != WALK_FRAME) {
			send(worker, message, WHAT_STOP, result);
			break;
		}
		message->frame = (struct ahead_frame){
			.info = walk->info, .begin = walk->begin, .offset = walk->offset};
		decoder_feed(worker->decoder, walk->raw, walk->raw_bytes);
		send(worker, message, WHAT_FRAME, WALK_FRAME);
		if (!send_items(worker))
			break;
	}
	return NULL;
}

static void worker_release(struct worker *worker)
{
	decoder_hand_on(worker->decoder, NULL, NULL);
	decoder_free(worker->definitions);
	free(worker->messages);
	free(worker->records);
	(void)pthread_mutex_destroy(&worker->lock);
	(void)pthread_cond_destroy(&worker->more);
	(void)pthread_cond_destroy(&worker->room);
	free(worker);
}

/* Signals are for the thread that has always been there. */
static int start(struct worker *worker)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	if (pthread_attr_init(&attributes) != 0)
		return -1;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int err = pthread_create(&worker->thread, &attributes, run, worker);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	return err;
}

static struct worker *worker_new(struct walk *walk, struct decoder *decoder)
{
	struct worker *worker = processors_allowed() > 1 ? calloc(1, sizeof(*worker)) : NULL;
	if (worker == NULL)
		return NULL;
	(void)pthread_mutex_init(&worker->lock, NULL);
	(void)pthread_cond_init(&worker->more, NULL);
	(void)pthread_cond_init(&worker->room, NULL);
	worker->walk = walk;
	worker->decoder =
		decoder; /* it has much memory, and the caller's definitions need little */
	worker->skipped = decoder_skipped(decoder);
	worker->definitions = decoder_new();
	worker->messages = malloc(MESSAGES * sizeof(*worker->messages));
	worker->records = aligned_alloc(sizeof(struct record), ROOM * sizeof(*worker->records));
	if (worker->definitions != NULL && worker->messages != NULL && worker->records != NULL) {
		decoder_hand_on(worker->decoder, make_room, worker);
		if (start(worker) == 0)
			return worker;
	}
	worker_release(worker);
	return NULL;
}

static void worker_free(struct worker *worker)
{
	if (worker == NULL)
		return;
	(void)pthread_mutex_lock(&worker->lock);
	worker->ending = true;
	(void)pthread_cond_signal(&worker->room);
	(void)pthread_mutex_unlock(&worker->lock);
	(void)pthread_join(worker->thread, NULL);
	worker_release(worker);
}

/* The message that is being looked at is not needed any more; under the lock. */
static void drop(struct worker *worker)
{
	worker->record_taken = worker->messages[worker->taken++ % MESSAGES].record_until;
	if (worker->waits && worker->taken >= worker->wanted &&
		worker->record_taken >= worker->record_wanted)
		(void)pthread_cond_signal(&worker->room);
}

/* The oldest message that was not looked at; until the next call. */
static const struct message *receive(struct worker *worker)
{
	(void)pthread_mutex_lock(&worker->lock);
	if (worker->holds)
		drop(worker);
	worker->wanting = worker->sent == worker->taken;
	while (worker->wanting)
		(void)pthread_cond_wait(&worker->more, &worker->lock);
	(void)pthread_mutex_unlock(&worker->lock);
	worker->holds = true;
	return &worker->messages[worker->taken % MESSAGES];
}

struct ahead {
	struct walk *walk;
	struct decoder *decoder;
	struct worker *worker; /* NULL: none */
	bool allowed;
	uint64_t skipped; /* by the thread, in items that were passed over */
};

struct ahead *ahead_new(struct walk *walk, struct decoder *decoder)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));
	if (ahead != NULL)
		*ahead = (struct ahead){.walk = walk, .decoder = decoder};
	return ahead;
}

void ahead_free(struct ahead *ahead)
{
	if (ahead != NULL)
		worker_free(ahead->worker);
	free(ahead);
}

void ahead_allow(struct ahead *ahead, bool allowed)
{
	ahead->allowed = allowed;
}

static int take_frame(struct ahead *ahead, struct ahead_frame *ret_frame)
{
	const struct message *message = receive(ahead->worker);
	for (; message->what == WHAT_ITEM; message = receive(ahead->worker))
		ahead->skipped += message->skipped;
	int result = message->result;
	if (message->what == WHAT_FRAME) {
		*ret_frame = message->frame;
	} else {
		worker_free(ahead->worker);
		ahead->worker = NULL;
	}
	return result;
}

int ahead_frame(struct ahead *ahead,
	bool (*unwanted)(const struct frame_info *info, const void *data), const void *data,
	struct ahead_frame *ret_frame)
{
	const struct walk *walk = ahead->walk;
	if (ahead->allowed && ahead->worker == NULL && walk->offset > 0 &&
		walk->offset < walk->limit) {
		ahead->allowed = false;
		ahead->worker = worker_new(ahead->walk, ahead->decoder);
	}
	int result = ahead->worker != NULL ? take_frame(ahead, ret_frame)
					   : walk_next(ahead->walk, unwanted, data);
	if (ahead->worker == NULL)
		*ret_frame = (struct ahead_frame){
			.info = walk->info, .begin = walk->begin, .offset = walk->offset};
	if (ahead->worker == NULL && result == WALK_FRAME)
		decoder_feed(ahead->decoder, walk->raw, walk->raw_bytes);
	return result;
}

int ahead_item(struct ahead *ahead, struct item *ret_item)
{
	if (ahead->worker == NULL)
		return decoder_next(ahead->decoder, ret_item, NULL);
	const struct message *message = receive(ahead->worker);
	*ret_item = message->item;
	if (message->result < 0 || message->item.type != ITEM_RAW)
		return message->result;
	struct decoder *definitions = ahead->worker->definitions;
	decoder_feed(definitions, message->item.raw, message->item.raw_bytes);
	return decoder_next(definitions, ret_item, NULL);
}

uint64_t ahead_skipped(const struct ahead *ahead)
{
	return decoder_skipped(ahead->decoder) - ahead->skipped;
}
