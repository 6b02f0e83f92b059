/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Loops, indices and functions that the verifier of BPF programs accepts, and that mean
 * the same in the kernel and in userspace. The verifier walks a plain loop turn by turn,
 * each turn with all states that the turn before could leave, and gives up on most loops
 * with branches. It also rejects an index unless it can see that the index is in bounds.
 */
#ifndef SIMGPU_LOOPS_H
#define SIMGPU_LOOPS_H

#include <simgpu/port.h>

/**
 * SIMGPU_EACH_MAX - the most turns that all simgpu_each() of a BPF function take together
 *	in one call; after that they end early
 */
#define SIMGPU_EACH_MAX	8388608U

#ifdef __bpf__

#include <bpf/bpf_helpers.h>

/*
 * Whether there may be one more turn. The instruction may_goto goes to @end if it has
 * been executed SIMGPU_EACH_MAX times in the call. The verifier takes that as a bound, and
 * it costs no call to the kernel, unlike bpf_iter_num_next(). clang 14 does not know the
 * instruction, so it is written as bytes. The distance of its jump has 16 bits. clang
 * cannot write 16 bits that it does not know yet, so the next 16, all zero, are written with
 * them.
 */
static __always_inline int simgpu_may_turn(void)
{
	__asm__ goto(".byte 0xe5, 0;"
		     ".4byte ((%l[end] - . - 6) / 8) & 0xffff;"
		     ".2byte 0"
		     : : : : end);
	return 1;
end:
	return 0;
}

#define simgpu_apart		__noinline __weak

/*
 * Returns 0, which the verifier takes for any number: it does not carry results out of a
 * function that it verifies on its own. A loop that begins with a known number would be
 * walked once for each turn.
 */
simgpu_apart u32 simgpu_any_zero(void)
{
	return 0;
}

#define simgpu_each(i, n)						\
	for ((i) = simgpu_any_zero(); (i) < (n) && simgpu_may_turn();	\
	     (i)++, ({ simgpu_hide(i); }))

/* The constant bound comes last: the body needs what it tells the verifier about @i. */
#define simgpu_each_below(i, n, most)					\
	for ((i) = simgpu_any_zero();					\
	     (i) < (n) && ({ simgpu_hide(i); (i) < (most); }) &&	\
	     simgpu_may_turn();						\
	     (i)++, ({ simgpu_hide(i); }))

#define simgpu_hide(value)	__asm__ volatile("" : "+r"(value))

#else

/**
 * simgpu_each() - for (i = 0; i < n; i++)
 * @i: a u32 variable, which the body does not change; after the last turn it is @n
 * @n: a u32, at most SIMGPU_EACH_MAX, which the body does not change either
 *
 * In BPF the verifier walks the body once or twice, however large @n is. `break` and
 * `continue` work in the body. For the verifier, a variable that the body changes is any
 * number in the next turn: simgpu_index() makes an index of it.
 */
#define simgpu_each(i, n)	for ((i) = 0; (i) < (n); (i)++)

/**
 * simgpu_each_below() - simgpu_each() with a bound that the verifier does not know
 * @i: a u32 variable, which the body does not change
 * @n: any u32
 * @most: a constant, the most turns that there are, however large @n is
 */
#define simgpu_each_below(i, n, most)					\
	for ((i) = 0; (i) < (n) && (i) < (most); (i)++)

#define simgpu_hide(value)	((void)(value))

/**
 * define simgpu_apart - begins a function that the verifier of BPF checks on its own
 *
 * Outside BPF it is `static inline`. The verifier walks such a function once, for any
 * arguments, and assumes nothing about its result; it walks other functions anew for each
 * call and each path that leads there. The function takes at most five arguments, numbers
 * only.
 */
#define simgpu_apart		static inline

#endif

/**
 * simgpu_index() - an index that the verifier of BPF sees to be in bounds
 * @i: any
 * @n: length of the array, a constant
 *
 * The compiler can relate neither the value before nor the one after to this check. Else
 * it would drop a check that it can prove needless, as for @i % n, or check one copy of
 * the index and use another.
 *
 * Return: @i if that is below @n, else 0; the same in the kernel, in userspace and in BPF.
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
