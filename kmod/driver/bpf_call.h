/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_BPF_CALL_H
#define SIMGPU_BPF_CALL_H

#include "driver.h"

int simgpu_bpf_decide(const struct simgpu_policy *policy,
		      const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal);
int simgpu_bpf_place(const struct simgpu_memory_policy *policy,
		     const struct simgpu_place *place, void *state,
		     struct simgpu_placement *placement);
int simgpu_bpf_rank(const struct simgpu_memory_policy *policy, u32 event,
		    const struct simgpu_chunk *chunk, void *state, u64 *rank);

#endif /* SIMGPU_BPF_CALL_H */
