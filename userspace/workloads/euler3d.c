// SPDX-License-Identifier: GPL-2.0
/*
 * EULER3D. Rodinia, cuda/cfd/euler3d.cu: a finite-volume solver on an
 * unstructured mesh. An iteration is cuda_compute_step_factor and three times
 * cuda_compute_flux and cuda_time_step, seven kernels. The flux of an element
 * reads the 5 variables of its 4 neighbors wherever they lie; all else is
 * read and written in arrays of their own, an element a thread.
 */
#include "benchmarks.h"

#define THREADS		192
/*
 * The elements of the suite's largest mesh are 193,536; these are more, so that an
 * iteration has as many instructions as the paper's seven kernels.
 */
#define BLOCKS		4800
#define ARRAY_BYTES	((__u64)BLOCKS * THREADS * FLOAT)
#define ITERATIONS	2

#define VARIABLES	5
#define NEIGHBORS	4

/* Arrays by number. */
#define STATE		1
#define OLD_STATE	(STATE + VARIABLES)
#define FLUXES		(OLD_STATE + VARIABLES)
#define AREAS		(FLUXES + VARIABLES)
#define STEP_FACTORS	(AREAS + 1)
#define SURROUNDING	(STEP_FACTORS + 1)
#define NORMALS		(SURROUNDING + NEIGHBORS)
#define ARRAYS		(NORMALS + 3 * NEIGHBORS)

/* Neighbors: two beside the element, two elsewhere, in so many lines a warp */
#define NEAR_BYTES	(32 * FLOAT)
#define FAR_LINES	10

/* Velocity, pressure, speed of sound: divisions and square roots */
#define STEP		60
#define OWN		60
#define NEIGHBOR	160
#define UPDATE		30
/* A division or a root for every dozen; x, y and z do not need each other. */
#define STATE_MIX	"S1 F1 F1 F2 F2 F2 F2 F2 F2 F2 F2 F2"
#define FLUX_MIX	"S3 F1 F1 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 " \
			"F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3 F3"

static void load(struct builder *b, __u32 array, __u32 arrays, __s64 offset)
{
	__u32 i;

	for (i = 0; i < arrays; i++)
		load_own(b, (array + i) * ARRAY_BYTES + (__u64)offset, THREADS,
			 FLOAT, arrays - 1 - i);
}

static void store(struct builder *b, __u32 array, __u32 arrays)
{
	__u32 i;

	for (i = 0; i < arrays; i++)
		store_own(b, (array + i) * ARRAY_BYTES, THREADS, FLOAT);
}

/* A neighbor's variables, somewhere in the mesh. */
static void gather(struct builder *b, __u32 seed)
{
	__u32 i;

	for (i = 0; i < VARIABLES; i++)
		builder_load(b, anywhere(b, (STATE + i) * ARRAY_BYTES,
					 ARRAY_BYTES, FAR_LINES, FLOAT, seed),
			     WARP, VARIABLES - 1 - i);
}

static void compute_step_factor(struct builder *b)
{
	builder_kernel(b, "compute_step_factor", BLOCKS, THREADS, 24, 0);
	load(b, STATE, VARIABLES, 0);
	load(b, AREAS, 1, 0);
	burst(b, STATE_MIX, STEP, WARP);
	store(b, STEP_FACTORS, 1);
}

static void compute_flux(struct builder *b)
{
	__u32 i;

	builder_kernel(b, "compute_flux", BLOCKS, THREADS, 63, 0);
	load(b, STATE, VARIABLES, 0);
	burst(b, STATE_MIX, OWN, WARP);
	for (i = 0; i < NEIGHBORS; i++) {
		load(b, SURROUNDING + i, 1, 0);
		load(b, NORMALS + 3 * i, 3, 0);
		if (i < 2)
			load(b, STATE, VARIABLES,
			     i ? NEAR_BYTES : -NEAR_BYTES);
		else
			gather(b, i);
		burst(b, FLUX_MIX, NEIGHBOR, WARP);
	}
	store(b, FLUXES, VARIABLES);
}

static void time_step(struct builder *b)
{
	builder_kernel(b, "time_step", BLOCKS, THREADS, 24, 0);
	load(b, STEP_FACTORS, 1, 0);
	load(b, OLD_STATE, VARIABLES, 0);
	load(b, FLUXES, VARIABLES, 0);
	burst(b, "F5 I2", UPDATE, WARP);
	store(b, STATE, VARIABLES);
}

void build_euler3d(struct builder *b)
{
	builder_footprint(b, (ARRAYS + 1) * ARRAY_BYTES);
	compute_step_factor(b);
	compute_flux(b);
	time_step(b);
	builder_again(b, 2, 2);
	builder_again(b, 7, ITERATIONS - 1);
}
