/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for TensorFlow's library with the functions that libtrace stands in for itself: a recorder
 * of events that keeps what it is handed while its profiler runs, and an iterator. They are called
 * through slots, as in the wheels.
 */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#ifdef OTHER_NAMES
#define TraceMeRecorder TraceMeKeeper
#endif

namespace tsl {
namespace profiler {
namespace internal {
std::atomic<int> g_trace_level{-1};
}
class TraceMeRecorder {
public:
	struct Event {
#ifdef OTHER_LAYOUT
		int64_t start_time, end_time;
		std::string name;
#else
		std::string name;
		int64_t start_time, end_time;
#endif
	};
	static void Record(Event &&event);
	static bool Start(int level);
	static std::vector<Event> Stop();
};
static std::vector<TraceMeRecorder::Event> kept;
void TraceMeRecorder::Record(Event &&event)
{
	kept.push_back(std::move(event));
}
bool TraceMeRecorder::Start(int level)
{
	int none = -1;
	return internal::g_trace_level.compare_exchange_strong(none, level);
}
std::vector<TraceMeRecorder::Event> TraceMeRecorder::Stop()
{
	return internal::g_trace_level.exchange(-1) == -1 ? std::vector<Event>() : std::exchange(kept, {});
}
} // namespace profiler
} // namespace tsl

namespace tensorflow {
class OpKernelContext;
class Tensor {};
class Status {
public:
	~Status()
	{
	}
	long code = 0;
};
namespace data {
class IteratorResource {
public:
	Status GetNext(OpKernelContext *context, std::vector<Tensor> *batch, bool *end);
	int left = 0;
	unsigned wait_us = 0;
};
Status IteratorResource::GetNext(OpKernelContext *, std::vector<Tensor> *batch, bool *end)
{
	usleep(wait_us);
	*end = left-- == 0;
	batch->resize(1);
	return Status();
}
} // namespace data
} // namespace tensorflow

extern "C" const char *TF_Version()
{
	return "2.21.0";
}

using Recorder = tsl::profiler::TraceMeRecorder;

static int64_t now_ns()
{
	timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	return 1000000000 * (int64_t)time.tv_sec + time.tv_nsec;
}

/* As the framework's class of that name: nothing is noted unless the level says so. */
struct TraceMe {
	TraceMe(const char *text, int level) : wanted(tsl::profiler::internal::g_trace_level >= level)
	{
		if (wanted) {
			name = text;
			begin = now_ns();
		}
	}
	~TraceMe()
	{
		if (!wanted || tsl::profiler::internal::g_trace_level < 0)
			return;
		Recorder::Event event;
		event.name = std::move(name);
		event.start_time = begin;
		event.end_time = now_ns();
		Recorder::Record(std::move(event));
	}
	bool wanted;
	std::string name;
	int64_t begin = 0;
};

static void multiply(unsigned work_us)
{
	TraceMe around("EagerExecute", 1);
	TraceMe eager("EagerLocalExecute: MatMul", 2);
	TraceMe kernel("model/dense/MatMul:BatchMatMul#id=17,shape=(8,64)#", 2);
	TraceMe cheap("model/dense/Shape:Shape", 3);
	usleep(work_us);
}

/* So many steps, of which two are profiled; what was kept meanwhile and otherwise. */
extern "C" int train(int steps, unsigned wait_us, unsigned work_us)
{
	tensorflow::data::IteratorResource iterator;
	std::vector<tensorflow::Tensor> batch;
	size_t profiled = 0;
	bool end = false, started = false;
	iterator.left = steps;
	iterator.wait_us = wait_us;
	for (int step = 0;; step++) {
		if (step == 20)
			started = Recorder::Start(3) && !Recorder::Start(1);
		tensorflow::Status status = iterator.GetNext(nullptr, &batch, &end);
		if (end)
			break;
		multiply(work_us);
		if (step == 21)
			profiled = Recorder::Stop().size();
	}
	std::printf("started %d, %zu events profiled, %zu kept, %zu by nobody\n", started, profiled,
		tsl::profiler::kept.size(), Recorder::Stop().size());
	return (int)profiled;
}
