// SPDX-License-Identifier: GPL-2.0
/* The table of the built-in benchmarks; see benchmarks.h. */
#include <strings.h>

#include "benchmarks.h"
#include "shipped.h"

const struct benchmark benchmarks[BENCHMARK_COUNT] = {
	{ "PVC", "Page View Count", "Mars",
	  SET_HSM, CLASS_MEMORY, CLASS_UNSAID, build_page_views, 0 },
	{ "LBM", "Lattice-Boltzmann Method", "Parboil",
	  SET_HSM | SET_FGQOS | SET_THEMIS_TRAINING,
	  CLASS_MEMORY, CLASS_MEMORY, build_lbm, 0 },
	{ "BH", "BlackScholes", "CUDA SDK",
	  SET_HSM | SET_STM, CLASS_MEMORY, CLASS_UNSAID, build_black_scholes, 990000 },
	{ "DWT2D", "DWT2D", "Rodinia",
	  SET_HSM, CLASS_MEMORY, CLASS_UNSAID, build_dwt2d, 0 },
	{ "EULER3D", "EULER3D", "Rodinia",
	  SET_HSM | SET_THEMIS_TRAINING,
	  CLASS_MEMORY, CLASS_MEMORY, build_euler3d, 0 },
	{ "FWT", "FastWalshTransform", "CUDA SDK",
	  SET_HSM | SET_STM, CLASS_MEMORY, CLASS_UNSAID, build_walsh, 31250 },
	{ "2DCONV", "2D-convolution", "PolyBench",
	  SET_HSM, CLASS_MEMORY, CLASS_UNSAID, build_2dconv, 0 },
	{ "SC", "Streamcluster", "Rodinia",
	  SET_HSM, CLASS_MEMORY, CLASS_UNSAID, build_streamcluster, 0 },
	{ "CONVS", "Convolution Separable", "CUDA SDK",
	  SET_HSM, CLASS_MEMORY, CLASS_UNSAID, build_convolution, 0 },
	{ "SRAD", "Srad_v2", "Rodinia",
	  SET_HSM | SET_THEMIS_TEST,
	  CLASS_MEMORY, CLASS_BALANCED, build_srad, 0 },
	{ "DXTC", "DXTC", "CUDA SDK",
	  SET_HSM, CLASS_COMPUTE, CLASS_UNSAID, build_dxtc, 0 },
	{ "HOTSPOT", "HOTSPOT", "Rodinia",
	  SET_HSM | SET_THEMIS_TRAINING,
	  CLASS_COMPUTE, CLASS_BALANCED, build_hotspot, 0 },
	{ "PF", "PATHFINDER", "Rodinia",
	  SET_HSM | SET_THEMIS_TRAINING,
	  CLASS_COMPUTE, CLASS_BALANCED, build_pathfinder, 0 },
	{ "BINO", "BinomialOptions", "CUDA SDK",
	  SET_HSM | SET_STM, CLASS_COMPUTE, CLASS_UNSAID, build_binomial, 100000 },
	{ "MRI-Q", "MRI-Q", "Parboil",
	  SET_HSM | SET_FGQOS | SET_THEMIS_TRAINING,
	  CLASS_COMPUTE, CLASS_COMPUTE, build_mri_q, 0 },

	{ "CUTCP", "Cutoff Coulombic Potential", "Parboil",
	  SET_FGQOS | SET_THEMIS_TRAINING,
	  CLASS_UNSAID, CLASS_COMPUTE, build_cutcp, 0 },
	{ "HISTO", "Saturating Histogram", "Parboil",
	  SET_FGQOS | SET_THEMIS_TRAINING,
	  CLASS_UNSAID, CLASS_MEMORY, build_histo, 0 },
	{ "MRI-GRIDDING", "MRI Gridding", "Parboil",
	  SET_FGQOS | SET_THEMIS_TEST,
	  CLASS_UNSAID, CLASS_MEMORY, build_mri_gridding, 0 },
	{ "SAD", "Sum of Absolute Differences", "Parboil",
	  SET_FGQOS, CLASS_UNSAID, CLASS_UNSAID, build_sad, 0 },
	{ "SGEMM", "Dense Matrix Multiplication", "Parboil",
	  SET_FGQOS, CLASS_UNSAID, CLASS_UNSAID, build_sgemm, 0 },
	{ "SPMV", "Sparse Matrix-Vector Product", "Parboil",
	  SET_FGQOS, CLASS_UNSAID, CLASS_UNSAID, build_spmv, 0 },
	{ "STENCIL", "7-point Stencil", "Parboil",
	  SET_FGQOS | SET_THEMIS_TEST,
	  CLASS_UNSAID, CLASS_MEMORY, build_stencil, 0 },
	{ "TPACF", "Two Point Angular Correlation", "Parboil",
	  SET_FGQOS | SET_THEMIS_TEST,
	  CLASS_UNSAID, CLASS_COMPUTE, build_tpacf, 0 },

	{ "BACKPROP", "Back Propagation", "Rodinia",
	  SET_THEMIS_TEST, CLASS_UNSAID, CLASS_BALANCED, build_backprop, 0 },
	{ "BFS", "Breadth-First Search", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_BALANCED, build_bfs, 0 },
	{ "GAUSSIAN", "Gaussian Elimination", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_MEMORY, build_gaussian, 0 },
	{ "HEARTWALL", "Heart Wall Tracking", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_COMPUTE, build_heartwall, 0 },
	{ "KMEANS", "K-means", "Rodinia",
	  SET_THEMIS_TEST, CLASS_UNSAID, CLASS_MEMORY, build_kmeans, 0 },
	{ "LAVAMD", "LavaMD", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_MEMORY, build_lava_md, 0 },
	{ "LEUKOCYTE", "Leukocyte Tracking", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_BALANCED, build_leukocyte, 0 },
	{ "NN", "Nearest Neighbor", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_MEMORY,
	  build_nearest_neighbor, 0 },
	{ "PFF", "Particle Filter, float", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_MEMORY,
	  build_particle_filter, 0 },
	{ "PFN", "Particle Filter, naive", "Rodinia",
	  SET_THEMIS_TEST, CLASS_UNSAID, CLASS_COMPUTE,
	  build_particle_filter_naive, 0 },
	{ "SRAD1", "Srad_v1", "Rodinia",
	  SET_THEMIS_TRAINING, CLASS_UNSAID, CLASS_BALANCED, build_srad_v1, 0 },

	{ "HIST64", "Histogram64", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_histogram64, 50000 },
	{ "HIST256", "Histogram256", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_histogram256, 50000 },
	{ "MERGESORT", "MergeSort", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_merge_sort, 4000 },
	{ "MONTECARLO", "MonteCarlo", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_monte_carlo, 100000 },
	{ "SCAN", "Scan", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_scan, 50000 },
	{ "VA", "VectorAdd", "CUDA SDK",
	  SET_STM, CLASS_UNSAID, CLASS_UNSAID, build_vector_add, 40000 },
};

static const struct {
	const char *name;
	unsigned int sets;
} set_names[BENCHMARK_SETS] = {
	{ "hsm", SET_HSM },
	{ "fgqos", SET_FGQOS },
	{ "themis", SET_THEMIS_TRAINING | SET_THEMIS_TEST },
	{ "themis-training", SET_THEMIS_TRAINING },
	{ "themis-test", SET_THEMIS_TEST },
	{ "stm", SET_STM },
};

const struct benchmark *benchmark_find(const char *name)
{
	size_t i;

	for (i = 0; i < BENCHMARK_COUNT; i++)
		if (!strcasecmp(benchmarks[i].name, name))
			return &benchmarks[i];
	return NULL;
}

int benchmark_in_suite(const struct benchmark *benchmark, const char *suite)
{
	size_t i;

	if (!strcasecmp(suite, "all") || !strcasecmp(suite, benchmark->suite))
		return 1;
	for (i = 0; i < BENCHMARK_SETS; i++)
		if (!strcasecmp(suite, set_names[i].name))
			return !!(benchmark->sets & set_names[i].sets);
	return 0;
}

const char *benchmark_set_name(const struct benchmark *benchmark,
			       unsigned int index)
{
	size_t i;

	for (i = 0; i < BENCHMARK_SETS; i++)
		if (benchmark->sets & set_names[i].sets && !index--)
			return set_names[i].name;
	return NULL;
}

const char *benchmark_class_name(const struct benchmark *benchmark)
{
	static const char *const names[] = {
		[CLASS_MEMORY] = "memory",
		[CLASS_COMPUTE] = "compute",
		[CLASS_BALANCED] = "balanced",
	};

	return names[benchmark->hsm ? benchmark->hsm : benchmark->themis];
}

void *benchmark_trace(const struct benchmark *benchmark, __u32 size_ppm,
		      size_t *bytes)
{
	return benchmark_trace_for(benchmark, size_ppm, NULL, bytes);
}

void *benchmark_trace_for(const struct benchmark *benchmark, __u32 size_ppm,
			  const char *config, size_t *bytes)
{
	struct builder *builder = builder_new(benchmark->name,
					      "simgpu workloads 1");
	void *trace;

	if (!builder)
		return NULL;
	builder_size(builder, size_ppm);
	benchmark->build(builder);
	if (config && size_ppm == benchmark->card_ppm)
		shipped_add(builder, config, benchmark->name);
	trace = builder_finish(builder, 0, bytes);
	builder_free(builder);
	return trace;
}
