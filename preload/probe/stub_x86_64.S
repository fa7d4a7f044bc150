/* SPDX-License-Identifier: MIT */
/*
 * A stub for each function that can be traced, in the place of which it is called: all registers that
 * may hold arguments are kept while probe_enter() is asked, then the function is called with a copy of
 * what may be arguments on the stack. Results are kept while probe_leave() is told; those on the stack
 * of the floating-point unit are not touched. Where nothing is to be recorded the function is jumped to
 * and sees its true caller.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define STUBS       4096
#define STACK_BYTES 512

/* Below the frame. */
#define XMM(n)      (-128 + 16 * n)(%rbp)
#define TARGET      -136(%rbp)
#define WORD(n)     (-208 + 8 * n)(%rbp)
#define FRAME_BYTES 208

	.text

	.globl	probe_stubs
	.hidden	probe_stubs
	.type	probe_stubs, @function
	.p2align 4
probe_stubs:
	.cfi_startproc
	.set	number, 0
	.rept	STUBS
	.p2align 4
	_CET_ENDBR
	movl	$number, %r11d
	jmp	probe_common
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	probe_stubs, .-probe_stubs

	.macro	restore_arguments
	movq	WORD(0), %rdi
	movq	WORD(1), %rsi
	movq	WORD(2), %rdx
	movq	WORD(3), %rcx
	movq	WORD(4), %r8
	movq	WORD(5), %r9
	movq	WORD(6), %rax
	movq	WORD(7), %r10
	movups	XMM(0), %xmm0
	movups	XMM(1), %xmm1
	movups	XMM(2), %xmm2
	movups	XMM(3), %xmm3
	movups	XMM(4), %xmm4
	movups	XMM(5), %xmm5
	movups	XMM(6), %xmm6
	movups	XMM(7), %xmm7
	.endm

	.type	probe_common, @function
	.p2align 4
probe_common:
	.cfi_startproc
	.cfi_personality 0x1b, probe_personality
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$FRAME_BYTES, %rsp
	movq	%rdi, WORD(0)
	movq	%rsi, WORD(1)
	movq	%rdx, WORD(2)
	movq	%rcx, WORD(3)
	movq	%r8, WORD(4)
	movq	%r9, WORD(5)
	movq	%rax, WORD(6)
	movq	%r10, WORD(7)
	movups	%xmm0, XMM(0)
	movups	%xmm1, XMM(1)
	movups	%xmm2, XMM(2)
	movups	%xmm3, XMM(3)
	movups	%xmm4, XMM(4)
	movups	%xmm5, XMM(5)
	movups	%xmm6, XMM(6)
	movups	%xmm7, XMM(7)
	movl	%r11d, %edi
	movq	%rbp, %rsi
	call	probe_enter
	movq	%rax, TARGET
	testq	%rdx, %rdx
	je	1f

	subq	$STACK_BYTES, %rsp
	.set	at, 0
	.rept	STACK_BYTES / 16
	movups	16 + at(%rbp), %xmm8
	movups	%xmm8, at(%rsp)
	.set	at, at + 16
	.endr
	restore_arguments
	call	*TARGET
	movq	%rax, WORD(0)
	movq	%rdx, WORD(1)
	movups	%xmm0, XMM(0)
	movups	%xmm1, XMM(1)
	movq	%rbp, %rdi
	call	probe_leave
	movq	WORD(0), %rax
	movq	WORD(1), %rdx
	movups	XMM(0), %xmm0
	movups	XMM(1), %xmm1
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret

1:	.cfi_restore_state
	restore_arguments
	movq	TARGET, %r11
	leave
	.cfi_def_cfa %rsp, 8
	jmp	*%r11
	.cfi_endproc
	.size	probe_common, .-probe_common

	.section .note.GNU-stack, "", @progbits
