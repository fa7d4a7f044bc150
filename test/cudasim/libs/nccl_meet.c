/* SPDX-License-Identifier: MIT */
/*
 * The file in shared memory through which the ranks of a communicator meet.
 *
 * It begins with the members and, for each channel, slot and member, an entry; far behind are the
 * data, at an offset that follows from these three, written and read with pwrite and pread, so
 * that a full file system is an error and no signal. The file is sparse: what nobody uses costs
 * nothing. It is made by whoever comes first and unlinked when all have come.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nccl.h"
#include "nccl_settings.h"

enum {
	CHANNELS = 1 + NCCL_RANKS * NCCL_RANKS,
	KEEP_BYTES = 1 << 20 /* of a slot that is used again */
};
#define DATA_BEGIN ((uint64_t)1 << 32)
#define DATA_STEP  ((uint64_t)1 << 36)

struct entry {
	uint64_t come; /* sequence + 1 of the last post */
	uint64_t ready_ns;
	uint64_t bytes;
	uint64_t what;
	uint64_t done; /* sequence + 1 of the last one that this member is through with */
	uint64_t unused[3];
};

enum member_state {
	MEMBER_MISSING,
	MEMBER_HERE,
	MEMBER_LEFT
};

struct nccl_shared {
	struct member {
		int state;
		int pid;
	} members[NCCL_RANKS];
	struct entry entries[CHANNELS][NCCL_SLOTS][NCCL_RANKS];
};

int nccl_open(struct nccl_comm *comm)
{
	int missing = MEMBER_MISSING;
	void *shared;

	comm->file = shm_open(comm->name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (comm->file < 0 || ftruncate(comm->file, sizeof(struct nccl_shared))) {
		nccl_say("shared memory: %s", strerror(errno));
		return NCCL_SYSTEM_ERROR;
	}
	shared = mmap(NULL, sizeof(struct nccl_shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		comm->file, 0);
	if (shared == MAP_FAILED) {
		nccl_say("shared memory: %s", strerror(errno));
		return NCCL_SYSTEM_ERROR;
	}
	comm->shared = shared;
	struct member *me = &comm->shared->members[comm->rank];

	__atomic_store_n(&me->pid, (int)getpid(), __ATOMIC_RELEASE);
	if (!__atomic_compare_exchange_n(
		    &me->state, &missing, MEMBER_HERE, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		nccl_say("rank %d is there twice", comm->rank);
		return NCCL_INVALID_USAGE;
	}
	return NCCL_SUCCESS;
}

int nccl_wait_members(struct nccl_comm *comm)
{
	uint64_t begin_ns = nccl_now();
	int result = NCCL_SUCCESS;

	for (int i = 0; i < comm->ranks && !result; i++) {
		while (!__atomic_load_n(&comm->shared->members[i].state, __ATOMIC_ACQUIRE)) {
			if (nccl_now() - begin_ns > nccl_settings()->timeout_ns) {
				nccl_say("rank %d did not come", i);
				result = NCCL_SYSTEM_ERROR;
				break;
			}
			nccl_pause();
		}
	}
	if (comm->rank == 0 || result)
		(void)shm_unlink(comm->name);
	return result;
}

void nccl_leave(struct nccl_comm *comm)
{
	if (comm->shared)
		__atomic_store_n(
			&comm->shared->members[comm->rank].state, MEMBER_LEFT, __ATOMIC_RELEASE);
}

void nccl_close(struct nccl_comm *comm)
{
	nccl_leave(comm);
	if (comm->shared)
		(void)munmap(comm->shared, sizeof(*comm->shared));
	if (comm->file >= 0)
		(void)close(comm->file);
	comm->shared = NULL;
	comm->file = -1;
}

unsigned nccl_pair(int from, int to)
{
	return 1 + (unsigned)from * NCCL_RANKS + (unsigned)to;
}

static unsigned slot_of(const struct nccl_ticket *ticket)
{
	return (unsigned)(ticket->sequence % NCCL_SLOTS);
}

static struct entry *entries_of(struct nccl_comm *comm, const struct nccl_ticket *ticket)
{
	return comm->shared->entries[ticket->channel][slot_of(ticket)];
}

static unsigned member_count(const struct nccl_comm *comm, const struct nccl_ticket *ticket)
{
	return ticket->channel ? 2 : (unsigned)comm->ranks;
}

static int rank_of(const struct nccl_ticket *ticket, unsigned member)
{
	if (!ticket->channel)
		return (int)member;
	return (int)(member ? (ticket->channel - 1) % NCCL_RANKS
			    : (ticket->channel - 1) / NCCL_RANKS);
}

static off_t data_of(const struct nccl_ticket *ticket, unsigned member)
{
	uint64_t slot = (uint64_t)ticket->channel * NCCL_SLOTS + slot_of(ticket);

	return (off_t)(DATA_BEGIN + (slot * NCCL_RANKS + member) * DATA_STEP);
}

static int is_gone(struct nccl_comm *comm, int rank)
{
	const struct member *member = &comm->shared->members[rank];

	if (__atomic_load_n(&member->state, __ATOMIC_ACQUIRE) == MEMBER_LEFT)
		return 1;
	return kill(__atomic_load_n(&member->pid, __ATOMIC_ACQUIRE), 0) && errno == ESRCH;
}

/* Who left is through with everything. */
static int is_free(struct nccl_comm *comm, const struct nccl_ticket *ticket)
{
	const struct entry *entries = entries_of(comm, ticket);

	for (unsigned i = 0; i < member_count(comm, ticket); i++)
		if (__atomic_load_n(&entries[i].done, __ATOMIC_ACQUIRE) + NCCL_SLOTS <
				ticket->sequence + 1 &&
			!is_gone(comm, rank_of(ticket, i)))
			return 0;
	return 1;
}

static int write_data(int file, const char *data, size_t bytes, off_t offset)
{
	while (bytes > 0) {
		ssize_t count = pwrite(file, data, bytes, offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			nccl_say("shared memory: %s", strerror(errno));
			return NCCL_SYSTEM_ERROR;
		}
		data += count;
		bytes -= (size_t)count;
		offset += count;
	}
	return NCCL_SUCCESS;
}

int nccl_post(struct nccl_comm *comm, const struct nccl_ticket *ticket, const void *data,
	size_t bytes, uint64_t ready_ns, uint64_t what)
{
	struct entry *entry = &entries_of(comm, ticket)[ticket->me];
	uint64_t begin_ns = nccl_now();
	int result;

	while (ticket->sequence >= NCCL_SLOTS && !is_free(comm, ticket)) {
		if (comm->aborted || nccl_now() - begin_ns > nccl_settings()->timeout_ns) {
			nccl_say("no free place in %s", comm->name);
			return NCCL_REMOTE_ERROR;
		}
		nccl_pause();
	}
	result = write_data(comm->file, data, bytes, data_of(ticket, ticket->me));
	entry->ready_ns = ready_ns;
	entry->bytes = bytes;
	entry->what = what;
	if (!result)
		__atomic_store_n(&entry->come, ticket->sequence + 1, __ATOMIC_RELEASE);
	return result;
}

static int has_come(const struct entry *entry, const struct nccl_ticket *ticket)
{
	return __atomic_load_n(&entry->come, __ATOMIC_ACQUIRE) >= ticket->sequence + 1;
}

int nccl_arrived(struct nccl_comm *comm, const struct nccl_ticket *ticket, uint64_t *ret_ready_ns)
{
	const struct entry *entries = entries_of(comm, ticket);
	int is_complete = 1;

	for (unsigned i = 0; i < member_count(comm, ticket); i++) {
		const struct entry *entry = &entries[i];

		if (!has_come(entry, ticket)) {
			/* asked again afterwards: what was posted before leaving counts */
			if (is_gone(comm, rank_of(ticket, i)) && !has_come(entry, ticket)) {
				nccl_say("rank %d is gone", rank_of(ticket, i));
				return -NCCL_REMOTE_ERROR;
			}
			is_complete = 0;
			continue;
		}
		if (entry->what != entries[ticket->me].what) {
			nccl_say("rank %d does something else", rank_of(ticket, i));
			return -NCCL_INVALID_USAGE;
		}
		if (entry->ready_ns > *ret_ready_ns)
			*ret_ready_ns = entry->ready_ns;
	}
	return is_complete;
}

int nccl_read(struct nccl_comm *comm, const struct nccl_ticket *ticket, unsigned member,
	uint64_t offset, void *to, size_t bytes)
{
	off_t at = data_of(ticket, member) + (off_t)offset;
	char *target = to;

	while (bytes > 0) {
		ssize_t count = pread(comm->file, target, bytes, at);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			nccl_say("shared memory: %s", count ? strerror(errno) : "too short");
			return NCCL_SYSTEM_ERROR;
		}
		target += count;
		bytes -= (size_t)count;
		at += count;
	}
	return NCCL_SUCCESS;
}

/*
 * Who comes last gives the memory of large data back, before a place is free for others; two that
 * come at the same time both leave it to the next round.
 */
void nccl_done(struct nccl_comm *comm, const struct nccl_ticket *ticket)
{
	struct entry *entries = entries_of(comm, ticket);
	unsigned count = member_count(comm, ticket), done = 1;

	for (unsigned i = 0; i < count; i++)
		done += i != ticket->me &&
			__atomic_load_n(&entries[i].done, __ATOMIC_ACQUIRE) == ticket->sequence + 1;
	for (unsigned i = 0; done == count && i < count; i++)
		if (entries[i].bytes > KEEP_BYTES)
			(void)fallocate(comm->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				data_of(ticket, i), (off_t)entries[i].bytes);
	__atomic_store_n(&entries[ticket->me].done, ticket->sequence + 1, __ATOMIC_RELEASE);
}
