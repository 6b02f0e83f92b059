/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Random numbers that repeat: a policy's numbers follow from the run's seed. */
#ifndef SIMGPU_RANDOM_H
#define SIMGPU_RANDOM_H

#include <simgpu/snapshot.h>

/* By how much the state of SplitMix64 grows with each number */
#define SIMGPU_RANDOM_STEP	0x9e3779b97f4a7c15ULL

/**
 * simgpu_random_mix() - a state of Steele, Lea and Flood's SplitMix64 as a random number
 * @bits: the state; equal ones give equal numbers
 *
 * Return: 64 bits, each 0 or 1 with equal chances.
 */
static inline u64 simgpu_random_mix(u64 bits)
{
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

/**
 * simgpu_random() - the next of a policy's random numbers
 * @snapshot: has the run's seed
 * @place: position in the sequence: a word of the policy's state that nothing else changes
 *
 * SplitMix64. The numbers are the same in the kernel, offline and
 * in a BPF program, and a replay draws the same numbers.
 *
 * Return: 64 bits, each 0 or 1 with equal chances.
 */
static inline u64 simgpu_random(const struct simgpu_snapshot *snapshot,
				u64 *place)
{
	*place += SIMGPU_RANDOM_STEP;
	return simgpu_random_mix(*place ^ ((u64)snapshot->seed << 32 | snapshot->seed));
}

#endif /* SIMGPU_RANDOM_H */
