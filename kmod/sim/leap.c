// SPDX-License-Identifier: GPL-2.0
/* What a leap changes of the hardware: counts, and which thread blocks are still to come. */
#include "leap.h"
#include "sim.h"

/* Counts that lie in a row, of which a tally has several. */
struct row {
	u64 *counts;
	u32 count;
};

/* Device time does not leap while memory is managed: those counters come last, and stay. */
#define COUNTERS	SIMGPU_PLACE_faults
#define SLOT_COUNTS	(COUNTERS + 1)
#define SM_TENANT_COUNTS 3
#define CHANNEL_COUNTS	(sizeof(struct gpu_channel_counters) / sizeof(u64))

static_assert(sizeof(struct simgpu_counters) == SIMGPU_COUNTER_PLACES * sizeof(u64),
	      "counters are numbers");
static_assert(offsetof(struct sm_tenant, idle_warps) -
	      offsetof(struct sm_tenant, thread_instructions) ==
	      (SM_TENANT_COUNTS - 1) * sizeof(u64), "an SM's counts of a slot are in a row");

/* Rows, by their number: slots twice, SMs, all SMs, slots on SMs, channels. */
static u32 row_count(const struct gpu_config *config)
{
	return 2 * GPU_SLOTS_MAX + config->sms + 1 + config->sms * GPU_SLOTS_MAX + 1;
}

static struct row row_of(struct gpu *gpu, u32 number)
{
	u32 sms = gpu->config.sms;

	if (number < 2 * GPU_SLOTS_MAX && number % 2)
		return (struct row){ &gpu->counts[number / 2].issue_slots, 1 };
	if (number < 2 * GPU_SLOTS_MAX)
		return (struct row){ (u64 *)&gpu->counts[number / 2], COUNTERS };
	number -= 2 * GPU_SLOTS_MAX;
	if (number < sms)
		return (struct row){ (u64 *)&gpu->sm_counters[number], COUNTERS };
	number -= sms;
	if (!number--)
		return (struct row){ gpu->sm_issue_slots, sms };
	if (number < sms * GPU_SLOTS_MAX)
		return (struct row){ &gpu->sm_tenants[number].thread_instructions,
				     SM_TENANT_COUNTS };
	return (struct row){ (u64 *)gpu->channel_counters,
			     gpu->config.channels * GPU_SLOTS_MAX * CHANNEL_COUNTS };
}

size_t gpu_tally_count(const struct gpu_config *config)
{
	return GPU_SLOTS_MAX * SLOT_COUNTS + config->sms * COUNTERS +
	       config->sms + (size_t)config->sms * GPU_SLOTS_MAX * SM_TENANT_COUNTS +
	       config->channels * GPU_SLOTS_MAX * CHANNEL_COUNTS;
}

/* Spans that have not ended count as if they ended now, as in gpu_tenant_counters(). */
static void end_spans(struct gpu *gpu, u32 number, u64 *counts)
{
	struct simgpu_counters ended;

	if (number < 2 * GPU_SLOTS_MAX && number % 2)
		return;
	if (number < 2 * GPU_SLOTS_MAX)
		gpu_tenant_counters(gpu, number / 2, &ended);
	else if (number < 2 * GPU_SLOTS_MAX + gpu->config.sms)
		gpu_sm_counters(gpu, number - 2 * GPU_SLOTS_MAX, &ended);
	else
		return;
	/* Not a count, but what others leave over. */
	ended.idle_cycles = 0;
	memcpy(counts, &ended, COUNTERS * sizeof(u64));
}

void gpu_tally(struct gpu *gpu, u64 *tally)
{
	u32 i;

	for (i = 0; i < row_count(&gpu->config); i++) {
		struct row row = row_of(gpu, i);

		memcpy(tally, row.counts, row.count * sizeof(u64));
		end_spans(gpu, i, tally);
		tally += row.count;
	}
}

void gpu_tally_without_blocks(const struct gpu *gpu, u32 slot, u64 *tally)
{
	u64 *sms = tally + GPU_SLOTS_MAX * SLOT_COUNTS;
	u32 i;

	tally[slot * SLOT_COUNTS + SIMGPU_PLACE_blocks_finished] = 0;
	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].owner == slot)
			sms[i * COUNTERS + SIMGPU_PLACE_blocks_finished] = 0;
}

/* Kernels are few: the driver has them exact, and parts of one would be lost. */
static bool counts_kernels(u32 row, u32 place)
{
	return row < 2 * GPU_SLOTS_MAX && row % 2 == 0 && place == SIMGPU_PLACE_kernels_finished;
}

void gpu_count_kernels(struct gpu *gpu, u32 slot, u64 kernels)
{
	slot_counters(gpu, slot)->kernels_finished += kernels;
}

void gpu_count_leap(struct gpu *gpu, const u64 *counted, u64 stretch, u64 leap)
{
	u32 i, j;

	for (i = 0; i < row_count(&gpu->config); i++) {
		struct row row = row_of(gpu, i);

		for (j = 0; j < row.count; j++)
			if (counted[j] && !counts_kernels(i, j))
				row.counts[j] += fixed_mul_div(counted[j], leap,
							       stretch);
		counted += row.count;
	}
}

u32 gpu_queue_left(const struct gpu *gpu, u32 slot, u32 queue)
{
	const struct grid *grid = &gpu->grids[grid_number(slot, queue)];

	return gpu->tenants[slot].running >> queue & 1 ?
	       grid->blocks - grid->next_block : 0;
}

void gpu_queue_skip(struct gpu *gpu, u32 slot, u32 queue, u32 blocks)
{
	struct grid *grid = &gpu->grids[grid_number(slot, queue)];

	port_assert(!blocks || blocks < gpu_queue_left(gpu, slot, queue));
	grid->next_block += blocks;
	grid->blocks_finished += blocks;
}

bool gpu_is_settled(const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		struct gpu_sm_status status;

		gpu_sm_status(gpu, i, &status);
		if (status.owner != status.next_owner ||
		    status.state != GPU_SM_RUNNING)
			return false;
	}
	for (i = 0; i < GPU_SLOTS_MAX * GPU_QUEUES_MAX; i++)
		if (gpu->grids[i].blocks_preempted)
			return false;
	return true;
}

bool gpu_has_quotas(const struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms * GPU_SLOTS_MAX; i++)
		if (gpu->sm_tenants[i].quota != GPU_NO_QUOTA)
			return true;
	return false;
}
