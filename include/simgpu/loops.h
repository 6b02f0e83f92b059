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
 * SIMGPU_EACH_MAX - the most turns that the simgpu_each() of a BPF function take in a
 *	call, all together; from then on they end before their time
 */
#define SIMGPU_EACH_MAX	8388608U

#ifdef __bpf__

#include <bpf/bpf_helpers.h>

/*
 * Whether there may be one more turn, by the instruction may_goto, of which clang 14
 * does not know: it goes to @end if this has been asked SIMGPU_EACH_MAX times in the
 * call. To the verifier that is a bound, and it costs no call to the kernel, as
 * bpf_iter_num_next() would. Its distance has 16 bits, which clang cannot write where
 * they are not known yet: they come with 16 zeros.
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
 * 0, which the verifier takes for any number, as it does not look into a function of
 * its own for what that returns: a loop that begins with a number that it knows is
 * walked once for each turn.
 */
simgpu_apart u32 simgpu_any_zero(void)
{
	return 0;
}

#define simgpu_each(i, n)						\
	for ((i) = simgpu_any_zero(); (i) < (n) && simgpu_may_turn();	\
	     (i)++, ({ simgpu_hide(i); }))

/* The constant bound comes last: what it says of @i is what the body needs. */
#define simgpu_each_below(i, n, most)					\
	for ((i) = simgpu_any_zero();					\
	     (i) < (n) && ({ simgpu_hide(i); (i) < (most); }) &&	\
	     simgpu_may_turn();						\
	     (i)++, ({ simgpu_hide(i); }))

#define simgpu_hide(value)	__asm__ volatile("" : "+r"(value))

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

/**
 * simgpu_each_below() - simgpu_each() as far as a number that the verifier does not know
 * @i: a u32 variable, which the body leaves alone
 * @n: any u32
 * @most: a constant: from there on there are no turns, whatever @n is
 */
#define simgpu_each_below(i, n, most)					\
	for ((i) = 0; (i) < (n) && (i) < (most); (i)++)

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
