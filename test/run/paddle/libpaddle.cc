/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libpaddle with the functions that libtrace stands in for itself: an event that must
 * be constructed before it ends, a reader that returns a class and throws at the end of its data. They
 * are called through slots, as in the wheels.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#ifdef OTHER_NAMES
#define RecordEvent RecordedEvent
#endif

namespace phi {
enum class TracerEventType { Operator = 0, UserDefined = 7 };
enum class EventRole { kOrdinary };
class RecordEvent {
public:
	RecordEvent(const char *name, TracerEventType type, unsigned level, EventRole role);
	RecordEvent(const std::string &name, TracerEventType type, unsigned level, EventRole role);
	void End();
	~RecordEvent()
	{
		End();
	}
	char made[64];
};
static const char sound[] = "constructed by the library itself";
int ends;
RecordEvent::RecordEvent(const char *, TracerEventType, unsigned, EventRole)
{
	std::memcpy(made, sound, sizeof(sound));
}
RecordEvent::RecordEvent(const std::string &, TracerEventType, unsigned, EventRole)
{
	std::memcpy(made, sound, sizeof(sound));
}
void RecordEvent::End()
{
	if (std::memcmp(made, sound, sizeof(sound)) != 0)
		std::abort();
	ends++;
}
} // namespace phi

namespace paddle {
namespace operators {
namespace reader {
class DenseTensorBlockingQueue;
}
} // namespace operators
namespace pybind {
template <typename Queue> class MultiDeviceFeedReader {
public:
	std::vector<long> ReadNextList();
	std::vector<std::unordered_map<std::string, long>> ReadNext(); /* batches of a graph, by name */
	int left = 0;
	unsigned wait_us = 0;

private:
	void take()
	{
		usleep(wait_us);
		if (left-- == 0)
			throw std::out_of_range("no more data");
	}
};
template <typename Queue> std::vector<long> MultiDeviceFeedReader<Queue>::ReadNextList()
{
	take();
	return {1, 2};
}
template <typename Queue> std::vector<std::unordered_map<std::string, long>> MultiDeviceFeedReader<Queue>::ReadNext()
{
	take();
	return {{{"x", 1}}, {{"y", 2}}};
}
template class MultiDeviceFeedReader<operators::reader::DenseTensorBlockingQueue>;
} // namespace pybind
} // namespace paddle

/* As much of the interpreter as a type with methods needs; only Python has it. */
extern "C" {
using Method = void *(void *self, void *arguments, void *keywords);
__attribute__((weak)) int PyType_Ready(void *type);
__attribute__((weak)) void *PyType_GenericNew(void *type, void *arguments, void *keywords);
__attribute__((weak)) void *PyFloat_FromDouble(double value);
__attribute__((weak)) void *PyErr_NoMemory();
__attribute__((weak)) long PyTuple_Size(void *tuple);
}

#ifdef OTHER_METHODS
#define READ_ITEM "read"
#else
#define READ_ITEM "_getitem_from_offset"
#endif

/* Any argument is too many. */
static void *read_value(void *, void *arguments, void *)
{
	if (PyTuple_Size(arguments) > 0)
		return PyErr_NoMemory();
	usleep(200);
	return PyFloat_FromDouble(0.25);
}

static struct {
	const char *name;
	Method *function;
	int flags;
	const char *text;
} methods[] = {{"numpy", read_value, 3, nullptr}, {READ_ITEM, read_value, 3, nullptr},
	{"size", read_value, 3, nullptr}, {nullptr, nullptr, 0, nullptr}};

extern "C" void *tensor_type()
{
	static void *type[64]; /* PyTypeObject */
	static char name[] = "Tensor";
	type[0] = reinterpret_cast<void *>(1);
	type[3] = name;
	type[4] = reinterpret_cast<void *>(16);
	type[21] = reinterpret_cast<void *>(1 << 18);
	type[29] = methods;
	type[39] = reinterpret_cast<void *>(PyType_GenericNew);
	return PyType_Ready(type) == 0 ? type : nullptr;
}

using Event = phi::RecordEvent;
using Reader = paddle::pybind::MultiDeviceFeedReader<paddle::operators::reader::DenseTensorBlockingQueue>;

static void update(const char *name)
{
	Event event(name, phi::TracerEventType::UserDefined, 1, phi::EventRole::kOrdinary);
	Event inner("adam_ dygraph", phi::TracerEventType::Operator, 1, phi::EventRole::kOrdinary);
}

/* So many steps; returns events that ended, or -1. */
static double now_us()
{
	timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* Waiting in percent of the steps behind the first ten, to the file that STOPWATCH names. */
static void tell(double waited_us, double whole_us)
{
	const char *path = getenv("STOPWATCH");
	FILE *file = path != nullptr ? fopen(path, "w") : nullptr;
	if (file == nullptr)
		return;
	fprintf(file, "%.2f\n", 100 * waited_us / whole_us);
	fclose(file);
}

/* The end of its event is the last that it does: who called it is who End() returns to. */
extern "C" void one_event()
{
	auto *open = new Event("outside of the library", phi::TracerEventType::UserDefined, 1, phi::EventRole::kOrdinary);
	open->End();
}

extern "C" int train(int steps, unsigned wait_us, unsigned work_us)
{
#ifdef GRAPH
	std::vector<std::unordered_map<std::string, long>> (Reader::*volatile read)() = &Reader::ReadNext;
#else
	std::vector<long> (Reader::*volatile read)() = &Reader::ReadNextList;
#endif
	Reader reader;
	reader.left = steps;
	reader.wait_us = wait_us;
	double waited_us = 0, begin_us = 0, end_us = 0;
	try {
		for (int step = 0;; step++) {
			double from_us = now_us();
			if (step == 10)
				begin_us = from_us;
			if ((reader.*read)().size() != 2)
				return -1;
			waited_us += begin_us > 0 ? now_us() - from_us : 0;
			{
				std::string name = "forward of the script";
				Event range(name, phi::TracerEventType::UserDefined, 1, phi::EventRole::kOrdinary);
				Event event("matmul dygraph", phi::TracerEventType::Operator, 1,
					phi::EventRole::kOrdinary);
				usleep(work_us);
				event.End(); /* and once more by its destructor */
			}
			{
				Event event("backward", phi::TracerEventType::UserDefined, 1,
					phi::EventRole::kOrdinary);
				usleep(work_us);
			}
			Event(static_cast<const char *>(nullptr), phi::TracerEventType::Operator, 1, phi::EventRole::kOrdinary).End();
			for (int i = 0; i < 4; i++)
				update("adam_ pybind_imperative_func");
			usleep(100); /* is recorded before anything else is called */
			end_us = now_us();
		}
	} catch (const std::out_of_range &) {
		tell(waited_us, end_us - begin_us);
		return phi::ends;
	}
}
