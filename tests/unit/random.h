/* SPDX-License-Identifier: GPL-2.0 */
/* Pseudo-random numbers that tests draw, from a state that each sets itself. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include "../../include/simgpu/port.h"

static u64 random_state;

static inline u32 random_below(u32 bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (u32)(random_state >> 20) % bound;
}

#endif /* TESTS_RANDOM_H */
