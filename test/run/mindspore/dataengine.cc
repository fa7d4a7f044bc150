/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for the library of MindSpore's data sets: a generator, a map and a batch, each with a thread and a
 * queue behind it, between them stages without one, and a loop that takes batches. SLOW in the
 * environment names the stage that takes long. Built with strings of the old ABI, as the wheel is.
 */
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#ifdef OTHER_NAMES
#define ConnectorSize ConnectorLength
#endif

namespace mindspore {
namespace runtime {
enum class ProfilerModule { kPynative = 3 };
enum class ProfilerEvent { kRunOp = 28 };
class ProfilerRecorder {
public:
	ProfilerRecorder(ProfilerModule module, ProfilerEvent event, const std::string &name, bool inner = false,
		bool stack = false, uint64_t flow = UINT64_MAX);
	~ProfilerRecorder();
	char made[64];
};
} // namespace runtime

namespace dataset {
class Tensor {};
class TensorRow {
public:
	long first = 0;
};
class Status {
public:
	~Status()
	{
	}
	long code = 0;
};

class DatasetOp {
public:
	DatasetOp(int id, const char *name, int capacity, DatasetOp *child, int rows, unsigned slow_us);
	virtual ~DatasetOp() = default;
	virtual std::string Name() const;
	virtual Status GetNextRow(TensorRow *row);
	void CreateConnector();
	int ConnectorSize() const;
	int ConnectorCapacity() const;
	void Parent(DatasetOp **parent, int index) const;
	std::string NameWithID() const;
	void Work(long count);

protected:
	const int id, capacity, rows;
	const unsigned slow_us;
	const char *const name;
	DatasetOp *const child, *parent = nullptr;
	mutable std::mutex lock;
	std::condition_variable changed;
	std::deque<TensorRow> queue;
	bool made = false;
};

DatasetOp::DatasetOp(int number, const char *kind, int most, DatasetOp *before, int taken, unsigned us)
    : id(number), capacity(most), rows(taken), slow_us(us), name(kind), child(before)
{
	if (child != nullptr)
		child->parent = this;
}

std::string DatasetOp::Name() const
{
	return name;
}

std::string DatasetOp::NameWithID() const
{
	return Name() + "(ID:" + std::to_string(id) + ")";
}

void DatasetOp::CreateConnector()
{
	made = capacity > 0;
}

int DatasetOp::ConnectorSize() const
{
	std::unique_lock<std::mutex> held(lock);
	return (int)queue.size();
}

int DatasetOp::ConnectorCapacity() const
{
	return capacity;
}

void DatasetOp::Parent(DatasetOp **ret_parent, int) const
{
	*ret_parent = parent;
}

Status DatasetOp::GetNextRow(TensorRow *row)
{
	if (!made)
		std::abort();
	std::unique_lock<std::mutex> held(lock);
	changed.wait(held, [this] { return !queue.empty(); });
	*row = queue.front();
	queue.pop_front();
	changed.notify_all();
	return Status();
}

void DatasetOp::Work(long count)
{
	for (long i = 0; i < count; i++) {
		TensorRow row, next;
		row.first = i * rows;
		for (int taken = 0; child != nullptr && taken < rows; taken++) {
			child->GetNextRow(&next);
			if (taken == 0)
				row = next;
		}
		usleep(slow_us);
		std::unique_lock<std::mutex> held(lock);
		changed.wait(held, [this] { return queue.size() < (size_t)capacity; });
		queue.push_back(row);
		changed.notify_all();
	}
}

/* Has no queue: the row is that of the stage before. */
class EpochCtrlOp : public DatasetOp {
public:
	explicit EpochCtrlOp(DatasetOp *child) : DatasetOp(0, "EpochCtrlOp", 0, child, 1, 0)
	{
	}
	Status GetNextRow(TensorRow *row) override
	{
		return child->GetNextRow(row);
	}
};

class IteratorConsumer {
public:
	virtual ~IteratorConsumer() = default;
	virtual Status GetNextAsVector(std::vector<std::shared_ptr<Tensor>> *batch);
	DatasetOp *root = nullptr;
	long left = 0, seen = 0, wrong = 0;
};

Status IteratorConsumer::GetNextAsVector(std::vector<std::shared_ptr<Tensor>> *batch)
{
	batch->clear();
	if (left-- > 0) {
		TensorRow row;
		Status status = root->GetNextRow(&row);
		wrong += row.first != 4 * seen++ || status.code != 0;
		batch->push_back(std::make_shared<Tensor>());
	}
	return Status();
}
} // namespace dataset
} // namespace mindspore

using namespace mindspore;

/* An epoch of so many batches of four; 0: all rows arrived, in their order. */
static long epoch(int steps, unsigned slow_us, unsigned work_us)
{
	const std::string slow = getenv("SLOW") != nullptr ? getenv("SLOW") : "";
	auto us = [&](const char *name, unsigned rows) { return slow == name ? slow_us / rows : 0; };
	dataset::DatasetOp source(3, "GeneratorOp", 16, nullptr, 1, us("generator", 4));
	dataset::DatasetOp map(2, "MapOp", 16, &source, 1, us("map", 4));
	dataset::DatasetOp batch(1, "BatchOp", 4, &map, 4, us("batch", 1));
	dataset::EpochCtrlOp root(&batch);
	std::unique_ptr<dataset::IteratorConsumer> consumer(new dataset::IteratorConsumer);
	std::vector<std::shared_ptr<dataset::Tensor>> list;
	void (dataset::DatasetOp::*volatile make)() = &dataset::DatasetOp::CreateConnector;
	for (dataset::DatasetOp *stage : {&source, &map, &batch, static_cast<dataset::DatasetOp *>(&root)})
		(stage->*make)();
	std::thread threads[] = {std::thread([&] { source.Work(4L * steps); }),
		std::thread([&] { map.Work(4L * steps); }), std::thread([&] { batch.Work(steps); })};
	consumer->root = &root;
	consumer->left = steps;
	for (consumer->GetNextAsVector(&list); !list.empty(); consumer->GetNextAsVector(&list)) {
		runtime::ProfilerRecorder recorder(
			runtime::ProfilerModule::kPynative, runtime::ProfilerEvent::kRunOp, "MatMul");
		usleep(work_us);
	}
	for (std::thread &thread : threads)
		thread.join();
	return consumer->wrong;
}

/* Two epochs, of which each has stages of its own. */
extern "C" int train(int steps, unsigned slow_us, unsigned work_us)
{
	return (int)(epoch(steps / 2, slow_us, work_us) + epoch(steps / 2, slow_us, work_us));
}
