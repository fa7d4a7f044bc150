/* SPDX-License-Identifier: MIT */
/*
 * A library as TensorFlow's are: it exports the functions that rows.inc names with ROW(name), jumps
 * that open LIBRARY and look the function up there when they are first used. x86-64.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW(name) #name,
static const char *const names[] = {
#include "rows.inc"
};
#undef ROW
static void *functions[sizeof(names) / sizeof(names[0])];

__attribute__((used)) static void *stub_resolve(size_t row)
{
	static void *library;
	if (library == NULL)
		library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (functions[row] == NULL && library != NULL)
		functions[row] = dlsym(library, names[row]);
	if (functions[row] == NULL) {
		printf("FAULT %s\n", names[row]);
		exit(1);
	}
	return functions[row];
}

/* clang-format off */
#define ROW(name) ".globl " #name "\n.type " #name ", @function\n" #name ":\nendbr64\n" \
	"pushq $stub_row\njmp stub_common\n.set stub_row, stub_row + 1\n"
__asm__(".text\n.set stub_row, 0\n"
#include "rows.inc"
	"stub_common:\n"
	"pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\n"
	"movq 48(%rsp), %rdi\ncall stub_resolve\n"
	"popq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
	"addq $8, %rsp\njmp *%rax\n");
