/* SPDX-License-Identifier: GPL-2.0 */
/* What the test's module, its BPF programs and its loader have in common. */
#ifndef SIMGPU_TEST_INTERFACE_H
#define SIMGPU_TEST_INTERFACE_H

#include <simgpu/policy.h>

/**
 * struct simgpu_bpf_call - what decide() of a BPF policy is given
 * @number: of the call
 *
 * The kfuncs give it the three buffers that belong to the call. These are larger
 * than what the verifier lets a program index through a pointer of this kind.
 */
struct simgpu_bpf_call {
	u64 number;
};

/**
 * struct simgpu_bpf_policy - the struct_ops type
 * @decide: as of struct simgpu_policy
 * @snapshot_version: SIMGPU_SNAPSHOT_VERSION that it was built with
 * @state_bytes: as of struct simgpu_policy
 * @name: likewise
 */
struct simgpu_bpf_policy {
	int (*decide)(struct simgpu_bpf_call *call);
	u32 snapshot_version;
	u32 state_bytes;
	char name[SIMGPU_NAME_BYTES];
};

/**
 * struct bpf_test_order - written to the device: one more call, or a measurement
 * @seed: of the snapshot
 * @restart: 1: with zeroed states
 * @repeat: 0: one call of each; else so many, timed
 */
struct bpf_test_order {
	u64 seed;
	u32 restart;
	u32 repeat;
};

/* Homes of the policy in the kernel. */
#define BPF_TEST_BUILT_IN	0
#define BPF_TEST_PROGRAM	1
#define BPF_TEST_HOMES		2

/**
 * struct bpf_test_answer - read from the device: what the last order gave
 * @result: by home, what decide() returned
 * @ns: by home, of all repetitions
 * @proposal: by home
 * @state: by home
 */
struct bpf_test_answer {
	s64 result[BPF_TEST_HOMES];
	u64 ns[BPF_TEST_HOMES];
	struct simgpu_proposal proposal[BPF_TEST_HOMES];
	u8 state[BPF_TEST_HOMES][SIMGPU_STATE_BYTES_MAX];
};

#define BPF_TEST_DEVICE	"simgpu_bpf_test"

#endif /* SIMGPU_TEST_INTERFACE_H */
