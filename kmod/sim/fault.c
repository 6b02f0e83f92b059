// SPDX-License-Identifier: GPL-2.0
/*
 * Faults: what an SM does with lines whose pages are not on the device (fault.h). The rest
 * of the instruction's lines go on. Its warp is held until all of them have been sent; other
 * warps use the load/store unit meanwhile. When a page comes, the lines that waited for it
 * are sent, before the instructions of other warps. They take no issue slot again.
 */
#include "sim.h"

static struct sm_faults *faults_of(const struct gpu *gpu, u32 index)
{
	return &gpu->managed_memory->sm[index];
}

/* The managed page of a line; NULL: the line is not in managed memory. */
static struct gpu_page *page_of(const struct gpu *gpu, u32 line, u32 *number)
{
	const struct managed *managed = gpu->managed_memory;
	u32 slot = line_slot(line);
	struct gpu_page *page;

	*number = (line & ((1U << LINE_SLOT_SHIFT) - 1)) >> managed->page_shift;
	if (*number >= managed->count[slot])
		return NULL;
	page = &managed->pages[slot][*number];
	return page->state == GPU_PAGE_FIXED ? NULL : page;
}

/* remote_line() - whether a line is accessed over the link */
bool remote_line(const struct gpu *gpu, u32 line)
{
	u32 number;
	const struct gpu_page *page = page_of(gpu, line, &number);

	return page && page->state == GPU_PAGE_REMOTE;
}

/* Whether accesses find a page at a cycle of the window that goes on. */
static bool page_is_there(const struct gpu_page *page, u64 now)
{
	return page->state == GPU_PAGE_DEVICE || page->state == GPU_PAGE_REMOTE ||
	       (page->state == GPU_PAGE_ARRIVES &&
		(s16)((u16)now - page->arrives) >= 0);
}

/* Several SMs may set bits of a page in a window, in different threads. */
static void page_touch(struct gpu_page *page, bool write)
{
	u8 bits = write ? GPU_PAGE_WRITTEN | GPU_PAGE_READ : GPU_PAGE_READ;

	if ((__atomic_load_n(&page->touched, __ATOMIC_RELAXED) & bits) != bits)
		__atomic_fetch_or(&page->touched, bits, __ATOMIC_RELAXED);
}

static bool writes(u32 kind)
{
	return is_store(kind) || kind == TRACE_ATOMIC;
}

/* Whether an SM can note one more fault. */
static bool fault_has_room(const struct gpu *gpu, u32 index)
{
	return faults_of(gpu, index)->noted < gpu->config.fault_buffer;
}

/* Note a fault, unless it is noted already. False: there is no room. */
static bool note(struct gpu *gpu, u32 index, u32 slot, u32 page, bool write)
{
	struct sm_faults *faults = faults_of(gpu, index);
	u32 i;

	for (i = 0; i < faults->noted; i++) {
		struct fault_note *old = &faults->note[i];

		if (old->page == page && old->slot == slot) {
			old->write |= write;
			return true;
		}
	}
	if (!fault_has_room(gpu, index))
		return false;
	faults->note[faults->noted++] = (struct fault_note) {
		.cycle = gpu->now,
		.page = page,
		.slot = (u8)slot,
		.write = write,
	};
	return true;
}

/* The line that the load/store unit would send next waits for its page. */
static void park(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	const struct lsu *lsu = &sm->lsu;
	struct fault_wait *wait = &faults_of(gpu, index)->wait[lsu->warp];
	u32 next = lsu->next;

	if (!(sm->faulted >> lsu->warp & 1)) {
		sm->faulted |= 1ULL << lsu->warp;
		sm->held |= 1ULL << lsu->warp;
		wait->count = 0;
		wait->partial = 0;
		wait->wake = NEVER;
		wait->kind = lsu->kind;
		wait->load = lsu->load;
		wait->words = lsu->words;
	}
	wait->line[wait->count] = lsu->line[next];
	wait->sectors[wait->count] = lsu->sectors[next];
	wait->stored[wait->count] = lsu->stored[next];
	wait->partial |= (lsu->partial >> next & 1) << wait->count;
	wait->count++;
}

/*
 * fault_line() - look whether the page of a line is there; if not, the line waits for it
 * @full: set if the fault finds no room in the SM's buffer: then the line stays where it is
 *
 * Return: whether the line can be sent.
 */
bool fault_line(struct gpu *gpu, u32 index, u32 line, bool *full)
{
	struct sm *sm = &gpu->sms[index];
	bool write = writes(sm->lsu.kind);
	struct gpu_page *page;
	u32 number;

	*full = false;
	/* Contexts of thread blocks lie in memory of their own. */
	if (sm->lsu.kind == LSU_RESTORE || sm->mover != NONE)
		return true;
	page = page_of(gpu, line, &number);
	if (!page || page_is_there(page, gpu->now)) {
		/* One on the host is not changed on the device. */
		if (page && page->state != GPU_PAGE_REMOTE)
			page_touch(page, write);
		return true;
	}
	sm->has_faulted = 1;
	if (page->state == GPU_PAGE_HOST &&
	    !note(gpu, index, line_slot(line), number, write))
		*full = true;
	else
		park(gpu, index);
	return false;
}

/* Give the unit the lines of a warp that wait, to be looked at again. */
static void unpark(struct gpu *gpu, u32 index, u32 warp)
{
	struct sm *sm = &gpu->sms[index];
	const struct fault_wait *wait = &faults_of(gpu, index)->wait[warp];
	struct lsu *lsu = &sm->lsu;

	if (lsu->slot != sm->warp[warp].slot)
		lsu_account(gpu, index);
	fault_forget(sm, 1ULL << warp);
	lsu->kind = wait->kind;
	lsu->warp = (u8)warp;
	lsu->load = wait->load;
	lsu->slot = sm->warp[warp].slot;
	lsu->words = wait->words;
	lsu->partial = wait->partial;
	lsu->next = 0;
	lsu->count = wait->count;
	memcpy(lsu->line, wait->line, sizeof(lsu->line));
	memcpy(lsu->sectors, wait->sectors, sizeof(lsu->sectors));
	memcpy(lsu->stored, wait->stored, sizeof(lsu->stored));
}

/*
 * fault_turn() - let the load/store unit go on that has found room to note a fault; if it is
 *	idle, give it the lines of a warp whose page has come. The warp may issue when none of
 *	its lines waits any more
 */
void fault_turn(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	struct sm_faults *faults = faults_of(gpu, index);
	u64 mask;

	if (lsu_is_held(sm) && sm->lsu.blocked == LSU_FAULTS &&
	    fault_has_room(gpu, index))
		lsu_run(gpu, index);
	for (mask = sm->faulted; mask && lsu_idle(sm, gpu->now); mask &= mask - 1) {
		u32 warp = lowest_bit(mask);

		if (faults->wait[warp].wake > gpu->now)
			continue;
		unpark(gpu, index, warp);
		lsu_run(gpu, index);
	}
}

/*
 * fault_hold() - the load/store unit is done with an instruction: its warp goes on, unless
 *	lines of it still wait. What it waits for next, it waits for because of the fault
 */
void fault_hold(struct gpu *gpu, u32 index, u32 warp)
{
	struct sm *sm = &gpu->sms[index];
	struct warp *w = &sm->warp[warp];

	fault_forget(sm, 0);
	if (!(sm->held >> warp & 1))
		return;
	sm_hold_warps(gpu, index);
	if (sm->held >> warp & 1)
		return;
	if (w->wait_load != WAIT_BARRIER && w->stall != STALL_ENDED)
		w->stall = STALL_FAULT;
}

/* fault_next_turn() - the cycle at which fault_turn() has something to do, or NEVER */
u64 fault_next_turn(const struct gpu *gpu, const struct sm *sm, u32 index)
{
	const struct sm_faults *faults = faults_of(gpu, index);
	u64 next = NEVER, mask;

	if (lsu_is_held(sm))
		return NEVER;
	for (mask = sm->faulted; mask; mask &= mask - 1)
		next = min(next, faults->wait[lowest_bit(mask)].wake);
	return next == NEVER ? NEVER : max(next, sm->lsu.port_free);
}

/* fault_forget() - some warps of an SM vanish, or no line of them waits any more */
void fault_forget(struct sm *sm, u64 warps)
{
	const struct lsu *lsu = &sm->lsu;

	sm->faulted &= ~warps;
	sm->has_faulted = sm->faulted ||
			  (lsu_is_held(sm) && lsu->blocked == LSU_FAULTS);
}

static void forget_notes(struct sm_faults *faults, u32 slot)
{
	u32 stay = 0, i;

	for (i = 0; i < faults->noted; i++)
		if (faults->note[i].slot != slot)
			faults->note[stay++] = faults->note[i];
	faults->noted = stay;
}

/* fault_drop() - a slot is dropped: its faults are forgotten, and its memory is not managed */
void fault_drop(struct gpu *gpu, u32 slot)
{
	u32 i;

	copy_forget(gpu, slot);
	if (!(gpu->managed >> slot & 1))
		return;
	for (i = 0; i < gpu->config.sms; i++) {
		forget_notes(faults_of(gpu, i), slot);
		sm_wake(&gpu->sms[i], gpu->now + 1);
	}
	gpu->managed &= ~(1ULL << slot);
	gpu->managed_memory->count[slot] = 0;
}

/* Whether an SM has accesses of a slot that wait. */
static bool sm_waits(const struct sm *sm, u32 slot)
{
	u64 mask;

	if (!sm->has_faulted)
		return false;
	for (mask = sm->faulted; mask; mask &= mask - 1)
		if (sm->warp[lowest_bit(mask)].slot == slot)
			return true;
	/* The unit has stopped: there is no room for another note. */
	return lsu_is_held(sm) && sm->lsu.blocked == LSU_FAULTS &&
	       sm->lsu.slot == slot;
}

bool gpu_waits_for_pages(const struct gpu *gpu, u32 slot)
{
	u32 i;

	for (i = 0; gpu->managed >> slot & 1 && i < gpu->config.sms; i++)
		if (sm_waits(&gpu->sms[i], slot))
			return true;
	return false;
}

/* --- what the pager asks for ----------------------------------------------------- */

/* The SM with the oldest fault, the lowest one of several; NOBODY: there is none. */
static u32 oldest_fault(const struct gpu *gpu)
{
	u64 best = NEVER;
	u32 found = NOBODY, i;

	for (i = 0; i < gpu->config.sms; i++) {
		const struct sm_faults *faults = faults_of(gpu, i);

		if (faults->noted && faults->note[0].cycle < best) {
			best = faults->note[0].cycle;
			found = i;
		}
	}
	return found;
}

/* Take a note of an SM. */
static void take_note(struct gpu *gpu, u32 sm, u32 index, struct gpu_fault *out)
{
	struct sm_faults *faults = faults_of(gpu, sm);
	const struct fault_note *note = &faults->note[index];

	*out = (struct gpu_fault) {
		.cycle = note->cycle,
		.page = note->page,
		.slot = note->slot,
		.write = note->write,
		.sm = (u16)sm,
	};
	faults->noted--;
	memmove(&faults->note[index], &faults->note[index + 1],
		(faults->noted - index) * sizeof(faults->note[0]));
	sm_wake(&gpu->sms[sm], gpu->now + 1);
}

u32 gpu_take_faults(struct gpu *gpu, struct gpu_fault *out, u32 most)
{
	u32 count, sm;

	for (count = 0; count < most; count++) {
		sm = oldest_fault(gpu);
		if (sm == NOBODY)
			break;
		take_note(gpu, sm, 0, &out[count]);
	}
	return count;
}

u64 gpu_faulting(const struct gpu *gpu, u64 until)
{
	u64 slots = 0;
	u32 i, k;

	for (i = 0; i < gpu->config.sms; i++) {
		const struct sm_faults *faults = faults_of(gpu, i);

		for (k = 0; k < faults->noted && faults->note[k].cycle <= until; k++)
			slots |= 1ULL << faults->note[k].slot;
	}
	return slots;
}

/* The first note of a slot that an SM has; NOBODY: it has none. */
static u32 first_note(const struct sm_faults *faults, u32 slot)
{
	u32 i;

	for (i = 0; i < faults->noted; i++)
		if (faults->note[i].slot == slot)
			return i;
	return NOBODY;
}

u32 gpu_take_faults_of(struct gpu *gpu, u32 slot, u64 until, struct gpu_fault *out,
		       u32 most)
{
	u32 count, sm, best, best_note = 0, note;

	for (count = 0; count < most; count++) {
		best = NOBODY;
		for (sm = 0; sm < gpu->config.sms; sm++) {
			u64 cycle;

			note = first_note(faults_of(gpu, sm), slot);
			if (note == NOBODY)
				continue;
			cycle = faults_of(gpu, sm)->note[note].cycle;
			if (cycle > until ||
			    (best != NOBODY &&
			     cycle >= faults_of(gpu, best)->note[best_note].cycle))
				continue;
			best = sm;
			best_note = note;
		}
		if (best == NOBODY)
			break;
		take_note(gpu, best, best_note, &out[count]);
	}
	return count;
}

/* The cycle from which on a line that waits can be sent, or NEVER. */
static u64 goes_at(const struct gpu *gpu, u32 line)
{
	u32 number;
	const struct gpu_page *page = page_of(gpu, line, &number);

	if (!page || page->state == GPU_PAGE_DEVICE ||
	    page->state == GPU_PAGE_REMOTE)
		return gpu->now + 1;
	if (page->state != GPU_PAGE_ARRIVES)
		return NEVER;
	return gpu->now + (u16)(page->arrives - (u16)gpu->now);
}

/* See which of an SM's warps can go on, and when. */
static void wake_warps(struct gpu *gpu, u32 index)
{
	struct sm *sm = &gpu->sms[index];
	u64 mask;
	u32 i;

	for (mask = sm->faulted; mask; mask &= mask - 1) {
		struct fault_wait *wait =
			&faults_of(gpu, index)->wait[lowest_bit(mask)];

		for (i = 0; i < wait->count; i++)
			wait->wake = min(wait->wake, goes_at(gpu, wait->line[i]));
		if (wait->wake != NEVER)
			sm_wake(sm, wait->wake);
	}
}

void gpu_pages_came(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->config.sms; i++)
		if (gpu->sms[i].faulted)
			wake_warps(gpu, i);
}
