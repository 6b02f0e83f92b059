// SPDX-License-Identifier: GPL-2.0
/*
 * Cutoff Coulombic Potential (CUTCP). Parboil, cutcp/src/cuda/cutoff6overlap.cu: a
 * block makes the potential of a region of 8 x 8 x 8 lattice points, four a thread.
 * The bins of atoms in the sphere around it go into shared memory, 32 at a time,
 * one for each half of a warp; then each thread runs over their atoms. The
 * kernel is launched for each layer of regions.
 */
#include "benchmarks.h"

#define THREADS		128
/* Parboil's larger box: 100 Angstrom, a point each half, and the cutoff around it */
#define REGIONS		26
#define MARGIN_BINS	3
#define BINS		(REGIONS + 2 * MARGIN_BINS)

#define BIN_BYTES	128
#define ROW_BYTES	((__s64)BINS * BIN_BYTES)
#define LAYER_BYTES	(ROW_BYTES * BINS)
#define LATTICE_BYTES	(512ULL * FLOAT)

#define ATOMS_BYTES	((__u64)LAYER_BYTES * BINS)
#define LATTICE		ATOMS_BYTES
#define END		(LATTICE + REGIONS * REGIONS * REGIONS * LATTICE_BYTES)

/*
 * 335 bins of 4 Angstrom are nearer than 12 Angstrom and their diagonal, in 44 rows
 * of at most 8; 11 times 32. Of the 8 places in a bin 6.4 have an atom.
 */
#define PASSES		11
#define CACHED_BINS	32
#define BIN_ATOMS	6

#define SETUP		75
#define BIN		29
/*
 * For each atom: its distance from four points; a third of these are near enough,
 * in half of all warps and points: the potential, with a reciprocal root
 */
#define DISTANCES	25
#define POTENTIAL	12
#define NEAR_LANES	22
#define ROOTS		2
/* Four points' distances side by side; a potential is a chain from its root on. */
#define DISTANCES_MIX	FOUR_CHAINS
#define POTENTIAL_MIX	"S1 F1 F1 F1 F1 F1 F1"

/* @half of a bin, by half a warp: a row's 8 bins by 4 warps, 4 rows a pass */
static __u32 bin(struct builder *b, __u32 in_warp, __u32 half)
{
	return ACCESS(b, .base = in_warp * BIN_BYTES + half * BIN_BYTES / 2,
		      .access_bytes = FLOAT,
		      .block_stride = { BIN_BYTES, ROW_BYTES },
		      .warp_stride = 2 * BIN_BYTES, .lane_stride = FLOAT,
		      .loop_stride = { (LAYER_BYTES * 7 / PASSES) / BIN_BYTES *
				       BIN_BYTES, ROW_BYTES });
}

static void cache_bins(struct builder *b)
{
	__u32 in_warp, half;

	builder_loop(b, CACHED_BINS / 8);
	burst(b, INDEXING, BIN, WARP);
	for (in_warp = 0; in_warp < 2; in_warp++)
		for (half = 0; half < 2; half++)
			builder_load(b, bin(b, in_warp, half), WARP / 2, 1);
	burst(b, SHARED, 2, WARP);
	builder_loop_end(b);
	builder_barrier(b);
}

static void add_atoms(struct builder *b)
{
	builder_loop(b, CACHED_BINS);
	burst(b, INDEXING, 4, WARP);
	builder_loop(b, BIN_ATOMS);
	burst(b, SHARED, 4, WARP);
	burst(b, DISTANCES_MIX, DISTANCES, WARP);
	burst(b, POTENTIAL_MIX, POTENTIAL + ROOTS, NEAR_LANES);
	builder_loop_end(b);
	builder_loop_end(b);
	builder_barrier(b);
}

static void store_region(struct builder *b)
{
	__u32 points = ACCESS(b, .base = LATTICE, .access_bytes = FLOAT,
			      .block_stride = { LATTICE_BYTES,
						REGIONS * LATTICE_BYTES },
			      .warp_stride = LATTICE_BYTES / 4,
			      .lane_stride = FLOAT,
			      .loop_stride = { WARP * FLOAT });

	burst(b, INDEXING, 12, WARP);
	builder_loop(b, 4);
	builder_store(b, points, WARP);
	builder_loop_end(b);
}

void build_cutcp(struct builder *b)
{
	builder_footprint(b, END);
	builder_kernel(b, "cutoff_potential_lattice6overlap", REGIONS, THREADS,
		       27, CACHED_BINS * BIN_BYTES + 24);
	builder_grid(b, REGIONS, REGIONS, 1);
	builder_block(b, 8, 2, 8);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, PASSES);
	cache_bins(b);
	add_atoms(b);
	builder_loop_end(b);
	store_region(b);
	/* Each layer's bins and region are as warm as the first's. */
	builder_again(b, 1, REGIONS - 1);
}
