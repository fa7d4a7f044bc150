/* SPDX-License-Identifier: MIT */
#include "collector/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/banned.h"
#include "collector/base/small.h"

#define LINE_BYTES  512u
#define WRITE_TRIES 100u

int log_level = LOG_LEVEL_ERROR;

/* A line under construction; the last byte is kept for the newline. */
struct line {
	char text[LINE_BYTES];
	size_t length;
};

static void add_char(struct line *line, char byte)
{
	if (line->length < LINE_BYTES - 1)
		line->text[line->length++] = byte;
}

static void add_text(struct line *line, const char *text)
{
	for (text = text != NULL ? text : "(null)"; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;
		add_char(line, byte < 0x20 || byte == 0x7f ? '?' : *text);
	}
}

static void add_number(struct line *line, uint64_t value, unsigned base)
{
	char digits[20];
	unsigned count = 0;
	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value > 0);
	while (count > 0)
		add_char(line, digits[--count]);
}

static void add_signed(struct line *line, int64_t value)
{
	if (value < 0)
		add_char(line, '-');
	add_number(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

/* One conversion; wide: the integer is a long. The list is consumed here, hence by pointer. */
static void add_conversion(struct line *line, char conversion, bool wide, va_list *arguments)
{
	switch (conversion) {
	case 's':
		add_text(line, va_arg(*arguments, const char *));
		break;
	case 'c':
		add_char(line, (char)va_arg(*arguments, int));
		break;
	case 'd':
	case 'i':
		add_signed(line, wide ? va_arg(*arguments, long) : va_arg(*arguments, int));
		break;
	case 'u':
	case 'x':
		add_number(line,
			wide ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned),
			conversion == 'x' ? 16 : 10);
		break;
	case 'p':
		add_text(line, "0x");
		add_number(line, (uintptr_t)va_arg(*arguments, void *), 16);
		break;
	default:
		add_char(line, conversion);
	}
}

/* What 2 was when it was looked at; a program may close it and get the number for its data. */
static struct {
	bool known, closed;
	dev_t device;
	ino_t inode;
} errors SMALL;

/* Bare: calls of libc may be hooked, and this is none of the program's. */
static bool look_at_errors(struct stat *ret_status)
{
	return syscall(SYS_fstat, STDERR_FILENO, ret_status) == 0;
}

void log_begin(void)
{
	int saved = errno;
	struct stat status = {0};
	errors.closed = !look_at_errors(&status);
	errors.device = errors.closed ? 0 : status.st_dev;
	errors.inode = errors.closed ? 0 : status.st_ino;
	errors.known = true;
	errno = saved;
}

static bool is_for_errors(void)
{
	struct stat status = {0};
	return !errors.known ||
	       (!errors.closed && look_at_errors(&status) && status.st_dev == errors.device &&
		       status.st_ino == errors.inode);
}

static void write_line(const struct line *line)
{
	size_t done = is_for_errors() ? 0 : line->length;
	for (unsigned tries = 0; done < line->length && tries < WRITE_TRIES; tries++) {
		ssize_t written =
			syscall(SYS_write, STDERR_FILENO, line->text + done, line->length - done);
		if (written <= 0 && !(written < 0 && errno == EINTR))
			return;
		done += written > 0 ? (size_t)written : 0;
	}
}

void log_write(const char *format, ...)
{
	int saved_errno = errno;
	struct line line = {.length = 0};
	va_list arguments;
	va_start(arguments, format);
	add_text(&line, "libtrace: ");
	for (; *format != '\0'; format++) {
		bool wide = false;
		if (*format != '%') {
			add_char(&line, *format);
			continue;
		}
		for (format++; *format == 'l' || *format == 'z'; format++)
			wide = true;
		if (*format == '\0')
			break;
		add_conversion(&line, *format, wide, &arguments);
	}
	va_end(arguments);
	line.text[line.length++] = '\n';
	write_line(&line);
	errno = saved_errno;
}

int log_level_from_name(const char *name)
{
	static const char *const names[] = {"quiet", "error", "info", "debug"};
	for (int i = 0; name != NULL && i < 4; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}
