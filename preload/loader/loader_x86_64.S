/* SPDX-License-Identifier: MIT */
/*
 * dlopen and dlsym as tail jumps: the filter in loader.c sees the arguments and where the return
 * address lies, then the true function is entered with stack and arguments as they were.
 */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.text

	.globl	dlopen
	.type	dlopen, @function
dlopen:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	leaq	24(%rsp), %rdx
	call	loader_filter_dlopen
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*loader_next_dlopen(%rip)
	.cfi_endproc
	.size	dlopen, .-dlopen

	.globl	dlsym
	.type	dlsym, @function
dlsym:
	.cfi_startproc
	_CET_ENDBR
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	leaq	24(%rsp), %rdx
	call	loader_filter_dlsym
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rdx, %rdx
	je	1f
	ret
1:	jmp	*loader_next_dlsym(%rip)
	.cfi_endproc
	.size	dlsym, .-dlsym

	/* Ours, whoever stands before it. */
	.globl	linker_own_dlsym
	.hidden	linker_own_dlsym
	.set	linker_own_dlsym, dlsym

	.section .note.GNU-stack, "", @progbits
