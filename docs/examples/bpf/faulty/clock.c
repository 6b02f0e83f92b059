// SPDX-License-Identifier: GPL-2.0
/*
 * clock: decides by the host's clock, so that no run of it would repeat. The verifier refuses
 * the program: a policy's time is snapshot->cycle. As a shared object it does not look.
 */
#include <simgpu/policy.bpf.h>

static inline int clock_decide(const struct simgpu_snapshot *snapshot,
			       struct simgpu_no_state *state,
			       struct simgpu_proposal *proposal)
{
#ifdef __bpf__
	if (bpf_ktime_get_ns() & 1)
		proposal->sms[0] = 1;
#endif
	return 0;
}

SIMGPU_POLICY(clock_decide, struct simgpu_no_state, .name = "clock");
