/* SPDX-License-Identifier: MIT */
/*
 * What this library asks the kernel for, as libc's functions of these names do, with errno.
 *
 * The names are defined in kernel.c, known inside the library alone: each one that the loader has
 * to find in libc costs every start of every program several hundred instructions, most never need
 * it, and what another library puts in libc's place is none of ours. None of them is a point at
 * which a thread is cancelled.
 */
#ifndef PRELOAD_LINKER_KERNEL_H
#define PRELOAD_LINKER_KERNEL_H

#include <errno.h>

/* One system call, bare: its result, or -1 and errno. */
static inline __attribute__((always_inline)) long kernel_call(
	long number, long a, long b, long c, long d, long e, long f)
{
	long result;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	result = x0;
#endif
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

#endif
