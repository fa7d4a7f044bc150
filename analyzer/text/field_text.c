/* SPDX-License-Identifier: MIT */
#include "analyzer/text/field_text.h"

#include <stddef.h>

#include "collector/format/collective.h"

struct value_name {
	uint64_t value;
	const char *name;
};

static const struct value_name directions[] = {
	{COPY_HOST_TO_HOST, "host_to_host"},
	{COPY_HOST_TO_DEVICE, "host_to_device"},
	{COPY_DEVICE_TO_HOST, "device_to_host"},
	{COPY_DEVICE_TO_DEVICE, "device_to_device"},
	{COPY_DEFAULT, "default"},
	{COPY_PEER, "peer"},
	{0, NULL},
};

static const struct value_name memories[] = {
	{MEMORY_UNKNOWN, "unknown"},
	{MEMORY_PAGEABLE, "pageable"},
	{MEMORY_PINNED, "pinned"},
	{MEMORY_DEVICE, "device"},
	{MEMORY_MANAGED, "managed"},
	{0, NULL},
};

static const struct value_name sync_scopes[] = {
	{SYNC_DEVICE, "device"},
	{SYNC_STREAM, "stream"},
	{SYNC_EVENT, "event"},
	{0, NULL},
};

static const struct value_name op_scopes[] = {
	{OP_FUNCTION, "function"},
	{OP_BACKWARD_FUNCTION, "backward"},
	{OP_TORCHSCRIPT_FUNCTION, "torchscript"},
	{OP_KERNEL_FUNCTION_DTYPE, "kernel_dtype"},
	{OP_CUSTOM_CLASS, "custom_class"},
	{OP_BUILD_FEATURE, "build_feature"},
	{OP_LITE_INTERPRETER, "lite_interpreter"},
	{OP_USER_SCOPE, "user"},
	{OP_STATIC_RUNTIME_OP, "static_runtime_op"},
	{OP_STATIC_RUNTIME_MODEL, "static_runtime_model"},
	{0, NULL},
};

static const struct value_name frameworks[] = {
	{OP_TORCH, "torch"},
	{OP_PADDLE, "paddle"},
	{OP_TENSORFLOW, "tensorflow"},
	{OP_JAX, "jax"},
	{OP_MINDSPORE, "mindspore"},
	{OP_ONNXRUNTIME, "onnxruntime"},
	{OP_PROBE, "probe"},
	{0, NULL},
};

static const struct value_name metrics[] = {
	{SAMPLE_USER_NS, "user_ns"},
	{SAMPLE_SYSTEM_NS, "system_ns"},
	{SAMPLE_READ_BYTES, "read_bytes"},
	{SAMPLE_WRITE_BYTES, "write_bytes"},
	{SAMPLE_READ_CALL_BYTES, "read_call_bytes"},
	{SAMPLE_MINOR_FAULTS, "minor_faults"},
	{SAMPLE_MAJOR_FAULTS, "major_faults"},
	{SAMPLE_VOLUNTARY_SWITCHES, "voluntary_switches"},
	{SAMPLE_INVOLUNTARY_SWITCHES, "involuntary_switches"},
	{SAMPLE_HOST_BUSY_NS, "host_busy_ns"},
	{SAMPLE_HOST_IDLE_NS, "host_idle_ns"},
	{SAMPLE_HOST_IOWAIT_NS, "host_iowait_ns"},
	{SAMPLE_COLLECTOR_CPU_NS, "collector_cpu_ns"},
	{SAMPLE_RESIDENT_BYTES, "resident_bytes"},
	{0, NULL},
};

static const struct value_name input_whats[] = {
	{INPUT_READ, "read"},
	{INPUT_POLL, "poll"},
	{INPUT_LOCK, "lock"},
	{INPUT_SLEEP, "sleep"},
	{INPUT_CHILD, "child"},
	{INPUT_WRITE, "write"},
	{INPUT_FLUSH, "flush"},
	{INPUT_OPEN, "open"},
	{INPUT_STAT, "stat"},
	{0, NULL},
};

static const struct value_name input_media[] = {
	{MEDIUM_FILE, "file"},
	{MEDIUM_PIPE, "pipe"},
	{MEDIUM_SOCKET, "socket"},
	{MEDIUM_OTHER, "other"},
	{0, NULL},
};

static const struct value_name thread_metrics[] = {
	{THREAD_RUN_NS, "run_ns"},
	{THREAD_DELAY_NS, "delay_ns"},
	{THREAD_MINOR_FAULTS, "minor_faults"},
	{THREAD_MAJOR_FAULTS, "major_faults"},
	{THREAD_VOLUNTARY_SWITCHES, "voluntary_switches"},
	{THREAD_INVOLUNTARY_SWITCHES, "involuntary_switches"},
	{THREAD_READ_BYTES, "read_bytes"},
	{THREAD_HOOKS_NS, "hooks_ns"},
	{0, NULL},
};

static const struct value_name call_flags[] = {
	{RECORD_ASYNC, "async"},
	{RECORD_CAPTURED, "captured"},
	{RECORD_PER_THREAD, "per_thread"},
	{RECORD_DRIVER, "driver"},
	{RECORD_NOT_READY, "not_ready"},
	{RECORD_CREATE, "create"},
	{RECORD_DESTROY, "destroy"},
	{RECORD_STREAM_WAIT, "stream_wait"},
	{RECORD_QUERY, "query"},
	{RECORD_COOPERATIVE, "cooperative"},
	{RECORD_HOST_FUNCTION, "host_function"},
	{RECORD_BLOCKING, "blocking"},
	{RECORD_REGISTER, "register"},
	{RECORD_INSTANTIATE, "instantiate"},
	{RECORD_LAUNCH_GRAPH, "launch_graph"},
	{RECORD_SHAPED, "shaped"},
	{0, NULL},
};

static const struct value_name range_flags[] = {
	{RANGE_MARK, "mark"},
	{RANGE_STARTED, "started"},
	{RANGE_OTHER_THREAD, "other_thread"},
	{RANGE_STEP, "step"},
	{RANGE_MODULE, "module"},
	{RANGE_UINT64, "uint64"},
	{RANGE_INT64, "int64"},
	{RANGE_DOUBLE, "double"},
	{RANGE_UINT32, "uint32"},
	{RANGE_INT32, "int32"},
	{RANGE_FLOAT, "float"},
	{0, NULL},
};

static const struct value_name source_states[] = {
	{SOURCE_ACTIVE, "active"},
	{SOURCE_YIELDED, "yielded"},
	{SOURCE_FAILED, "failed"},
	{SOURCE_ENDED, "ended"},
	{0, NULL},
};

static const struct value_name api_domains[] = {
	{DEVICE_API_RUNTIME, "runtime"},
	{DEVICE_API_DRIVER, "driver"},
	{0, NULL},
};

static const struct value_name memory_operations[] = {
	{DEVICE_MEMORY_ALLOC, "alloc"},
	{DEVICE_MEMORY_FREE, "free"},
	{0, NULL},
};

static const struct value_name collective_whats[] = {
	{COLLECTIVE_ALL_REDUCE, "all_reduce"},
	{COLLECTIVE_REDUCE, "reduce"},
	{COLLECTIVE_REDUCE_SCATTER, "reduce_scatter"},
	{COLLECTIVE_BROADCAST, "broadcast"},
	{COLLECTIVE_ALL_GATHER, "all_gather"},
	{COLLECTIVE_ALL_TO_ALL, "all_to_all"},
	{COLLECTIVE_GATHER, "gather"},
	{COLLECTIVE_SCATTER, "scatter"},
	{COLLECTIVE_SEND, "send"},
	{COLLECTIVE_RECEIVE, "receive"},
	{COLLECTIVE_GROUP, "group"},
	{COLLECTIVE_SIMULATED, "simulated"},
	{COLLECTIVE_INIT, "init"},
	{COLLECTIVE_SPLIT, "split"},
	{COLLECTIVE_FINALIZE, "finalize"},
	{COLLECTIVE_DESTROY, "destroy"},
	{COLLECTIVE_ABORT, "abort"},
	{0, NULL},
};

/* As ncclDataType_t and ncclRedOp_t number them; other reductions are made by the program. */
static const struct value_name collective_types[] = {
	{0, "int8"},
	{1, "uint8"},
	{2, "int32"},
	{3, "uint32"},
	{4, "int64"},
	{5, "uint64"},
	{6, "float16"},
	{7, "float32"},
	{8, "float64"},
	{9, "bfloat16"},
	{10, "float8_e4m3"},
	{11, "float8_e5m2"},
	{0, NULL},
};

static const struct value_name collective_reductions[] = {
	{0, "sum"},
	{1, "prod"},
	{2, "max"},
	{3, "min"},
	{4, "avg"},
	{0, NULL},
};

static const struct value_name collective_flags[] = {
	{COLLECTIVE_GROUPED, "grouped"},
	{COLLECTIVE_CAPTURED, "captured"},
	{0, NULL},
};

static const struct value_name stack_states[] = {
	{STACK_RUNNING, "running"},
	{STACK_WAITING, "waiting"},
	{0, NULL},
};

static const struct value_name stack_flags[] = {
	{STACK_CUT, "cut"},
	{STACK_OUTER, "outer"},
	{0, NULL},
};

static const struct value_name mark_whats[] = {
	{MARK_OFF, "off"},
	{MARK_STOPPED, "stopped"},
	{0, NULL},
};

static const struct value_name device_flags[] = {
	{DEVICE_NO_TIMES, "no_times"},
	{0, NULL},
};

/* kind 0: in every kind that has a field of this name */
static const struct field_values {
	unsigned kind;
	const char *field;
	const struct value_name *values;
} field_values[] = {
	{0, "direction", directions},
	{0, "src_memory", memories},
	{0, "dst_memory", memories},
	{0, "memory", memories},
	{RECORD_SYNC, "scope", sync_scopes},
	{RECORD_DEVICE_SYNC, "scope", sync_scopes},
	{RECORD_OP, "scope", op_scopes},
	{RECORD_OP, "framework", frameworks},
	{RECORD_PIPELINE, "framework", frameworks},
	{RECORD_SAMPLE, "metric", metrics},
	{RECORD_THREAD_SAMPLE, "metric", thread_metrics},
	{RECORD_INPUT, "what", input_whats},
	{RECORD_INPUT, "medium", input_media},
	{RECORD_SOURCE_STATE, "state", source_states},
	{RECORD_STACK, "state", stack_states},
	{RECORD_MARK, "what", mark_whats},
	{RECORD_DEVICE_API, "domain", api_domains},
	{RECORD_COLLECTIVE, "what", collective_whats},
	{RECORD_COLLECTIVE, "type", collective_types},
	{RECORD_COLLECTIVE, "reduction", collective_reductions},
	{RECORD_DEVICE_MEMORY, "operation", memory_operations},
};

const char *field_value_name(unsigned kind, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof(field_values) / sizeof(field_values[0]); i++) {
		const struct field_values *entry = &field_values[i];
		if ((entry->kind != 0 && entry->kind != kind) || entry->field[0] != field[0] ||
			strcmp(entry->field, field) != 0)
			continue;
		for (const struct value_name *name = entry->values; name->name != NULL; name++)
			if (name->value == value)
				return name->name;
	}
	return NULL;
}

/* Flags of framework operators are the framework's own. */
static const struct value_name *flag_names(unsigned kind)
{
	if (kind == RECORD_RANGE)
		return range_flags;
	if (kind == RECORD_STACK)
		return stack_flags;
	if (kind == RECORD_COLLECTIVE)
		return collective_flags;
	if (kind >= RECORD_DEVICE_KERNEL && kind <= RECORD_DEVICE_API)
		return device_flags;
	return kind >= RECORD_LAUNCH && kind <= RECORD_CALL ? call_flags : NULL;
}

static void print_flags(struct out *out, unsigned kind, uint64_t value)
{
	const char *separator = "";
	for (const struct value_name *name = flag_names(kind); name != NULL && name->name != NULL;
		name++)
		if ((value & name->value) != 0) {
			out_text(out, separator);
			out_text(out, name->name);
			value &= ~name->value;
			separator = "|";
		}
	if (value != 0) {
		out_text(out, separator);
		out_hex(out, value);
	}
}

/* The number of a name whose definition is lost still tells events apart. */
static void print_name(struct out *out, struct field_names *names, uint32_t id)
{
	const char *text = demangle_text(&names->cache, names->reader, id);
	if (text[0] == '\0')
		out_char(out, '#');
	if (text[0] == '\0')
		out_u64(out, id);
	out_printable(out, text, 200);
}

void field_print(struct out *out, struct field_names *names, const struct record *record,
	const struct record_field *field)
{
	uint64_t value = record_get(record, field);
	const char *name = field_value_name(record->kind, field->name, value);
	if (value == 0 && name == NULL && field->type != FIELD_HANDLE)
		return;
	out_char(out, ' ');
	out_text(out, field->name);
	out_char(out, '=');
	if (name != NULL)
		out_text(out, name);
	else if (field->type == FIELD_NAME)
		print_name(out, names, (uint32_t)value);
	else if (field->type == FIELD_HANDLE)
		out_hex(out, value);
	else if (field->type == FIELD_BITS)
		print_flags(out, record->kind, value);
	else if (field->type == FIELD_INT)
		out_i64(out, (int64_t)value);
	else
		out_u64(out, value);
}

static void json_flags(struct json *json, unsigned kind, uint64_t value)
{
	json_array(json);
	for (const struct value_name *name = flag_names(kind); name != NULL && name->name != NULL;
		name++)
		if ((value & name->value) != 0) {
			json_text(json, name->name);
			value &= ~name->value;
		}
	if (value != 0)
		json_u64(json, value);
	json_array_end(json);
}

void field_json(struct json *json, struct field_names *names, const struct record *record,
	const struct record_field *field)
{
	uint64_t value = record_get(record, field);
	const char *name = field_value_name(record->kind, field->name, value);
	json_key(json, field->name);
	if (name != NULL)
		json_text(json, name);
	else if (field->type == FIELD_NAME && value != 0 &&
		 reader_text(names->reader, (uint32_t)value)[0] == '\0')
		json_null(json);
	else if (field->type == FIELD_NAME)
		json_text(json, demangle_text(&names->cache, names->reader, (uint32_t)value));
	else if (field->type == FIELD_BITS)
		json_flags(json, record->kind, value);
	else if (field->type == FIELD_INT)
		json_i64(json, (int64_t)value);
	else
		json_u64(json, value);
}

const char *field_title(struct field_names *names, const struct record *record)
{
	bool carries_text = record->kind == RECORD_OP || record->kind == RECORD_RANGE ||
			    record->kind == RECORD_DEVICE_KERNEL || record->kind == RECORD_CALL;
	const char *text = "";
	if (record->call != 0)
		text = reader_call(names->reader, record->call);
	if (text[0] == '\0' && carries_text)
		text = demangle_text(&names->cache, names->reader, record->name);
	return text[0] != '\0' ? text : record_kinds[record->kind].name;
}
