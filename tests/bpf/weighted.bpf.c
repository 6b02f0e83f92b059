// SPDX-License-Identifier: GPL-2.0
/* The policy of weighted.h as a BPF program. */
#include "policy.bpf.h"
#include "weighted.h"

SIMGPU_BPF_POLICY(weighted, weighted_decide, struct weighted_state);
