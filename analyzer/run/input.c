/* SPDX-License-Identifier: MIT */
#include "analyzer/run/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/ranks/identity.h"
#include "analyzer/run/depth.h"
#include "analyzer/steps/figures.h"
#include "analyzer/tables/view.h"

/* Samples of a thread that say what it does. */
#define SAMPLES_LEAST 40u

/* Columns of the table of workers. */
enum worker_cell {
	WORKER_BEGIN = 3,
	WORKER_LIFE,
	WORKER_BUSY,
	WORKER_SHARE,
	WORKER_IDLE,
	WORKER_NAME = 18,
	WORKER_CELLS = 24
};

/* As statfs() numbers them. */
static const struct {
	uint32_t type;
	const char *name;
} systems[] = {{0xef53, "ext"}, {0x58465342, "xfs"}, {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
	{0x794c7630, "overlay"}, {0x6969, "nfs"}, {0xff534d42, "cifs"}, {0xfe534d42, "smb2"},
	{0x65735546, "fuse"}, {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"}, {0x01021997, "9p"},
	{0x00c36400, "ceph"}, {0x2fc12fc1, "zfs"}, {0x4d44, "fat"}, {0x9fa0, "proc"},
	{0x62656572, "sysfs"}, {0x73717368, "squashfs"}, {0x858458f6, "ramfs"},
	{0x19830326, "beegfs"}};

/* What has no name here is told by its number. */
static void name_system(uint32_t type, char *ret_name, size_t size)
{
	const char *name = NULL;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (systems[i].type == type)
			name = systems[i].name;
	if (name != NULL)
		snprintf(ret_name, size, "%s", name);
	else if (type != 0)
		snprintf(ret_name, size, "0x%x", type);
}

static int note_file(struct run_input *input, const struct process *process,
	const struct meta_RUN *run, const struct fact_file *sums)
{
	struct run_file file = {.owner = identity_own(run),
		.parent = identity_of(run, run->parent_pid),
		.sums = *sums,
		.name = strdup(reader_text(process->reader, sums->name))};
	if (file.name != NULL && vec_push(&input->files, file) == 0)
		return 0;
	free(file.name);
	return -ENOMEM;
}

int input_note(struct run_input *input, const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct fact_files *found = &process->facts->files;
	int err = workers_note(&input->workers, process);
	if (err == 0)
		err = meets_note(&input->meets, process->reader, process->collectives);
	for (uint32_t i = 0; run != NULL && i < found->count && err == 0; i++)
		if (found->items[i].reads + found->items[i].looks > 0)
			err = note_file(input, process, run, &found->items[i]);
	return err;
}

int input_late(const struct run_input *input, const struct process *process, struct late *ret_late)
{
	const struct meta_RUN *run = reader_run(process->reader);
	struct steps_summary steps;
	steps_summarise(&process->model->steps, &steps);
	return late_of(&input->meets, identity_own(run), steps.first, steps.until, ret_late);
}

void input_release(struct run_input *input)
{
	for (size_t i = 0; i < input->files.count; i++)
		free(input->files.items[i].name);
	for (size_t i = 0; i < input->folders.count; i++)
		free(input->folders.items[i].folder);
	meets_release(&input->meets);
	workers_release(&input->workers);
	vec_release(&input->files);
	vec_release(&input->folders);
	vec_release(&input->worker_cells);
	vec_release(&input->file_cells);
}

static struct tables_cell number(double value)
{
	return (struct tables_cell){.known = true, .number = value > 0 ? (uint64_t)value : 0};
}

static struct tables_cell text(const char *value)
{
	bool known = value != NULL && value[0] != '\0';
	return (struct tables_cell){.known = known, .text = known ? value : NULL};
}

static uint64_t per_mille(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (1000 * part + whole / 2) / whole : 0;
}

static int add_worker(struct run_input *input, const struct worker *worker,
	const struct depth *depth, uint64_t begin_ns)
{
	struct work_sums sums = work_between(worker->work, 0, UINT64_MAX);
	double life = sums.span_ns, busy = life - sums.ns[WORK_IDLE];
	const struct process_looks *looks = &worker->looks;
	bool is_numbered = worker->count > 0;
	const struct tables_cell cells[] = {number((double)identity_pid(worker->identity)),
		{.known = is_numbered, .number = worker->number},
		{.known = is_numbered, .number = worker->count},
		number(worker->begin_ns > begin_ns ? (double)(worker->begin_ns - begin_ns) : 0),
		number(life), number(busy),
		{.known = life > 0, .number = life > 0 ? (uint64_t)(1000 * busy / life + 0.5) : 0},
		number(sums.ns[WORK_IDLE]), number((double)worker->cpu_ns),
		number(sums.ns[WORK_FILE]), number(sums.ns[WORK_OTHER] + sums.ns[WORK_LOCK]),
		number(sums.ns[WORK_DELAY]), number(sums.bytes), number((double)looks->opens),
		number((double)looks->open_ns), number((double)looks->stats),
		number((double)looks->stat_ns), number((double)worker->faults), text(worker->name),
		text(workers_loader(&input->workers, worker)),
		{.known = is_numbered, .number = worker->queue.messages.count},
		{.known = depth->asks > 0, .number = depth->asks},
		{.known = depth->asks > 0, .number = per_mille(depth->none, depth->asks)},
		{.known = depth->asks > 0, .number = depth->most}};
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		if (vec_push(&input->worker_cells, cells[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* The process's own thread that pins batches; what it is not known to do is busy. */
static int add_pin(struct run_input *input, const struct worker *worker, uint64_t begin_ns)
{
	const struct pin *pin = &worker->pin;
	double life = (double)(pin->end_ns - pin->begin_ns);
	double idle = (double)(pin->starved + pin->full) / (double)pin->samples;
	struct tables_cell cells[WORKER_CELLS] = {number((double)identity_pid(worker->identity))};
	cells[WORKER_BEGIN] =
		number(pin->begin_ns > begin_ns ? (double)(pin->begin_ns - begin_ns) : 0);
	cells[WORKER_LIFE] = number(life);
	cells[WORKER_BUSY] = number(life * (1 - idle));
	cells[WORKER_SHARE] = number(1000 * (1 - idle) + 0.5);
	cells[WORKER_IDLE] = number(life * idle);
	cells[WORKER_NAME] = text("pinning thread");
	for (size_t i = 0; i < WORKER_CELLS; i++)
		if (vec_push(&input->worker_cells, cells[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* As long as the folder of a name is. */
static size_t folder_length(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash != NULL ? (size_t)(slash + 1 - name) : strlen(name);
}

static int compare_folders(const void *left, const void *right)
{
	const struct run_file *a = left, *b = right;
	size_t x = folder_length(a->name), y = folder_length(b->name);
	int order = memcmp(a->name, b->name, x < y ? x : y);
	if (order != 0 || x != y)
		return order != 0 ? order : x < y ? -1 : 1;
	if (a->sums.longest_ns != b->sums.longest_ns) /* the slowest stands for the folder */
		return a->sums.longest_ns > b->sums.longest_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool is_same_folder(const char *one, const char *other)
{
	size_t length = folder_length(one);
	return length == folder_length(other) && memcmp(one, other, length) == 0;
}

static int compare_times(const void *left, const void *right)
{
	const struct run_file *a = left, *b = right;
	uint64_t x = a->sums.ns + a->sums.look_ns, y = b->sums.ns + b->sums.look_ns;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Paths and folders of all processes concerned, one for each folder, by time. 0 or -ENOMEM. */
static int gather(struct run_input *input, uint64_t identity)
{
	size_t kept = 0;
	for (size_t i = 0; i < input->files.count; i++) {
		const struct run_file *file = &input->files.items[i];
		if ((file->owner == identity || file->parent == identity) &&
			vec_push(&input->folders, *file) < 0)
			return -ENOMEM;
	}
	struct run_file *items = input->folders.items;
	if (input->folders.count > 0)
		qsort(items, input->folders.count, sizeof(*items), compare_folders);
	for (size_t i = 0; i < input->folders.count; i++) {
		if (kept == 0 || !is_same_folder(items[kept - 1].name, items[i].name)) {
			items[kept++] = items[i];
			continue;
		}
		struct fact_file *sums = &items[kept - 1].sums;
		sums->reads += items[i].sums.reads;
		sums->bytes += items[i].sums.bytes;
		sums->ns += items[i].sums.ns;
		sums->looks += items[i].sums.looks;
		sums->look_ns += items[i].sums.look_ns;
	}
	input->folders.count = kept;
	if (kept > 0)
		qsort(items, kept, sizeof(*items), compare_times);
	return 0;
}

static int add_folder(struct run_input *input, struct run_file *file)
{
	const struct fact_file *sums = &file->sums;
	bool is_path = file->name[folder_length(file->name)] != '\0';
	char *folder = strndup(file->name, folder_length(file->name));
	const char *path = is_path ? file->name : NULL;
	if (folder == NULL)
		return -ENOMEM;
	file->folder = folder;
	name_system(sums->filesystem, file->system, sizeof(file->system));
	const struct tables_cell cells[] = {number((double)sums->ns), number((double)sums->reads),
		{.known = sums->reads > 0, .number = sums->reads > 0 ? sums->ns / sums->reads : 0},
		number((double)sums->longest_ns), number((double)sums->bytes),
		{.known = sums->ns > 0,
			.number = (uint64_t)(1e9 * (double)sums->bytes / ((double)sums->ns + 1))},
		number((double)sums->looks), number((double)sums->look_ns), text(file->system),
		text(path), text(folder)};
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		if (vec_push(&input->file_cells, cells[i]) < 0)
			return -ENOMEM;
	return 0;
}

static size_t rows_of(size_t cells, enum tables_id id)
{
	size_t columns;
	(void)tables_columns(id, &columns);
	return cells / columns;
}

int input_show(struct run_input *input, const struct meta_RUN *run, struct tables_source *source)
{
	struct depth depth = {.asks = 0};
	uint64_t identity = identity_own(run);
	int err = run != NULL ? gather(input, identity) : 0;
	if (err == 0 && run != NULL)
		err = depth_of(&input->workers, identity, &depth);
	if (err == 0)
		err = meets_show(&input->meets, run, source);
	for (size_t i = 0; run != NULL && i < input->workers.count && err == 0; i++)
		if (input->workers.items[i].parent == identity)
			err = add_worker(input, &input->workers.items[i], &depth, run->begin_ns);
	for (size_t i = 0; run != NULL && i < input->workers.count && err == 0; i++)
		if (input->workers.items[i].identity == identity &&
			input->workers.items[i].pin.samples >= SAMPLES_LEAST)
			err = add_pin(input, &input->workers.items[i], run->begin_ns);
	for (size_t i = 0; i < input->folders.count && err == 0; i++)
		err = add_folder(input, &input->folders.items[i]);
	source->workers = (struct tables_given){
		input->worker_cells.items, rows_of(input->worker_cells.count, TABLES_WORKERS)};
	source->files = (struct tables_given){
		input->file_cells.items, rows_of(input->file_cells.count, TABLES_FILES)};
	return err;
}
