// SPDX-License-Identifier: GPL-2.0
/*
 * MergeSort (MERGESORT). CUDA SDK, mergeSort/mergeSort.cu: blocks sort 1024 keys
 * and values in shared memory; then stage by stage two sorted segments become
 * one: every 128th key is looked for in the other segment by binary search,
 * these ranks are merged into limits, and a block merges the elements between two
 * limits. Keys and values go from one pair of buffers to the other.
 */
#include "benchmarks.h"

#define SHARED_KEYS	1024
#define STRIDE		128
/* The SDK sorts 4 M keys. */
#define LOG2_KEYS	25

/* Two buffers of keys and values; ranks and limits of both segments */
enum { KEYS_A, VALUES_A, KEYS_B, VALUES_B, BUFFERS };

/** struct sort - how many keys there are, and where the arrays lie */
struct sort {
	__u32 keys;
	__u64 buffer_bytes;
	__u64 ranks_bytes;
	__u64 ranks;
	__u64 limits;
};

/* A stage for each doubling of what a block sorts; of five one stands for all. */
#define LOG2_BLOCK	10
#define SAMPLED		5

#define ADDRESSES	20
/* A step of a binary search: the middle, a key, a comparison, a choice */
#define STEP		6
/* Each step waits for the one before; in shared memory two lanes meet in a bank. */
#define STEP_MIX	"I1"
#define SHARED_STEP_MIX	"M1*2 I1 I1 I1 I1 I1 I1"

static __u64 buffer(const struct sort *sort, __u32 index)
{
	return index * sort->buffer_bytes;
}

/* The search of @steps steps in shared memory, for two keys of a thread */
static void search_shared(struct builder *b, __u32 steps)
{
	burst(b, SHARED_STEP_MIX, 2 * steps * (STEP + 1), WARP);
}

static void sort_blocks(struct builder *b, const struct sort *sort)
{
	__u32 threads = SHARED_KEYS / 2, i, half, pattern;

	builder_kernel(b, "mergeSortShared", sort->keys / SHARED_KEYS, threads, 24,
		       2 * SHARED_KEYS * FLOAT);
	for (i = 0; i < 4; i++) {
		half = i / 2;
		pattern = own_element(b, buffer(sort, KEYS_A + i % 2) +
				      half * threads * FLOAT,
				      2 * threads, FLOAT, FLOAT);
		builder_load(b, pattern, WARP, 1);
		burst(b, SHARED, 1, WARP);
	}
	/* Strides 1 to 512: searches of 1 to 10 steps */
	builder_loop(b, 10);
	builder_barrier(b);
	burst(b, INDEXING, 8, WARP);
	burst(b, "M*2", 4, WARP);
	search_shared(b, 5);
	builder_barrier(b);
	burst(b, "M*2", 4, WARP);
	builder_loop_end(b);
	builder_barrier(b);
	for (i = 0; i < 4; i++) {
		half = i / 2;
		pattern = own_element(b, buffer(sort, KEYS_B + i % 2) +
				      half * threads * FLOAT,
				      2 * threads, FLOAT, FLOAT);
		burst(b, SHARED, 1, WARP);
		builder_store(b, pattern, WARP);
	}
}

static void search_memory(struct builder *b, __u32 steps, __u32 pattern)
{
	builder_loop(b, steps);
	builder_load(b, pattern, WARP, 0);
	burst(b, STEP_MIX, STEP, WARP);
	builder_loop_end(b);
}

/* Each thread's two samples, searched for in the other segment */
static void rank_samples(struct builder *b, const struct sort *sort,
			 __u64 keys, __u32 log2_stride)
{
	/* A search's first steps agree within a warp, more or less. */
	__u32 same = anywhere(b, keys, sort->buffer_bytes, 1, FLOAT, 1);
	__u32 near = anywhere(b, keys, sort->buffer_bytes, 4, FLOAT, 2);
	__u32 apart = anywhere(b, keys, sort->buffer_bytes, WARP, FLOAT, 3);
	__u32 threads = 256, i;

	builder_kernel(b, "generateSampleRanks", sort->keys / (2 * STRIDE) / threads,
		       threads, 20, 0);
	burst(b, INDEXING, ADDRESSES, WARP);
	for (i = 0; i < 2; i++) {
		builder_load(b, own_element(b, keys, threads, FLOAT,
					    2 * STRIDE * FLOAT), WARP, 0);
		search_memory(b, 5, same);
		search_memory(b, 5, near);
		search_memory(b, log2_stride - 10 + 1, apart);
		store_own(b, sort->ranks + i * sort->ranks_bytes, threads, FLOAT);
	}
}

static void merge_ranks(struct builder *b, const struct sort *sort,
			__u32 log2_stride)
{
	__u32 threads = 256, i;

	builder_kernel(b, "mergeRanksAndIndices", sort->keys / (2 * STRIDE) / threads,
		       threads, 16, 0);
	burst(b, INDEXING, ADDRESSES, WARP);
	for (i = 0; i < 2; i++) {
		load_own(b, sort->ranks + i * sort->ranks_bytes, threads, FLOAT, 0);
		builder_loop(b, log2_stride > 7 ? log2_stride - 7 : 1);
		builder_load(b, anywhere(b, sort->ranks, 2 * sort->ranks_bytes, 4, FLOAT, i),
			     WARP, 0);
		burst(b, STEP_MIX, STEP, WARP);
		builder_loop_end(b);
		/* Ranks of neighbors stay neighbors, with gaps. */
		builder_store(b, own_element(b, sort->limits + i * sort->ranks_bytes,
					     threads, FLOAT, FLOAT), WARP / 2);
	}
}

/*
 * An interval: 128 elements, on the average 64 of either segment. Blocks in x
 * walk through a pair of segments, in y over the pairs.
 */
static __u32 interval(struct builder *b, __u64 from, __u64 segment_bytes,
		      __u32 elements)
{
	return ACCESS(b, .base = from, .access_bytes = FLOAT,
		      .block_stride = { elements * FLOAT,
					(__s64)(2 * segment_bytes) },
		      .warp_stride = WARP / (STRIDE / elements) * FLOAT,
		      .lane_stride = FLOAT);
}

static void merge_intervals(struct builder *b, const struct sort *sort,
			    __u32 from, __u32 to, __u32 log2_stride)
{
	__u64 segment = (__u64)FLOAT << log2_stride;
	__u32 x = (2U << log2_stride) / STRIDE, i, side;

	builder_kernel(b, "mergeElementaryIntervals", x, STRIDE, 20,
		       4 * STRIDE * FLOAT);
	builder_grid(b, x, sort->keys / STRIDE / x, 1);
	burst(b, INDEXING, ADDRESSES, WARP);
	builder_load(b, own_element(b, sort->limits, 1, FLOAT, FLOAT), 2, 0);
	builder_barrier(b);
	for (i = 0; i < 2; i++)
		for (side = 0; side < 2; side++) {
			builder_load(b, interval(b, buffer(sort, from + i) +
						 side * segment, segment,
						 STRIDE / 2), WARP / 2, 1);
			burst(b, SHARED, 1, WARP / 2);
		}
	builder_barrier(b);
	search_shared(b, 4);
	builder_barrier(b);
	burst(b, "M*2", 4, WARP / 2);
	builder_barrier(b);
	for (i = 0; i < 2; i++) {
		burst(b, SHARED, 1, WARP);
		builder_store(b, interval(b, buffer(sort, to + i), segment, STRIDE),
			      WARP);
	}
}

void build_merge_sort(struct builder *b)
{
	__u32 log2_keys = builder_sized_log2(b, LOG2_KEYS, LOG2_BLOCK + SAMPLED);
	struct sort sort = {
		.keys = 1U << log2_keys,
		.buffer_bytes = (__u64)FLOAT << log2_keys,
		.ranks_bytes = ((__u64)FLOAT << log2_keys) / STRIDE,
	};
	__u32 stage, stages = log2_keys - LOG2_BLOCK;

	sort.ranks = BUFFERS * sort.buffer_bytes;
	sort.limits = sort.ranks + 2 * sort.ranks_bytes;
	builder_footprint(b, sort.limits + 2 * sort.ranks_bytes);
	sort_blocks(b, &sort);
	for (stage = 0; stage < stages; stage += SAMPLED) {
		__u32 left = stages - stage;
		__u32 log2_stride = LOG2_BLOCK + stage;
		__u32 from = stage % 2 ? KEYS_A : KEYS_B;

		rank_samples(b, &sort, buffer(&sort, from), log2_stride);
		merge_ranks(b, &sort, log2_stride);
		merge_intervals(b, &sort, from,
				from == KEYS_A ? KEYS_B : KEYS_A, log2_stride);
		builder_again(b, 3, (left < SAMPLED ? left : SAMPLED) - 1);
	}
}
