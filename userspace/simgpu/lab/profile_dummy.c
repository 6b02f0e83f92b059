// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles as they can be measured on cards (STM 3.2), whose SMs cannot be divided: beside
 * a dummy kernel of the same shape, which only computes.
 */
#include <errno.h>

#include "../../offline/profile.h"
#include "../../offline/run.h"
#include "../../workloads/builder.h"
#include "profile.h"
#include "profile_dummy.h"

/* Measurements that adapt the latency of a dummy's thread blocks to the kernel's. */
#define TUNING_ROUNDS	8
#define STEPS_MAX	(U32_MAX / 2)

/*
 * struct dummy - the thread blocks of a dummy
 * @trace: trace of the kernel that it resembles
 * @kernel: that kernel
 * @compute: the op that its instructions are from, or NULL
 * @own: most instructions of a warp that every warp of the dummy has
 * @steps: additional instructions of its first warp
 */
struct dummy {
	const struct trace *trace;
	const struct trace_kernel *kernel;
	const struct trace_op *compute;
	u32 own;
	u32 steps;
};

/* The op of a kernel's first program with most computing, loops not counted, or NULL. */
static const struct trace_op *find_compute(const struct trace *trace,
					   const struct trace_kernel *kernel)
{
	const struct trace_op *op = &trace->ops[kernel->programs[0]];
	const struct trace_op *most = NULL;

	for (; op->kind != TRACE_END; op++)
		if (op->kind == TRACE_COMPUTE && (!most || op->count > most->count))
			most = op;
	return most;
}

static u32 lanes_of(const struct trace_kernel *kernel)
{
	return kernel->block_threads < GPU_LANES ? kernel->block_threads :
						   GPU_LANES;
}

static void describe(const struct trace *trace, u32 kernel, struct dummy *out)
{
	const struct trace_kernel *shape = &trace->kernels[kernel];
	u64 threads = (u64)shape->blocks * shape->block_threads;
	u64 own = shape->instructions / threads;

	*out = (struct dummy) {
		.trace = trace,
		.kernel = shape,
		.compute = find_compute(trace, shape),
		.own = own > STEPS_MAX ? STEPS_MAX : own ? (u32)own : 1,
	};
}

/* Add @count instructions of the kernel's kind. */
static void add_own(struct builder *builder, const struct dummy *dummy, u32 count)
{
	const struct trace_op *op = dummy->compute;
	struct simgpu_trace_instruction copy[SIMGPU_TRACE_MIX_MAX];
	const struct trace_mix *mix;
	u32 i;

	if (!op || !op->mix) {
		builder_slow(builder, count, lanes_of(dummy->kernel),
			     op ? op->issue_cycles : 1);
		return;
	}
	mix = &dummy->trace->mixes[op->mix - 1];
	for (i = 0; i < mix->instruction_count; i++) {
		const struct trace_instruction *from =
			&dummy->trace->instructions[mix->first_instruction + i];

		copy[i] = (struct simgpu_trace_instruction) {
			.unit = from->unit,
			.passes = from->passes,
			.after = from->after,
		};
	}
	builder_mixed(builder, builder_mix_of(builder, copy, mix->instruction_count),
		      count, lanes_of(dummy->kernel));
}

/*
 * The dummy's warps compute as much as the kernel's. If the kernel's blocks last longer,
 * because they wait for memory, the dummy's first warp goes on: each instruction needs the
 * result of the one before, which takes room and time but few issue slots.
 */
static void build_programs(struct builder *builder, const struct dummy *dummy,
			   u32 blocks)
{
	const struct trace_kernel *kernel = dummy->kernel;
	u32 own = dummy->steps < dummy->own ? dummy->steps : dummy->own, warp;

	builder_kernel(builder, "dummy", blocks, kernel->block_threads,
		       kernel->registers_per_thread, kernel->shared_bytes);
	add_own(builder, dummy, own);
	if (dummy->steps == own)
		return;
	builder_mixed(builder, builder_mix(builder, "S1"), dummy->steps - own,
		      lanes_of(kernel));
	if (kernel->block_warps == 1)
		return;
	builder_program(builder);
	add_own(builder, dummy, own);
	for (warp = 0; warp < kernel->block_warps; warp++)
		builder_warp(builder, warp ? 1 : 0, 0);
	/* All thread blocks are like the first. */
	builder_row(builder, 1);
	builder_run(builder, blocks, 0);
}

static struct trace *make_dummy(const struct dummy *dummy, u32 blocks)
{
	struct builder *builder = builder_new("dummy", "simgpu profile");
	struct trace *trace = NULL;
	struct trace_error error;
	void *file = NULL;
	size_t bytes;

	if (builder) {
		build_programs(builder, dummy, blocks);
		file = builder_finish(builder, 0, &bytes);
	}
	if (file && offline_load_trace(file, bytes, &error, &trace))
		trace = NULL;
	builder_free(builder);
	free(file);
	return trace;
}

/* Time alone on all SMs of a dummy with as many thread blocks as the kernel. */
static int dummy_alone(const struct gpu_config *config,
		       const struct dummy *dummy, u64 seed, u64 *cycles)
{
	struct trace *trace = make_dummy(dummy, dummy->kernel->blocks);
	struct simgpu_profile_point point;
	int ret;

	if (!trace)
		return -ENOMEM;
	ret = offline_profile(config, trace, 0, config->sms, seed, &point);
	offline_free_trace(trace);
	*cycles = point.cycles;
	return ret;
}

/* The most instructions: one thread block cannot last longer than the whole kernel. */
static u32 most_steps(const struct gpu_config *config, const struct dummy *dummy,
		      u64 wanted)
{
	u64 most = dummy->own + wanted / config->unit[TRACE_SFU].latency;

	return most > STEPS_MAX ? STEPS_MAX : (u32)most;
}

/* The next number by the line through two measurements; if they are equal, by proportion. */
static u32 next_steps(u32 steps, u64 cycles, u32 before, u64 cycles_before,
		      u64 wanted, u32 most)
{
	double slope = cycles == cycles_before || steps == before ?
		(double)cycles / steps :
		((double)cycles - (double)cycles_before) /
		((double)steps - (double)before);
	double next = steps + ((double)wanted - (double)cycles) / slope;

	return next < 1 ? 1 : next > most ? most : (u32)next;
}

/*
 * Find how many instructions the first warp needs so that a dummy with as many thread
 * blocks as the kernel takes as long as the kernel, @wanted, alone on all SMs.
 */
static int tune_dummy(const struct gpu_config *config, struct dummy *dummy,
		      u64 seed, u64 wanted)
{
	u32 most = most_steps(config, dummy, wanted);
	u32 before = 0, best = dummy->own, round;
	u64 cycles_before = 0, least = U64_MAX, cycles;
	int ret;

	dummy->steps = dummy->own;
	for (round = 0; round < TUNING_ROUNDS && least; round++) {
		u32 steps = dummy->steps;
		u64 off;

		ret = dummy_alone(config, dummy, seed, &cycles);
		if (ret)
			return ret;
		off = cycles < wanted ? wanted - cycles : cycles - wanted;
		if (off < least) {
			least = off;
			best = steps;
		}
		dummy->steps = next_steps(steps, cycles, before, cycles_before,
					  wanted, most);
		before = steps;
		cycles_before = cycles;
	}
	dummy->steps = best;
	return 0;
}

int profile_dummy(const struct gpu_config *config,
		  const struct trace *trace, u32 kernel, u64 seed, u32 cycles,
		  struct simgpu_profile_point *out)
{
	const struct trace_kernel *shape = &trace->kernels[kernel];
	struct dummy dummy;
	u32 sms;
	int ret;

	describe(trace, kernel, &dummy);
	ret = tune_dummy(config, &dummy, seed, cycles);
	for (sms = 1; !ret && sms < config->sms; sms++) {
		u64 blocks = ((u64)shape->blocks * (config->sms - sms) + sms - 1) /
			     sms;
		struct trace *beside;

		if (blocks > SIMGPU_TRACE_BLOCKS_MAX)
			return -ERANGE;
		beside = make_dummy(&dummy, (u32)blocks);
		if (!beside)
			return -ENOMEM;
		ret = offline_profile_beside(config, trace, kernel, beside, sms,
					     seed, &out[sms - 1]);
		offline_free_trace(beside);
	}
	return ret;
}
