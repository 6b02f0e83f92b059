/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in an SM: the lines of a memory instruction whose pages are missing wait in a
 * place of their warp, and go through the load/store unit when the pages have come.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "copy.h"
#include "pages.h"
#include "remote.h"
#include "sm.h"

PORT_NO_HOLES_BEGIN

/*
 * struct fault_wait - the lines of a warp's instruction that wait for their pages
 * @wake: cycle from which on one of them can go; NEVER: not known yet
 * @partial: as in struct lsu, for these lines; as are @kind, @load, @words, @line, @stored
 *	and @sectors
 * @count: lines that wait; 0: none
 */
struct fault_wait {
	u64 wake;
	u32 partial;
	u8 count;
	u8 kind;
	u8 load;
	u8 words;
	u32 line[GPU_LANES];
	u32 stored[GPU_LANES];
	u8 sectors[GPU_LANES];
};

/* struct fault_note - a fault that the pager has not taken yet: see struct gpu_fault */
struct fault_note {
	u64 cycle;
	u32 page;
	u8 slot;
	u8 write;
	u8 unused[2];
};

/*
 * struct sm_faults - the faults of an SM
 * @noted: entries of @note, the oldest first; the configuration's fault_buffer at most
 * @wait: by warp, valid for those of the SM's @faulted
 */
struct sm_faults {
	u32 noted;
	u32 unused[15];
	struct fault_note note[GPU_FAULT_BUFFER_MAX];
	struct fault_wait wait[SM_WARPS_MAX];
} __aligned(64);

/*
 * struct managed - managed memory of a device, see gpu_set_pager()
 * @pages: by slot, its table
 * @count: by slot, the entries of that
 * @pager_done: the end of the last window at which the pager was called
 * @busy: what the pager returned; or it has been given something to do since
 * @tells: the pager has something to tell that the driver has not taken yet
 * @page_shift: log2() of a page's lines
 * @engine: copy engines
 * @link: the link to the host, for lines of pages that stay there
 */
struct managed {
	struct gpu_page *pages[GPU_SLOTS_MAX];
	u32 count[GPU_SLOTS_MAX];
	gpu_pager pager;
	void *context;
	u64 pager_done;
	bool busy;
	bool tells;
	u8 unused[2];
	u32 page_shift;
	struct copy_engine *engine;
	struct remote_link link;
	u8 unused2[8];
	struct sm_faults sm[];
} __aligned(64);

PORT_NO_HOLES_END

/* fault.c */
bool remote_line(const struct gpu *gpu, u32 line);
bool fault_line(struct gpu *gpu, u32 sm, u32 line, bool *full);
void fault_hold(struct gpu *gpu, u32 sm, u32 warp);
void fault_turn(struct gpu *gpu, u32 sm);
u64 fault_next_turn(const struct gpu *gpu, const struct sm *sm, u32 index);
void fault_forget(struct sm *sm, u64 warps);
void fault_drop(struct gpu *gpu, u32 slot);

/* pages.c */
bool pages_due(const struct gpu *gpu);
void pages_window(struct gpu *gpu);
bool pages_tell(const struct gpu *gpu);
bool pages_busy(const struct gpu *gpu);

#endif /* SIM_FAULT_H */
