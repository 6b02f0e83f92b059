// SPDX-License-Identifier: GPL-2.0
/* Programs that the test expects to differ, to fail or to be refused: one a CASE. */
#include "policy.bpf.h"
#include "weighted.h"

#define CASE_DIFFERS		1	/* decides as weighted.h, but for a bit */
#define CASE_SMALL_STATE	2	/* asks for more state than it names */
#define CASE_INDEX		3	/* an index that is not checked */
#define CASE_WRITES		4	/* writes to its snapshot */
#define CASE_BEYOND		5	/* a state of one byte too few */
#define CASE_POINTER		6	/* a buffer that it does not test for NULL */
#define CASE_TIME		7	/* reads a clock */
#define CASE_PLAIN_LOOP		8	/* a plain loop that decides something */

#if CASE == CASE_SMALL_STATE || CASE == CASE_POINTER
char _license[] SEC("license") = "GPL";

SEC("struct_ops/decide")
int BPF_PROG(other_program, struct simgpu_bpf_call *call)
{
	u8 *state = simgpu_bpf_state(call, 400);

#if CASE == CASE_SMALL_STATE
	if (!state)
		return -ENOMEM;
#endif
	return state[0];
}

SEC(".struct_ops.link")
struct simgpu_bpf_policy other = {
	.decide = (void *)other_program,
	.snapshot_version = SIMGPU_SNAPSHOT_VERSION,
	.state_bytes = 399,
	.name = "other",
};

#else

#if CASE == CASE_PLAIN_LOOP
/* SMs one by one to the tenant that has the least for its progress. */
static inline void plain_loops(const struct simgpu_snapshot *snapshot,
			       struct simgpu_proposal *proposal)
{
	u32 sm, i, best;

	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++) {
		best = 0;
		for (i = 0; i < SIMGPU_SLOTS_MAX; i++)
			if (snapshot->tenants[i].np_ppm / (proposal->sms[i] + 1) >
			    snapshot->tenants[best].np_ppm / (proposal->sms[best] + 1))
				best = i;
		proposal->sms[best]++;
	}
}
#endif

static inline int other_decide(const struct simgpu_snapshot *snapshot,
			       struct weighted_state *state,
			       struct simgpu_proposal *proposal)
{
#if CASE == CASE_DIFFERS
	int err = weighted_decide(snapshot, state, proposal);

	proposal->block_limit[simgpu_index(state->calls % SIMGPU_SMS_MAX,
					   SIMGPU_SMS_MAX)][63] ^= 1;
	return err;
#elif CASE == CASE_INDEX
	return proposal->owner[snapshot->shared[0].sm];
#elif CASE == CASE_WRITES
	((struct simgpu_snapshot *)snapshot)->sms = 1;
#elif CASE == CASE_BEYOND
	return ((u8 *)state)[sizeof(*state)];
#elif CASE == CASE_TIME
	return bpf_ktime_get_ns() & 1;
#elif CASE == CASE_PLAIN_LOOP
	plain_loops(snapshot, proposal);
#endif
	return 0;
}

SIMGPU_BPF_POLICY(other, other_decide, struct weighted_state);

#endif
