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
 * @GPU_PAGE_DELAYED: as GPU_PAGE_HOST, but its fault was taken already; an access waits
 * @GPU_PAGE_REMOTE: on the host, where accesses go over the link; gpu_use_remote() first
 * @GPU_PAGE_FIXED: not managed: on the device for good, in memory of its own
 */
enum gpu_page_state {
	GPU_PAGE_HOST,
	GPU_PAGE_COMING,
	GPU_PAGE_ARRIVES,
	GPU_PAGE_DEVICE,
	GPU_PAGE_DELAYED,
	GPU_PAGE_REMOTE,
	GPU_PAGE_FIXED,
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
 * gpu_set_pager() - set who brings pages, once, while no slot has managed memory
 * @gpu: the device, which no thread runs meanwhile
 * @memory: gpu_pager_bytes() bytes, zeroed, 64-byte aligned; the device uses them to its end
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
 * gpu_call_pager() - have the pager called when the next window ends, also if no kernel runs
 * @gpu: the device, with a pager, which no thread runs meanwhile
 *
 * For when the pager is given something to do by others than the device.
 */
void gpu_call_pager(struct gpu *gpu);

/**
 * gpu_pager_tells() - the pager, which is being called, has something to tell the driver
 * @gpu: the device
 *
 * gpu_run() stops at the end of this window, and does not go on before gpu_hear_pager().
 */
void gpu_pager_tells(struct gpu *gpu);

/**
 * gpu_hear_pager() - take that
 * @gpu: the device
 *
 * Return: whether the pager has something to tell since the last call.
 */
bool gpu_hear_pager(struct gpu *gpu);

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
 * gpu_faulting() - the slots with faults that were not taken
 * @gpu: the device
 * @until: of this cycle or an earlier one
 *
 * Return: a bit for each.
 */
u64 gpu_faulting(const struct gpu *gpu, u64 until);

/**
 * gpu_take_faults_of() - take the oldest faults of a slot
 * @gpu: the device
 * @slot: the tenant
 * @until: only those of this cycle or an earlier one
 * @faults: gets them, as gpu_take_faults() orders them
 * @most: how many at most
 *
 * Return: how many there were.
 */
u32 gpu_take_faults_of(struct gpu *gpu, u32 slot, u64 until, struct gpu_fault *faults,
		       u32 most);

/**
 * gpu_pages_came() - let warps go on whose pages have come, or come in this window
 * @gpu: the device
 *
 * To be called where any page's state has become GPU_PAGE_ARRIVES, GPU_PAGE_DEVICE or
 * GPU_PAGE_REMOTE.
 */
void gpu_pages_came(struct gpu *gpu);

/**
 * gpu_use_remote() - let pages be mapped on the host, from now on
 * @gpu: the device, with a pager
 */
void gpu_use_remote(struct gpu *gpu);

/**
 * gpu_block_is_quiet() - whether all accesses to a block have ended
 * @gpu: the device
 * @slot: the tenant
 * @block: index of the block, of which no page may be accessed any more
 *
 * Return: whether no SM waits for a line of it, or for the acknowledgment of a store to one.
 */
bool gpu_block_is_quiet(struct gpu *gpu, u32 slot, u32 block);

/**
 * gpu_flush_block() - remove a block's lines from all caches
 * @gpu: the device
 * @slot: the tenant
 * @block: index of the block, of which no page may be accessed any more
 * @write_back: dirty lines are written to the memory, as far as there are write credits;
 *	false: nobody needs what they hold
 *
 * Nothing is removed while accesses to the block are under way.
 *
 * Return: whether no line is left. If not, it is to be called again when the next window
 * ends.
 */
bool gpu_flush_block(struct gpu *gpu, u32 slot, u32 block, bool write_back);

/* Most copies that an engine may have been told of, each way. */
#define GPU_COPIES_MAX		1024

/* Whether a copy brings lines to the device, or takes them to the host. */
enum gpu_copy_way {
	GPU_COPY_IN,
	GPU_COPY_OUT,
	GPU_COPY_WAYS,
};

/**
 * struct gpu_copy - lines that cross the link in a row
 * @at: cycle at which the link is done with the last of them
 * @slot: the tenant
 * @line: the first one, in the tenant's memory
 * @count: how many, above 0
 */
struct gpu_copy {
	u64 at;
	u32 slot;
	u32 line;
	u32 count;
};

/**
 * gpu_copy_lead() - how long before the link is done with a line its engine deals with it
 * @config: of the device, checked
 *
 * The time of a copy before its first byte (link_setup_ns) is measured from end to end: the
 * way through the device is a part of it. Where nothing is in its way, a line that comes in
 * has been acknowledged a window before the link's time for it is over.
 *
 * Return: cycles.
 */
u64 gpu_copy_lead(const struct gpu_config *config);

/**
 * gpu_copy() - tell an engine of a copy, which goes on behind earlier ones of its way
 * @gpu: the device, with a pager
 * @engine: below the configuration's copy_engines
 * @way: whether lines are written or read
 * @copy: the lines; there is room for GPU_COPIES_MAX copies
 *
 * The engine sends a request for each line through the crossbar to its slice, as the link
 * gets to it, or later: where slices, or its entries, hold it up.
 */
void gpu_copy(struct gpu *gpu, u32 engine, enum gpu_copy_way way,
	      const struct gpu_copy *copy);

/**
 * gpu_copy_done() - take the oldest copy of an engine, if all of its lines are done with
 * @gpu: the device, with a pager
 * @engine: the engine
 * @way: the way
 * @cycle: set to the cycle at which the engine had its last acknowledgment, or line
 *
 * A copy of a slot that was dropped is done with when what was on its way has come.
 *
 * Return: whether it was taken.
 */
bool gpu_copy_done(struct gpu *gpu, u32 engine, enum gpu_copy_way way, u64 *cycle);

/**
 * gpu_copies_bytes() - memory that gpu_set_copies() needs
 * @config: checked
 *
 * Return: bytes; 0 without copy engines.
 */
size_t gpu_copies_bytes(const struct gpu_config *config);

/**
 * gpu_set_copies() - let the first engine make copies of commands of traces, too
 * @gpu: the device, with a copy engine, which no thread runs meanwhile
 * @memory: gpu_copies_bytes() bytes, zeroed, 64-byte aligned; the device uses them from now on
 */
void gpu_set_copies(struct gpu *gpu, void *memory);

/**
 * gpu_command_copy() - as gpu_copy(), of a command: the first engine has queues of these
 * @gpu: the device, after gpu_set_copies(), which no thread runs meanwhile
 * @way: whether lines are written or read
 * @copy: the lines; there is room for GPU_COPIES_MAX copies. If it is not @at that holds the
 *	lines up, the crossbar does
 */
void gpu_command_copy(struct gpu *gpu, enum gpu_copy_way way, const struct gpu_copy *copy);

/**
 * gpu_command_copy_done() - as gpu_copy_done(), of a command
 * @gpu: the device, after gpu_set_copies(), which no thread runs meanwhile
 * @way: the way
 * @cycle: set to the cycle at which the engine had its last acknowledgment, or line
 *
 * Return: whether it was taken.
 */
bool gpu_command_copy_done(struct gpu *gpu, enum gpu_copy_way way, u64 *cycle);

/**
 * gpu_share_link() - let copies and lines of pages on the host take the link from each other
 * @gpu: the device, with a pager, where a window ends
 * @way: a direction of the link
 * @until: cycle until which copies take it
 *
 * Return: core cycles by which lines have kept copies up since the last call, to add to @until.
 */
u64 gpu_share_link(struct gpu *gpu, enum gpu_copy_way way, u64 until);

/* Requests of a slot's SMs for lines, or sectors of one, of pages on the host. */
u64 gpu_remote_lines(const struct gpu *gpu, u32 slot);

/* Whether accesses of a slot wait for pages, or to note their faults. */
bool gpu_waits_for_pages(const struct gpu *gpu, u32 slot);

/* The counters of a slot, to add to what the pager counts. */
struct simgpu_counters *gpu_pager_counters(struct gpu *gpu, u32 slot);

#endif /* SIM_PAGES_H */
