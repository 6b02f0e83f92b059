/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles that are shipped (STM 3.2): of the nine programs of the STM paper, at the size for
 * its cards, on each of these. tools/shipped-profiles measures them.
 */
#ifndef WORKLOADS_SHIPPED_H
#define WORKLOADS_SHIPPED_H

#include "builder.h"

/**
 * struct shipped_kernel - a kernel's profile
 * @blocks: that it had when it was measured
 * @first: index of its points among its program's
 */
struct shipped_kernel {
	__u64 blocks;
	__u32 first;
};

/**
 * struct shipped_profile - of a program on a GPU
 * @config: name of the GPU
 * @program: as &struct benchmark.name
 * @sms: of the GPU
 * @kernel_count: of @kernels
 * @point_count: of @points
 * @memory_bytes: the trace's footprint when it was measured
 * @kernels: by index in the trace
 * @points: of one kernel after the other
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

/* By configuration; the last one's is NULL. */
extern const struct shipped_profile shipped_profiles[];

/**
 * shipped_is_card() - whether a GPU is one that profiles are shipped for
 * @config: its name
 */
int shipped_is_card(const char *config);

/**
 * shipped_add() - add a program's profile to its trace
 * @builder: with all of its kernels
 * @config: name of the GPU; nothing happens if none is shipped for it
 * @program: as &struct benchmark.name
 */
void shipped_add(struct builder *builder, const char *config, const char *program);

#endif /* WORKLOADS_SHIPPED_H */
