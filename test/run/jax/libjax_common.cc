/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for jaxlib's library: a type of compiled functions, which it makes as the wheels do, with
 * as much of the interpreter's interface as that needs.
 */
#include <cstddef>
#include <cstdlib>
#include <unistd.h>

extern "C" {
void *PyType_FromSpec(void *spec);
void *PyVectorcall_Call(void *self, void *arguments, void *keywords);
void *PyLong_FromSize_t(size_t value);
void *PyErr_NoMemory();
}

#ifdef OTHER_NAMES
#define NAME "jaxlib.CompiledFunction"
#else
#define NAME "jaxlib.PjitFunction"
#endif
#ifdef OTHER_TYPE
#define ITEM_SIZE 8
#else
#define ITEM_SIZE 0
#endif

using Function = void *(void *self, void *const *arguments, size_t count, void *keywords);

struct Object {
	long references;
	void *type, *dictionary;
	Function *function;
};

/* PyMemberDef, PyType_Slot, PyType_Spec, and where a type has what makes its objects. */
static struct {
	const char *name;
	int type;
	long offset;
	int flags;
	const char *text;
} members[] = {{"__vectorcalloffset__", 19, offsetof(Object, function), 1, nullptr},
	{"__dictoffset__", 19, offsetof(Object, dictionary), 1, nullptr}, {nullptr, 0, 0, 0, nullptr}};
/* Objects that the type makes itself, each as large as it has said, for ever. */
static struct {
	Object object;
	long behind[4];
} made[16];
static int made_count;

[[maybe_unused]] static void *make_itself(void *type, long)
{
	Object *object = &made[made_count++].object;
	object->references = 1000;
	object->type = type;
	return object;
}

static struct {
	int number;
	void *function;
} slots[] = {{50, reinterpret_cast<void *>(PyVectorcall_Call)}, {72, members},
#ifdef OTHER_ALLOCATION
	{47, reinterpret_cast<void *>(make_itself)},
#endif
	{0, nullptr}};
static struct {
	const char *name;
	int size, item_size;
	unsigned flags;
	void *slots;
} spec = {NAME, sizeof(Object), ITEM_SIZE, 1 << 18 | 1 << 11, slots};
using Allocate = void *(void *type, long items);
#define ALLOCATE_AT 304

/* Without arguments there is nothing to compute. */
static void *compute(void *, void *const *, size_t count, void *)
{
	for (int i = 0; i < made_count; i++)
		if (made[i].behind[0] != 0 || made[i].behind[1] != 0)
			abort();
	count &= ~(static_cast<size_t>(1) << 63);
	if (count == 0)
		return PyErr_NoMemory();
	usleep(300);
	return PyLong_FromSize_t(count);
}

extern "C" void *compiled()
{
	static void *type = PyType_FromSpec(&spec);
	auto *allocate = *reinterpret_cast<Allocate **>(static_cast<char *>(type) + ALLOCATE_AT);
	auto *object = static_cast<Object *>(allocate(type, 0));
	object->function = compute;
	return object;
}
