/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The benchmarks of HSM's Table 2 (Zhao et al., ASPLOS'20), each in a file of
 * its own that emits its kernels as warp programs. What was chosen in them, and
 * why, stands in docs/workloads.md.
 */
#ifndef WORKLOADS_BENCHMARKS_H
#define WORKLOADS_BENCHMARKS_H

#include "builder.h"

/**
 * struct benchmark - a workload that is known by its name
 * @name: as Table 2 abbreviates it; what a command line says
 * @title: in full
 * @suite: where the program comes from
 * @memory_bound: its class in Table 2; it is compute-bound if not
 * @build: emits its kernels
 */
struct benchmark {
	const char *name;
	const char *title;
	const char *suite;
	int memory_bound;
	void (*build)(struct builder *builder);
};

#define BENCHMARK_COUNT	15

/* In the order of Table 2. */
extern const struct benchmark benchmarks[BENCHMARK_COUNT];

/* By name, in letters of either case; NULL for none. */
const struct benchmark *benchmark_find(const char *name);
/* Its trace, for the caller to free(); NULL when memory ran out. */
void *benchmark_trace(const struct benchmark *benchmark, size_t *bytes);

void build_2dconv(struct builder *b);
void build_binomial(struct builder *b);
void build_black_scholes(struct builder *b);
void build_convolution(struct builder *b);
void build_dwt2d(struct builder *b);
void build_dxtc(struct builder *b);
void build_euler3d(struct builder *b);
void build_hotspot(struct builder *b);
void build_lbm(struct builder *b);
void build_mri_q(struct builder *b);
void build_page_views(struct builder *b);
void build_pathfinder(struct builder *b);
void build_srad(struct builder *b);
void build_streamcluster(struct builder *b);
void build_walsh(struct builder *b);

/* --- for the files of the benchmarks --- */

#define WARP		32
#define FLOAT		4
#define MIB		(1ULL << 20)

/* An affine access; the arguments are fields of its pattern. */
#define ACCESS(builder, ...) \
	builder_access(builder, &(struct simgpu_trace_pattern){ __VA_ARGS__ })

#endif /* WORKLOADS_BENCHMARKS_H */
