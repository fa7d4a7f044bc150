/* SPDX-License-Identifier: MIT */
#include "collector/buffer/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/codec/codec.h"
#include "collector/format/suffix.h"
#include "collector/own/descriptor.h"
#include "collector/own/fault.h"

#define PAGE_BYTES 4096u
/* What the program may need there itself is more than what is left alone by a sixteenth. */
#define SHM_SHARE      16u
#define SHM_LEAST_FREE (512u << 20)
#define TMPFS          0x01021994
#define HEADER_BYTES   ((sizeof(struct live_header) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

bool live_is_remote(long file_system_type)
{
	static const uint32_t remote[] = {
		0x6969,     /* NFS */
		0x517b,     /* SMB */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x0bd00bd0, /* Lustre */
		0x65735546, /* FUSE */
		0x00c36400, /* Ceph */
		0x47504653, /* GPFS */
		0x19830326, /* BeeGFS */
		0xaad7aaea, /* PanFS */
		0x01021997, /* 9P */
		0x5346414f, /* AFS */
		0x73757245, /* Coda */
		0x7461636f, /* OCFS2 */
		0x01161970, /* GFS2 */
	};
	for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		if ((uint32_t)file_system_type == remote[i])
			return true;
	return false;
}

/* posix_fallocate() beyond RLIMIT_FSIZE would send SIGXFSZ to a thread of the program. */
static int allocate(int fd, uint64_t offset, uint64_t bytes)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		offset + bytes > limit.rlim_cur)
		return -EFBIG;
	int code, tries = DESCRIPTOR_TRIES;
	do
		code = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
	while (code == EINTR && --tries > 0);
	return -code;
}

/*
 * Is there room in /dev/shm for more bytes of ours beside used ones? What is there is memory: other
 * file systems may stall, as the one of the trace.
 */
static bool shm_has_room(uint64_t used, uint64_t more, uint64_t least)
{
	struct statfs status;
	if (statfs(LIVE_SHM_FOLDER, &status) < 0 || (uint32_t)status.f_type != TMPFS)
		return false;
	uint64_t free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
	return free_bytes >= least && (used + more) * SHM_SHARE <= free_bytes + used;
}

static void *map_private(struct live *live, size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	__atomic_store_n(&live->has_private, true, __ATOMIC_RELAXED);
	return memory;
}

static void *map_shared(int fd, uint64_t offset, size_t bytes)
{
	if (allocate(fd, offset, bytes) < 0)
		return NULL;
	void *memory = descriptor_map(fd, bytes, (off_t)offset);
	if (memory != NULL)
		fault_watch(memory, bytes);
	return memory;
}

/* The live file again, if it is still the one that we made; else -1. */
static int reopen(const struct live *live)
{
	int fd = descriptor_open(live->path, O_RDWR | O_NOFOLLOW, 0);
	if (fd < 0)
		return -1;
	struct stat status;
	if (descriptor_stat(fd, &status) == 0 && status.st_dev == live->device &&
		status.st_ino == live->inode)
		return fd;
	descriptor_close(fd);
	return -1;
}

/* A piece in the file; NULL: there is no room, or no file. */
static void *shared_piece(struct live *live, size_t bytes, uint64_t *ret_offset)
{
	void *memory = NULL;
	int fd = -1;
	if (__atomic_load_n(&live->in_file, __ATOMIC_ACQUIRE) &&
		(!live->in_shm ||
			shm_has_room(__atomic_load_n(&live->end, __ATOMIC_RELAXED), bytes, 0)))
		fd = reopen(live);
	if (fd >= 0) {
		uint64_t offset = __atomic_fetch_add(&live->end, bytes, __ATOMIC_RELAXED);
		memory = map_shared(fd, offset, bytes);
		if (memory != NULL)
			*ret_offset = offset;
		descriptor_close(fd);
	}
	return memory;
}

static void *piece(struct live *live, size_t bytes, bool spare, uint64_t *ret_offset)
{
	int saved = errno;
	bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	*ret_offset = 0;
	void *memory = shared_piece(live, bytes, ret_offset);
	if (memory == NULL && !(spare && __atomic_load_n(&live->in_file, __ATOMIC_ACQUIRE)))
		memory = map_private(live, bytes);
	errno = saved;
	return memory;
}

void *live_piece(struct live *live, size_t bytes, uint64_t *ret_offset)
{
	return piece(live, bytes, false, ret_offset);
}

void *live_spare_piece(struct live *live, size_t bytes, uint64_t *ret_offset)
{
	return piece(live, bytes, true, ret_offset);
}

/*
 * The mapping keeps the lock when the descriptor is closed, so it says as long as this process
 * lives that the file is needed. False: somebody is just removing it.
 */
static bool lock(int fd)
{
	struct stat status;
	return flock(fd, LOCK_SH | LOCK_NB) == 0 && descriptor_stat(fd, &status) == 0 &&
	       status.st_nlink > 0;
}

/* Make the file at live->path with header and pending area mapped. */
static int make_file(struct live *live)
{
	int fd = descriptor_open(live->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	struct stat status;
	void *memory = NULL;
	if (descriptor_stat(fd, &status) == 0 && (!live->in_shm || lock(fd)))
		memory = map_shared(fd, 0, HEADER_BYTES + CODEC_FRAME_LIMIT);
	descriptor_close(fd);
	if (memory == NULL) {
		(void)unlink(live->path);
		return -ENOSPC;
	}
	live->device = status.st_dev;
	live->inode = status.st_ino;
	live->header = memory;
	live->end = HEADER_BYTES + CODEC_FRAME_LIMIT;
	__atomic_store_n(&live->in_file, true, __ATOMIC_RELEASE);
	return 0;
}

/*
 * The file that leads to the one in /dev/shm, empty yet. Its number is part of the other one's
 * name, so that a copy of it leads there too, but is known as a copy.
 */
static int make_pointer(struct live *live, ino_t *ret_inode)
{
	int fd = descriptor_open(live->pointer_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return -errno;
	struct stat status;
	int code = descriptor_stat(fd, &status) == 0 ? 0 : -errno;
	descriptor_close(fd);
	if (code < 0)
		(void)unlink(live->pointer_path);
	else
		*ret_inode = status.st_ino;
	return code;
}

static int write_pointer(const struct live *live)
{
	char line[PATH_MAX + 32];
	int length = snprintf(line, sizeof(line), "%s%s\n", LIVE_POINTER_TAG, live->path);
	int fd = descriptor_open(live->pointer_path, O_WRONLY | O_NOFOLLOW, 0);
	if (fd < 0)
		return -errno;
	ssize_t written = (ssize_t)syscall(SYS_write, fd, line, (size_t)length);
	descriptor_close(fd);
	return written == length ? 0 : -ENOSPC;
}

static int make_in_shm(struct live *live, const char *name, uint64_t least)
{
	if (!shm_has_room(0, HEADER_BYTES + CODEC_FRAME_LIMIT, least))
		return -ENOSPC;
	const char *base = strrchr(name, '/');
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	int length =
		snprintf(live->pointer_path, sizeof(live->pointer_path), "%s" SUFFIX_LIVE, name);
	ino_t inode = 0;
	int code = length < 0 || (size_t)length >= sizeof(live->pointer_path)
			   ? -ENAMETOOLONG
			   : make_pointer(live, &inode);
	if (code == 0) {
		/* The time keeps apart containers that share /dev/shm and count pids alike. */
		(void)snprintf(live->path, sizeof(live->path),
			LIVE_SHM_FOLDER "/" LIVE_SHM_PREFIX "%u-%.180s-%lx%lx-%llx" SUFFIX_LIVE,
			(unsigned)getuid(), base != NULL ? base + 1 : name,
			(unsigned long)now.tv_sec, (unsigned long)now.tv_nsec,
			(unsigned long long)inode);
		live->in_shm = true;
		code = make_file(live);
		if (code == 0)
			code = write_pointer(live);
		if (code == 0)
			return 0;
		(void)unlink(live->pointer_path);
	}
	if (live->in_file)
		(void)unlink(live->path);
	if (live->header != NULL)
		(void)munmap(live->header, HEADER_BYTES + CODEC_FRAME_LIMIT);
	memset(live, 0, offsetof(struct live, path));
	live->pointer_path[0] = '\0';
	return code;
}

static int make_beside(struct live *live, const char *name)
{
	int length = snprintf(live->path, sizeof(live->path), "%s" SUFFIX_LIVE, name);
	if (length < 0 || (size_t)length >= sizeof(live->path))
		return -ENAMETOOLONG;
	return make_file(live);
}

static bool is_on_remote(const char *name)
{
	char folder[PATH_MAX];
	(void)snprintf(folder, sizeof(folder), "%s", name);
	char *slash = strrchr(folder, '/');
	if (slash != NULL)
		*slash = '\0';
	struct statfs status;
	return statfs(folder[0] != '\0' ? folder : "/", &status) == 0 &&
	       live_is_remote((long)status.f_type);
}

int live_open(struct live *live, const char *name, enum live_where where)
{
	memset(live, 0, offsetof(struct live, path));
	live->path[0] = '\0';
	live->pointer_path[0] = '\0';
	bool beside = where == LIVE_BESIDE || (where == LIVE_AUTO && !is_on_remote(name));
	int code = -ENOENT;
	if (where == LIVE_AUTO)
		code = make_in_shm(live, name, beside ? SHM_LEAST_FREE : 0);
	else if (where == LIVE_SHM)
		code = make_in_shm(live, name, 0);
	if (code < 0 && beside)
		(void)make_beside(live, name);
	if (live->header == NULL)
		live->header = map_private(live, HEADER_BYTES + CODEC_FRAME_LIMIT);
	if (live->header == NULL)
		return -ENOMEM;
	live->pending = (char *)live->header + HEADER_BYTES;
	struct live_header *header = live->header;
	header->version = LIVE_VERSION;
	header->pid = (uint32_t)getpid();
	header->pending_offset = HEADER_BYTES;
	header->pending_capacity = CODEC_FRAME_LIMIT;
	__atomic_store_n(&header->magic, LIVE_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

void live_set_scale(struct live *live, const struct clock_scale *scale)
{
	struct live_header *header = live->header;
	uint32_t generation = header->scale_generation;
	(void)__atomic_exchange_n(&header->scale_generation, generation + 1, __ATOMIC_ACQ_REL);
	header->scale = *scale;
	__atomic_store_n(&header->scale_generation, generation + 2, __ATOMIC_RELEASE);
}

void live_share(struct live *live, unsigned mode)
{
	int fd = live->in_file ? reopen(live) : -1;
	if (fd < 0)
		return;
	(void)fchmod(fd, mode);
	descriptor_close(fd);
	fd = live->in_shm ? descriptor_open(live->pointer_path, O_WRONLY | O_NOFOLLOW, 0) : -1;
	if (fd < 0)
		return;
	(void)fchmod(fd, mode);
	descriptor_close(fd);
}

const char *live_memory(const struct live *live)
{
	if (__atomic_load_n(&live->has_private, __ATOMIC_RELAXED))
		return "private";
	return live->in_shm ? "shm" : "file";
}

void live_remove(struct live *live)
{
	if (!__atomic_exchange_n(&live->in_file, false, __ATOMIC_ACQ_REL))
		return;
	(void)unlink(live->path);
	if (live->pointer_path[0] != '\0')
		(void)unlink(live->pointer_path);
	fault_end();
}
