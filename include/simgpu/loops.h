/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Loops, indices and functions that the verifier of BPF programs accepts and that
 * mean the same in the kernel and in userspace. It walks a plain loop turn by turn, each
 * with all that may have happened before, and gives up on most that decide
 * something; of an index it has to see that it is in bounds.
 */
#ifndef SIMGPU_LOOPS_H
#define SIMGPU_LOOPS_H

#include <simgpu/port.h>

/**
 * SIMGPU_EACH_MAX - the most turns of simgpu_each(); it takes none for more
 */
#define SIMGPU_EACH_MAX	8388608U

#ifdef __bpf__

#ifndef __VMLINUX_H__
struct bpf_iter_num {
	__u64 __opaque;
};
#endif

#include <bpf/bpf_helpers.h>

/*
 * bpf_for() of libbpf, except for @i at the end. The destructor is named once
 * beside the cleanup because clang forgets its type otherwise.
 */
#define simgpu_each(i, n)						\
	for (struct bpf_iter_num each_					\
		__attribute__((cleanup(bpf_iter_num_destroy))),		\
	     *turn_ = (bpf_iter_num_new(&each_, 0, (n)),		\
		       (void)bpf_iter_num_destroy, NULL);		\
	     turn_ = (void *)bpf_iter_num_next(&each_),			\
	     (i) = turn_ ? *(u32 *)turn_ : (n),				\
	     turn_ && (i) < (n);)

#define simgpu_hide(value)	__asm__ volatile("" : "+r"(value))

#define simgpu_apart		__noinline __weak

#else

/**
 * simgpu_each() - for (i = 0; i < n; i++)
 * @i: a u32 variable, which the body leaves alone; after the last turn it is @n
 * @n: a u32, at most SIMGPU_EACH_MAX, which the body leaves alone, too
 *
 * In BPF the verifier walks the body once or twice, however large @n is. Within,
 * `break` and `continue` work. To it a variable that the body changes is any number
 * in the next turn: simgpu_index() makes an index of it.
 */
#define simgpu_each(i, n)	for ((i) = 0; (i) < (n); (i)++)

#define simgpu_hide(value)	((void)(value))

/**
 * define simgpu_apart - begins a function of numbers that is verified on its own
 *
 * Elsewhere `static inline`. The verifier walks such a function once, for any
 * arguments, and knows nothing of what it returns; others it walks anew for each
 * call and each path that leads there. It takes at most five arguments, numbers
 * only.
 */
#define simgpu_apart		static inline

#endif

/**
 * simgpu_index() - an index that is in bounds, to the verifier's eyes
 * @i: any
 * @n: length of the array, a constant
 *
 * The compiler sees neither the value before nor the one after: it would drop the
 * check where it knows better than the verifier, as of @i % n, or check one copy
 * and use another.
 *
 * Return: @i if that is below @n, else 0, in all homes.
 */
static __always_inline u32 simgpu_index(u64 i, u32 n)
{
	simgpu_hide(i);
	if (i >= n)
		i = 0;
	simgpu_hide(i);
	return (u32)i;
}

#endif /* SIMGPU_LOOPS_H */
