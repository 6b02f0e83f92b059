/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Masks of more than 64 bits, in words: of SMs, TPCs, pages. */
#ifndef SIMGPU_BITS_H
#define SIMGPU_BITS_H

#include <simgpu/port.h>

/**
 * simgpu_has_bit() - whether a mask has a bit
 * @words: the mask, the lowest bits first
 * @bit: index of the bit, within the mask
 *
 * Return: whether it is set.
 */
static inline bool simgpu_has_bit(const u64 *words, u32 bit)
{
	return words[bit / 64] >> bit % 64 & 1;
}

/**
 * simgpu_add_bit() - set a bit of a mask
 * @words: the mask, the lowest bits first
 * @bit: index of the bit, within the mask
 */
static inline void simgpu_add_bit(u64 *words, u32 bit)
{
	words[bit / 64] |= 1ULL << bit % 64;
}

#endif /* SIMGPU_BITS_H */
