// SPDX-License-Identifier: GPL-2.0
/*
 * Managed memory of a device: when the pager is called, and how the lines of a block leave
 * the caches. fault.c has what SMs do.
 */
#include "sim.h"

size_t gpu_pager_bytes(const struct gpu_config *config)
{
	return sizeof(struct managed) + config->sms * sizeof(struct sm_faults) +
	       config->copy_engines * sizeof(struct copy_engine);
}

void gpu_set_pager(struct gpu *gpu, void *memory, gpu_pager pager, void *context)
{
	struct managed *managed = memory;
	u32 lines = (gpu->config.page_kb << 10) / GPU_LINE_BYTES;

	port_assert(!gpu->managed_memory);
	gpu->managed_memory = managed;
	gpu->engines = gpu->config.copy_engines;
	managed->pager = pager;
	managed->context = context;
	managed->pager_done = gpu->now;
	managed->page_shift = lowest_bit(lines);
	managed->engine = (struct copy_engine *)&managed->sm[gpu->config.sms];
	remote_init(&managed->link);
}

void gpu_manage(struct gpu *gpu, u32 slot, struct gpu_page *pages, u32 count)
{
	struct managed *managed = gpu->managed_memory;

	port_assert(!gpu->tenants[slot].running ||
		    (managed->count[slot] && count >= managed->count[slot]));
	managed->pages[slot] = pages;
	managed->count[slot] = count;
	gpu->managed &= ~(1ULL << slot);
	if (count)
		gpu->managed |= 1ULL << slot;
}

void gpu_call_pager(struct gpu *gpu)
{
	gpu->managed_memory->busy = true;
}

void gpu_pager_tells(struct gpu *gpu)
{
	gpu->managed_memory->tells = true;
}

bool gpu_hear_pager(struct gpu *gpu)
{
	bool tells = pages_tell(gpu);

	if (tells)
		gpu->managed_memory->tells = false;
	return tells;
}

struct simgpu_counters *gpu_pager_counters(struct gpu *gpu, u32 slot)
{
	return slot_counters(gpu, slot);
}

/* --- windows ----------------------------------------------------------------------- */

/*
 * pages_due() - whether a window has ended for the SMs, and the pager was not called yet.
 *	Memory then has to come to the same cycle before SMs go on
 */
bool pages_due(const struct gpu *gpu)
{
	return gpu->managed && !(gpu->sms_done % gpu->shape.window) &&
	       gpu->managed_memory->pager_done != gpu->sms_done;
}

/* pages_window() - call the pager: all parts stand at the end of a window */
void pages_window(struct gpu *gpu)
{
	struct managed *managed = gpu->managed_memory;

	gpu->now = gpu->sms_done;
	managed->pager_done = gpu->now;
	managed->busy = managed->pager(managed->context, gpu->now);
}

/* pages_tell() - whether the pager has something to tell the driver */
bool pages_tell(const struct gpu *gpu)
{
	return gpu->managed_memory && gpu->managed_memory->tells;
}

/* pages_busy() - whether the pager has to be called even if no kernel runs */
bool pages_busy(const struct gpu *gpu)
{
	return gpu->managed && gpu->managed_memory->busy;
}

/* --- a block leaves the caches ------------------------------------------------------ */

/* Whether an SM waits for a line of a block, or for the acknowledgment of a store to one. */
static bool sm_waits_for(const struct gpu *gpu, const struct sm *sm, u32 first)
{
	u32 entries = SM_FIRST_STORE + gpu->config.sm_stores, i;

	for (i = 0; i < entries; i++)
		if (sm->mshr[i].waiters &&
		    sm->mshr[i].line - first < GPU_CHUNK_LINES)
			return true;
	return false;
}

static u32 first_line(u32 slot, u32 block)
{
	return (slot << LINE_SLOT_SHIFT) + block * GPU_CHUNK_LINES;
}

bool gpu_block_is_quiet(struct gpu *gpu, u32 slot, u32 block)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++) {
		/* What an SM puts off to its next turn would depend on where the owner pauses. */
		noc_take_replies(gpu, i);
		sm_take_events(gpu, i, gpu->now);
		if (sm_waits_for(gpu, &gpu->sms[i], first_line(slot, block)))
			return false;
	}
	return true;
}

bool gpu_flush_block(struct gpu *gpu, u32 slot, u32 block, bool write_back)
{
	u32 first = first_line(slot, block), i;

	if (!gpu_block_is_quiet(gpu, slot, block))
		return false;
	for (i = 0; i < gpu->config.sms; i++)
		l1_drop(gpu, i, first, GPU_CHUNK_LINES);
	return llc_flush(gpu, first, GPU_CHUNK_LINES, write_back);
}
