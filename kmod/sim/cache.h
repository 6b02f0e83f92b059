/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches: L1s, the slices of the last-level cache, and the directories beside
 * it that show what a tenant would find if it were alone.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "parts.h"

/* Misses on a pending line that one MSHR entry can hold, as GPGPU-Sim's 8. */
#define MSHR_MERGES		8
#define CACHE_WAYS_MAX		16
/* Ways of an L1's set, and sets of an L1 whose sets have more than CACHE_WAYS_MAX. */
#define L1_WAYS_MAX		256
#define L1_BIG_SETS_MAX		16
#define LLC_MSHRS_MAX		192
/* Most flits of a slice's queue that has an end: indices of its ring are bytes. */
#define SLICE_QUEUE_MAX		255
#define LEFT_FLITS_BITS		8
#define LLC_WRITES_MAX		192
/* Completions that may be on their way to a slice: a power of two, as their ring. */
#define LLC_DONE_MAX		512
/* Most tags of a tenant's auxiliary directories: those of 64 tenants take 4 MB. */
#define ATD_TAGS_MAX		16384
/* Most tags of a tenant's mirror. */
#define MIRROR_TAGS_MAX		16384

/* An SM's L1s: loads look up one, constant loads the other. */
enum l1_kind {
	L1_DATA,
	L1_CONSTANT,
	L1_KINDS
};

PORT_NO_HOLES_BEGIN

/*
 * struct l1_set - a set of an SM's L1: tags only, nothing is dirty
 * @order: the ways, see lru_touch()
 */
struct l1_set {
	u64 order;
	u32 tag[];
};

/*
 * struct l1 - the SMs' L1s of one kind
 * @words: SMs x sets, each @set_words long
 * @sets: sets of an SM's L1, a power of two; 0: every access hits
 * @ways: ways of a set
 * @sectors: sectors of a line, 1 or 4
 * @valid: word of a set at which its valid bits begin, one for each sector, four a
 *	way; with @sectors 1 there are none
 * @big_sets: sets of more than CACHE_WAYS_MAX ways, of which l1_big.c takes care; 0: there
 *	are none
 */
struct l1 {
	u32 *words;
	u32 sets;
	u32 ways;
	u32 set_words;
	u32 sectors;
	u32 valid;
	u32 big_sets;
};

/*
 * struct llc_set - a set of a slice; two cache lines. @valid, @dirty and @pending have
 *	four bits a way, for its sectors; if lines have no sectors, the lowest bit
 *	stands for the line
 * @partial: a byte of each way's tag
 * @order: the ways, see lru_touch()
 * @valid: sectors that can be read
 * @dirty: sectors that were written
 * @pending: sectors that are being fetched; not @valid yet
 * @mshr: MSHR entry of the fetch; if several sectors are fetched, the first of a list
 * @tag: line of each way; NO_LINE for an empty one
 */
struct llc_set {
	u64 partial[CACHE_WAYS_MAX / 8];
	u64 order;
	u64 valid;
	u64 dirty;
	u64 pending;
	u8 mshr[CACHE_WAYS_MAX];
	u32 tag[CACHE_WAYS_MAX] __aligned(64);
} __aligned(64);

/*
 * struct llc_mshr - a fetch and the SMs that wait for it: @sm, its entry @sm_mshr,
 *	and the @flits of the reply
 * @next: next entry of the free list, or of the fetches of its way
 */
struct llc_mshr {
	u16 set;
	u8 way;
	u8 waiters;
	u8 dirty;
	u8 generation;
	u8 next;
	u8 sector;
	u16 sm[MSHR_MERGES];
	u8 flits[MSHR_MERGES];
	u16 sm_mshr[MSHR_MERGES];
};

/*
 * struct slice - a slice of the last-level cache
 * @turn_at: cycle of its next turn
 * @request_head: place of the first request in its queue, NOBODY for none
 * @request_tail: place of the last request
 * @request_at: cycle at which the first request may be looked up; NEVER if
 *	there is none or it is @stalled
 * @done_at: cycle at which the first completion arrives, NEVER if none comes
 * @stalled: the request at the head, or all that have arrived, wait for an MSHR,
 *	a way or a write credit
 * @turn: the SM whose request was looked up last (GPU_ARBITRATE_SM)
 * @room: with slice_queue_flits, the flits for which the ports know of room in its queue
 * @left: what requests left since: the cycle at which the ports learn it and, in the lowest
 *	LEFT_FLITS_BITS bits, how many flits, the oldest first
 * @left_in: the next entry of @left that is written
 * @left_out: the oldest
 */
struct slice {
	u64 turn_at;
	u64 request_at;
	u64 done_at;
	u64 in_free;
	u64 out_free;
	u64 room;
	u32 request_head;
	u32 request_tail;
	u32 request_count;
	u16 turn;
	u16 done_count;
	u8 stalled;
	u8 write_credits;
	u8 mshr_free;
	u8 mshrs_used;
	u16 done_head;
	u8 left_in;
	u8 left_out;
	struct dram_done done[LLC_DONE_MAX];
	struct llc_mshr mshr[LLC_MSHRS_MAX];
	u64 left[SLICE_QUEUE_MAX + 1];
};

PORT_NO_HOLES_END

/* --- least recently used ------------------------------------------------- */

/* Nibbles are way numbers, the most recently used one lowest. */
#define LRU_FRESH	0xfedcba9876543210ULL

static inline u32 lru_way(u64 order, u32 rank)
{
	return (order >> (rank * 4)) & 15;
}

/* Make the way at a rank the youngest. */
static inline u64 lru_renew(u64 order, u32 rank)
{
	u32 shift = rank * 4;
	u64 younger = order & ((1ULL << shift) - 1);
	/* A shift in two steps, since the rank may be the last. */
	u64 older = order >> shift >> 4 << 4 << shift;

	return older | (younger << 4) | lru_way(order, rank);
}

static inline u64 lru_touch(u64 order, u32 way)
{
	u64 same = order ^ (0x1111111111111111ULL * way);
	/* The lowest zero nibble of @same is at the place of @way. */
	u64 zero = (same - 0x1111111111111111ULL) & ~same &
		   0x8888888888888888ULL;

	return lru_renew(order, lowest_bit(zero) / 4);
}

/* --- what loads look up ------------------------------------------------------- */

static inline struct l1_set *l1_set_at(const struct l1 *l1, u32 sm, u32 index)
{
	return (struct l1_set *)&l1->words[(sm * l1->sets + index) *
					   l1->set_words];
}

/* l1_set() - the set of an SM's L1 where a line belongs */
static inline struct l1_set *l1_set(const struct l1 *l1, u32 sm, u32 line)
{
	return l1_set_at(l1, sm, (line ^ (line >> 6) ^ (line >> 12)) &
				 (l1->sets - 1));
}

/* The way of a set that has a line's tag, or NONE. */
static inline u32 l1_find(const struct l1 *l1, const struct l1_set *set, u32 line)
{
	u32 ways = l1->ways, way, found = NONE;

	/* All ways are compared, so that no branch depends on the way. */
	for (way = 0; way < ways; way++)
		found = set->tag[way] == line ? way : found;
	return found;
}

/* The valid bits of a set's sectors, four a way. */
static inline u64 *l1_valid(const struct l1 *l1, struct l1_set *set)
{
	return (u64 *)((u32 *)set + l1->valid);
}

/* l1_big.c */
u32 l1_big_words(u32 sets, u32 ways);
void l1_big_flush(const struct l1 *l1, u32 sm);
bool l1_big_lookup(const struct l1 *l1, u32 sm, u32 line, u32 sectors);
bool l1_big_has_room(const struct l1 *l1, u32 sm, u32 line);
u16 l1_big_reserve(const struct l1 *l1, u32 sm, u32 line, u32 sectors);
void l1_big_release(const struct l1 *l1, u32 sm, u16 reserved, u32 sectors);
void l1_big_write(const struct l1 *l1, u32 sm, u32 line, u32 stored);
void l1_big_fill(const struct l1 *l1, u32 sm, u32 line, u32 sectors);
void l1_big_drop(const struct l1 *l1, u32 sm, u32 first, u32 count);

/*
 * l1_lookup() - whether an SM's L1 has sectors of a line; a hit makes the line the
 *	youngest. An L1 without sets has every line
 */
static __always_inline bool l1_lookup(const struct l1 *l1, u32 sm, u32 line,
				      u32 sectors)
{
	struct l1_set *set;
	u32 way;

	if (!l1->sets)
		return true;
	if (l1->sectors > 1 && l1->big_sets)
		return l1_big_lookup(l1, sm, line, sectors);
	set = l1_set(l1, sm, line);
	/* The line is often the youngest already. */
	if (l1->sectors == 1 && set->tag[lru_way(set->order, 0)] == line)
		return true;
	way = l1_find(l1, set, line);
	if (way == NONE)
		return false;
	if (l1->sectors > 1 && sectors & ~(*l1_valid(l1, set) >> way * 4))
		return false;
	set->order = lru_touch(set->order, way);
	return true;
}

/* --- who does what ------------------------------------------------------------ */

/* cache.c */
void cache_init(struct gpu *gpu);
void l1_fill(const struct l1 *l1, u32 sm, u32 line, u32 sectors);
void l1_flush(struct gpu *gpu, u32 sm);
void l1_drop(struct gpu *gpu, u32 sm, u32 first, u32 count);
void slice_turn(struct gpu *gpu, u32 slice);
void llc_prefetch(const struct gpu *gpu, const struct request *request);
void llc_drop(struct gpu *gpu, u32 slot);
bool llc_flush(struct gpu *gpu, u32 first, u32 count, bool write_back);

/*
 * Put a tag in front of a set of a directory or mirror, which is in the order of use. Tags
 * before @way grow older by one; the tag of @way is dropped.
 */
static inline void tags_put_first(u32 *tags, u32 way, u32 tag)
{
	for (; way > 0; way--)
		tags[way] = tags[way - 1];
	tags[0] = tag;
}

/*
 * struct tag_sectors - the sectors of a line in a directory or mirror, a bit each
 * @valid: those that can be read
 * @partial: those of which a store has written a part without a fetch (GPU_ALLOCATE_LAZY)
 * @coming: in directories, those that the cache fetches
 * @dirty: in mirrors, those that have to be written back
 */
struct tag_sectors {
	u8 valid : 4;
	u8 partial : 4;
	u8 coming : 4;
	u8 dirty : 4;
};

static inline void tag_sectors_put_first(struct tag_sectors *sectors, u32 way,
					 struct tag_sectors first)
{
	for (; way > 0; way--)
		sectors[way] = sectors[way - 1];
	sectors[0] = first;
}

/* atd.c */
u32 atd_sets(const struct gpu_config *config);
/* These may only be called with atd_sampling, and those of sectors with llc_sectors. */
void atd_access_sector(struct gpu *gpu, u32 set, const struct request *request,
		       bool pending);
void atd_fill_sector(struct gpu *gpu, u32 set, u32 line, u32 sector);
void atd_access(struct gpu *gpu, u32 set, u32 line, bool pending);
void atd_fill(struct gpu *gpu, u32 set, u32 line);
void atd_drop(struct gpu *gpu, u32 slot);

/* mirror.c */
u32 mirror_sets(const struct gpu_config *config);
/* May only be called with mirrors; @set is one of channel 0's. */
void mirror_access(struct gpu *gpu, u32 set, u32 line, u32 kind);
/* The same for a cache with sectors. */
void mirror_access_sector(struct gpu *gpu, u32 set, const struct request *request);
void mirror_drop(struct gpu *gpu, u32 slot);

#endif /* SIM_CACHE_H */
