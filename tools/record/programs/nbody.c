// SPDX-License-Identifier: GPL-2.0
/*
 * nbody [LIGHT_BODIES [HEAVY_BODIES]]: one step of many light bodies in the
 * field of fewer heavy ones. The heavy bodies pass through local memory in
 * tiles, with barriers; each is used by the whole work-group, so that
 * arithmetic is all that counts. Some bodies are checked against the host's.
 */
#include "host.h"

#include <math.h>

#define GROUP		128
/* Heavy bodies in local memory at a time; at most GROUP. */
#define TILE		32
#define DEFAULT_LIGHT	(320 * GROUP)
#define DEFAULT_HEAVY	(3 * TILE)
#define STEP		0.01f
#define SOFTENING	0.1f

static const char *const source =
"#define TILE " TEXT(TILE) "\n"
"__kernel void nbody(__global float4 *positions, __global float4 *velocities,\n"
"		     const __global float4 *heavy, uint heavy_count, float step,\n"
"		     float softening)\n"
"{\n"
"	__local float4 tile[TILE];\n"
"	uint item = get_local_id(0);\n"
"	uint body = get_global_id(0);\n"
"	float4 position = positions[body];\n"
"	float4 velocity = velocities[body];\n"
"	float ax = 0.0f, ay = 0.0f, az = 0.0f;\n"
"\n"
"	for (uint first = 0; first < heavy_count; first += TILE) {\n"
"		if (item < TILE)\n"
"			tile[item] = heavy[first + item];\n"
"		barrier(CLK_LOCAL_MEM_FENCE);\n"
"		for (uint i = 0; i < TILE; i++) {\n"
"			float4 other = tile[i];\n"
"			float dx = other.x - position.x;\n"
"			float dy = other.y - position.y;\n"
"			float dz = other.z - position.z;\n"
"			float d2 = dx * dx + dy * dy + dz * dz + softening;\n"
"			float inverse = rsqrt(d2);\n"
"			float pull = other.w * inverse * inverse * inverse;\n"
"\n"
"			ax += dx * pull;\n"
"			ay += dy * pull;\n"
"			az += dz * pull;\n"
"		}\n"
"		barrier(CLK_LOCAL_MEM_FENCE);\n"
"	}\n"
"	velocity.x += ax * step;\n"
"	velocity.y += ay * step;\n"
"	velocity.z += az * step;\n"
"	positions[body] = position + velocity * step;\n"
"	velocities[body] = velocity;\n"
"}\n";

/* Bodies at places that look random and are always the same; w is the mass. */
static cl_float4 *make_bodies(size_t count, uint32_t seed)
{
	cl_float4 *bodies = host_memory(count * sizeof(*bodies));
	size_t i;
	int j;

	for (i = 0; i < count; i++) {
		for (j = 0; j < 4; j++) {
			seed = seed * 1664525 + 1013904223;
			bodies[i].s[j] = (seed >> 8) / (float)(1 << 24);
		}
	}
	return bodies;
}

/* Where a light body at rest is after one step. */
static cl_float4 step_on_host(cl_float4 body, const cl_float4 *heavy, size_t count)
{
	double a[3] = { 0, 0, 0 };
	size_t i;
	int j;

	for (i = 0; i < count; i++) {
		double d2 = SOFTENING;

		for (j = 0; j < 3; j++)
			d2 += (heavy[i].s[j] - body.s[j]) * (heavy[i].s[j] - body.s[j]);
		for (j = 0; j < 3; j++)
			a[j] += heavy[i].s[3] * (heavy[i].s[j] - body.s[j]) /
				(d2 * sqrt(d2));
	}
	for (j = 0; j < 3; j++)
		body.s[j] += a[j] * STEP * STEP;
	return body;
}

static void step_on_device(struct host *host, cl_mem positions, cl_mem velocities,
			   cl_mem heavy, cl_uint heavy_count, size_t count)
{
	cl_kernel kernel = host_kernel(host, "nbody");
	cl_float step = STEP;
	cl_float softening = SOFTENING;

	host_argument(kernel, 0, sizeof(positions), &positions);
	host_argument(kernel, 1, sizeof(velocities), &velocities);
	host_argument(kernel, 2, sizeof(heavy), &heavy);
	host_argument(kernel, 3, sizeof(heavy_count), &heavy_count);
	host_argument(kernel, 4, sizeof(step), &step);
	host_argument(kernel, 5, sizeof(softening), &softening);
	host_launch(host, kernel, count, GROUP);
	clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
	size_t count = argument(argc, argv, 1, DEFAULT_LIGHT);
	size_t heavy_count = argument(argc, argv, 2, DEFAULT_HEAVY);
	size_t bytes = count * sizeof(cl_float4);
	struct host host;
	cl_float4 *light, *heavy, *result;
	cl_mem positions, velocities, heavies;
	size_t i;
	int j;

	if (count % GROUP || heavy_count % TILE || heavy_count > 1 << 20) {
		fprintf(stderr, "nbody: LIGHT_BODIES is a multiple of %d, HEAVY_BODIES of %d\n",
			GROUP, TILE);
		return 2;
	}
	host = host_open(source);
	light = make_bodies(count, 1);
	heavy = make_bodies(heavy_count, 2);
	result = calloc(count, sizeof(*result));
	if (!result)
		return 1;
	positions = host_buffer(&host, bytes, light);
	velocities = host_buffer(&host, bytes, result);
	heavies = host_buffer(&host, heavy_count * sizeof(*heavy), heavy);
	step_on_device(&host, positions, velocities, heavies, heavy_count, count);

	host_read(&host, positions, bytes, result);
	for (i = 0; i < count; i += 97) {
		cl_float4 expected = step_on_host(light[i], heavy, heavy_count);

		for (j = 0; j < 3; j++) {
			if (fabsf(expected.s[j] - result[i].s[j]) < 1e-4f)
				continue;
			fprintf(stderr, "nbody: body %zu is at %g, not %g\n", i,
				result[i].s[j], expected.s[j]);
			return 1;
		}
	}
	printf("nbody: %zu light and %zu heavy bodies: ok\n", count, heavy_count);

	clReleaseMemObject(positions);
	clReleaseMemObject(velocities);
	clReleaseMemObject(heavies);
	host_close(&host);
	free(light);
	free(heavy);
	free(result);
	return 0;
}
