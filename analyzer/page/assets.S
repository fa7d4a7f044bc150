/* SPDX-License-Identifier: MIT */
	.section .rodata, "a"
	.global page_before, page_before_end, page_after, page_after_end
page_before:
	.incbin PAGE_BEFORE
page_before_end:
	.byte 0
page_after:
	.incbin PAGE_AFTER
page_after_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
