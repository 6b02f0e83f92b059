// SPDX-License-Identifier: GPL-2.0
/*
 * too-long: a loop whose end depends on what is not known before. The verifier cannot
 * see that it ends, and refuses the program. Loops are written as simgpu_each().
 */
#include <simgpu/policy.bpf.h>

/**
 * struct steps - the state
 * @count: turns of the loop, over all calls
 */
struct steps {
	u64 count;
};

static inline int too_long_decide(const struct simgpu_snapshot *snapshot,
				  struct steps *steps,
				  struct simgpu_proposal *proposal)
{
	u64 cycle = snapshot->cycle;

	for (; cycle > 1; steps->count++)
		cycle = cycle % 2 ? 3 * cycle + 1 : cycle / 2;
	return 0;
}

SIMGPU_POLICY(too_long_decide, struct steps, .name = "too-long");
