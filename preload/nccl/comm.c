/* SPDX-License-Identifier: MIT */
#include "preload/nccl/comm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/nccl/real.h"

#define COMM_BITS  10
#define COMM_COUNT (1u << COMM_BITS)
#define PROBES     64u
#define IDS_MOST   64

static struct comm comms[COMM_COUNT];

/* An entry that is being filled; it has no communicator's address. */
#define BUSY ((const void *)comms)

static struct comm *entry_at(const void *handle, unsigned probe)
{
	return &comms[(hash_pointer_bits(handle, COMM_BITS) + probe) % COMM_COUNT];
}

static struct comm *find(const void *handle)
{
	for (unsigned probe = 0; probe < PROBES; probe++) {
		struct comm *entry = entry_at(handle, probe);
		if (__atomic_load_n(&entry->handle, __ATOMIC_ACQUIRE) == handle)
			return entry;
	}
	return NULL;
}

void comm_remove(const void *handle)
{
	struct comm *entry = handle == NULL ? NULL : find(handle);
	if (entry != NULL)
		__atomic_store_n(&entry->handle, NULL, __ATOMIC_RELEASE);
}

void comm_add(const void *handle, uint32_t name, int rank, int ranks)
{
	if (handle == NULL)
		return;
	if (rank >= 0 && ranks > 0)
		collector_rank((unsigned)rank, (unsigned)ranks);
	comm_remove(handle);
	for (unsigned probe = 0; probe < PROBES; probe++) {
		struct comm *entry = entry_at(handle, probe);
		const void *none = NULL;
		if (!__atomic_compare_exchange_n(
			    &entry->handle, &none, BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		entry->name = name;
		entry->rank = (uint16_t)rank;
		entry->ranks = (uint16_t)ranks;
		entry->collectives = entry->transfers = entry->splits = 0;
		__atomic_store_n(&entry->handle, handle, __ATOMIC_RELEASE);
		return;
	}
}

struct comm *comm_find(const void *handle)
{
	int rank, ranks;
	if (handle == NULL)
		return NULL;
	struct comm *entry = find(handle);
	if (entry != NULL && entry->ranks > 0)
		return entry;
	if (!nccl_ask(handle, &rank, &ranks))
		return entry;
	if (entry == NULL) {
		comm_add(handle, 0, rank, ranks);
		return find(handle);
	}
	entry->rank = (uint16_t)rank;
	entry->ranks = (uint16_t)ranks;
	return entry;
}

static uint32_t name_of(const char *text)
{
	return collector_name(text, strlen(text));
}

uint32_t comm_name_of_ids(const ncclUniqueId *ids, int count)
{
	char text[24];
	uint64_t hash = 0, word;
	for (int i = 0; i < count && i < IDS_MOST; i++)
		for (size_t at = 0; at < sizeof(ids[i]); at += sizeof(word)) {
			memcpy(&word, ids[i].internal + at, sizeof(word));
			hash = hash_mix(hash, word);
			hash ^= hash >> 32;
		}
	(void)snprintf(text, sizeof(text), "%012llx", (unsigned long long)hash >> 16);
	return name_of(text);
}

uint32_t comm_name_of_process(void)
{
	static uint32_t count;
	char text[32];
	(void)snprintf(text, sizeof(text), "process-%d.%u", (int)getpid(),
		__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED));
	return name_of(text);
}

uint32_t comm_name_of_part(uint32_t whole, uint32_t number, int color)
{
	char text[160];
	size_t length = 0;
	const char *name = collector_name_text(whole, &length);
	if (name == NULL || length > sizeof(text) - 32)
		return 0;
	(void)snprintf(text, sizeof(text), "%.*s/%u.%d", (int)length, name, number, color);
	return name_of(text);
}
