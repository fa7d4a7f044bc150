/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for ONNX Runtime's Python module: methods of a session, made as pybind11 makes them, of
 * one C function that finds out from its own object what it was called for. FASTCALL: as pybind11
 * does from 3.0 on; OTHER_FLAGS: in a way that nobody knows.
 */
#include <cstdint>
#include <cstring>

extern "C" {
struct PyObject;
struct PyMethodDef {
	const char *name;
	void *call;
	int flags;
	const char *doc;
};
PyObject *PyCMethod_New(PyMethodDef *method, PyObject *self, PyObject *module, void *type);
PyObject *PyLong_FromLong(long value);
long PyLong_AsLong(PyObject *object);
PyObject *PyTuple_GetItem(PyObject *tuple, intptr_t at);
intptr_t PyTuple_Size(PyObject *tuple);
extern PyObject *PyExc_ValueError;
void PyErr_SetString(PyObject *type, const char *text);
int usleep(unsigned us);
}

/* What it is called for times what it is given; nothing is refused. */
static PyObject *answer(PyObject *self, intptr_t count, PyObject *first)
{
	if (count == 0) {
		PyErr_SetString(PyExc_ValueError, "nothing given");
		return nullptr;
	}
	usleep(1000);
	return PyLong_FromLong(PyLong_AsLong(self) * PyLong_AsLong(first));
}

#ifdef FASTCALL
static PyObject *dispatch(PyObject *self, PyObject *const *given, intptr_t count, PyObject *)
{
	return answer(self, count, count > 0 ? given[0] : nullptr);
}
static const int flags = 0x82;
#else
static PyObject *dispatch(PyObject *self, PyObject *given, PyObject *)
{
	intptr_t count = PyTuple_Size(given);
	return answer(self, count, count > 0 ? PyTuple_GetItem(given, 0) : nullptr);
}
#ifdef OTHER_FLAGS
static const int flags = 0x1; /* then it is called with two */
#else
static const int flags = 0x3;
#endif
#endif

extern "C" PyObject *method_of(const char *name, long factor)
{
	PyMethodDef *method = new PyMethodDef{};
	method->name = strdup(name);
	method->call = reinterpret_cast<void *>(dispatch);
	method->flags = flags;
	return PyCMethod_New(method, PyLong_FromLong(factor), nullptr, nullptr);
}
