/* SPDX-License-Identifier: MIT */
/*
 * How variables are reached that hooks read on every call: LINKAGE_HIDDEN keeps a variable
 * inside the shared object, so that no table is asked for its address; LINKAGE_TLS does the same
 * for one of each thread, at an offset that is fixed at load time in a shared object and at
 * link time in a program (where the linker would turn the other form into one that loses
 * the flags that null checks of UBSan look at). Macros alone: no code, no state.
 */
#ifndef COLLECTOR_OWN_LINKAGE_H
#define COLLECTOR_OWN_LINKAGE_H

#define LINKAGE_HIDDEN __attribute__((visibility("hidden")))

#if defined(__PIC__) && !defined(__PIE__)
#define LINKAGE_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define LINKAGE_TLS __attribute__((visibility("hidden"), tls_model("local-exec")))
#endif

/*
 * A load of what is aligned and no wider than a pointer, to be compared: a compiler compares with
 * memory in place where the load is a plain one. LINKAGE_SEEN() keeps what is read next behind it.
 */
#if defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define LINKAGE_PEEK(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#else
#define LINKAGE_PEEK(variable) (variable)
#endif
#define LINKAGE_SEEN() __asm__ volatile("" : : : "memory")

#endif
