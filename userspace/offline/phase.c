// SPDX-License-Identifier: GPL-2.0
/* A phase of spatial-temporal multitasking, measured; see optimal.h. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "optimal.h"
#include "phase.h"

/* Cycles between two checks of whether a phase has passed its limit. */
#define LOOK_CYCLES	10000

/**
 * struct phase - a phase that is being measured
 * @gpu: a GPU of its own
 * @programs: by slot
 * @count: number of programs
 * @division: how they share the SMs
 * @sms: by slot, SMs of its own
 * @owner: by SM, its slot, if SMs have owners
 * @kernel: by slot, index of the present kernel; past the last one it is over
 * @interval: by slot, plan_interval() of the present kernel
 * @running: a bit for each slot with a kernel
 */
struct phase {
	struct gpu *gpu;
	const struct offline_program *programs;
	u32 count;
	enum offline_division division;
	u32 sms[SIMGPU_SLOTS_MAX];
	u32 owner[SIMGPU_SMS_MAX];
	u32 kernel[SIMGPU_SLOTS_MAX];
	u64 interval[SIMGPU_SLOTS_MAX];
	u64 running;
};

static u64 interval_of(const struct phase *phase, u32 slot)
{
	const struct offline_program *program = &phase->programs[slot];
	const struct gpu_config *config = gpu_config(phase->gpu);
	const struct trace *trace = program->trace;
	struct plan_kernel kernel = {
		.blocks = trace->kernels[phase->kernel[slot]].blocks,
	};
	struct simgpu_snapshot_profile profile;
	struct plan_set set = {
		.kernels = &kernel, .profiles = &profile, .count = 1,
		.sms = config->sms,
	};

	memcpy(profile.point,
	       trace_profile(trace, config->name, config->sms, phase->kernel[slot]),
	       config->sms * sizeof(profile.point[0]));
	return plan_interval(&set, 0, program->sms);
}

/* Set the leaky buckets for the kernels that run now. */
static void set_buckets(struct phase *phase)
{
	u64 longest = 0;
	u32 slot;

	for (slot = 0; slot < phase->count; slot++)
		if (phase->running >> slot & 1 && phase->interval[slot] > longest)
			longest = phase->interval[slot];
	for (slot = 0; slot < phase->count; slot++)
		if (phase->running >> slot & 1)
			gpu_set_bucket(phase->gpu, slot,
				       plan_capacity(phase->interval[slot],
						     longest));
}

/* Start the present kernels of these slots, if they have one left. */
static void start(struct phase *phase, u64 slots)
{
	u64 rest;

	for (rest = slots; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		phase->running &= ~(1ULL << slot);
		if (phase->kernel[slot] == phase->programs[slot].kernels)
			continue;
		phase->running |= 1ULL << slot;
		phase->interval[slot] = interval_of(phase, slot);
	}
	set_buckets(phase);
	for (slots &= phase->running; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		gpu_kernel_start(phase->gpu, slot, phase->programs[slot].trace,
				 phase->kernel[slot]);
	}
}

/* --- SMs of one's own --- */

static void give_sm(struct phase *phase, u32 sm, u32 slot)
{
	phase->owner[sm] = slot;
	phase->sms[slot]++;
	gpu_sm_assign(phase->gpu, sm, slot, GPU_PREEMPT_DRAIN);
}

/* The slot with the fewest SMs in proportion to what it was given, then the first. */
static u32 neediest(const struct phase *phase)
{
	u32 best = SIMGPU_SLOTS_MAX, slot;

	for (slot = 0; slot < phase->count; slot++) {
		if (!(phase->running >> slot & 1))
			continue;
		if (best == SIMGPU_SLOTS_MAX ||
		    phase->sms[slot] * phase->programs[best].sms <
		    phase->sms[best] * phase->programs[slot].sms)
			best = slot;
	}
	return best;
}

/* Give the SMs of programs that have ended to the others. */
static void hand_over(struct phase *phase)
{
	u32 sm;

	if (phase->division != OFFLINE_HANDOVER || !phase->running)
		return;
	for (sm = 0; sm < gpu_config(phase->gpu)->sms; sm++) {
		u32 slot = phase->owner[sm];

		if (slot == SIMGPU_SLOTS_MAX || phase->running >> slot & 1)
			continue;
		phase->sms[slot]--;
		give_sm(phase, sm, neediest(phase));
	}
}

static void divide(struct phase *phase)
{
	u32 sms = gpu_config(phase->gpu)->sms, sm = 0, slot, i;

	if (phase->division == OFFLINE_BUCKETS) {
		for (sm = 0; sm < sms; sm++)
			gpu_sm_share(phase->gpu, sm);
		gpu_set_block_order(phase->gpu, GPU_ORDER_LEAKY_BUCKET);
		return;
	}
	for (slot = 0; slot < phase->count; slot++)
		for (i = 0; i < phase->programs[slot].sms && sm < sms; i++)
			give_sm(phase, sm++, slot);
	for (; sm < sms; sm++)
		phase->owner[sm] = SIMGPU_SLOTS_MAX;
}

/* --- running --- */

/* The kernels of these slots have ended; *@last is the cycle of the latest end. */
static void end(struct phase *phase, u64 slots, u64 *last)
{
	u64 rest;

	for (rest = slots; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);
		struct gpu_kernel_status status;

		gpu_take_queues(phase->gpu, slot);
		gpu_kernel_status(phase->gpu, slot, &status);
		if (status.ended_at > *last)
			*last = status.ended_at;
		phase->kernel[slot]++;
	}
	start(phase, slots);
	hand_over(phase);
}

static u64 run(struct phase *phase, u64 limit)
{
	u64 last = 0, ended;

	start(phase, phase->count == 64 ? U64_MAX : (1ULL << phase->count) - 1);
	while (phase->running) {
		gpu_run(phase->gpu, gpu_now(phase->gpu) + LOOK_CYCLES);
		ended = gpu_take_finished(phase->gpu);
		if (ended)
			end(phase, ended, &last);
		if (phase->running && gpu_now(phase->gpu) > limit)
			return PLAN_NEVER;
	}
	return last > limit ? PLAN_NEVER : last;
}

/* Check that every kernel has a profile for the GPU, and fits on its SMs. */
static int check(const struct gpu_config *config,
		 const struct offline_program *program)
{
	u32 kernel;

	for (kernel = 0; kernel < program->kernels; kernel++) {
		if (!gpu_kernel_fits(config, &program->trace->kernels[kernel]))
			return -E2BIG;
		if (!trace_profile(program->trace, config->name, config->sms,
				   kernel))
			return -ENODATA;
	}
	return 0;
}

int offline_phase(const struct gpu_config *config, u64 seed,
		  const struct offline_program *programs, u32 count,
		  enum offline_division division, u64 limit, u64 *cycles)
{
	struct phase phase = {
		.programs = programs, .count = count, .division = division,
	};
	void *memory;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = check(config, &programs[i]);
	if (ret)
		return ret;
	memory = port_alloc(gpu_bytes(config));
	if (!memory)
		return -ENOMEM;
	phase.gpu = gpu_init(memory, config, seed);
	divide(&phase);
	*cycles = run(&phase, limit);
	port_free(memory);
	return 0;
}
