/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for MindSpore's libraries with the functions that libtrace stands in for itself: a stage of
 * an operator that must be made before it ends, a consumer of data that gives nothing at the end, a
 * tensor whose values are read, a graph that is run or refuses to, gradients of which a caller gives
 * eight addresses. Built with strings of the old ABI, as the wheel is.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#ifdef OTHER_NAMES
#define ProfilerRecorder ProfilerKeeper
#endif

namespace mindspore {
namespace runtime {
enum class ProfilerModule { kPynative = 3 };
enum class ProfilerEvent { kKernelLaunch = 4, kRunOp = 28, kLaunchTask = 32, kWait = 34, kGil = 35 };
class ProfilerRecorder {
public:
	ProfilerRecorder(ProfilerModule module, ProfilerEvent event, const std::string &name, bool inner = false,
		bool stack = false, uint64_t flow = UINT64_MAX);
	~ProfilerRecorder();
	char made[64];
};
static const char sound[] = "made by the library itself";
int ends;
ProfilerRecorder::ProfilerRecorder(ProfilerModule, ProfilerEvent, const std::string &, bool, bool, uint64_t flow)
{
	std::memcpy(made, sound, sizeof(sound));
	if (flow != UINT64_MAX)
		std::abort();
}
ProfilerRecorder::~ProfilerRecorder()
{
	if (std::memcmp(made, sound, sizeof(sound)) != 0)
		std::abort();
	ends++;
}
} // namespace runtime

namespace dataset {
class Tensor {};
class Status {
public:
	~Status()
	{
	}
	long code = 0;
};
class IteratorConsumer {
public:
	virtual ~IteratorConsumer() = default;
	virtual Status GetNextAsVector(std::vector<std::shared_ptr<Tensor>> *batch);
	virtual Status GetNextAsMap(std::unordered_map<std::string, std::shared_ptr<Tensor>> *batch);
	virtual Status GetNextAsOrderedPair(std::vector<std::pair<std::string, std::shared_ptr<Tensor>>> *batch);
	int left = 0;
	unsigned wait_us = 0;
};
Status IteratorConsumer::GetNextAsVector(std::vector<std::shared_ptr<Tensor>> *batch)
{
	usleep(wait_us);
	batch->clear();
	if (left > 0) {
		left--;
		batch->push_back(std::make_shared<Tensor>());
	}
	return Status();
}
Status IteratorConsumer::GetNextAsMap(std::unordered_map<std::string, std::shared_ptr<Tensor>> *batch)
{
	usleep(wait_us);
	batch->clear();
	if (left > 0) {
		left--;
		(*batch)["x"] = std::make_shared<Tensor>();
	}
	return Status();
}
Status IteratorConsumer::GetNextAsOrderedPair(std::vector<std::pair<std::string, std::shared_ptr<Tensor>>> *batch)
{
	usleep(wait_us);
	batch->clear();
	if (left > 0) {
		left--;
		batch->emplace_back("x", std::make_shared<Tensor>());
	}
	return Status();
}
} // namespace dataset

namespace tensor {
class Tensor {};
struct Array {
	~Array()
	{
	}
	long size = 1;
};
class TensorPybind {
public:
	static Array SyncAsNumpy(const Tensor &tensor);
};
Array TensorPybind::SyncAsNumpy(const Tensor &)
{
	return Array();
}
} // namespace tensor
} // namespace mindspore

namespace pybind11 {
struct object {
	void *held = nullptr;
	~object()
	{
	}
};
struct tuple : object {};
struct args : tuple {};
} // namespace pybind11

namespace mindspore {
namespace prim {
class GradOperation {};
} // namespace prim
namespace pipeline {
class ExecutorPy {
public:
	virtual ~ExecutorPy() = default;
	pybind11::object Run(const pybind11::tuple &arguments, const pybind11::object &phase);
};
pybind11::object ExecutorPy::Run(const pybind11::tuple &arguments, const pybind11::object &phase)
{
	pybind11::object results;
	if (phase.held == nullptr)
		throw 7;
	results.held = arguments.held;
	return results;
}
} // namespace pipeline
namespace pynative {
class PyNativeExecutor {
public:
	pybind11::object RunGrad(const std::shared_ptr<prim::GradOperation> &operation,
		const pybind11::object &object, const pybind11::object &weights,
		const pybind11::object &position, const pybind11::object &has_more,
		const pybind11::args &arguments) const;
};
pybind11::object PyNativeExecutor::RunGrad(const std::shared_ptr<prim::GradOperation> &operation,
	const pybind11::object &object, const pybind11::object &weights, const pybind11::object &position,
	const pybind11::object &has_more, const pybind11::args &arguments) const
{
	pybind11::object gradients;
	if (operation != nullptr)
		gradients.held = static_cast<char *>(object.held) + *static_cast<char *>(weights.held) +
				 *static_cast<char *>(position.held) + *static_cast<char *>(has_more.held) +
				 *static_cast<char *>(arguments.held);
	return gradients;
}
} // namespace pynative
} // namespace mindspore

using namespace mindspore;
using Event = runtime::ProfilerEvent;

static void stage(Event event, const char *name, unsigned us)
{
	runtime::ProfilerRecorder recorder(runtime::ProfilerModule::kPynative, event, name);
	usleep(us);
}

/* Graphs of which one refuses to run, and gradients; returns how many were as they should be. */
static long compute()
{
	static char bytes[100] = {1, 2, 4, 8};
	pynative::PyNativeExecutor gradients;
	pipeline::ExecutorPy executor;
	pybind11::tuple arguments;
	pybind11::args more;
	pybind11::object none, one, two, four, start;
	pybind11::object (pipeline::ExecutorPy::*volatile run)(const pybind11::tuple &, const pybind11::object &) =
		&pipeline::ExecutorPy::Run;
	auto volatile grad = &pynative::PyNativeExecutor::RunGrad;
	one.held = &bytes[0], two.held = &bytes[1], four.held = &bytes[2], more.held = &bytes[3];
	start.held = &bytes[10], arguments.held = &bytes[20];
	long right = (executor.*run)(arguments, one).held == &bytes[20];
	try {
		(executor.*run)(arguments, none);
	} catch (int thrown) {
		right += thrown == 7;
	}
	right += (gradients.*grad)(std::make_shared<prim::GradOperation>(), start, one, two, four, more).held ==
		 &bytes[10 + 1 + 2 + 4 + 8];
	return right;
}

/* A quarter of the steps gets a list, one a map, half of them pairs; returns stages that ended. */
extern "C" int train(int steps, unsigned wait_us, unsigned work_us)
{
	std::unique_ptr<dataset::IteratorConsumer> consumer(new dataset::IteratorConsumer);
	std::vector<std::shared_ptr<dataset::Tensor>> list;
	std::unordered_map<std::string, std::shared_ptr<dataset::Tensor>> map;
	tensor::Array (*volatile read)(const tensor::Tensor &) = tensor::TensorPybind::SyncAsNumpy;
	long values = 0;
	consumer->wait_us = wait_us;
	std::vector<std::pair<std::string, std::shared_ptr<dataset::Tensor>>> pairs;
	for (int form : {0, 1, 2, 2}) {
		consumer->left = steps / 4;
		for (;;) {
			if (form == 0)
				consumer->GetNextAsVector(&list);
			else if (form == 1)
				consumer->GetNextAsMap(&map);
			else
				consumer->GetNextAsOrderedPair(&pairs);
			if (form == 0 ? list.empty() : form == 1 ? map.empty() : pairs.empty())
				break;
			stage(Event::kRunOp, "MatMul", work_us);
			stage(Event::kLaunchTask, "MatMul", work_us / 2);
			stage(Event::kGil, "", 0);
			stage(Event::kWait, "backend_queue", work_us / 2);
			values += read(tensor::Tensor()).size;
		}
	}
	std::printf("%ld values read, %ld results\n", values, compute());
	return runtime::ends;
}
