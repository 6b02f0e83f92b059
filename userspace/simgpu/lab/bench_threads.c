// SPDX-License-Identifier: GPL-2.0
/*
 * Part of simgpu bench: the same programs with one thread and with several, up to the
 * number of processors, and the critical path on more cores than that.
 */
#include <math.h>
#include <unistd.h>

#include "bench_threads.h"
#include "../../offline/bench_path.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"

#define PROGRAMS_MAX	16

static const u32 counts[] = { 1, 2, 4, 8, 16, 32 };

/*
 * struct speedup - speedups over one thread, geometric means; 0: not measured
 * @threads: number of threads
 * @measured: speedup with that many threads
 * @path: speedup on that many cores if threads met at no cost
 */
struct speedup {
	u32 threads;
	double measured;
	double path;
};

static u64 processors(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (u64)online : 1;
}

/* Median times with so many threads. */
static int measure(const struct gpu_config *config, struct offline_load *programs,
		   u32 count, u32 threads, double *ns)
{
	int ret = offline_measure(config, programs, count, threads);
	u32 i;

	for (i = 0; !ret && i < count; i++)
		ns[i] = (double)offline_median_ns(programs[i].wall_ns);
	return ret;
}

static int measure_path(const struct gpu_config *config,
			const struct offline_load *programs, u32 count,
			u32 threads, double *ns)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < count; i++) {
		u64 took = 0;

		ret = offline_measure_path(config, &programs[i], threads, &took);
		ns[i] = (double)took;
	}
	return ret;
}

static double geometric_mean(const double *one, const double *other, u32 count)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		sum += log(one[i] / other[i]);
	return exp(sum / count);
}

/* The first measurement is with one thread; all others are compared with it. */
static int measure_all(const struct gpu_config *config,
		       struct offline_load *programs, u32 count,
		       struct speedup *speedups)
{
	double alone[PROGRAMS_MAX], path_alone[PROGRAMS_MAX], ns[PROGRAMS_MAX];
	int ret = measure(config, programs, count, 1, alone);
	u32 i;

	if (!ret)
		ret = measure_path(config, programs, count, 1, path_alone);
	speedups[0] = (struct speedup) { 1, 1, 1 };
	for (i = 1; !ret && i < ARRAY_SIZE(counts); i++) {
		ret = measure_path(config, programs, count, counts[i], ns);
		speedups[i].threads = counts[i];
		speedups[i].path = geometric_mean(path_alone, ns, count);
		speedups[i].measured = 0;
		if (ret || counts[i] > processors())
			continue;
		ret = measure(config, programs, count, counts[i], ns);
		speedups[i].measured = geometric_mean(alone, ns, count);
	}
	return ret;
}

static int print_json(const struct speedup *speedups)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct json_object *row = json_object_new_object();
		const struct speedup *speedup = &speedups[i];

		json_set(row, "threads", json_u64(speedup->threads));
		json_set(row, "measured", speedup->measured ?
			 json_object_new_double(speedup->measured) : NULL);
		json_set(row, "critical_path",
			 json_object_new_double(speedup->path));
		json_object_array_add(array, row);
	}
	json_set(object, "processors", json_u64(processors()));
	json_set(object, "threads", array);
	return json_print(object);
}

static int print_table(const struct speedup *speedups)
{
	struct table *table = table_new(">threads|>measured|>critical path");
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		table_cell(table, "%u", speedups[i].threads);
		if (speedups[i].measured)
			table_cell(table, "%.2f", speedups[i].measured);
		else
			table_cell(table, "-");
		table_cell(table, "%.2f", speedups[i].path);
	}
	table_print(table);
	puts("Times the speed of one thread, geometric means over the ten memory-bound programs of HSM's");
	puts("Table 2. Critical path: the longest part of each step, if threads met at no cost.");
	return STATUS_OK;
}

int bench_threads(const struct gpu_config *config, struct offline_load *programs,
		  u32 count, bool json)
{
	struct speedup speedups[ARRAY_SIZE(counts)];
	int ret = -EINVAL;

	if (count <= PROGRAMS_MAX)
		ret = measure_all(config, programs, count, speedups);
	if (ret)
		return ret;
	return json ? print_json(speedups) : print_table(speedups);
}
