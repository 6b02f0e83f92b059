// SPDX-License-Identifier: GPL-2.0
/*
 * even-bpf: an equal share of the SMs for each tenant with work, as the built-in even.
 * The shortest policy that there is: take it to begin one of your own.
 */
#include <simgpu/policy.bpf.h>

static inline int even_bpf_decide(const struct simgpu_snapshot *snapshot,
				  struct simgpu_no_state *state,
				  struct simgpu_proposal *proposal)
{
	simgpu_split_even(snapshot, proposal);
	return 0;
}

SIMGPU_POLICY(even_bpf_decide, struct simgpu_no_state,
	      .name = "even-bpf",
	      .needs = SIMGPU_NEEDS_NO_MODEL);
