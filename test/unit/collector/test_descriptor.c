/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "collector/own/descriptor.h"

TestSuite(descriptor);

Test(descriptor, is_never_one_of_the_lowest)
{
	char byte;
	int input = dup(STDIN_FILENO);
	(void)close(STDIN_FILENO);
	int alone = descriptor_open_alone("/proc/self/cmdline");
	int other = descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
	cr_expect(ge(int, alone, DESCRIPTOR_LOWEST));
	cr_expect(ge(int, other, DESCRIPTOR_LOWEST));
	cr_expect(eq(int, descriptor_read(alone, &byte, 1), 1));
	cr_expect(ne(int, fcntl(alone, F_GETFD) & FD_CLOEXEC, 0), "not for its children");
	cr_expect(eq(int, fcntl(STDIN_FILENO, F_GETFD), -1), "free as before");
	descriptor_close(alone);
	descriptor_close(other);
	(void)dup2(input, STDIN_FILENO);
	(void)close(input);
}

Test(descriptor, of_what_is_not_there)
{
	cr_expect(eq(int, descriptor_open_alone("/proc/self/no such file"), -1));
	cr_expect(eq(int, errno, ENOENT));
}
