// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace info: what a trace makes a GPU do. Instructions are counted
 * exactly, by walking each program once with the trips of its loops. Lines of
 * affine accesses are coalesced from the lanes' addresses, for up to
 * SAMPLES_MAX accesses spread over thread blocks, warps and loop indices, and
 * their mean is taken for the rest; random and recorded ones say their lines.
 * Of atomics each request counts, as on the device.
 */

#include "../demangle.h"
#include "../json.h"
#include "../options.h"
#include "../output.h"
#include "../table.h"
#include "trace_allocations.h"
#include "trace_commands.h"
#include "trace_plot.h"
#include "trace_units.h"
#include "trace_view.h"
#include "../workload.h"

#define SAMPLES_MAX	4096
#define KINDS		(SIMGPU_TRACE_SPIN + 1)
/* In place of a number of instructions: there is no end. */
#define NO_END		U64_MAX

static bool issues_instructions(u32 kind)
{
	return kind && kind != SIMGPU_TRACE_LOOP && kind != SIMGPU_TRACE_LOOP_END;
}

/**
 * struct mix - what a program or a kernel executes
 * @warp: warp instructions by kind of op
 * @thread: thread instructions by kind of op
 * @lines: 128-byte lines of loads and stores, and requests of atomics
 * @atomics: of these, the requests
 * @units: of the instructions that mixes name
 */
struct mix {
	u64 warp[KINDS];
	u64 thread[KINDS];
	u64 lines;
	u64 atomics;
	struct unit_counts units[SIMGPU_TRACE_UNITS];
};

/* --- lines of affine accesses --- */

/**
 * struct place - which access of an op: thread block, warp and loop indices
 * @trips: trip counts of the loops around the op, outermost first
 */
struct place {
	const struct simgpu_trace_kernel *kernel;
	u32 depth;
	u32 trips[SIMGPU_TRACE_LOOP_DEPTH_MAX];
};

/* What an atomic's request is for. */
#define SECTOR_BYTES	32
#define WORD_BYTES	4

static u64 lane_address(const struct simgpu_trace_pattern *p, u64 first, u64 mask,
			u32 lane)
{
	u32 group = p->group_lanes ? p->group_lanes : GPU_LANES;

	return (first + (u64)p->lane_stride * (lane % group) +
		(u64)p->group_stride * (lane / group)) ^ mask;
}

/* The lines that one access touches; lanes are in any order. */
static u32 coalesce(const struct simgpu_trace_pattern *p, u64 first, u64 mask,
		    u32 lanes)
{
	u64 lines[GPU_LANES];
	u32 count = 0, lane, i;

	for (lane = 0; lane < lanes; lane++) {
		u64 line = lane_address(p, first, mask, lane) /
			   SIMGPU_TRACE_LINE_BYTES;

		for (i = 0; i < count && lines[i] != line; i++)
			;
		if (i == count)
			lines[count++] = line;
	}
	return count;
}

/*
 * The requests of an atomic, as the device makes them: lanes share one as long as
 * they are in the same sector and no two of them want the same word.
 */
static u32 coalesce_atomic(const struct simgpu_trace_pattern *p, u64 first,
			   u64 mask, u32 lanes)
{
	u32 words = (p->access_bytes + WORD_BYTES - 1) / WORD_BYTES;
	u32 taken[GPU_LANES], count = 0, lane, i;
	u64 sectors[GPU_LANES];

	for (lane = 0; lane < lanes; lane++) {
		u64 address = lane_address(p, first, mask, lane);
		u64 sector = address / SECTOR_BYTES;
		u32 wanted = ((1U << words) - 1) <<
			     address % SECTOR_BYTES / WORD_BYTES;

		for (i = 0; i < count; i++)
			if (sectors[i] == sector && !(taken[i] & wanted))
				break;
		if (i == count) {
			sectors[count++] = sector;
			taken[i] = 0;
		}
		taken[i] |= wanted;
	}
	return count;
}

/* Access number @index of all, in an order without meaning. */
static u32 lines_of_access(const struct simgpu_trace_pattern *p,
			   const struct place *place,
			   const struct simgpu_trace_op *op, u64 index)
{
	const struct simgpu_trace_kernel *kernel = place->kernel;
	u64 first = p->base, mask = p->xor_bytes;
	u32 i;

	for (i = place->depth; i-- > 0;) {
		u64 trip = index % place->trips[i];

		index /= place->trips[i];
		first += (u64)p->loop_stride[i] * trip;
		if (p->xor_loop == i + 1)
			mask = p->xor_bytes << trip;
	}
	first += (u64)p->warp_stride * (index % kernel_warps(kernel));
	index /= kernel_warps(kernel);
	for (i = 0; i < 3; i++) {
		first += (u64)p->block_stride[i] * (index % kernel->grid[i]);
		index /= kernel->grid[i];
	}
	return op->kind == SIMGPU_TRACE_ATOMIC ?
	       coalesce_atomic(p, first, mask, op->active_lanes) :
	       coalesce(p, first, mask, op->active_lanes);
}

/* Lines of @times accesses of a warp; the mean over all warps is taken. */
static u64 affine_lines(const struct simgpu_trace_pattern *p,
			const struct place *place,
			const struct simgpu_trace_op *op, u64 times)
{
	u64 all = fixed_mul(times, kernel_blocks(place->kernel) *
				   kernel_warps(place->kernel));
	u64 samples = all < SAMPLES_MAX ? all : SAMPLES_MAX, sum = 0, i;

	for (i = 0; i < samples; i++)
		sum += lines_of_access(p, place, op,
				       fixed_mul_div(all, i, samples));
	return fixed_mul_div(times, sum, samples);
}

/* --- programs and kernels --- */

static u64 op_lines(const struct view *view, const struct place *place,
		    const struct simgpu_trace_op *op, u64 times)
{
	const struct simgpu_trace_pattern *p = &view->patterns[op->pattern];

	switch (p->kind) {
	case SIMGPU_TRACE_AFFINE:
		return affine_lines(p, place, op, times);
	case SIMGPU_TRACE_RANDOM:
		return fixed_mul(times, p->lines);
	default:
		return fixed_mul(times, op->count);
	}
}

static void add_lines(struct mix *mix, u32 kind, u64 lines)
{
	mix->lines = fixed_add(mix->lines, lines);
	if (kind == SIMGPU_TRACE_ATOMIC)
		mix->atomics = fixed_add(mix->atomics, lines);
}

/* What one warp executes that runs a program. */
static void walk_program(const struct view *view,
			 const struct simgpu_trace_kernel *kernel,
			 const struct simgpu_trace_program *program,
			 struct mix *mix)
{
	u64 times[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1] = { 1 };
	struct place place = { .kernel = kernel };
	u32 i;

	memset(mix, 0, sizeof(*mix));
	for (i = 0; i < program->op_count; i++) {
		const struct simgpu_trace_op *op =
			&view->ops[program->first_op + i];
		u64 count = times[place.depth];

		if (op->kind == SIMGPU_TRACE_LOOP) {
			place.trips[place.depth++] = op->count;
			times[place.depth] = fixed_mul(count, op->count);
			continue;
		}
		if (op->kind == SIMGPU_TRACE_LOOP_END) {
			place.depth--;
			continue;
		}
		count_units(view, op, count, mix->units);
		if (touches_memory(op->kind))
			add_lines(mix, op->kind,
				  op_lines(view, &place, op, count));
		else if (op->kind == SIMGPU_TRACE_SPIN)
			count = NO_END;
		else if (op->kind != SIMGPU_TRACE_BARRIER)
			count = fixed_mul(count, op->count);
		mix->warp[op->kind] = fixed_add(mix->warp[op->kind], count);
		mix->thread[op->kind] = fixed_add(mix->thread[op->kind],
						  fixed_mul(count,
							    op->active_lanes));
	}
}

static void add_mix(struct mix *to, const struct mix *from, u64 times)
{
	u32 kind;

	for (kind = 0; kind < KINDS; kind++) {
		to->warp[kind] = fixed_add(to->warp[kind],
					   fixed_mul(from->warp[kind], times));
		to->thread[kind] = fixed_add(to->thread[kind],
					     fixed_mul(from->thread[kind],
						       times));
	}
	to->lines = fixed_add(to->lines, fixed_mul(from->lines, times));
	to->atomics = fixed_add(to->atomics, fixed_mul(from->atomics, times));
	add_units(to->units, from->units, times);
}

/* Count @times thread blocks that are like one described by the warp table. */
static void count_block(const struct view *view,
			const struct simgpu_trace_kernel *kernel, u64 block,
			u64 times, u64 *runners)
{
	const struct simgpu_trace_warp *warp =
		&view->warps[kernel->first_warp + block * kernel_warps(kernel)];
	u32 i;

	for (i = 0; i < kernel_warps(kernel); i++)
		runners[warp[i].program] += times;
}

/* How many thread blocks the recorded ones from @first to before @end stand for */
static u64 blocks_recorded_as(const struct simgpu_trace_kernel *kernel,
			      u64 first, u64 end)
{
	u64 blocks = kernel_blocks(kernel);

	if (fixed_mul(end, kernel->sample_n) < blocks)
		blocks = end * kernel->sample_n;
	return blocks - first * kernel->sample_n;
}

static void count_rows(const struct view *view,
		       const struct simgpu_trace_kernel *kernel, u64 *runners)
{
	u32 first = 0, place, i, j;

	for (i = 0; i < kernel->row_count; i++) {
		const struct simgpu_trace_row *row =
			&view->rows[kernel->first_row + i];

		for (place = 0, j = 0; j < row->run_count; j++) {
			const struct simgpu_trace_run *run =
				&view->runs[row->first_run + j];
			u64 blocks = run->end - place;

			if (kernel->sample_n > 1)
				blocks = blocks_recorded_as(kernel, place,
							    run->end);
			count_block(view, kernel, run->block,
				    blocks * (row->end - first), runners);
			place = run->end;
		}
		first = row->end;
	}
}

/* How many warps run each of a kernel's programs. */
static void count_runners(const struct view *view,
			  const struct simgpu_trace_kernel *kernel, u64 *runners)
{
	u64 blocks = kernel_blocks(kernel), i;

	if (kernel->first_warp == SIMGPU_TRACE_NO_WARPS)
		runners[0] = blocks * kernel_warps(kernel);
	else if (kernel->row_count)
		count_rows(view, kernel, runners);
	else
		for (i = 0; i * kernel->sample_n < blocks; i++)
			count_block(view, kernel, i,
				    blocks_recorded_as(kernel, i, i + 1),
				    runners);
}

static int walk_kernel(const struct view *view,
		       const struct simgpu_trace_kernel *kernel, struct mix *mix)
{
	u64 *runners = calloc(kernel->program_count, sizeof(*runners));
	struct mix one;
	u32 i;

	if (!runners)
		return fail("out of memory");
	memset(mix, 0, sizeof(*mix));
	count_runners(view, kernel, runners);
	for (i = 0; i < kernel->program_count; i++) {
		if (!runners[i])
			continue;
		walk_program(view, kernel,
			     &view->programs[kernel->first_program + i], &one);
		add_mix(mix, &one, runners[i]);
	}
	free(runners);
	return STATUS_OK;
}

static u64 sum_of(const u64 *counts)
{
	u64 sum = 0;
	u32 kind;

	for (kind = 0; kind < KINDS; kind++)
		sum = fixed_add(sum, counts[kind]);
	return sum;
}

static u64 memory_ops(const struct mix *mix)
{
	u64 sum = 0;
	u32 kind;

	for (kind = 0; kind < KINDS; kind++)
		if (touches_memory(kind))
			sum = fixed_add(sum, mix->warp[kind]);
	return sum;
}

static u64 line_bytes(const struct mix *mix)
{
	return fixed_add(fixed_mul(mix->lines - mix->atomics, SIMGPU_TRACE_LINE_BYTES),
			 fixed_mul(mix->atomics, SECTOR_BYTES));
}

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* Thread blocks of a kernel that an SM can hold at a time. */
static u32 occupancy(const struct gpu_config *config,
		     const struct simgpu_trace_kernel *kernel)
{
	u32 threads = kernel_threads(kernel);
	u32 blocks = config->blocks_per_sm;

	blocks = least(blocks, config->threads_per_sm / threads);
	blocks = least(blocks, config->warps_per_sm / kernel_warps(kernel));
	blocks = least(blocks, config->registers_per_sm /
			       (threads * kernel->registers_per_thread));
	if (kernel->shared_bytes)
		blocks = least(blocks, config->shared_bytes_per_sm /
				       kernel->shared_bytes);
	return blocks;
}

/* Warps of a kernel on an SM, relative to those that an SM can hold */
static u64 occupancy_ppm(const struct gpu_config *config,
			 const struct simgpu_trace_kernel *kernel)
{
	return fixed_ratio_ppm((u64)occupancy(config, kernel) *
			       kernel_warps(kernel), config->warps_per_sm);
}

/* --- what to expect --- */

/**
 * struct demand - bandwidth that a trace asks for if it issues at full speed
 * @most: part of the peak, in ppm, if no line is found in a cache
 * @least: part of the peak, in ppm, if each byte of the footprint is transferred once
 */
struct demand {
	u64 most_ppm;
	u64 least_ppm;
};

static u64 demand_of(const struct gpu_config *config, u64 bytes,
		     u64 instructions)
{
	u64 issued = gpu_peak_ipc(config);
	u64 clocks = fixed_mul((u64)config->channels *
			       config->channel_bytes_per_clock,
			       config->memory_mhz);

	/* bytes / (instructions / issued) / (clocks / core_mhz) */
	return fixed_ratio_ppm(fixed_mul_div(fixed_mul(bytes, issued),
					     config->core_mhz, clocks),
			       instructions);
}

static struct demand demands(const struct gpu_config *config,
			     const struct mix *mix, u64 footprint_bytes)
{
	u64 least = line_bytes(mix);

	if (footprint_bytes < least)
		least = footprint_bytes;
	return (struct demand) {
		.most_ppm = demand_of(config, line_bytes(mix), sum_of(mix->thread)),
		.least_ppm = demand_of(config, least, sum_of(mix->thread)),
	};
}

/* The class by HSM's Eq. 2, if row buffer hit rates of 0 and 1 give the same one */
static const char *expected_class(const struct gpu_config *config,
				  const struct demand *demand)
{
	struct session_options hsm = {
		.config = *config,
		.model = &model_hsm,
		.policy = &policy_even,
	};

	session_default_params(&hsm);
	if (demand->most_ppm <= hsm.model_params[HSM_C2])
		return "compute";
	if (demand->least_ppm >
	    hsm.model_params[HSM_C1] + hsm.model_params[HSM_C2])
		return "memory";
	return "by the caches";
}

/* --- output --- */

static struct json_object *triple(const u32 *values)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < 3; i++)
		json_object_array_add(array, json_u64(values[i]));
	return array;
}

static void set_mix(struct json_object *object, const struct mix *mix)
{
	struct json_object *kinds = json_object_new_object();
	u32 kind;

	for (kind = SIMGPU_TRACE_COMPUTE; kind < KINDS; kind++) {
		struct json_object *counts;

		if (!issues_instructions(kind) ||
		    (kind == SIMGPU_TRACE_SPIN && !mix->warp[kind]))
			continue;
		counts = json_object_new_object();
		json_set(counts, "warp_instructions",
			 json_u64(mix->warp[kind]));
		json_set(counts, "thread_instructions",
			 json_u64(mix->thread[kind]));
		json_set(kinds, op_kind_name(kind), counts);
	}
	json_set(object, "warp_instructions", json_u64(sum_of(mix->warp)));
	json_set(object, "thread_instructions", json_u64(sum_of(mix->thread)));
	json_set(object, "kinds", kinds);
	json_set(object, "units", units_json(mix->units));
	json_set(object, "memory_ops", json_u64(memory_ops(mix)));
	json_set(object, "lines", json_u64(mix->lines));
	json_set(object, "line_bytes", json_u64(line_bytes(mix)));
	json_set(object, "instructions_per_byte",
		 json_ppm_or_null(mix->lines != 0,
				  fixed_ratio_ppm(sum_of(mix->thread),
						  line_bytes(mix))));
}

static struct json_object *kernel_json(const struct gpu_config *config,
				       const struct simgpu_trace_kernel *kernel,
				       const struct mix *mix)
{
	struct json_object *object = json_object_new_object();

	json_set_string(object, "name", kernel->name);
	json_set_demangled(object, kernel->name);
	json_set(object, "grid", triple(kernel->grid));
	json_set(object, "block", triple(kernel->block));
	json_set(object, "blocks", json_u64(kernel_blocks(kernel)));
	json_set(object, "warps_per_block", json_u64(kernel_warps(kernel)));
	json_set(object, "registers_per_thread",
		 json_u64(kernel->registers_per_thread));
	json_set(object, "shared_bytes", json_u64(kernel->shared_bytes));
	json_set(object, "sample_n", json_u64(kernel->sample_n));
	json_set(object, "programs", json_u64(kernel->program_count));
	json_set(object, "occupancy",
		 json_ppm(occupancy_ppm(config, kernel)));
	json_set(object, "blocks_per_sm", json_u64(occupancy(config, kernel)));
	set_mix(object, mix);
	return object;
}

static struct json_object *weights_json(const struct view *view)
{
	struct json_object *array = json_object_new_array();
	u64 i;

	for (i = 0; i < section_count(view, SIMGPU_TRACE_WEIGHTS); i++) {
		const struct simgpu_trace_weight *weight = &view->weights[i];
		struct json_object *object = json_object_new_object();

		json_set_string(object, "name", weight->name);
		json_set(object, "instructions",
			 json_ppm(weight->milli_instructions * 1000ULL));
		json_set(object, "executed", json_u64(weight->executed));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *trace_json(const char *path, const struct view *view,
				      const struct gpu_config *config,
				      const struct mix *kernels,
				      const struct mix *total)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct demand demand = demands(config, total,
				       view->header->footprint_bytes);
	char checksum[16];
	u64 i;

	snprintf(checksum, sizeof(checksum), "0x%08x", view->header->checksum);
	json_set_string(object, "file", path);
	json_set_string(object, "name", view->header->name);
	json_set_string(object, "source", view->header->source);
	json_set_string(object, "checksum", checksum);
	json_set(object, "version", json_u64(view->header->version));
	json_set(object, "bytes", json_u64(view->header->total_bytes));
	json_set(object, "footprint_bytes",
		 json_u64(view->header->footprint_bytes));
	json_set_string(object, "config", config->name);
	set_mix(object, total);
	json_set(object, "demand_most", json_ppm(demand.most_ppm));
	json_set(object, "demand_least", json_ppm(demand.least_ppm));
	json_set_string(object, "class_expected", expected_class(config, &demand));
	for (i = 0; i < section_count(view, SIMGPU_TRACE_KERNELS); i++)
		json_object_array_add(array,
				      kernel_json(config, &view->kernels[i],
						  &kernels[i]));
	json_set(object, "kernels", array);
	json_set(object, "weights", weights_json(view));
	json_set(object, "allocations", allocations_json(view));
	json_set(object, "commands", commands_json(view));
	return object;
}

static void add_counts(struct table *table, const char *what, u64 warp, u64 thread)
{
	table_row(table, "%s|%llu|%llu|%.1f", what, warp, thread,
		  ppm_ratio(fixed_ratio_ppm(thread, warp)));
}

static void print_mix(const struct mix *total)
{
	struct table *table = table_new(
		"INSTRUCTIONS|>WARP|>THREAD|>LANES");
	u32 kind;

	for (kind = SIMGPU_TRACE_COMPUTE; kind < KINDS; kind++) {
		if (!total->warp[kind])
			continue;
		add_counts(table, op_kind_name(kind), total->warp[kind],
			   total->thread[kind]);
	}
	add_counts(table, "all", sum_of(total->warp), sum_of(total->thread));
	table_print(table);
}

/* Whether two launches are equal in all that the table shows */
static bool is_same_row(const struct view *view, const struct mix *kernels,
			u64 first, u64 second)
{
	const struct simgpu_trace_kernel *a = &view->kernels[first];
	const struct simgpu_trace_kernel *b = &view->kernels[second];

	return !strcmp(a->name, b->name) &&
	       !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) &&
	       a->registers_per_thread == b->registers_per_thread &&
	       a->shared_bytes == b->shared_bytes &&
	       a->sample_n == b->sample_n &&
	       !memcmp(&kernels[first], &kernels[second], sizeof(*kernels));
}

/* Print a row; its counts are those of one launch. */
static void print_kernel(struct table *table, const struct gpu_config *config,
			 const struct simgpu_trace_kernel *kernel,
			 const struct mix *mix, u64 launches)
{
	table_kernel(table, kernel->name);
	table_row(table, "%llu|%ux%ux%u|%ux%ux%u|%u|%u|%u|%u|%.2f|%u|%llu|%llu|%llu",
		  launches, kernel->grid[0], kernel->grid[1], kernel->grid[2],
		  kernel->block[0], kernel->block[1], kernel->block[2],
		  kernel_warps(kernel), kernel->registers_per_thread,
		  kernel->shared_bytes, occupancy(config, kernel),
		  ppm_ratio(occupancy_ppm(config, kernel)), kernel->sample_n,
		  sum_of(mix->thread), memory_ops(mix), mix->lines);
	table_ppm(table, mix->lines != 0,
		  fixed_ratio_ppm(sum_of(mix->thread), line_bytes(mix)), 3);
}

static void print_kernels(const struct view *view,
			  const struct gpu_config *config,
			  const struct mix *kernels)
{
	struct table *table = table_new(
		"KERNEL|>LAUNCHES|>GRID|>BLOCK|>WARPS|>REGISTERS|>SHARED|>BLOCKS/SM|>OCCUPANCY|>1 OF|>THREAD INSTR|>MEMORY OPS|>LINES|>INSTR/BYTE");
	u64 count = section_count(view, SIMGPU_TRACE_KERNELS), i, launches;

	for (i = 0; i < count; i += launches) {
		launches = 1;
		while (i + launches < count &&
		       is_same_row(view, kernels, i, i + launches))
			launches++;
		print_kernel(table, config, &view->kernels[i], &kernels[i],
			     launches);
	}
	table_print(table);
}

static void print_weights(const struct view *view)
{
	struct table *table = table_new("WEIGHT|>INSTRUCTIONS|>EXECUTED");
	u64 i;

	for (i = 0; i < section_count(view, SIMGPU_TRACE_WEIGHTS); i++) {
		const struct simgpu_trace_weight *weight = &view->weights[i];

		table_cell(table, "%s", weight->name);
		table_ppm(table, true, weight->milli_instructions * 1000ULL, 3);
		table_cell(table, "%llu", weight->executed);
	}
	putchar('\n');
	table_print(table);
}

static void print_trace(const char *path, const struct view *view,
			const struct gpu_config *config,
			const struct mix *kernels, const struct mix *total)
{
	const struct simgpu_trace_header *header = view->header;
	struct demand demand = demands(config, total, header->footprint_bytes);
	u64 bytes = line_bytes(total);

	print_escaped(stdout, "%s: %s, by %s\n", path, header->name, header->source);
	printf("version %u, checksum 0x%08x, %llu bytes, footprint %llu bytes\n",
	       header->version, header->checksum, header->total_bytes,
	       header->footprint_bytes);
	printf("%llu memory ops, %llu lines, %llu bytes of lines",
	       memory_ops(total), total->lines, bytes);
	if (bytes)
		printf("\n%.3f thread instructions a byte of these",
		       (double)sum_of(total->thread) / (double)bytes);
	putchar('\n');
	print_paragraph("bandwidth asked for at full speed of %s: %.2f of the peak, %.2f if each byte moved once; expected class: %s",
			config->name, (double)demand.most_ppm / 1e6,
			(double)demand.least_ppm / 1e6,
			expected_class(config, &demand));
	putchar('\n');
	print_mix(total);
	print_units(total->units);
	printf("\nKernels, counts of one launch; blocks that an SM of %s can hold:\n",
	       config->name);
	print_kernels(view, config, kernels);
	if (section_count(view, SIMGPU_TRACE_WEIGHTS))
		print_weights(view);
	if (section_count(view, SIMGPU_TRACE_ALLOCATIONS))
		allocations_print(view);
	if (section_count(view, SIMGPU_TRACE_COMMANDS))
		commands_print(view);
}

/* --- the command --- */

static const char about[] =
	"Say what is in trace files: kernels, instruction mix, memory traffic, "
	"how many thread blocks an SM can hold, what recorded instructions "
	"count for, which memory the program allocated, and what its commands do.\v"
	"Instruction counts are exact. Lines are what warps ask the L1s for, of "
	"128 bytes, and the requests of atomics, of 32 bytes; "
	"those of affine patterns are a mean over up to 4096 accesses of each "
	"op. A line has 128 bytes. Of the instructions of bursts it says which "
	"unit they need, how many passes of it each takes, the share that needs "
	"the result of an earlier one, and how many instructions before that is. "
	"The expected class compares the bandwidth "
	"that the trace would need at the full instruction rate with what "
	"HSM's line says that memory can give; where that depends on what the "
	"caches catch, run the trace.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace info stream.sgtr\n"
	"  simgpu trace info --json a.sgtr b.sgtr | jq '.traces[].name'\n"
	"  simgpu trace info --plot stream.svg stream.sgtr\n"
	"\n"
	"Exit status: 0; 1 if a trace is not good; 2 for wrong usage.";

/** struct arguments - the parsed command line */
struct arguments {
	const char *config;
	const char *plot;
	bool json;
	char **files;
	u32 count;
};

#define AT(member)	offsetof(struct arguments, member)

static const struct command_option options[] = {
	{ "config", 'c', "NAME|FILE",
	  "The GPU whose SMs hold thread blocks (default hbm80); a file's name has a '/' or ends in .conf",
	  TO_TEXT(config) },
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ "plot", 'p', "FILE",
	  "Draw which addresses each kernel touches, in the order of its warps, "
	  "with gnuplot: the first 64 launches that differ, below 2 MB; FILE ends in .svg or .png",
	  TO_TEXT(plot) },
	{ .name = NULL }
};

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (arguments->plot && arguments->count > 1)
		argp_error(state, "--plot draws one trace");
}

static const struct command_line command_line = {
	.options = options,
	.check = check_arguments,
	.words = "FILE...",
	.no_words = "name at least one trace file",
	.list = AT(files),
	.count = AT(count),
	.about = about,
};

/* Add the file to @array if it is not NULL; otherwise print it. */
static int show_file(const struct gpu_config *config, const char *path,
		     struct json_object *array, const char *plot)
{
	struct workload workload;
	struct mix *kernels = NULL, total = { .lines = 0 };
	struct view view;
	int ret = workload_open(path, NULL, &workload);
	u64 count, i;

	if (!ret)
		ret = workload_decode(&workload, NULL);
	if (ret)
		goto out;
	view = view_of(workload.bytes);
	count = section_count(&view, SIMGPU_TRACE_KERNELS);
	kernels = calloc(count, sizeof(*kernels));
	if (!kernels)
		ret = fail("out of memory");
	for (i = 0; !ret && i < count; i++) {
		ret = walk_kernel(&view, &view.kernels[i], &kernels[i]);
		add_mix(&total, &kernels[i], 1);
	}
	if (!ret && array)
		json_object_array_add(array,
				      trace_json(path, &view, config, kernels,
						 &total));
	else if (!ret)
		print_trace(path, &view, config, kernels, &total);
	if (!ret && plot)
		ret = plot_trace(&view, plot);
out:
	free(kernels);
	workload_free(&workload);
	return ret;
}

int trace_info_command(int argc, char **argv)
{
	struct arguments arguments = { .config = "hbm80" };
	struct json_object *array = NULL, *object;
	int ret = STATUS_OK, printed = STATUS_OK;
	struct gpu_config config;
	u32 i;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = config_load(arguments.config, &config);
	if (ret)
		return ret;
	if (arguments.json)
		array = json_object_new_array();
	for (i = 0; i < arguments.count; i++) {
		if (i && !array)
			putchar('\n');
		if (show_file(&config, arguments.files[i], array,
			      arguments.plot))
			ret = STATUS_FAILED;
	}
	if (array) {
		object = json_object_new_object();
		json_set(object, "traces", array);
		printed = json_print(object);
	}
	return ret ? ret : printed;
}
