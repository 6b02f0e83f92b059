// SPDX-License-Identifier: GPL-2.0
/*
 * not-tested: uses what a look-up in a map returned without a look at whether there is
 * anything. The verifier refuses the program. It is only a BPF program, since it has a map.
 */
#include <simgpu/policy.bpf.h>

#ifdef __bpf__
/* BPF_MAP_TYPE_ARRAY of linux/bpf.h */
enum {
	ARRAY = 2,
};

struct {
	__uint(type, ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} advice SEC(".maps");
#endif

static inline int not_tested_decide(const struct simgpu_snapshot *snapshot,
				    struct simgpu_no_state *state,
				    struct simgpu_proposal *proposal)
{
#ifdef __bpf__
	u32 key = (u32)snapshot->epoch;
	const u64 *wanted = bpf_map_lookup_elem(&advice, &key);

	proposal->sms[0] = (u32)*wanted;
#endif
	return 0;
}

SIMGPU_POLICY(not_tested_decide, struct simgpu_no_state, .name = "not-tested");
