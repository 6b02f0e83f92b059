// SPDX-License-Identifier: GPL-2.0
/*
 * Managed memory of a session: the pager's memory, the tables of tenants, and the settings.
 * All of it is given or changed between two runs of the hardware; pager.c moves pages.
 */
#include "managed.h"
#include "pager_chunks.h"
#include "pager_fetch.h"

/* struct session_tables - a tenant's tables, with their arrays behind it */
struct session_tables {
	struct session_tables_need is;
	u32 blocks;
	u32 unused;
	struct block_past block[];
};

/* --- the pager's memory ---------------------------------------------------------------- */

static void free_pager(struct pager *pager)
{
	u32 i;

	if (!pager)
		return;
	for (i = 0; i < SESSION_SLOTS_MAX; i++)
		free_tables(&pager->memory[i]);
	port_free(pager->gpu_memory);
	port_free(pager->policy_state);
	port_free(pager->chunk);
	port_free(pager);
}

/* A pager for so many MiB, that nobody uses yet; NULL without memory. */
static struct pager *make_pager(struct session *session, u32 mb)
{
	size_t gpu_bytes = gpu_pager_bytes(&session->initial.config) + GPU_ALIGNMENT;
	struct pager *pager = port_alloc(sizeof(*pager));
	u32 i;

	if (!pager)
		return NULL;
	pager->session = session;
	pager->chunks = mb / (GPU_CHUNK_BYTES >> 20);
	pager->gpu_memory = port_alloc(gpu_bytes);
	pager->policy_state = port_alloc(SIMGPU_STATE_BYTES_MAX);
	pager->chunk = port_alloc(pager->chunks * sizeof(*pager->chunk));
	if (!pager->gpu_memory || !pager->policy_state || !pager->chunk) {
		free_pager(pager);
		return NULL;
	}
	for (i = 0; i < pager->chunks; i++)
		pager->chunk[i].is.slot = SESSION_SLOTS_MAX;
	pager->chunks_free = pager->chunks;
	return pager;
}

/* Have a pager of that size at hand; the one in use stays. */
static int provide_pager(struct session *session, u32 mb)
{
	struct pager *pager;

	if (session->pager_spare && session->pager_spare->chunks == mb / (GPU_CHUNK_BYTES >> 20))
		return 0;
	pager = make_pager(session, mb);
	if (!pager)
		return -ENOMEM;
	free_pager(session->pager_spare);
	session->pager_spare = pager;
	return 0;
}

/*
 * managed_begin() - at the cold start: settle the size and the policy of managed memory, and
 *	take what the pager will need, so that no launch has to wait for it
 */
int managed_begin(struct session *session)
{
	struct session_options *initial = &session->initial;

	session->configured_mib = initial->config.managed_mb;
	if (initial->managed_mib)
		initial->config.managed_mb = initial->managed_mib;
	if (!initial->memory_policy)
		initial->memory_policy =
			registry_memory_policy_at(initial->memory_policy_index);
	if (!initial->config.managed_mb)
		return 0;
	return provide_pager(session, initial->config.managed_mb);
}

/* managed_end() - free what the pager has; the hardware is not used any more */
void managed_end(struct session *session)
{
	free_pager(session->pager);
	free_pager(session->pager_spare);
	session->pager = NULL;
	session->pager_spare = NULL;
}

/* The first tenant gets managed memory: from now on the hardware calls the pager. */
static int use_pager(struct session *session)
{
	struct pager *pager;
	int ret = session->pager ? 0 :
		  provide_pager(session, session->initial.config.managed_mb);

	if (ret || session->pager)
		return ret;
	pager = session->pager_spare;
	session->pager_spare = NULL;
	session->pager = pager;
	pager->policy = session->initial.memory_policy;
	pager->remote_next = PAGER_NEVER;
	pager->block_pages = GPU_CHUNK_BYTES / pager_page_bytes(pager);
	gpu_set_pager(session->gpu, align_gpu(pager->gpu_memory), pager_window, pager);
	return 0;
}

/* --- tables ---------------------------------------------------------------------------- */

static u32 blocks_of(struct session_tables_need need)
{
	u32 block_pages = (GPU_CHUNK_BYTES >> 10) / need.page_kib;

	return (need.pages + block_pages - 1) / block_pages;
}

size_t session_tables_bytes(struct session_tables_need need)
{
	return sizeof(struct session_tables) +
	       blocks_of(need) * (sizeof(struct block_past) + sizeof(u32) + sizeof(u8)) +
	       need.pages * (sizeof(struct gpu_page) + sizeof(u8));
}

static struct gpu_page *pages_of(struct session_tables *tables)
{
	return (struct gpu_page *)&tables->block[tables->blocks];
}

static u32 *chunks_of(struct session_tables *tables)
{
	return (u32 *)&pages_of(tables)[tables->is.pages];
}

struct session_tables *session_tables_make(struct session_tables_need need)
{
	struct session_tables *tables = port_alloc(session_tables_bytes(need));

	if (!tables)
		return NULL;
	tables->is = need;
	tables->blocks = blocks_of(need);
	/* Blocks without a chunk. */
	static_assert(NO_CHUNK == U32_MAX, "bytes of ones");
	memset(chunks_of(tables), 0xff, tables->blocks * sizeof(u32));
	return tables;
}

struct session_tables_need session_tables_need(const struct session *session, u32 slot,
					       u64 footprint)
{
	struct session_tables_need need = { .page_kib = session->initial.config.page_kb };
	u64 page_bytes = (u64)need.page_kib << 10, pages;

	/* A trace that accesses no memory has a page, too. */
	pages = max_t(u64, (footprint + page_bytes - 1) / page_bytes, 1);
	if (slot == SESSION_ANY_SLOT || !session->pager ||
	    pages > session->pager->memory[slot].page_count)
		need.pages = (u32)pages;
	return need;
}

/* Give a slot tables, in the place of smaller ones if it has any. */
static void use_tables(struct session *session, u32 slot, struct session_tables *tables)
{
	struct pager_memory *memory = &session->pager->memory[slot], old = *memory;
	u32 *chunk = chunks_of(tables);

	*memory = (struct pager_memory) {
		.pages = pages_of(tables),
		.blocks = tables->block,
		.chunk = chunk,
		.past = (u8 *)&chunk[tables->blocks],
		.advice = (u8 *)&chunk[tables->blocks] + tables->is.pages,
		.tables = tables,
		.page_count = tables->is.pages,
		.block_count = tables->blocks,
		.resident = old.resident,
		.fixed = old.fixed,
	};
	if (old.tables) {
		port_copy(memory->pages, old.pages, old.page_count * sizeof(*old.pages));
		port_copy(memory->blocks, old.blocks, old.block_count * sizeof(*old.blocks));
		port_copy(memory->chunk, old.chunk, old.block_count * sizeof(*old.chunk));
		port_copy(memory->past, old.past, old.page_count);
		port_copy(memory->advice, old.advice, old.block_count);
		free_tables(&old);
	}
	gpu_manage(session->gpu, slot, memory->pages, memory->page_count);
}

/* --- which blocks are managed ---------------------------------------------------------- */

/*
 * Whether a launch of a trace makes a block managed; without a trace all are made so. Blocks
 * are asked about in ascending order: @next is the first span that may have one of them.
 */
static bool wants_block(const struct trace *trace, u32 block, u32 *next)
{
	u64 first = (u64)block * GPU_CHUNK_BYTES;

	static_assert(GPU_CHUNK_BYTES == TRACE_MEMORY_BLOCK_BYTES, "a block");
	if (!trace)
		return true;
	while (*next < trace->managed_count && trace->managed[*next].end <= first)
		++*next;
	return *next < trace->managed_count && trace->managed[*next].first <= first;
}

/* Of so many pages in all, those of a block */
static u32 pages_in(u32 pages, u32 block_pages, u32 block)
{
	return min(pages - block * block_pages, block_pages);
}

/* From now on a block's pages are managed, on the host; or not, and on the device for good. */
static void set_block(struct pager *pager, struct pager_memory *memory, u32 block,
		      bool managed)
{
	u32 first = block * pager->block_pages, i;
	u32 outer = first + pages_in(memory->page_count, pager->block_pages, block);

	port_pause();
	for (i = first; i < outer; i++) {
		struct gpu_page *page = &memory->pages[i];
		bool fixed = page->state == GPU_PAGE_FIXED;

		if (managed && fixed) {
			page->state = GPU_PAGE_HOST;
			memory->fixed--;
		} else if (!managed && !fixed) {
			page->state = GPU_PAGE_FIXED;
			memory->fixed++;
		}
	}
}

/*
 * Manage what a launch wants of a slot's memory up to @bytes, which had so many pages before.
 * A block that was managed stays so, also where memory grows in its middle.
 */
static void manage_blocks(struct pager *pager, u32 slot, u32 old_pages, u64 bytes,
			  const struct trace *trace)
{
	struct pager_memory *memory = &pager->memory[slot];
	u32 next = 0, block;

	if (!memory->fixed && (!trace || old_pages == memory->page_count))
		return;
	for (block = 0; block < memory->block_count; block++) {
		u32 first = block * pager->block_pages;
		bool wanted = (u64)block * GPU_CHUNK_BYTES < bytes &&
			      wants_block(trace, block, &next);
		bool was = first < old_pages &&
			   memory->pages[first].state != GPU_PAGE_FIXED;

		if (wanted > was || first + pager->block_pages > old_pages)
			set_block(pager, memory, block, wanted || was);
	}
}

/* What a launch makes managed: NULL: all of its footprint; else what its trace says */
static const struct trace *wanted_by(const struct session_launch_options *options)
{
	return options->managed ? NULL : options->trace;
}

/* Whether a launch would manage blocks that its tenant has, and that are not managed. */
static bool changes_blocks(const struct session *session, u32 slot,
			   const struct session_launch_options *options)
{
	const struct pager *pager = session->pager;
	const struct pager_memory *memory = &pager->memory[slot];
	u64 end = options->trace->footprint_bytes;
	u32 next = 0, block;

	for (block = 0; memory->fixed && block < memory->block_count &&
	     (u64)block * GPU_CHUNK_BYTES < end; block++)
		if (memory->pages[block * pager->block_pages].state == GPU_PAGE_FIXED &&
		    wants_block(wanted_by(options), block, &next))
			return true;
	return false;
}

/* Pages that are not managed when a launch has made managed what it wants */
static u32 fixed_after(const struct session *session, u32 slot,
		       const struct session_launch_options *options)
{
	u32 page_kib = session->initial.config.page_kb, block, next = 0, fixed = 0;
	const struct pager_memory none = { 0 }, *memory = &none;
	u32 block_pages = (GPU_CHUNK_BYTES >> 10) / page_kib, pages;

	if (slot != SESSION_ANY_SLOT && managed_is(session, slot))
		memory = &session->pager->memory[slot];
	pages = session_tables_need(session, SESSION_ANY_SLOT,
				    options->trace->footprint_bytes).pages;
	pages = max(memory->page_count, pages);
	for (block = 0; block * block_pages < pages; block++) {
		u32 first = block * block_pages;
		bool wanted = wants_block(options->trace, block, &next);

		if (!wanted && (first >= memory->page_count ||
				memory->pages[first].state == GPU_PAGE_FIXED))
			fixed += pages_in(pages, block_pages, block);
	}
	return fixed;
}

/* managed_room() - bytes of device memory that a launch needs beside the pager's */
u64 managed_room(const struct session *session, u32 slot,
		 const struct session_launch_options *options)
{
	u64 footprint = options->trace->footprint_bytes;

	/* Without memory for managed pages a launch that wants some is refused in any case. */
	if (session_launch_manages(options) &&
	    (options->managed || !session->initial.config.managed_mb))
		return 0;
	if (session_launch_manages(options))
		return min(footprint, (u64)fixed_after(session, slot, options) *
				      ((u64)session->initial.config.page_kb << 10));
	return slot == SESSION_ANY_SLOT ? footprint : managed_leaves(session, slot, footprint);
}

/* --- tables and blocks of a slot ------------------------------------------------------- */

/* Give a slot tables for so much memory, which the caller may have made. */
static int provide_tables(struct session *session, u32 slot, u64 bytes,
			  struct session_tables **made)
{
	struct session_tables_need need = session_tables_need(session, slot, bytes);
	struct session_tables *tables = NULL;
	int ret;

	if (!need.pages)
		return 0;
	ret = use_pager(session);
	if (ret)
		return ret;
	if (made && *made && (*made)->is.page_kib == need.page_kib &&
	    (*made)->is.pages >= need.pages) {
		tables = *made;
		*made = NULL;
	} else {
		tables = session_tables_make(need);
	}
	if (!tables)
		return -ENOMEM;
	use_tables(session, slot, tables);
	return 0;
}

/* Manage memory of a slot up to @bytes: all of it, or, with a trace, what that says. */
static int manage(struct session *session, u32 slot, u64 bytes, const struct trace *trace,
		  struct session_tables **made)
{
	u32 old_pages = session->pager ? session->pager->memory[slot].page_count : 0;
	int ret = provide_tables(session, slot, bytes, made);

	if (!ret)
		manage_blocks(session->pager, slot, old_pages, bytes, trace);
	return ret;
}

/* --- tenants --------------------------------------------------------------------------- */

int session_manage(struct session *session, u32 slot, u64 bytes)
{
	if (slot >= SESSION_SLOTS_MAX || !is_member(session, slot) || !bytes ||
	    bytes > (u64)GPU_LINE_BYTES << 26 || session->sampling ||
	    !session->initial.config.managed_mb)
		return -EINVAL;
	if (session->tenants[slot].next_sequence > 1 || managed_is(session, slot))
		return -EBUSY;
	return manage(session, slot, bytes, NULL, NULL);
}

/* managed_check_range() - whether a tenant may say something of some bytes of its memory */
int managed_check_range(const struct session *session, u32 slot, u64 offset, u64 bytes)
{
	u64 managed;

	if (session->stopped || session->canceled)
		return -ECANCELED;
	if (slot >= SESSION_SLOTS_MAX || !is_member(session, slot) ||
	    !managed_is(session, slot))
		return -ENXIO;
	managed = session->pager->memory[slot].page_count *
		  (u64)pager_page_bytes(session->pager);
	return !bytes || offset >= managed || bytes > managed - offset ? -EINVAL : 0;
}

int session_prefetch(struct session *session, u32 slot, u64 offset, u64 bytes)
{
	int ret = managed_check_range(session, slot, offset, bytes);
	struct journal_event *event;
	u64 page_bytes;
	u32 first, last;

	if (ret)
		return ret;
	page_bytes = pager_page_bytes(session->pager);
	first = (u32)(offset / page_bytes);
	last = (u32)((offset + bytes - 1) / page_bytes);
	if (!pager_prefetch(session->pager, slot, first, last - first + 1))
		return -ENOSPC;
	event = journal_add(session, JOURNAL_PREFETCH, slot);
	event->prefetch.offset = offset;
	event->prefetch.bytes = bytes;
	return 0;
}

/* managed_check() - whether the session has managed memory for a launch that wants it */
int managed_check(const struct session *session,
		  const struct session_launch_options *options)
{
	if (!session_launch_manages(options))
		return 0;
	/* Time cannot leap over faults: nobody knows how many a stretch would have. */
	return session->initial.config.managed_mb && !session->sampling ?
	       0 : -EOPNOTSUPP;
}

/*
 * managed_check_tenant() - whether a tenant may launch with, or without, managed memory
 *
 * Queues of a tenant share its memory: what one has as managed, the others have so, too.
 */
int managed_check_tenant(const struct session *session, u32 slot,
			 const struct session_launch_options *options)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (session_launch_manages(options))
		return tenant->pending && (!managed_is(session, slot) ||
					   changes_blocks(session, slot, options)) ?
		       -EBUSY : 0;
	return managed_is(session, slot) &&
	       session_tables_need(session, slot,
				   options->trace->footprint_bytes).pages ? -EINVAL : 0;
}

/* managed_check_prefetch() - whether a launch can ask for its pages, if it wants that */
int managed_check_prefetch(const struct session *session, u32 slot,
			   const struct session_launch_options *options)
{
	if (!options->prefetch)
		return 0;
	if (!session_launch_manages(options) && !managed_is(session, slot))
		return -ENXIO;
	return session->pager &&
	       session->pager->prefetch[slot].count == SESSION_PREFETCHES_MAX ? -ENOSPC : 0;
}

/*
 * managed_check_requests() - the same for requests that come by themselves, which make no
 *	memory managed: a launch of their trace has done that before
 */
int managed_check_requests(const struct session *session, u32 slot,
			   const struct session_launch_options *options)
{
	if (!session_launch_manages(options))
		return managed_check_tenant(session, slot, options);
	return managed_is(session, slot) && !changes_blocks(session, slot, options) &&
	       !session_tables_need(session, slot, options->trace->footprint_bytes).pages ?
	       0 : -EOPNOTSUPP;
}

/* managed_provide() - manage the memory of a launch that wants it */
int managed_provide(struct session *session, u32 slot,
		    const struct session_launch_options *options)
{
	return session_launch_manages(options) ?
	       manage(session, slot, options->trace->footprint_bytes, wanted_by(options),
		      options->tables) : 0;
}

/* --- limits ---------------------------------------------------------------------------- */

static bool has_members(const struct session *session, u64 slots)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (slots >> slot & 1 && !is_member(session, slot))
			return false;
	return true;
}

int session_set_memory_group(struct session *session, u32 index,
			     const struct session_memory_group *group)
{
	struct session_memory_group *to = &session->memory_groups[index];
	struct journal_event *event;

	if (index >= SESSION_MEMORY_GROUPS_MAX || !limits_are_good(&group->limits) ||
	    !has_members(session, group->slots))
		return -EINVAL;
	if (!memcmp(to, group, sizeof(*to)))
		return 0;
	event = journal_add(session, JOURNAL_MEMORY_GROUP, 0);
	event->memory_group.index = index;
	event->memory_group.is = *group;
	*to = *group;
	return 0;
}

/* managed_forget_slot() - a tenant leaves its slot: it is in no group any more */
void managed_forget_slot(struct session *session, u32 slot)
{
	u32 i;

	for (i = 0; i < SESSION_MEMORY_GROUPS_MAX; i++)
		session->memory_groups[i].slots &= ~(1ULL << slot);
}

/* managed_hash_limits() - add the limits of groups, where any are set */
u64 managed_hash_limits(const struct session *session, u64 hash)
{
	static const struct session_memory_group none;
	u32 i;

	for (i = 0; i < SESSION_MEMORY_GROUPS_MAX; i++) {
		const struct session_memory_group *group = &session->memory_groups[i];

		if (memcmp(group, &none, sizeof(none)))
			hash = hash_bytes(hash_mix(hash, i), group, sizeof(*group));
	}
	return hash;
}

/* --- settings -------------------------------------------------------------------------- */

static bool some_managed(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (managed_is(session, slot))
			return true;
	return false;
}

static u32 resulting_mib(const struct session *session, u64 mb)
{
	return mb ? (u32)mb : session->configured_mib;
}

int session_prepare_managed_mib(struct session *session, u64 mb)
{
	if (mb > SESSION_MANAGED_MIB_MAX || mb % (GPU_CHUNK_BYTES >> 20))
		return -EINVAL;
	if (resulting_mib(session, mb) == session->initial.config.managed_mb)
		return 0;
	if (some_managed(session))
		return -EBUSY;
	return resulting_mib(session, mb) ?
	       provide_pager(session, resulting_mib(session, mb)) : 0;
}

/*
 * Nobody has managed memory: the pager gets other chunks, all of them free. It stays, since the
 * device may still have requests of its copies under way, and time stands still where nobody
 * has work.
 */
static void use_chunks(struct session *session)
{
	struct pager *pager = session->pager, *spare = session->pager_spare;
	bool any = session->initial.config.managed_mb;

	pager->chunks = any ? spare->chunks : 0;
	pager->chunks_free = pager->chunks;
	if (!any)
		return;
	port_free(pager->chunk);
	pager->chunk = spare->chunk;
	spare->chunk = NULL;
	session->pager_spare = NULL;
	free_pager(spare);
}

int session_set_managed_mib(struct session *session, u64 mb)
{
	int ret = session_prepare_managed_mib(session, mb);

	if (ret || resulting_mib(session, mb) == session->initial.config.managed_mb)
		return ret;
	journal_add(session, JOURNAL_MANAGED_MIB, 0)->managed_mib = mb;
	session->initial.config.managed_mb = resulting_mib(session, mb);
	if (session->pager)
		use_chunks(session);
	return 0;
}

/*
 * managed_hash() - add what will decide about the managed memory of a session in which no
 *	tenant has any; the hardware's hash has the size at the cold start
 */
u64 managed_hash(const struct session *session, u64 hash)
{
	const struct session_options *initial = &session->initial;

	if (!initial->config.managed_mb && !gpu_config(session->gpu)->managed_mb)
		return hash;
	hash = hash_mix(hash, initial->config.managed_mb);
	return hash_bytes(hash, initial->memory_policy->name, SIMGPU_NAME_BYTES);
}
