// SPDX-License-Identifier: GPL-2.0
/* The table of the built-in benchmarks; see benchmarks.h. */
#include <strings.h>

#include "benchmarks.h"

const struct benchmark benchmarks[BENCHMARK_COUNT] = {
	{ "PVC", "Page View Count", "Mars", 1, build_page_views },
	{ "LBM", "Lattice-Boltzmann Method", "Parboil", 1, build_lbm },
	{ "BH", "BlackScholes", "CUDA SDK", 1, build_black_scholes },
	{ "DWT2D", "DWT2D", "Rodinia", 1, build_dwt2d },
	{ "EULER3D", "EULER3D", "Rodinia", 1, build_euler3d },
	{ "FWT", "FastWalshTransform", "CUDA SDK", 1, build_walsh },
	{ "2DCONV", "2D-convolution", "PolyBench", 1, build_2dconv },
	{ "SC", "Streamcluster", "Rodinia", 1, build_streamcluster },
	{ "CONVS", "Convolution Separable", "CUDA SDK", 1, build_convolution },
	{ "SRAD", "Srad_v2", "Rodinia", 1, build_srad },
	{ "DXTC", "DXTC", "CUDA SDK", 0, build_dxtc },
	{ "HOTSPOT", "HOTSPOT", "Rodinia", 0, build_hotspot },
	{ "PF", "PATHFINDER", "Rodinia", 0, build_pathfinder },
	{ "BINO", "BinomialOptions", "CUDA SDK", 0, build_binomial },
	{ "MRI-Q", "MRI-Q", "Parboil", 0, build_mri_q },
};

const struct benchmark *benchmark_find(const char *name)
{
	size_t i;

	for (i = 0; i < BENCHMARK_COUNT; i++)
		if (!strcasecmp(benchmarks[i].name, name))
			return &benchmarks[i];
	return NULL;
}

void *benchmark_trace(const struct benchmark *benchmark, size_t *bytes)
{
	struct builder *builder = builder_new(benchmark->name,
					      "simgpu workloads 1");
	void *trace;

	if (!builder)
		return NULL;
	benchmark->build(builder);
	trace = builder_finish(builder, 0, bytes);
	builder_free(builder);
	return trace;
}
