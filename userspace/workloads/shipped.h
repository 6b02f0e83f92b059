/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shipped profiles (STM 3.2): of the nine programs of the STM paper, at the size for its
 * cards, on each of these cards. tools/shipped-profiles measures them.
 */
#ifndef WORKLOADS_SHIPPED_H
#define WORKLOADS_SHIPPED_H

#include "builder.h"

/**
 * struct shipped_kernel - a kernel's profile
 * @blocks: its thread blocks when it was measured
 * @first: index of its first point among its program's points
 */
struct shipped_kernel {
	__u64 blocks;
	__u32 first;
};

/**
 * struct shipped_profile - the profile of a program on a GPU
 * @config: name of the GPU
 * @program: name in &struct benchmark
 * @sms: SMs of the GPU
 * @kernel_count: entries of @kernels
 * @point_count: entries of @points
 * @memory_bytes: the trace's footprint when it was measured
 * @kernels: by index in the trace
 * @points: points of all kernels, one kernel after the other
 */
struct shipped_profile {
	const char *config;
	const char *program;
	__u32 sms;
	__u32 kernel_count;
	__u32 point_count;
	__u64 memory_bytes;
	const struct shipped_kernel *kernels;
	const struct simgpu_trace_point *points;
};

/* All shipped profiles, by configuration; an entry with @config NULL ends the table. */
extern const struct shipped_profile shipped_profiles[];

/**
 * shipped_is_card() - whether profiles are shipped for a GPU
 * @config: name of the GPU
 */
int shipped_is_card(const char *config);

/**
 * shipped_add() - add a program's profile to its trace
 * @builder: trace with all of the program's kernels
 * @config: name of the GPU; nothing happens if no profile is shipped for it
 * @program: name in &struct benchmark
 */
void shipped_add(struct builder *builder, const char *config, const char *program);

#endif /* WORKLOADS_SHIPPED_H */
