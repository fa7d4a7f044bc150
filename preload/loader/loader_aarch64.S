/* SPDX-License-Identifier: MIT */
/*
 * dlopen and dlsym as tail jumps: the filter in loader.c sees the arguments and the stack pointer, then
 * the true function is entered with stack, arguments and link register as they were.
 * Tested on an emulated processor (test/compile/aarch64.py), not on a machine.
 */
	.text

	.globl	dlopen
	.type	dlopen, %function
dlopen:
	.cfi_startproc
	hint	#34 /* bti c */
	mov	x2, sp
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	stp	x0, x1, [sp, #16]
	mov	x29, sp
	bl	loader_filter_dlopen
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	adrp	x16, loader_next_dlopen
	ldr	x16, [x16, #:lo12:loader_next_dlopen]
	br	x16
	.cfi_endproc
	.size	dlopen, .-dlopen

	.globl	dlsym
	.type	dlsym, %function
dlsym:
	.cfi_startproc
	hint	#34 /* bti c */
	mov	x2, sp
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	stp	x0, x1, [sp, #16]
	mov	x29, sp
	bl	loader_filter_dlsym
	mov	x17, x0
	mov	x16, x1
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	cbz	x16, 1f
	mov	x0, x17
	ret
1:	adrp	x16, loader_next_dlsym
	ldr	x16, [x16, #:lo12:loader_next_dlsym]
	br	x16
	.cfi_endproc
	.size	dlsym, .-dlsym

	/* Ours, whoever stands before it. */
	.globl	linker_own_dlsym
	.hidden	linker_own_dlsym
	.set	linker_own_dlsym, dlsym

	.section .note.GNU-stack, "", %progbits
