// SPDX-License-Identifier: GPL-2.0
/*
 * Attention of a language model: see llm_attention.h. Tiles, warps, what is in shared memory and
 * how many blocks share a context are those of FlashAttention-2 for half precision. Tensor
 * instructions follow from the sizes; what else a turn issues was counted from the algorithm.
 */
#include "common.h"
#include "llm_attention.h"

#define WARPS		4
#define THREADS		(WARPS * WARP)
#define REGISTERS	240
#define SETUP		60
/* Addresses and the loop, of a turn */
#define TURN		12
/* Queries of a block of a causal attention; of another one, where they are heads of one token */
#define ROWS_CAUSAL	128
#define ROWS_ONE	64
/* Keys of a tile, at most */
#define KEYS_CAUSAL	64
#define KEYS_ONE	128
#define KEYS_LEAST	32

/**
 * struct tiles - how an attention is cut
 * @rows: queries of a block
 * @keys: of a tile
 * @shared: bytes of shared memory
 */
struct tiles {
	__u32 rows;
	__u32 keys;
	__u32 shared;
};

/* Queries, and a tile of keys and one of values, lie in shared memory. */
static struct tiles tiles_of(const struct llm_gpu *gpu, const struct llm_attention *a)
{
	struct tiles tiles = {
		.rows = a->causal ? ROWS_CAUSAL : ROWS_ONE,
		.keys = a->causal ? KEYS_CAUSAL : KEYS_ONE,
	};

	for (;; tiles.keys /= 2) {
		tiles.shared = (tiles.rows + 2 * tiles.keys) * a->head * a->value_bytes;
		if (tiles.shared <= gpu->shared || tiles.keys == KEYS_LEAST)
			return tiles;
	}
}

static __u32 ceil_of(__u64 a, __u64 b)
{
	return (__u32)((a + b - 1) / b);
}

/* --- blocks that share a context ------------------------------------------------------------- */

#define SPLITS_MAX	128
#define PPM		1000000ULL
/* Waves that are full enough to need no split, and of the best that is good enough */
#define FULL_PPM	800000ULL
#define GOOD_PPM	850000ULL
/* Blocks that an SM is taken to have at once */
#define BLOCKS_AT_ONCE	2

/* How full the waves of thread blocks are */
static __u64 fullness(__u64 blocks, __u64 places)
{
	return blocks * PPM / (ceil_of(blocks, places) * places);
}

/* One split more may leave the longest one as long as it was. */
static bool is_shorter(__u32 tiles, __u32 splits)
{
	return splits == 1 || ceil_of(tiles, splits) != ceil_of(tiles, splits - 1);
}

/* FlashAttention-2's num_splits_heuristic() */
__u32 llm_attention_splits(const struct llm_gpu *gpu, const struct llm_attention *a)
{
	__u64 places = (__u64)gpu->sms * BLOCKS_AT_ONCE, blocks, best = 0;
	__u32 tiles = ceil_of(a->context, tiles_of(gpu, a).keys), splits, most;

	blocks = (__u64)a->sequences * a->kv_heads;
	if (a->causal || blocks * PPM >= places * FULL_PPM)
		return 1;
	most = tiles < SPLITS_MAX ? tiles : SPLITS_MAX;
	for (splits = 1; splits <= most; splits++)
		if (is_shorter(tiles, splits) && fullness(blocks * splits, places) > best)
			best = fullness(blocks * splits, places);
	for (splits = 1; splits < most; splits++)
		if (is_shorter(tiles, splits) &&
		    fullness(blocks * splits, places) * PPM >= best * GOOD_PPM)
			break;
	/* Each one has work. */
	return ceil_of(tiles, ceil_of(tiles, splits));
}

__u64 llm_attention_parts_bytes(const struct llm_gpu *gpu, const struct llm_attention *a)
{
	__u32 splits = llm_attention_splits(gpu, a);

	return splits == 1 ? 0 : (__u64)splits * a->sequences * a->heads * a->head * FLOAT;
}

/* --- the kernel ----------------------------------------------------------------------------- */

/**
 * struct block - what the thread blocks of one x have
 * @query: bytes from the first token's queries to theirs
 * @result: bytes from the first result to theirs
 * @first_key: token of their first key
 * @tiles: of keys
 */
struct block {
	__u64 query;
	__u64 result;
	__u32 first_key;
	__u32 tiles;
};

/* Rows of a head, a warp's lanes side by side: y is the head of keys, z the sequence. */
static struct simgpu_trace_pattern rows_of(__u64 base, __u32 head_bytes, __u64 row, __u64 y,
					   __u64 z)
{
	__u32 lanes = head_bytes / LLM_COPY_BYTES;
	struct simgpu_trace_pattern rows = {
		.base = (__s64)base, .access_bytes = LLM_COPY_BYTES,
		.lane_stride = LLM_COPY_BYTES, .block_stride = { 0, (__s64)y, (__s64)z },
		.group_lanes = lanes % WARP, .group_stride = lanes % WARP ? (__s64)row : 0,
		.warp_stride = (__s64)(WARP / lanes * row),
	};

	return rows;
}

/* Rows that the warps of a block access at once */
static __u32 rows_at_once(__u32 row_bytes)
{
	return WARPS * WARP * LLM_COPY_BYTES / row_bytes;
}

/* Instructions of a warp that copy @count rows of a head */
static __u32 copies_of(__u32 count, __u32 head_bytes)
{
	return count / rows_at_once(head_bytes);
}

/* The block copies rows, which it needs @until instructions after the last of these copies. */
static void copy_rows(struct builder *b, struct simgpu_trace_pattern rows, __u32 count,
		       __u32 head_bytes, __u64 row, __u32 until)
{
	__u32 loads = copies_of(count, head_bytes), i;

	for (i = 0; i < loads; i++) {
		builder_load(b, builder_access(b, &rows), WARP, until + loads - 1 - i);
		rows.base += (__s64)(rows_at_once(head_bytes) * row);
	}
}

static void store_rows(struct builder *b, struct simgpu_trace_pattern rows, __u32 count,
		       __u32 row_bytes, __u64 row)
{
	rows.loop_stride[0] = (__s64)(rows_at_once(row_bytes) * row);
	builder_loop(b, count / rows_at_once(row_bytes));
	builder_store(b, builder_access(b, &rows), WARP);
	builder_loop_end(b);
}

/* Tensor instructions of a warp, of rows x columns x depth */
static __u32 tensor_of(__u32 rows, __u32 columns, __u32 depth_bytes)
{
	return rows / LLM_TENSOR_ROWS * (columns / LLM_TENSOR_COLUMNS) *
		(depth_bytes / LLM_TENSOR_BYTES) / WARPS;
}

/* Reads of 16 x 32 bytes of an operand that all warps need */
static __u32 reads_of(__u32 rows, __u32 bytes)
{
	return rows / 16 * (bytes / LLM_TENSOR_BYTES);
}

/* Of two scores: scaled, the greatest found, the exponential function, added, to half precision */
#define SOFTMAX_MIX	"F F F4 F4 S3 S3 F2 F2 I2"
#define SOFTMAX_OF_TWO	9

/*
 * A turn: while scores are made values arrive, and while values are summed up keys arrive. (A
 * turn here copies the keys that it multiplies, as late as the card copies the next ones.)
 */
static void take_turn(struct builder *b, const struct llm_attention *a, const struct tiles *tiles,
		      const struct simgpu_trace_pattern *keys,
		      const struct simgpu_trace_pattern *values)
{
	__u32 head_bytes = a->head * a->value_bytes, key_bytes = tiles->keys * a->value_bytes;
	__u32 score_tensor = tensor_of(tiles->rows, tiles->keys, head_bytes);
	__u32 score_reads = reads_of(tiles->keys, head_bytes) +
			    reads_of(tiles->rows, head_bytes) / WARPS;
	__u32 sum_tensor = tensor_of(tiles->rows, a->head, key_bytes);
	__u32 sum_reads = reads_of(tiles->keys, head_bytes);
	__u32 softmax = tiles->rows * tiles->keys / THREADS / 2 * SOFTMAX_OF_TWO;
	/* What was summed up before is scaled. */
	__u32 scaled = tiles->rows * a->head / THREADS;
	__u32 copies = copies_of(tiles->keys, head_bytes);

	copy_rows(b, *values, tiles->keys, head_bytes, a->key_row,
		  TURN + score_tensor + score_reads + softmax + scaled + 1 + copies);
	burst(b, INDEXING, TURN, WARP);
	llm_multiply(b, score_reads, score_tensor, score_tensor / (head_bytes / LLM_TENSOR_BYTES));
	burst(b, SOFTMAX_MIX, softmax, WARP);
	burst(b, "F", scaled, WARP);
	builder_barrier(b);
	copy_rows(b, *keys, tiles->keys, head_bytes, a->key_row,
		  sum_tensor + sum_reads + 1 + copies + TURN);
	llm_multiply(b, sum_reads, sum_tensor, sum_tensor / (key_bytes / LLM_TENSOR_BYTES));
	builder_barrier(b);
}

/* The queries of a block, and where its result goes to */
static void set_ends(const struct llm_attention *a, const struct block *block, bool split,
		     struct simgpu_trace_pattern *queries, struct simgpu_trace_pattern *result)
{
	__u32 group = a->heads / a->kv_heads, head_bytes = a->head * a->value_bytes;
	__u32 out_bytes = a->head * (split ? FLOAT : a->value_bytes);

	*queries = rows_of(a->queries + block->query, head_bytes,
			   a->causal ? a->query_row : head_bytes, group * head_bytes,
			   a->tokens * a->query_row);
	*result = rows_of((split ? a->parts : a->result) + block->result, out_bytes,
			  a->causal ? (__u64)a->heads * out_bytes : out_bytes, group * out_bytes,
			  (__u64)a->tokens * a->heads * out_bytes);
}

/* The few rows of a token's heads: one warp accesses them. */
static void access_heads(struct builder *b, const struct llm_attention *a,
			 struct simgpu_trace_pattern rows, __u32 row_bytes, bool stores)
{
	__u32 group = a->heads / a->kv_heads, row_lanes = row_bytes / LLM_COPY_BYTES;
	__u32 at_once = group < WARP / row_lanes ? group : WARP / row_lanes;

	rows.warp_stride = 0;
	rows.loop_stride[0] = at_once * row_bytes;
	builder_loop(b, ceil_of(group, at_once));
	if (stores)
		builder_store(b, builder_access(b, &rows), at_once * row_lanes);
	else
		builder_load(b, builder_access(b, &rows), at_once * row_lanes, 0);
	builder_loop_end(b);
}

/* @leads: of the warps of a block that has heads of one token, the one that accesses them */
static void attention_program(struct builder *b, const struct llm_gpu *gpu,
			      const struct llm_attention *a, const struct block *block, bool leads)
{
	struct tiles tiles = tiles_of(gpu, a);
	__u32 head_bytes = a->head * a->value_bytes;
	bool split = llm_attention_splits(gpu, a) > 1;
	__u32 out_bytes = a->head * (split ? FLOAT : a->value_bytes);
	__u64 first = block->first_key * a->key_row;
	struct simgpu_trace_pattern queries, keys, values, result;

	set_ends(a, block, split, &queries, &result);
	keys = rows_of(a->keys + first, head_bytes, a->key_row, head_bytes, a->key_sequence);
	values = rows_of(a->values + first, head_bytes, a->key_row, head_bytes, a->key_sequence);
	keys.loop_stride[0] = (__s64)(tiles.keys * a->key_row);
	values.loop_stride[0] = keys.loop_stride[0];

	burst(b, INDEXING, SETUP, WARP);
	if (a->causal)
		copy_rows(b, queries, tiles.rows, head_bytes, a->query_row, 0);
	else if (leads)
		access_heads(b, a, queries, head_bytes, false);
	builder_loop(b, block->tiles);
	take_turn(b, a, &tiles, &keys, &values);
	builder_loop_end(b);
	/* The sums of rows are inverted, and scale the result, which goes through shared memory. */
	burst(b, "M1 F1 M1 F1 S1 F", 12, WARP);
	burst(b, "F F M2", tiles.rows * a->head / THREADS / 2 * 3, WARP);
	if (a->causal)
		store_rows(b, result, tiles.rows, out_bytes, (__u64)a->heads * out_bytes);
	else if (leads)
		access_heads(b, a, result, out_bytes, true);
}

/* Add the programs of the blocks of one x, and its entry of the table of warps. */
static void add_block(struct builder *b, const struct llm_gpu *gpu,
		      const struct llm_attention *a, const struct block *block, __u32 *programs)
{
	__u32 first = *programs, warp;

	if (first)
		builder_program(b);
	attention_program(b, gpu, a, block, true);
	if (!a->causal) {
		builder_program(b);
		attention_program(b, gpu, a, block, false);
	}
	*programs += a->causal ? 1 : 2;
	for (warp = 0; warp < WARPS; warp++)
		builder_warp(b, first + (!a->causal && warp), 0);
}

/* A block for each tile of queries of each head that shares keys; it attends to those before. */
static __u32 causal_blocks(struct builder *b, const struct llm_gpu *gpu,
			   const struct llm_attention *a, __u32 *programs)
{
	struct tiles tiles = tiles_of(gpu, a);
	__u32 rows = ceil_of(a->tokens, tiles.rows), row, head, group = a->heads / a->kv_heads;

	for (row = 0; row < rows; row++) {
		__u32 token = row * tiles.rows, last = token + tiles.rows;

		for (head = 0; head < group; head++)
			add_block(b, gpu, a, &(struct block){
				.query = token * a->query_row + (__u64)head * a->head * a->value_bytes,
				.result = ((__u64)token * a->heads + head) * a->head * a->value_bytes,
				.tiles = ceil_of(last < a->context ? last : a->context, tiles.keys),
			}, programs);
	}
	return rows * group;
}

/* A block for each part of the context; the last one may have less. */
static __u32 split_blocks(struct builder *b, const struct llm_gpu *gpu,
			  const struct llm_attention *a, __u32 *programs)
{
	__u32 keys = tiles_of(gpu, a).keys, splits = llm_attention_splits(gpu, a), split;
	__u32 tiles = ceil_of(a->context, keys), each = ceil_of(tiles, splits);
	__u64 part = (__u64)a->sequences * a->heads * a->head * FLOAT;

	for (split = 0; split < splits; split++)
		add_block(b, gpu, a, &(struct block){
			.result = split * part, .first_key = split * each * keys,
			.tiles = split < splits - 1 ? each : tiles - split * each,
		}, programs);
	return splits;
}

/* What the blocks of a context have found is added up, a warp a head. */
static void add_splits(struct builder *b, const struct llm_attention *a, __u32 splits)
{
	__u32 rows = a->sequences * a->heads, lanes = a->head * FLOAT / LLM_COPY_BYTES;
	__s64 row = a->head * FLOAT;

	builder_kernel(b, "attn_combine", ceil_of(rows, WARPS), THREADS, 64, 0);
	burst(b, INDEXING, SETUP, WARP);
	builder_loop(b, splits);
	builder_load(b, ACCESS(b, .base = (__s64)a->parts, .access_bytes = LLM_COPY_BYTES,
			       .lane_stride = LLM_COPY_BYTES, .warp_stride = row,
			       .block_stride = { WARPS * row }, .loop_stride = { rows * row }),
		     lanes, 4);
	burst(b, "S I I1 C1 F4 F4 F4 F4", 8, WARP);
	builder_loop_end(b);
	builder_store(b, ACCESS(b, .base = (__s64)a->result, .access_bytes = 4 * a->value_bytes,
				.lane_stride = 4 * a->value_bytes,
				.warp_stride = a->head * a->value_bytes,
				.block_stride = { WARPS * a->head * a->value_bytes }), lanes);
}

__u32 llm_attention(struct builder *b, const struct llm_gpu *gpu, const struct llm_attention *a)
{
	__u32 splits = llm_attention_splits(gpu, a), programs = 0, blocks, i;
	__u32 x = a->causal ? ceil_of(a->tokens, ROWS_CAUSAL) * (a->heads / a->kv_heads) : splits;

	builder_kernel(b, "attention", x * a->kv_heads * a->sequences, THREADS, REGISTERS,
		       tiles_of(gpu, a).shared);
	builder_grid(b, x, a->kv_heads, a->sequences);
	blocks = a->causal ? causal_blocks(b, gpu, a, &programs) :
		 split_blocks(b, gpu, a, &programs);
	builder_row(b, a->kv_heads * a->sequences);
	for (i = 0; i < blocks; i++)
		builder_run(b, i + 1, i);
	if (splits == 1)
		return 1;
	add_splits(b, a, splits);
	return 2;
}
