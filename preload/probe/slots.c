/* SPDX-License-Identifier: MIT */
#include "preload/probe/slots.h"

#include "collector/own/descriptor.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_BYTES 4096u

/* "begin-end rw": does the line's mapping hold the address; can it be written? */
static bool tells(const char *line, uintptr_t address, bool *ret_writable)
{
	char *end;
	uintptr_t begin = strtoul(line, &end, 16);
	if (*end != '-')
		return false;
	uintptr_t until = strtoul(end + 1, &end, 16);
	if (*end != ' ' || address < begin || address >= until)
		return false;
	*ret_writable = end[1] != '\0' && end[2] == 'w';
	return true;
}

/* As /proc/self/maps has it now; true when that cannot be told. */
static bool is_writable(uintptr_t address)
{
	char text[MAPS_BYTES + 1];
	size_t length = 0;
	bool writable = true, told = false;
	int fd = descriptor_open("/proc/self/maps", O_RDONLY, 0);
	for (ssize_t got; fd >= 0 && !told;) {
		got = descriptor_read(fd, text + length, MAPS_BYTES - length);
		if (got <= 0)
			break;
		length += (size_t)got;
		text[length] = '\0';
		char *line = text, *next;
		for (; !told && (next = strchr(line, '\n')) != NULL; line = next + 1)
			told = tells(line, address, &writable);
		length -= (size_t)(line - text);
		memmove(text, line, length);
		if (length == MAPS_BYTES) /* a line that long is none that matters */
			length = 0;
	}
	if (fd >= 0)
		descriptor_close(fd);
	return writable;
}

static struct slots_relro known; /* it is read-only */

void slots_restart(void)
{
	known = (struct slots_relro){0, 0};
}

/* Asked once per module: it stays so. */
static bool is_protected(uintptr_t address, const struct slots_relro *relro)
{
	if (known.begin == relro->begin && known.end == relro->end)
		return true;
	if (is_writable(address))
		return false;
	known = *relro;
	return true;
}

bool slots_write(uintptr_t *slot, uintptr_t value, const struct slots_relro *relro)
{
	uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)slot & ~(page_size - 1));
	bool may_be_protected = (uintptr_t)slot - relro->begin < relro->end - relro->begin;
	bool again = may_be_protected && is_protected((uintptr_t)slot, relro);
	/* also where it can be written: the dynamic linker may be about to change that */
	if (may_be_protected && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (again)
		(void)mprotect(page, page_size, PROT_READ);
	return true;
}
