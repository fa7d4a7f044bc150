/* SPDX-License-Identifier: MIT */
/*
 * As stub_x86_64.S: x0 to x8 and q0 to q7 may hold arguments, x0, x1 and q0 to q3 results.
 * Tested on an emulated processor (test/compile/aarch64.py), not on a machine; nor is what unwinds it.
 */
#define STUBS       4096
#define STACK_BYTES 512
#define FRAME_BYTES 240 /* the frame's two words, ten words, eight vectors, in sixteens */
#define WORDS       16
#define VECTORS     112

	.text

	.globl	probe_stubs
	.hidden	probe_stubs
	.type	probe_stubs, %function
	.p2align 4
probe_stubs:
	.cfi_startproc
	.set	number, 0
	.rept	STUBS
	.p2align 4
	hint	#34 /* bti c */
	mov	w16, #number
	b	probe_common
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	probe_stubs, .-probe_stubs

	.macro	restore_arguments
	ldp	x0, x1, [x29, #(WORDS + 0)]
	ldp	x2, x3, [x29, #(WORDS + 16)]
	ldp	x4, x5, [x29, #(WORDS + 32)]
	ldp	x6, x7, [x29, #(WORDS + 48)]
	ldr	x8, [x29, #(WORDS + 64)]
	ldp	q0, q1, [x29, #(VECTORS + 0)]
	ldp	q2, q3, [x29, #(VECTORS + 32)]
	ldp	q4, q5, [x29, #(VECTORS + 64)]
	ldp	q6, q7, [x29, #(VECTORS + 96)]
	.endm

	.type	probe_common, %function
	.p2align 4
probe_common:
	.cfi_startproc
	.cfi_personality 0x1b, probe_personality
	sub	sp, sp, #FRAME_BYTES
	.cfi_def_cfa_offset FRAME_BYTES
	stp	x29, x30, [sp]
	.cfi_offset x29, -FRAME_BYTES
	.cfi_offset x30, 8 - FRAME_BYTES
	mov	x29, sp
	.cfi_def_cfa x29, FRAME_BYTES
	stp	x0, x1, [x29, #(WORDS + 0)]
	stp	x2, x3, [x29, #(WORDS + 16)]
	stp	x4, x5, [x29, #(WORDS + 32)]
	stp	x6, x7, [x29, #(WORDS + 48)]
	str	x8, [x29, #(WORDS + 64)]
	stp	q0, q1, [x29, #(VECTORS + 0)]
	stp	q2, q3, [x29, #(VECTORS + 32)]
	stp	q4, q5, [x29, #(VECTORS + 64)]
	stp	q6, q7, [x29, #(VECTORS + 96)]
	mov	w0, w16
	add	x1, x29, #(FRAME_BYTES - 16) /* arguments are 16 bytes above */
	bl	probe_enter
	mov	x17, x0
	cbz	x1, 1f

	sub	sp, sp, #STACK_BYTES
	add	x9, x29, #FRAME_BYTES
	mov	x10, sp
	mov	x11, #(STACK_BYTES / 32)
0:	ldp	q16, q17, [x9], #32
	stp	q16, q17, [x10], #32
	subs	x11, x11, #1
	b.ne	0b
	restore_arguments
	blr	x17
	stp	x0, x1, [x29, #(WORDS + 0)]
	stp	q0, q1, [x29, #(VECTORS + 0)]
	stp	q2, q3, [x29, #(VECTORS + 32)]
	add	x0, x29, #(FRAME_BYTES - 16)
	bl	probe_leave
	ldp	x0, x1, [x29, #(WORDS + 0)]
	ldp	q0, q1, [x29, #(VECTORS + 0)]
	ldp	q2, q3, [x29, #(VECTORS + 32)]
	mov	sp, x29
	.cfi_remember_state
	ldp	x29, x30, [sp]
	add	sp, sp, #FRAME_BYTES
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	ret

1:	.cfi_restore_state
	restore_arguments
	ldp	x29, x30, [sp]
	add	sp, sp, #FRAME_BYTES
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	br	x17
	.cfi_endproc
	.size	probe_common, .-probe_common

	.section .note.GNU-stack, "", %progbits
