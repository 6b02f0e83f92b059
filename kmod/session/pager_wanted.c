// SPDX-License-Identifier: GPL-2.0
/*
 * Working sets, as traces tell them: the memory policy is asked about those of kernels when
 * other kernels come to the heads of queues, or a tenant gets its first SM or loses the last.
 */
#include "launch.h"
#include "pager_wanted.h"

/* --- whether there are others ------------------------------------------------------------- */

static bool is_managed(const struct pager *pager, u32 slot)
{
	return pager->memory[slot].page_count;
}

/* What names the kernels at the heads of a tenant's queues, and whether it has SMs. */
static u64 heads_of(const struct session *session, u32 slot, bool runs)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 queues = working_queues(tenant);
	u64 hash = hash_mix(queues, runs);

	for (; queues; queues &= queues - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(queues)];
		const struct launch *launch = present_launch(queue);

		hash = hash_mix(hash, launch->sequence);
		hash = hash_mix(hash, launch->repeats_left);
		hash = hash_mix(hash, queue->kernel);
	}
	return hash;
}

/* pager_heads_changed() - whether heads differ from those at the last call */
bool pager_heads_changed(struct pager *pager)
{
	const struct session *session = pager->session;
	u32 sms[SESSION_SLOTS_MAX], slot;
	bool changed = false;

	sms_of_each(session, sms);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u64 heads;

		if (!is_managed(pager, slot))
			continue;
		heads = heads_of(session, slot, sms[slot] || sms_shared(session, slot));
		changed |= heads != pager->heads[slot];
		pager->heads[slot] = heads;
	}
	return changed;
}

/* --- ranges ------------------------------------------------------------------------------- */

/* Whether a range is there already: the next kernel often is the same one. */
static bool is_told(const struct simgpu_place *place, const struct simgpu_wanted *wanted)
{
	u32 i;

	for (i = 0; i < place->wanted_count; i++)
		if (place->wanted[i].slot == wanted->slot &&
		    place->wanted[i].first == wanted->first &&
		    place->wanted[i].count == wanted->count)
			return true;
	return false;
}

/*
 * The next managed pages from @first on, up to @end: sets @first, and returns how many there
 * are; 0: there are none.
 */
static u32 next_managed(const struct pager *pager, u32 slot, u32 *first, u32 end)
{
	const struct pager_memory *memory = &pager->memory[slot];
	u32 at = *first, begin;

	if (!memory->fixed)
		return at < end ? end - at : 0;
	while (at < end && memory->pages[at].state == GPU_PAGE_FIXED)
		at = (at / pager->block_pages + 1) * pager->block_pages;
	begin = at;
	while (at < end && memory->pages[at].state != GPU_PAGE_FIXED)
		at = (at / pager->block_pages + 1) * pager->block_pages;
	*first = begin;
	return begin < end ? min(at, end) - begin : 0;
}

/* The managed pages of a span: from @first up to @end */
static void span_pages(const struct pager *pager, u32 slot, const struct trace_span *span,
		       u32 *first, u32 *end)
{
	u64 pages = pager->memory[slot].page_count, bytes = pager_page_bytes(pager);

	*first = (u32)min(span->first / bytes, pages);
	*end = (u32)min((span->end + bytes - 1) / bytes, pages);
}

/* Add a kernel's spans, in pages, as far as they are managed and there is room. */
static void add_kernel(const struct pager *pager, u32 slot, const struct trace *trace,
		       u32 kernel, bool next, struct simgpu_place *place)
{
	struct trace_span span[TRACE_SPANS_MAX];
	u32 count = trace_reach(trace, kernel, span, 0), first, end, i;
	struct simgpu_wanted wanted = { .slot = slot, .next = next };

	for (i = 0; i < count; i++) {
		span_pages(pager, slot, &span[i], &first, &end);
		for (; place->wanted_count < SIMGPU_WANTED_MAX; first += wanted.count) {
			wanted.count = next_managed(pager, slot, &first, end);
			wanted.first = first;
			if (!wanted.count)
				break;
			if (!is_told(place, &wanted))
				place->wanted[place->wanted_count++] = wanted;
		}
	}
}

static void add_tenant(const struct pager *pager, u32 slot, bool next,
		       struct simgpu_place *place)
{
	const struct session_tenant *tenant = &pager->session->tenants[slot];
	u32 queues = working_queues(tenant), kernel;
	struct launch launch;

	for (; queues; queues &= queues - 1) {
		u32 number = (u32)__builtin_ctz(queues);
		const struct queue *queue = &tenant->queue[number];

		if (!next)
			add_kernel(pager, slot, present_launch(queue)->trace,
				   queue->kernel, false, place);
		else if (launch_next_kernel(pager->session, slot, number, &launch,
					    &kernel))
			add_kernel(pager, slot, launch.trace, kernel, true, place);
	}
}

/* pager_fill_wanted() - the ranges that some tenants' kernels want, a bit for each tenant */
void pager_fill_wanted(const struct pager *pager, u64 slots, struct simgpu_place *place)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_managed(pager, slot) || !(slots >> slot & 1))
			continue;
		add_tenant(pager, slot, false, place);
		add_tenant(pager, slot, true, place);
	}
}

/* --- for SM policies ---------------------------------------------------------------------- */

static u64 wanted_bytes(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct pager *pager = session->pager;
	u32 queues = working_queues(tenant), count = 0, first, end, more, i;
	struct trace_span span[TRACE_SPANS_MAX];
	u64 pages = 0;

	for (; queues; queues &= queues - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(queues)];

		count = trace_reach(present_launch(queue)->trace, queue->kernel, span,
				    count);
	}
	for (i = 0; i < count; i++) {
		span_pages(pager, slot, &span[i], &first, &end);
		while ((more = next_managed(pager, slot, &first, end))) {
			pages += more;
			first += more;
		}
	}
	return pages * pager_page_bytes(pager);
}

/* pager_fill_snapshot() - tell a policy of a tenant's managed memory, if it has any */
void pager_fill_snapshot(const struct session *session, u32 slot,
			 struct simgpu_snapshot_tenant *out)
{
	const struct pager *pager = session->pager;

	if (!pager || !is_managed(pager, slot))
		return;
	out->managed_bytes = pager_managed_bytes(pager, slot);
	out->resident_bytes = (u64)pager->used[slot] * GPU_CHUNK_BYTES;
	out->wanted_bytes = wanted_bytes(session, slot);
}

/* pager_fill_free() - tell a policy how much of the device's memory no block takes */
void pager_fill_free(const struct session *session, struct simgpu_snapshot *out)
{
	const struct pager *pager = session->pager;

	out->managed_free_bytes = pager ? (u64)pager->chunks_free * GPU_CHUNK_BYTES :
					  out->managed_bytes;
}
