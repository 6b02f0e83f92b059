// SPDX-License-Identifier: GPL-2.0
/*
 * The lanes of a warp, and sets of them: bit i is lane i.
 * Not here: what lanes do (warp.h).
 */
#ifndef SIMGPU_RECORD_LANES_H
#define SIMGPU_RECORD_LANES_H

#include <cstdint>

namespace record {

constexpr uint32_t WARP_LANES = 32;

inline uint32_t lane_bit(uint32_t lane)
{
	return 1U << lane;
}

inline uint32_t count_lanes(uint32_t lanes)
{
	return __builtin_popcount(lanes);
}

/* Take the lowest lane out of the set. */
inline uint32_t pop_lane(uint32_t &lanes)
{
	uint32_t lane = __builtin_ctz(lanes);

	lanes &= lanes - 1;
	return lane;
}

} /* namespace record */

#endif
