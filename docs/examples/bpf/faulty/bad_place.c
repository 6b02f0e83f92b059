// SPDX-License-Identifier: GPL-2.0
/* bad-place: a memory policy whose fifth answer brings pages behind a block's end. */
#include <simgpu/policy.bpf.h>

/**
 * struct bad_place - the state
 * @calls: of place()
 */
struct bad_place {
	u64 calls;
};

static inline int bad_place_place(const struct simgpu_place *asked, struct bad_place *state,
				  struct simgpu_placement *placement)
{
	if (++state->calls == 5)
		placement->bring[0][SIMGPU_BLOCK_WORDS - 1] = 1ULL << 63;
	return 0;
}

static inline u64 bad_place_rank(u32 event, const struct simgpu_chunk *chunk,
				 struct bad_place *state)
{
	return chunk->arrived;
}

SIMGPU_MEMORY_POLICY(bad_place_place, bad_place_rank, struct bad_place,
		     .name = "bad-place",
		     .events = SIMGPU_RANK_ON_ARRIVAL);
