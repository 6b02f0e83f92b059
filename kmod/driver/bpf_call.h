/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIMGPU_BPF_CALL_H
#define SIMGPU_BPF_CALL_H

#include "driver.h"

int simgpu_bpf_decide(const struct simgpu_policy *policy,
		      const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal);

#endif /* SIMGPU_BPF_CALL_H */
