/* SPDX-License-Identifier: MIT */
/*
 * Uses every function of NVTX that is recorded and prints, whenever a range ends, what should be in
 * the trace: "range DOMAIN|NAME|PAYLOAD|FLAGS|CATEGORY"; also what NVTX answered.
 * usage: ranges [calls|toggle|fork|storm]; exits with 1 and a line when an answer is wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/run/nvtx/client.h"

int other_push(const char *text);
int other_pop(void);

static int tool; /* 0: no tool is there, the answers are NVTX's own */
static int wrong;

/* An answer of a push or a pop. */
static void level(const char *what, int got, int expected)
{
	if (got == (tool ? expected : NVTX_NO_PUSH_POP_TRACKING))
		return;
	printf("%s answers %d instead of %d\n", what, got, expected);
	wrong = 1;
}

static void range(const char *domain, const char *name, uint64_t payload, const char *flags,
	unsigned category)
{
	printf("range %s|%s|%llu|%s|%u\n", domain, name, (unsigned long long)payload, flags,
		category);
}

static nvtxEventAttributes_t event(const char *text)
{
	nvtxEventAttributes_t event;
	memset(&event, 0, sizeof(event));
	event.version = NVTX_VERSION;
	event.size = (uint16_t)NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.messageType = NVTX_MESSAGE_TYPE_ASCII;
	event.message.ascii = text;
	return event;
}

static void nesting(void)
{
	level("push", nvtxRangePushA("outer"), 0);
	level("push", nvtxRangePushW(L"caf\xe9 \U0001F600 \xd800"), 1);
	level("push", nvtxRangePushA(""), 2);
	level("pop", nvtxRangePop(), 2);
	range("", "", 0, "", 0);
	level("pop", nvtxRangePop(), 1);
	range("", "caf\xc3\xa9 \xf0\x9f\x98\x80 \xef\xbf\xbd", 0, "", 0);
	level("pop", nvtxRangePop(), 0);
	range("", "outer", 0, "", 0);
	level("pop", nvtxRangePop(), -1);
	level("push of another module", other_push("other module"), 0);
	level("pop", nvtxRangePop(), 0);
	range("", "other module", 0, "", 0);
	level("pop of another module", other_pop(), -1);
}

static void payloads(void)
{
	nvtxEventAttributes_t attributes = event("payload");
	static const char *const names[] = {
		"", "uint64", "int64", "double", "uint32", "int32", "float"};
	for (int type = 0; type <= NVTX_PAYLOAD_TYPE_FLOAT; type++) {
		attributes.category = (uint32_t)type * 10;
		attributes.payloadType = type;
		attributes.payload.ullValue = 0xdeadbeefdeadbeef;
		uint64_t bits = type == 0 ? 0 : attributes.payload.ullValue;
		if (type == NVTX_PAYLOAD_TYPE_INT64)
			bits = (uint64_t)(attributes.payload.llValue = -5);
		if (type == NVTX_PAYLOAD_TYPE_DOUBLE)
			attributes.payload.dValue = 2.5, bits = 0x4004000000000000;
		if (type == NVTX_PAYLOAD_TYPE_INT32)
			bits = (uint32_t)(attributes.payload.iValue = -5);
		if (type == NVTX_PAYLOAD_TYPE_UNSIGNED_INT32)
			bits = attributes.payload.uiValue = 7;
		if (type == NVTX_PAYLOAD_TYPE_FLOAT)
			attributes.payload.fValue = 2.5, bits = 0x40200000;
		level("push", nvtxRangePushEx(&attributes), 0);
		level("pop", nvtxRangePop(), 0);
		range("", "payload", bits, names[type], attributes.category);
	}
	attributes.payloadType = 1000;
	attributes.messageType = 1000;
	nvtxMarkEx(&attributes);
	range("", "", 0, "mark", 60);
	attributes.size = 8; /* of an older or a broken caller: nothing of it is read */
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = (const char *)(uintptr_t)16;
	level("push", nvtxRangePushEx(&attributes), 0);
	level("pop", nvtxRangePop(), 0);
	range("", "", 0, "", 0);
}

static void in_domains(void)
{
	nvtxDomainHandle_t one = nvtxDomainCreateA("one"), two = nvtxDomainCreateW(L"tw\xf6");
	nvtxStringHandle_t narrow = nvtxDomainRegisterStringA(one, "registered");
	nvtxStringHandle_t wide = nvtxDomainRegisterStringW(one, L"registered wide");
	nvtxEventAttributes_t attributes = event("plain");
	if (tool && (nvtxDomainCreateA("one") != one || one == two || one == NULL)) {
		puts("handles of domains are not one for each name");
		wrong = 1;
	}
	level("push in one", nvtxDomainRangePushEx(one, &attributes), 0);
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = narrow;
	level("push in two", nvtxDomainRangePushEx(two, &attributes), 0);
	attributes.message.registered = wide;
	level("push in one", nvtxDomainRangePushEx(one, &attributes), 1);
	level("push in none", nvtxRangePushA("default"), 0);
	level("pop in two", nvtxDomainRangePop(two), 0);
	range("tw\xc3\xb6", "registered", 0, "", 0);
	level("pop in one", nvtxDomainRangePop(one), 1);
	range("one", "registered wide", 0, "", 0);
	level("pop in two", nvtxDomainRangePop(two), -1);
	level("pop in none", nvtxDomainRangePop(NULL), 0);
	range("", "default", 0, "", 0);
	level("pop in one", nvtxDomainRangePop(one), 0);
	range("one", "plain", 0, "", 0);
	attributes = event("a mark");
	nvtxDomainMarkEx(two, &attributes);
	range("tw\xc3\xb6", "a mark", 0, "mark", 0);
	nvtxRangeId_t id = nvtxDomainRangeStartEx(one, &attributes);
	nvtxDomainRangeEnd(one, id);
	range("one", "a mark", 0, "started", 0);
	nvtxDomainDestroy(two);
}

static void *end_range(void *id)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)id);
	return NULL;
}

static void pairs(void)
{
	pthread_t thread;
	nvtxEventAttributes_t attributes = event("ended elsewhere");
	nvtxRangeId_t first = nvtxRangeStartA("first"), second = nvtxRangeStartW(L"second");
	nvtxRangeId_t third = nvtxRangeStartEx(&attributes);
	if (tool && (first == second || second == third || first == 0)) {
		puts("ids are not different");
		wrong = 1;
	}
	nvtxRangeEnd(first);
	range("", "first", 0, "started", 0);
	nvtxRangeEnd(second);
	range("", "second", 0, "started", 0);
	nvtxRangeEnd(second);
	nvtxRangeEnd(0);
	nvtxRangeEnd(UINT64_MAX);
	if (pthread_create(&thread, NULL, end_range, &third) == 0)
		pthread_join(thread, NULL);
	range("", "ended elsewhere", 0, "started other_thread", 0);
	nvtxMarkA("narrow mark");
	range("", "narrow mark", 0, "mark", 0);
	nvtxMarkW(L"wide mark");
	range("", "wide mark", 0, "mark", 0);
}

/* Deeper than there is room for: the innermost 128 are there, levels are right. */
static void depth(void)
{
	char name[16];
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "deep %d", i);
		level("deep push", nvtxRangePushA(name), i);
	}
	for (int i = 199; i >= 0; i--) {
		level("deep pop", nvtxRangePop(), i);
		snprintf(name, sizeof(name), "deep %d", i);
		if (i >= 200 - 128)
			range("", name, 0, "", 0);
	}
}

static void calls(void)
{
	errno = 77;
	nesting();
	payloads();
	in_domains();
	pairs();
	depth();
	level("after depth", nvtxRangePushA("after"), 0);
	level("after depth", nvtxRangePop(), 0);
	range("", "after", 0, "", 0);
	if (errno != 77) {
		puts("errno has changed");
		wrong = 1;
	}
}

/* Ranges that see recording off at one end or both are not recorded, and popped as ever. */
static void toggle(void)
{
	level("push", nvtxRangePushA("on"), 0);
	level("push", nvtxRangePushA("on off"), 1);
	raise(SIGUSR2);
	level("push", nvtxRangePushA("off on"), 2);
	level("push", nvtxRangePushA("off"), 3);
	nvtxMarkA("off");
	nvtxRangeId_t id = nvtxRangeStartA("off on");
	level("pop", nvtxRangePop(), 3);
	raise(SIGUSR2);
	nvtxRangeEnd(id);
	level("pop", nvtxRangePop(), 2);
	raise(SIGUSR2);
	level("pop", nvtxRangePop(), 1);
	raise(SIGUSR2);
	level("pop", nvtxRangePop(), 0);
	range("", "on", 0, "", 0);
}

static void forked(void)
{
	level("push", nvtxRangePushA("parent"), 0);
	nvtxRangeId_t id = nvtxRangeStartA("parent's pair");
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		level("push", nvtxRangePushA("child"), 1);
		level("pop", nvtxRangePop(), 1);
		range("", "child", 0, "", 0);
		level("pop", nvtxRangePop(), 0);
		nvtxRangeEnd(id);
		return;
	}
	waitpid(child, NULL, 0);
	level("pop", nvtxRangePop(), 0);
	range("", "parent", 0, "", 0);
	nvtxRangeEnd(id);
	range("", "parent's pair", 0, "started", 0);
}

#define STORM_THREADS 6
#define STORM_ROUNDS  20000
static nvtxRangeId_t posted[64];
static unsigned long storm_ranges;

static void *storm(void *seed)
{
	unsigned random = *(unsigned *)seed;
	unsigned long ranges = 0;
	char name[32];
	for (int i = 0; i < STORM_ROUNDS; i++) {
		random = random * 1103515245 + 12345;
		unsigned slot = random >> 16 & 63;
		snprintf(name, sizeof(name), "storm %u", slot);
		if (nvtxRangePushA(name) < 0)
			abort();
		nvtxRangeId_t id = nvtxRangeStartA(name);
		id = __atomic_exchange_n(&posted[slot], id, __ATOMIC_ACQ_REL);
		if (id != 0)
			nvtxRangeEnd(id);
		nvtxRangePop();
		ranges += 1 + (id != 0);
	}
	__atomic_fetch_add(&storm_ranges, ranges, __ATOMIC_RELAXED);
	return NULL;
}

static void storms(void)
{
	pthread_t threads[STORM_THREADS];
	unsigned seeds[STORM_THREADS];
	nvtxMarkA("begin");
	for (unsigned i = 0; i < STORM_THREADS; i++) {
		seeds[i] = i;
		if (pthread_create(&threads[i], NULL, storm, &seeds[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < STORM_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu ranges\n", storm_ranges + 1);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "calls";
	tool = getenv("WITH_TOOL") != NULL;
	if (strcmp(part, "calls") == 0)
		calls();
	else if (strcmp(part, "toggle") == 0)
		toggle();
	else if (strcmp(part, "fork") == 0)
		forked();
	else
		storms();
	fflush(stdout);
	return wrong;
}
