/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Managed memory as the pager sees it: which pages of a tenant are on the device, the
 * accesses that found theirs missing, and the lines of memory that is taken away.
 *
 * Residency is a table beside the numbering of lines: no address path knows it, so with
 * every page on the device nothing takes another cycle. The load/store unit looks at the
 * table before it sends a line (fault.c). The table changes only where windows end, when
 * both sides of the device stand at the same cycle and the pager is called. So no bit
 * depends on how many threads run the SMs, or where the driver pauses.
 */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include "gpu.h"

/* Lines of a block of addresses, which a chunk of device memory holds. */
#define GPU_CHUNK_LINES		(GPU_CHUNK_BYTES / GPU_LINE_BYTES)
/* Most pages of a block, of 4 KiB. */
#define GPU_CHUNK_PAGES_MAX	512

/**
 * enum gpu_page_state - where a page is
 * @GPU_PAGE_HOST: not on the device: an access to it is a fault
 * @GPU_PAGE_COMING: on its way; an access waits
 * @GPU_PAGE_ARRIVES: it comes at a cycle of the window that begins
 * @GPU_PAGE_DEVICE: on the device
 */
enum gpu_page_state {
	GPU_PAGE_HOST,
	GPU_PAGE_COMING,
	GPU_PAGE_ARRIVES,
	GPU_PAGE_DEVICE,
};

/* What SMs have done with a page, bits of @touched */
#define GPU_PAGE_READ		1
#define GPU_PAGE_WRITTEN	2

/**
 * struct gpu_page - a page of managed memory
 * @arrives: with GPU_PAGE_ARRIVES, the lowest bits of the cycle from which accesses find it
 * @state: &enum gpu_page_state; only the pager changes it
 * @touched: GPU_PAGE_READ and GPU_PAGE_WRITTEN, which SMs set and the pager clears
 */
struct gpu_page {
	u16 arrives;
	u8 state;
	u8 touched;
};

/**
 * struct gpu_fault - an access that found its page missing
 * @cycle: of the access
 * @page: number of the page in its tenant's memory
 * @slot: the tenant
 * @write: it was a store or an atomic
 * @sm: the SM
 */
struct gpu_fault {
	u64 cycle;
	u32 page;
	u8 slot;
	u8 write;
	u16 sm;
};

/**
 * typedef gpu_pager - is called at the end of each window while any slot has managed memory
 * @context: as given to gpu_set_pager()
 * @now: the cycle, at which all parts of the device stand
 *
 * It may call what this header declares below gpu_manage(), and nothing else.
 *
 * Return: whether it has something to do even if no kernel runs.
 */
typedef bool (*gpu_pager)(void *context, u64 now);

/**
 * gpu_pager_bytes() - memory that gpu_set_pager() needs
 * @config: checked
 *
 * Return: bytes.
 */
size_t gpu_pager_bytes(const struct gpu_config *config);

/**
 * gpu_set_pager() - set who brings pages, while no slot has managed memory
 * @gpu: the device, which no thread runs meanwhile
 * @memory: gpu_pager_bytes() bytes, zeroed, 64-byte aligned; the device uses them until
 *	others are set. NULL: nobody brings pages
 * @pager: is called at the end of each window
 * @context: for it
 */
void gpu_set_pager(struct gpu *gpu, void *memory, gpu_pager pager, void *context);

/**
 * gpu_manage() - make the beginning of a slot's memory managed
 * @gpu: the device, with a pager, which no thread runs meanwhile
 * @slot: the tenant, without kernels unless it has managed memory, which does not shrink then
 * @pages: a table that stays valid until the slot is dropped or managed anew
 * @count: number of its pages of the configuration's page_kb; 0: none of its memory is
 *	managed. Accesses behind the last page never fault
 */
void gpu_manage(struct gpu *gpu, u32 slot, struct gpu_page *pages, u32 count);

/**
 * gpu_take_faults() - take the oldest faults
 * @gpu: the device
 * @faults: gets them, in the order of their cycles, then of their SMs
 * @most: how many at most
 *
 * SMs whose buffers were full go on in the next cycle.
 *
 * Return: how many there were.
 */
u32 gpu_take_faults(struct gpu *gpu, struct gpu_fault *faults, u32 most);

/**
 * gpu_pages_came() - let warps go on whose pages have come, or come in this window
 * @gpu: the device
 *
 * To be called where any page's state has become GPU_PAGE_ARRIVES or GPU_PAGE_DEVICE.
 */
void gpu_pages_came(struct gpu *gpu);

/**
 * gpu_flush_block() - remove a block's lines from all caches
 * @gpu: the device
 * @slot: the tenant
 * @block: index of the block, of which no page may be accessed any more
 *
 * Nothing is removed while accesses to the block are under way. Dirty lines are written
 * back as far as there are write credits.
 *
 * Return: whether no line is left. If not, it is to be called again when the next window
 * ends.
 */
bool gpu_flush_block(struct gpu *gpu, u32 slot, u32 block);

/* Whether accesses of a slot wait for pages, or to note their faults. */
bool gpu_waits_for_pages(const struct gpu *gpu, u32 slot);

/* The counters of a slot, to add to what the pager counts. */
struct simgpu_counters *gpu_pager_counters(struct gpu *gpu, u32 slot);

#endif /* SIM_PAGES_H */
