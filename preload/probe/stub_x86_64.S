/* SPDX-License-Identifier: MIT */
/*
 * A stub for each function that can be traced, in the place of which it is called: all registers that
 * may hold arguments are kept while probe_enter() is asked, then the function is called with a copy of
 * what may be arguments on the stack. Results are kept while probe_leave() is told; those on the stack
 * of the floating-point unit are not touched. Where nothing is to be recorded the function is jumped to
 * and sees its true caller.
 *
 * Vectors are kept in full where their upper parts are in use; what libc does in between leaves unused
 * ones unused.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define STUBS       4096
#define STACK_BYTES 512
#define ASK         1 /* as call.h has it */

/* Below the frame. WIDE only where upper parts of vectors are in use. */
#define XMM(n)      (-128 + 16 * n)(%rbp)
#define TARGET      -136(%rbp)
#define WORD(n)     (-208 + 8 * n)(%rbp)
#define UPPER       -216(%rbp)
#define FRAME_BYTES 224
#define WIDE_BYTES  512
#define WIDE(n)     (-FRAME_BYTES - WIDE_BYTES + 64 * n)(%rbp)

/* Of the processor's register of parts in use: the upper halves of ymm, and those of zmm. */
#define YMM_BIT 0x4
#define ZMM_BIT 0x40

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

	/* UPPER: what of vectors is in use. Changes rax, rcx, rdx. */
	.macro	ask_upper
	movl	probe_vectors(%rip), %eax
	cmpl	$ASK, %eax
	jne	.Lknown\@
	movl	$1, %ecx
	xgetbv
	andl	$(YMM_BIT | ZMM_BIT), %eax
.Lknown\@:
	movl	%eax, UPPER
	.endm

	.macro	restore_vectors
	testl	$ZMM_BIT, UPPER
	jne	.Lzmm\@
	testl	$YMM_BIT, UPPER
	jne	.Lymm\@
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movups	XMM(\n), %xmm\n
	.endr
	jmp	.Ldone\@
.Lymm\@:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	vmovups	WIDE(\n), %ymm\n
	.endr
	jmp	.Ldone\@
.Lzmm\@:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	vmovups	WIDE(\n), %zmm\n
	.endr
.Ldone\@:
	.endm

	.macro	restore_arguments
	restore_vectors
	movq	WORD(0), %rdi
	movq	WORD(1), %rsi
	movq	WORD(2), %rdx
	movq	WORD(3), %rcx
	movq	WORD(4), %r8
	movq	WORD(5), %r9
	movq	WORD(6), %rax
	movq	WORD(7), %r10
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
	ask_upper
	testl	%eax, %eax
	jne	2f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movups	%xmm\n, XMM(\n)
	.endr
	jmp	4f
2:	subq	$WIDE_BYTES, %rsp
	testl	$ZMM_BIT, %eax
	jne	3f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	vmovups	%ymm\n, WIDE(\n)
	.endr
	jmp	4f
3:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	vmovups	%zmm\n, WIDE(\n)
	.endr
4:	movl	%r11d, %edi
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
	/* one that is wide is alone, and lies where the copy of the arguments was */
	ask_upper
	testl	$ZMM_BIT, %eax
	jne	5f
	testl	$YMM_BIT, %eax
	je	6f
	vmovups	%ymm0, (%rsp)
	jmp	6f
5:	vmovups	%zmm0, (%rsp)
6:	movq	%rbp, %rdi
	call	probe_leave
	movups	XMM(0), %xmm0
	movups	XMM(1), %xmm1
	testl	$ZMM_BIT, UPPER
	jne	7f
	testl	$YMM_BIT, UPPER
	je	8f
	vmovups	(%rsp), %ymm0
	jmp	8f
7:	vmovups	(%rsp), %zmm0
8:	movq	WORD(0), %rax
	movq	WORD(1), %rdx
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
