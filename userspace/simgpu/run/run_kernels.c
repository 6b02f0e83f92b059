// SPDX-License-Identifier: GPL-2.0
/* The kernels of a run: when each was on the device, and its speed. */
#include "../demangle.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "run.h"
#include "run_kernels.h"

static u64 cycles_of(const struct offline_kernel *kernel)
{
	return kernel->end - kernel->start;
}

/* Unknown for a kernel that did not run to its end: its instructions were not counted. */
static u64 ipc_ppm(const struct offline_kernel *kernel)
{
	return fixed_ratio_ppm(kernel->kernel->instructions, cycles_of(kernel));
}

static struct json_object *kernel_json(const struct result_kernel *from)
{
	const struct offline_kernel *kernel = &from->kernel;
	struct json_object *object = json_object_new_object();

	json_set(object, "tenant", json_u64(from->tenant));
	json_set(object, "queue", json_u64(kernel->queue));
	json_set(object, "launch", json_u64(kernel->sequence));
	json_set(object, "number", json_u64(kernel->number));
	json_set_string(object, "name", kernel->kernel->name);
	json_set_demangled(object, kernel->kernel->name);
	json_set(object, "start", json_u64(kernel->start));
	json_set(object, "end",
		 kernel->ended ? json_u64(kernel->end) : NULL);
	json_set(object, "cycles", json_u64(cycles_of(kernel)));
	json_set(object, "ipc",
		 json_ppm_or_null(kernel->ended, ipc_ppm(kernel)));
	json_set(object, "blocks", json_u64(kernel->kernel->blocks));
	return object;
}

struct json_object *kernels_json(const struct result *result)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < result->kernel_count; i++)
		json_object_array_add(array,
				      kernel_json(&result->kernels[i]));
	return array;
}

/**
 * struct fold - launches of one kernel of a trace by one queue
 * @first: the first of these launches
 * @count: launches that ran to their end
 * @cycles: sum of their cycles
 * @shortest: cycles of the shortest launch that ended
 * @longest: cycles of the longest launch that ended
 */
struct fold {
	const struct result_kernel *first;
	u64 count;
	u64 cycles;
	u64 shortest;
	u64 longest;
};

static bool is_same(const struct result_kernel *a, const struct result_kernel *b)
{
	return a->tenant == b->tenant && a->kernel.queue == b->kernel.queue &&
	       a->kernel.kernel == b->kernel.kernel;
}

static void add(struct fold *fold, const struct offline_kernel *kernel)
{
	u64 cycles = cycles_of(kernel);

	if (!kernel->ended)
		return;
	if (!fold->count || cycles < fold->shortest)
		fold->shortest = cycles;
	if (cycles > fold->longest)
		fold->longest = cycles;
	fold->cycles += cycles;
	fold->count++;
}

/* By tenant and queue, then by index in the trace, then by their end. */
static int compare(const void *left, const void *right)
{
	const struct result_kernel *a = left, *b = right;

	if (a->tenant != b->tenant)
		return a->tenant < b->tenant ? -1 : 1;
	if (a->kernel.queue != b->kernel.queue)
		return a->kernel.queue < b->kernel.queue ? -1 : 1;
	if (a->kernel.number != b->kernel.number)
		return a->kernel.number < b->kernel.number ? -1 : 1;
	return a->kernel.start < b->kernel.start ? -1 :
						   a->kernel.start > b->kernel.start;
}

static void print_fold(struct table *table, const struct result *result,
		       const struct fold *fold)
{
	const struct result_tenant *tenant =
		&result->tenants[fold->first->tenant];
	const struct trace_kernel *kernel = fold->first->kernel.kernel;

	table_row(table, "%u:%s|%u|%u", tenant->slot, tenant->options.name,
		  fold->first->kernel.queue, fold->first->kernel.number);
	table_kernel(table, kernel->name);
	table_row(table, "%u|%llu|%llu", kernel->blocks, fold->count,
		  fold->first->kernel.start);
	if (!fold->count)
		table_row(table, "-|-|-|-");
	else
		table_row(table, "%llu|%llu|%llu|%.1f", fold->cycles / fold->count,
			  fold->shortest, fold->longest,
			  ppm_ratio(fixed_ratio_ppm(fixed_mul(kernel->instructions,
							      fold->count),
						    fold->cycles)));
}

void print_kernels(const struct result *result)
{
	struct table *table = table_new(
		"TENANT|>Q|>NO.|KERNEL|>BLOCKS|>ENDED|>FIRST|>CYCLES|>LEAST|>MOST|>IPC");
	struct result_kernel *sorted = grow(NULL, result->kernel_count + 1,
					    sizeof(*sorted));
	struct fold fold;
	size_t i, j;

	if (result->kernel_count)
		memcpy(sorted, result->kernels,
		       result->kernel_count * sizeof(*sorted));
	qsort(sorted, result->kernel_count, sizeof(*sorted), compare);
	for (i = 0; i < result->kernel_count; i = j) {
		fold = (struct fold) { .first = &sorted[i] };
		for (j = i; j < result->kernel_count &&
			    is_same(&sorted[i], &sorted[j]); j++)
			add(&fold, &sorted[j].kernel);
		print_fold(table, result, &fold);
	}
	free(sorted);
	putchar('\n');
	table_print(table);
	if (result->kernels_lost)
		printf("%llu further kernels are left out.\n",
		       result->kernels_lost);
}
