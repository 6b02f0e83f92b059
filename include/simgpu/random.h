/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Random numbers that repeat: a policy's numbers follow from the run's seed. */
#ifndef SIMGPU_RANDOM_H
#define SIMGPU_RANDOM_H

#include <simgpu/snapshot.h>

/**
 * simgpu_random() - the next of a policy's random numbers
 * @snapshot: has the run's seed
 * @place: position in the sequence: a word of the policy's state that nothing else changes
 *
 * Steele, Lea and Flood's SplitMix64. The numbers are the same in the kernel, offline and
 * in a BPF program, and a replay draws the same numbers.
 *
 * Return: 64 bits, each 0 or 1 with equal chances.
 */
static inline u64 simgpu_random(const struct simgpu_snapshot *snapshot,
				u64 *place)
{
	u64 bits;

	*place += 0x9e3779b97f4a7c15ULL;
	bits = *place ^ ((u64)snapshot->seed << 32 | snapshot->seed);
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

#endif /* SIMGPU_RANDOM_H */
