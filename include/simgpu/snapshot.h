/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * What a slowdown model and a policy see at the end of an epoch, and what they
 * answer. All structs are plain, fixed in size and versioned, without
 * pointers, so that another module or a BPF program can read and fill them.
 */
#ifndef SIMGPU_SNAPSHOT_H
#define SIMGPU_SNAPSHOT_H

#include <simgpu/counters.h>

#define SIMGPU_SNAPSHOT_VERSION	4
/* Tenants resident on a device; a slot is an index below it. */
#define SIMGPU_SLOTS_MAX	64
/* SMs of the largest configuration. */
#define SIMGPU_SMS_MAX		128

#define SIMGPU_CLASS_UNKNOWN	0
#define SIMGPU_CLASS_COMPUTE	1
#define SIMGPU_CLASS_MEMORY	2

#define SIMGPU_BEST_EFFORT	0
#define SIMGPU_QOS		1

/**
 * struct simgpu_tunables - constants of models and thresholds of policies; each
 *	a fraction, at most 1
 * @c1_ppm: slope of HSM's line, utilization of peak bandwidth per RBH (Eq. 3)
 * @c2_ppm: its value at RBH 0
 * @fair_threshold_ppm: fairness below which a fair policy moves SMs (HSM 4.3)
 * @qos_guard_ppm: how far above a tenant's target a QoS policy aims, to make up
 *	for the model's errors (HSM 4.3, last paragraph)
 * @qos_margin_ppm: how far above its target a tenant may be before it gives back
 *	what it does not need (HSM 4.3: an upper threshold); above the guard band
 */
struct simgpu_tunables {
	u64 c1_ppm;
	u64 c2_ppm;
	u64 fair_threshold_ppm;
	u64 qos_guard_ppm;
	u64 qos_margin_ppm;
};

/**
 * struct simgpu_snapshot_tenant - one tenant in an epoch
 * @active: 1 if it has work; then it may be given SMs. The other fields of an
 *	inactive tenant are meaningless
 * @service: SIMGPU_BEST_EFFORT or SIMGPU_QOS
 * @weight: 1 and up
 * @sms: SMs assigned to it now
 * @blocks: thread blocks of its present kernel, at most U32_MAX: on a GPU with
 *	more SMs than that it cannot use all of them
 * @blocks_left: thread blocks of its kernel that have not finished, at most
 *	U32_MAX: more SMs than that are useless to it. All of them, if it has
 *	just ended
 * @class: the model's; SIMGPU_CLASS_UNKNOWN before the first prediction
 * @reserved: zero
 * @target_ppm: the NP that a QoS tenant is promised
 * @np_ppm: the model's predicted NP, for policies; 0 while class is unknown
 * @private_cycles: core cycles that the epoch's instructions take alone, on all
 *	SMs; 0 unless the model is an oracle
 * @counters: differences over this epoch; with registers of limited width
 *	(hardware_counters), those of DRAM may be too small, and all requests
 *	are given as fills
 */
struct simgpu_snapshot_tenant {
	u32 active;
	u32 service;
	u32 weight;
	u32 sms;
	u32 blocks;
	u32 blocks_left;
	u32 class;
	u32 reserved;
	u64 target_ppm;
	u64 np_ppm;
	u64 private_cycles;
	struct simgpu_counters counters;
};

/**
 * struct simgpu_snapshot - the device over one epoch
 * @version: SIMGPU_SNAPSHOT_VERSION
 * @bytes: sizeof(struct simgpu_snapshot)
 * @sms: SMs of the device
 * @schedulers: warp schedulers of an SM
 * @issue_lanes: thread instructions that an SM can issue a cycle (schedulers x
 *	lanes)
 * @channels: memory channels
 * @line_bytes: bytes of a DRAM request (ReqSize of Eq. 2)
 * @peak_clocks_per_line: memory clocks for which a request holds a data bus
 * @llc_hit_cycles: core cycles from an L1 to the reply for a line that the
 *	last-level cache has, with nothing in the way
 * @dram_cycles: likewise for one that it fetches, in a bank without an open row
 * @tenants_active: how many tenants have @active set
 * @mirrors: 1 if tenants have mirrors
 * @epoch: its number, from 0
 * @cycle: device cycle at its end
 * @epoch_cycles: its length in core cycles
 * @memory_clocks: its length in memory clocks; a tenant's bandwidth is
 *	bus_busy_clocks / (channels * memory_clocks)
 * @tunables: in force at its end
 * @tenants: by slot
 */
struct simgpu_snapshot {
	u32 version;
	u32 bytes;
	u32 sms;
	u32 schedulers;
	u32 issue_lanes;
	u32 channels;
	u32 line_bytes;
	u32 peak_clocks_per_line;
	u32 llc_hit_cycles;
	u32 dram_cycles;
	u32 tenants_active;
	u32 mirrors;
	u64 epoch;
	u64 cycle;
	u64 epoch_cycles;
	u64 memory_clocks;
	struct simgpu_tunables tunables;
	struct simgpu_snapshot_tenant tenants[SIMGPU_SLOTS_MAX];
};

/**
 * struct simgpu_prediction_tenant - a model's word on one tenant
 * @class: SIMGPU_CLASS_*; UNKNOWN if the epoch said nothing about it (the
 *	session then keeps the last prediction)
 * @reserved: zero
 * @np_ppm: predicted normalized progress; the session caps it at 1
 */
struct simgpu_prediction_tenant {
	u32 class;
	u32 reserved;
	u64 np_ppm;
};

/**
 * struct simgpu_prediction - a model's answer; zeroed before the call
 * @tenants: by slot; only active ones are read
 */
struct simgpu_prediction {
	struct simgpu_prediction_tenant tenants[SIMGPU_SLOTS_MAX];
};

/* In @flags of a proposal: @owner is filled in and decides. */
#define SIMGPU_PROPOSAL_OWNERS	1U
/* @memory_priority is filled in; without it all tenants' is 0. */
#define SIMGPU_PROPOSAL_MEMORY_PRIORITY	2U
/* The highest memory priority. */
#define SIMGPU_MEMORY_PRIORITY_MAX	3U
/* In @owner: nobody. */
#define SIMGPU_NO_OWNER		0xffU

/**
 * struct simgpu_proposal - a policy's answer; before the call it holds the
 *	present assignment
 * @flags: SIMGPU_PROPOSAL_* or 0
 * @reserved: zero
 * @sms: SM count by slot; 0 for inactive tenants, at least 1 for active ones
 *	while there are SMs enough, in sum at most the device's
 * @owner: with SIMGPU_PROPOSAL_OWNERS, the slot that owns each SM; the counts
 *	are then ignored
 * @memory_priority: with SIMGPU_PROPOSAL_MEMORY_PRIORITY, by slot, whose requests
 *	the memory controllers serve first: 0 to SIMGPU_MEMORY_PRIORITY_MAX, the
 *	highest first
 */
struct simgpu_proposal {
	u32 flags;
	u32 reserved;
	u32 sms[SIMGPU_SLOTS_MAX];
	u8 owner[SIMGPU_SMS_MAX];
	u8 memory_priority[SIMGPU_SLOTS_MAX];
};

#endif /* SIMGPU_SNAPSHOT_H */
