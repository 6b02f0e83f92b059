// SPDX-License-Identifier: GPL-2.0
/*
 * MRI-Q. Parboil, mri-q/src/cuda/computeQ.cu: ComputePhiMag_GPU, then
 * ComputeQ_GPU for each 1024 samples in k-space: a thread has a voxel, and adds
 * up sine and cosine over the samples, which lie in constant memory.
 */
#include "benchmarks.h"

#define THREADS		256
/* The voxels of Parboil's large data set, 64 x 64 x 64 */
#define VOXELS		(64LL * 64 * 64)
#define SAMPLES		1024
#define CHUNKS		3
#define SAMPLE_BYTES	16

#define ARRAY_BYTES	((__u64)(VOXELS * FLOAT))
#define PHI		(5 * ARRAY_BYTES)
#define PHI_BYTES	((__u64)(SAMPLES * CHUNKS * FLOAT))
#define CONSTANTS	(PHI + 3 * PHI_BYTES)
#define END		(CONSTANTS + SAMPLES * CHUNKS * SAMPLE_BYTES)

/* For each sample: the argument, its range reduction and sums; on the SFU, both */
#define ARITHMETIC	12
#define SPECIAL		4
/* One argument; its sine and its cosine side by side, in two steps each */
#define SAMPLE_MIX	"F F1 F1 F1 F2 S2*2 S2*2 F2 F2 S2*2 S2*2 F2 F2 F2 F2 C1"

static __u32 element(struct builder *b, __u64 array, __u32 threads)
{
	return ACCESS(b, .base = array, SIDE_BY_SIDE(FLOAT),
		      .block_stride = { threads * FLOAT });
}

static void compute_phi_mag(struct builder *b)
{
	__u32 threads = 512;

	builder_kernel(b, "ComputePhiMag", SAMPLES * CHUNKS / threads, threads,
		       10, 0);
	burst(b, INDEXING, 6, WARP);
	builder_load(b, element(b, PHI, threads), WARP, 1);
	builder_load(b, element(b, PHI + PHI_BYTES, threads), WARP, 0);
	burst(b, CHAIN, 2, WARP);
	builder_store(b, element(b, PHI + 2 * PHI_BYTES, threads), WARP);
}

static void compute_q(struct builder *b, __u32 chunk)
{
	__u32 sample = ACCESS(b, .base = CONSTANTS +
				 chunk * SAMPLES * SAMPLE_BYTES,
			      .access_bytes = SAMPLE_BYTES,
			      .loop_stride = { SAMPLE_BYTES });
	__u32 i;

	builder_kernel(b, "ComputeQ", VOXELS / THREADS, THREADS, 20, 0);
	burst(b, INDEXING, 8, WARP);
	for (i = 0; i < 5; i++)
		builder_load(b, element(b, i * ARRAY_BYTES, THREADS), WARP,
			     4 - i);
	builder_loop(b, SAMPLES);
	builder_constant(b, sample, WARP, 1);
	burst(b, SAMPLE_MIX, ARITHMETIC + SPECIAL, WARP);
	builder_loop_end(b);
	for (i = 3; i < 5; i++)
		builder_store(b, element(b, i * ARRAY_BYTES, THREADS), WARP);
}

void build_mri_q(struct builder *b)
{
	__u32 chunk;

	builder_footprint(b, END);
	compute_phi_mag(b);
	for (chunk = 0; chunk < CHUNKS; chunk++)
		compute_q(b, chunk);
}
