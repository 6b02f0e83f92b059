// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses: which lines a warp's access touches (coalescing), and where a
 * line lies (slice, channel, bank, row: the address hash).
 */
#include "sim.h"

/* Lines in a row that stay in one channel: 256 B, as on GPUs. */
#define INTERLEAVE_LINES	2

/*
 * struct spread - the channels over which lines are spread: the device's, or those of a
 *	slot's mask. With a mask, lines lie as on a GPU that has only these channels
 * @channels: number of channels
 * @shift: log2() of that, or NONE if it is no power of two
 * @hash: GPU_HASH_*
 */
struct spread {
	u32 channels;
	u32 shift;
	u32 hash;
};

static __always_inline u32 spread_channel(const struct spread *spread,
					  u32 channel, u32 hash)
{
	u32 channels = spread->channels;

	if (spread->shift != NONE)
		return channel ^ (hash & (channels - 1));
	return (channel + hash % channels) % channels;
}

/* The bits of a line above its channel; *channel is the channel before hashing. */
static __always_inline u32 above_channel(const struct spread *spread, u32 line,
					 u32 *channel)
{
	u32 pair = line / INTERLEAVE_LINES;

	if (spread->shift != NONE) {
		*channel = pair & (spread->channels - 1);
		return pair >> spread->shift;
	}
	*channel = pair % spread->channels;
	return pair / spread->channels;
}

/*
 * The place of a line. From the low end: 1 bit of column, the channel, the rest
 * of the column, the bank, the row. With the address hash on (PAE style, HSM
 * section 5) the bits above the channel are gathered into channel, bank and
 * slice, so that no stride always hits the same one. Each step can be undone, so
 * lines stay distinct. The slice comes from row-level bits only: a column bit that
 * chose between a channel's slices would split runs of lines in a row.
 */

/*
 * GPGPU-Sim's mapping for HBM (SM7_QV100). Above the channel come the lowest bits of
 * the bank, as many as tell a channel's slices apart, then the rest of the
 * column, of the bank, and the row. Channel and these bits together are the
 * slice. All bits above the slice are hashed into it: the remainder of the whole
 * polynomial over GF(2) by an irreducible one (IPOLY; Rau, ISCA'91). So for each
 * value of the bits above, lines are spread evenly over all slices.
 */
static u32 ipoly(u32 value, u32 bits)
{
	/* x^n + x + 1, except for degrees 0, 2 and 5. */
	static const u8 polynomials[] = { 1, 3, 7, 11, 19, 37, 67, 131 };
	u32 rest = 0, i;

	for (i = 32; i-- > 0;) {
		rest = rest << 1 | (value >> i & 1);
		if (rest >> bits)
			rest ^= polynomials[bits];
	}
	return rest;
}

/* log2() of the number of slices of a channel. */
static u32 slice_bits(const struct gpu *gpu)
{
	return lowest_bit(gpu->shape.slices_per_channel);
}

static u32 ipoly_slice(const struct gpu *gpu, const struct spread *spread,
		       u32 line)
{
	u32 bits = slice_bits(gpu), channel, degree = spread->shift + bits;
	u32 above = above_channel(spread, line, &channel);
	u32 low = above & ((1U << bits) - 1);

	return ipoly(above >> bits << degree | channel << bits | low, degree);
}

/* IPOLY's row and bank: the low bits of a bank are its group. */
static u32 ipoly_row(const struct gpu *gpu, const struct spread *spread,
		     u32 line, u8 *bank)
{
	const struct gpu_shape *shape = &gpu->shape;
	u32 bits = slice_bits(gpu), channel, low, high, number;
	u32 group_bits = shape->bank_bits - shape->group_shift;
	u32 above = above_channel(spread, line, &channel);

	low = above & ((1U << bits) - 1);
	high = above >> (bits + shape->column_bits);
	number = (low | high << bits) & (gpu->config.banks - 1);
	*bank = number >> group_bits |
		(number & ((1U << group_bits) - 1)) << shape->group_shift;
	return high >> (shape->bank_bits - bits);
}

/* The slice of a line, counted through the slices of the channels of @spread. */
static __always_inline u32 slice_in(const struct gpu *gpu,
				    const struct spread *spread, u32 line)
{
	const struct gpu_shape *shape = &gpu->shape;
	u32 per_channel = shape->slices_per_channel, channel, hash;
	u32 above = above_channel(spread, line, &channel);
	u32 row_bits = above >> shape->column_bits;

	if (spread->hash == GPU_HASH_IPOLY)
		return ipoly_slice(gpu, spread, line);
	if (spread->hash == GPU_HASH_PLAIN)
		return channel * per_channel +
		       (row_bits & (gpu->config.banks - 1)) % per_channel;
	hash = hash_u32(row_bits) >> 16;
	channel = spread_channel(spread, channel, hash_u32(above));
	return channel * per_channel + ((hash * per_channel) >> 16);
}

static __always_inline u32 row_in(const struct gpu *gpu,
				  const struct spread *spread, u32 line,
				  u8 *bank)
{
	const struct gpu_shape *shape = &gpu->shape;
	u32 channel, banks = gpu->config.banks, row_bits, row;

	if (spread->hash == GPU_HASH_IPOLY)
		return ipoly_row(gpu, spread, line, bank);
	row_bits = above_channel(spread, line, &channel) >> shape->column_bits;
	row = row_bits >> shape->bank_bits;
	*bank = row_bits & (banks - 1);
	if (spread->hash == GPU_HASH_PAE)
		*bank ^= hash_u32(row) & (banks - 1);
	return row;
}

/* All channels of the device. */
static __always_inline struct spread device_spread(const struct gpu *gpu)
{
	return (struct spread) {
		.channels = gpu->config.channels,
		.shift = gpu->shape.channel_shift,
		.hash = gpu->config.address_hash,
	};
}

/* The channels of a slot that may not use all. */
static struct spread masked_spread(const struct gpu *gpu, u64 channels)
{
	u32 count = hweight64(channels);
	struct spread spread = {
		.channels = count,
		.shift = count & (count - 1) ? NONE : lowest_bit(count),
		.hash = gpu->config.address_hash,
	};

	if (spread.hash == GPU_HASH_IPOLY && spread.shift == NONE)
		spread.hash = GPU_HASH_PAE;
	return spread;
}

/*
 * A line's set in its slice.
 *
 * As many lines as there are sets, one after the other, lie in a
 * set each, so that an array fills all sets alike; a hash of the bits above them turns each
 * such run, so that no stride always comes to the same sets. (GPGPU-Sim's IPOLY does both
 * for powers of two.) Lines are counted among those of the slice, or of the channel if the
 * slice is hashed from higher bits.
 *
 * Where lines have sectors, columns of matrices fill the cache with a sector a line, and
 * only with every n-th line of a run. Runs are then turned by multiples of the golden ratio
 * (Fibonacci hashing), so that such lines fill all sets alike, too.
 */
static __always_inline u16 set_in(const struct gpu *gpu, const struct spread *spread,
				  u32 line)
{
	u32 channel, above = above_channel(spread, line, &channel), run, turn;
	u64 runs;

	if (spread->hash == GPU_HASH_IPOLY)
		above >>= slice_bits(gpu);
	/* Which run it is, and behind the point, where in it. */
	runs = (u64)(above * INTERLEAVE_LINES + line % INTERLEAVE_LINES) *
	       gpu->shape.per_set;
	run = runs >> 32;
	turn = gpu->config.llc_sectors > 1 ? run * 0x9e3779b9U : hash_u32(run);
	return (u16)(((u64)(turn + (u32)runs) * gpu->config.llc_sets) >> 32);
}

static noinline u32 masked_place(const struct gpu *gpu, u32 line, u16 *set)
{
	u32 slot = line_slot(line), per_channel = gpu->shape.slices_per_channel;
	u64 channels = gpu->tenants[slot].channels;
	struct spread spread = channels ? masked_spread(gpu, channels) :
					  device_spread(gpu);
	u32 slice = slice_in(gpu, &spread, line);

	*set = set_in(gpu, &spread, line);
	/* The link to the host, behind the slices, has lines of pages that are there. */
	if (gpu->remote && remote_line(gpu, line))
		return gpu->config.llc_slices;
	if (!channels)
		return slice;
	return channel_list(gpu, slot)[slice / per_channel] * per_channel +
	       slice % per_channel;
}

/*
 * The row of a line of a slot with a mask. Slots with different masks could get the same
 * row number, but no two slots may share a row. So the number is made of the slot and the
 * row within the slot. No row of a slot without a mask has the topmost bit.
 */
static noinline u32 masked_row(const struct gpu *gpu, u32 line, u8 *bank)
{
	const u32 rows = 1U << (LINE_SLOT_SHIFT - 1);
	u32 slot = line_slot(line);
	struct spread spread = masked_spread(gpu, gpu->tenants[slot].channels);
	u32 row = row_in(gpu, &spread, line, bank);

	return 1U << 31 | slot * rows | (row & (rows - 1));
}

/*
 * address_place() - where the last-level cache has a line
 * @set: set to its set in the slice
 *
 * Return: the slice, counted through all channels' slices.
 */
u32 address_place(const struct gpu *gpu, u32 line, u16 *set)
{
	const struct spread spread = device_spread(gpu);

	if (gpu->bounded && (gpu->tenants[line_slot(line)].channels || gpu->remote))
		return masked_place(gpu, line, set);
	*set = set_in(gpu, &spread, line);
	return slice_in(gpu, &spread, line);
}

/*
 * address_row() - the row of a line in its channel
 * @bank: set to the bank
 */
u32 address_row(const struct gpu *gpu, u32 line, u8 *bank)
{
	const struct spread spread = device_spread(gpu);

	if (gpu->bounded && gpu->tenants[line_slot(line)].channels)
		return masked_row(gpu, line, bank);
	return row_in(gpu, &spread, line, bank);
}

/* The mean number of words that each request of a coalesced atomic carries. */
static u32 words_of_atomic(u32 bytes, u32 requests)
{
	return (bytes + 4 * requests - 1) / (4 * requests);
}

/*
 * The bytes that all lanes of an atomic carry: words of 4 bytes if the trace does not
 * say; for random lines, the bytes of each line that are touched.
 */
static u32 atomic_bytes(const struct trace_pattern *pattern,
			const struct trace_op *op)
{
	if (pattern->kind == TRACE_RECORDED)
		return op->active_lanes * 4;
	return pattern->access_bytes *
	       (pattern->kind == TRACE_RANDOM ? pattern->lines :
						op->active_lanes);
}

static void lsu_add(struct lsu *lsu, u32 line, u32 sectors, u32 partial)
{
	lsu->line[lsu->count] = line;
	lsu->sectors[lsu->count] = sectors;
	lsu->stored[lsu->count] = 0;
	lsu->partial |= partial << lsu->count;
	lsu->count++;
}

/* The sectors of a line that have the bytes from @first to before @end. */
static u32 sectors_of(u32 first, u32 end)
{
	u32 bytes = GPU_LINE_BYTES / TRACE_SECTORS;

	return (2U << (end - 1) / bytes) - (1U << first / bytes);
}

/* How many of the bytes from @first to before @end lie in each sector of their line. */
static u32 bytes_of_sectors(u32 first, u32 end)
{
	u32 stored = 0, next;

	for (; first < end; first = next) {
		next = min((first / SECTOR_BYTES + 1) * SECTOR_BYTES, end);
		stored |= (next - first) << first / SECTOR_BYTES * 8;
	}
	return stored;
}

/*
 * Whether bytes cover only a part of the sectors that they touch; where caches have no
 * sectors, a part of the line.
 */
static bool is_partial(const struct gpu *gpu, u32 bytes, u32 sectors)
{
	return bytes < (gpu->shape.sectored ?
			sector_count(sectors) * SECTOR_WORDS * 4 :
			GPU_LINE_BYTES);
}

/*
 * A recorded store says of which lines it writes a part, and in which sectors. The bytes of
 * its lanes, 4 each, that are not in sectors that it writes as a whole are spread over these
 * others evenly.
 */
static void spread_bytes(const struct trace_op *op, struct lsu *lsu)
{
	u32 bytes = op->active_lanes * 4, parts = 0, i;

	for (i = 0; i < lsu->count; i++) {
		u32 sectors = sector_count(lsu->sectors[i]);

		if (lsu->partial >> i & 1)
			parts += sectors;
		else
			bytes -= min(bytes, sectors * SECTOR_BYTES);
	}
	if (!parts)
		return;
	bytes = min(max(bytes / parts, 1U), SECTOR_BYTES - 1U);
	for (i = 0; i < lsu->count; i++)
		lsu->stored[i] = stored_bytes(lsu->sectors[i], bytes);
}

static void recorded_lines(const struct gpu *gpu, const struct trace *trace,
			   struct warp *warp, const struct trace_op *op,
			   u32 base, struct lsu *lsu)
{
	/* Without sectors, a store that leaves out some is a partial one. */
	u32 partial = TRACE_LINE_PARTIAL, i;

	if (!gpu->shape.sectored)
		partial |= TRACE_ALL_SECTORS << TRACE_LINE_SKIP_SHIFT;
	for (i = 0; i < op->count; i++) {
		u32 entry = trace->lines[warp->line + i];
		u32 skip = entry >> TRACE_LINE_SKIP_SHIFT;

		lsu_add(lsu, base | (entry & TRACE_LINE_INDEX),
			~skip & TRACE_ALL_SECTORS, !!(entry & partial));
	}
	if (gpu->shape.sectored && op->kind == TRACE_STORE)
		spread_bytes(op, lsu);
	warp->line += op->count;
	/* The cache line of the table that the warp needs next; it may not exist. */
	__builtin_prefetch(&trace->lines[warp->line] + 16);
}

static void random_lines(const struct gpu *gpu, struct warp *warp,
			 const struct trace_pattern *pattern, u32 block,
			 u32 base, struct lsu *lsu)
{
	u32 region = (u32)(pattern->region_bytes / GPU_LINE_BYTES);
	u32 first = (u32)(pattern->base / GPU_LINE_BYTES);
	u32 key = hash_u32(pattern->seed ^ hash_u32((u32)gpu->seed ^
			   hash_u32((u32)(gpu->seed >> 32))));
	u32 sectors = sectors_of(0, pattern->access_bytes), i;
	bool partial = is_partial(gpu, pattern->access_bytes, sectors);

	key = hash_u32(key ^ hash_u32(block)) ^ warp->index;
	key = hash_u32(key) + warp->accesses++;
	for (i = 0; i < pattern->lines; i++) {
		u32 pick = hash_u32(hash_u32(key) + i * 0x9e3779b9U);

		pick = (u32)(((u64)pick * region) >> 32);
		lsu_add(lsu, base | (first + pick), sectors, partial);
		if (gpu->shape.sectored)
			lsu->stored[i] =
				bytes_of_sectors(0, pattern->access_bytes);
	}
}

/* Lane 0's address of an affine pattern, before the XOR mask. */
static __always_inline u64 affine_origin(const struct trace_pattern *pattern,
					 const struct block *block,
					 const struct warp *warp)
{
	s64 address = (s64)pattern->base;
	u32 i;

	for (i = 0; i < 3; i++)
		address += (s64)block->position[i] * pattern->block_stride[i];
	address += (s64)warp->index * pattern->warp_stride;
	for (i = 0; i < warp->loop_depth; i++)
		address += (s64)warp->loop_index[i] * pattern->loop_stride[i];
	return (u64)address;
}

/*
 * Add the bytes that a lane accesses to the lines gathered so far. They are in one line,
 * for the access size divides the address (trace_check.c). @covered counts each line's
 * bytes; lanes are assumed not to overlap.
 */
static void coalesce_lane(const struct gpu *gpu, struct lsu *lsu, u16 *covered,
			  u32 base, u64 address, u32 bytes)
{
	u32 line = base | (u32)(address / GPU_LINE_BYTES);
	u32 first = address % GPU_LINE_BYTES, i = lsu->count;

	while (i > 0 && lsu->line[i - 1] != line)
		i--;
	if (i == 0) {
		lsu_add(lsu, line, 0, 0);
		i = lsu->count;
		covered[i - 1] = 0;
	}
	covered[i - 1] += (u16)bytes;
	lsu->sectors[i - 1] |= sectors_of(first, first + bytes);
	if (gpu->shape.sectored)
		lsu->stored[i - 1] =
			stored_together(lsu->stored[i - 1],
					bytes_of_sectors(first, first + bytes));
}

/* The usual access: lanes are side by side, and no XOR splits them. */
static void contiguous_lines(const struct gpu *gpu, u64 first, u64 end, u32 base,
			     struct lsu *lsu)
{
	u32 sectors = TRACE_ALL_SECTORS;

	while (first < end) {
		u64 next = (first / GPU_LINE_BYTES + 1) * GPU_LINE_BYTES;
		u64 stop = min(next, end);

		if (gpu->shape.sectored)
			sectors = sectors_of(first % GPU_LINE_BYTES,
					     (stop - 1) % GPU_LINE_BYTES + 1);
		lsu_add(lsu, base | (u32)(first / GPU_LINE_BYTES), sectors,
			is_partial(gpu, (u32)(stop - first), sectors));
		if (gpu->shape.sectored)
			lsu->stored[lsu->count - 1] =
				bytes_of_sectors(first % GPU_LINE_BYTES,
						 (stop - 1) % GPU_LINE_BYTES + 1);
		first = next;
	}
}

/* Whether lanes access ascending addresses without overlap, or all the same one. */
static bool lanes_ascend(const struct trace_pattern *pattern)
{
	return !pattern->lane_stride ||
	       pattern->lane_stride >= (s64)pattern->access_bytes;
}

/*
 * For such lanes lines come one by one, and it is enough to count the lanes in each. Only
 * for caches without sectors. The XOR mask, a multiple of access_bytes, swaps whole
 * lines, and accesses within a line.
 */
static void ascending_lines(const struct trace_pattern *pattern, u64 address,
			    u64 mask, u32 lanes, u32 base, struct lsu *lsu)
{
	u64 stride = (u64)pattern->lane_stride;
	u32 count;

	for (; lanes; lanes -= count, address += count * stride) {
		u32 room = GPU_LINE_BYTES - address % GPU_LINE_BYTES;

		count = lanes;
		if (stride && lanes > (room - 1) / stride)
			count = (u32)((room - 1) / stride) + 1;
		lsu_add(lsu, base | (u32)((address ^ mask) / GPU_LINE_BYTES),
			TRACE_ALL_SECTORS,
			count * pattern->access_bytes < GPU_LINE_BYTES);
	}
}

/* The XOR mask of a pattern, at the warp's present loop indices. */
static u64 affine_mask(const struct trace_pattern *pattern,
		       const struct warp *warp)
{
	u64 mask = pattern->xor_bytes;

	return pattern->xor_loop ?
	       mask << warp->loop_index[pattern->xor_loop - 1] : mask;
}

/* The distance of an active lane's address from the first lane's. */
static s64 lane_offset(const struct trace_pattern *pattern, u32 lane)
{
	u32 group = pattern->group_lanes;

	if (!group)
		return lane * pattern->lane_stride;
	return lane % group * pattern->lane_stride +
	       lane / group * pattern->group_stride;
}

static void affine_lines(const struct gpu *gpu,
			 const struct trace_pattern *pattern,
			 const struct block *block, const struct warp *warp,
			 const struct trace_op *op, u32 base, struct lsu *lsu)
{
	u64 origin = affine_origin(pattern, block, warp);
	u64 mask = affine_mask(pattern, warp);
	u16 covered[GPU_LANES];
	u32 i;

	if (pattern->lane_stride == (s64)pattern->access_bytes && !mask &&
	    !pattern->group_lanes) {
		contiguous_lines(gpu, origin,
				 origin + (u64)op->active_lanes *
				 pattern->access_bytes, base, lsu);
		return;
	}
	if (!gpu->shape.sectored && !pattern->group_lanes && lanes_ascend(pattern)) {
		ascending_lines(pattern, origin, mask, op->active_lanes, base,
				lsu);
		return;
	}
	for (i = 0; i < op->active_lanes; i++)
		coalesce_lane(gpu, lsu, covered, base,
			      (origin + (u64)lane_offset(pattern, i)) ^ mask,
			      pattern->access_bytes);
	for (i = 0; i < lsu->count; i++)
		if (is_partial(gpu, covered[i], lsu->sectors[i]))
			lsu->partial |= 1U << i;
}

/*
 * The requests of an atomic. Lanes of the same sector of 32 bytes share a request as long
 * as no two of them access the same word (Accel-Sim's rule, whatever sectors the caches
 * have). So lanes that access the same word need a request each.
 */
static void atomic_lines(const struct trace_pattern *pattern,
			 const struct block *block, const struct warp *warp,
			 const struct trace_op *op, u32 base, struct lsu *lsu)
{
	u64 origin = affine_origin(pattern, block, warp);
	u64 mask = affine_mask(pattern, warp);
	u32 taken[GPU_LANES], words = (pattern->access_bytes + 3) / 4, i, lane;

	for (lane = 0; lane < op->active_lanes; lane++) {
		u64 address = (origin + (u64)lane_offset(pattern, lane)) ^ mask;
		u32 line = base | (u32)(address / GPU_LINE_BYTES);
		u32 word = address % GPU_LINE_BYTES / 4;
		u32 wanted = ((1U << words) - 1) << word;
		u32 sector = 0xffU << word / SECTOR_WORDS * SECTOR_WORDS;

		for (i = 0; i < lsu->count; i++)
			if (lsu->line[i] == line && (taken[i] & sector) &&
			    !(taken[i] & wanted))
				break;
		if (i == lsu->count) {
			lsu_add(lsu, line, 1U << word / SECTOR_WORDS, 0);
			taken[i] = 0;
		}
		taken[i] |= wanted;
	}
}

/*
 * address_lines() - the lines that a memory op of a warp touches now
 * @lsu: gets the lines, what a store leaves out of them, and the words of a request
 *
 * Return: how many, 1 to 32.
 */
u32 address_lines(struct gpu *gpu, struct sm *sm, u32 warp_index,
		  const struct trace_op *op, struct lsu *lsu)
{
	struct warp *warp = &sm->warp[warp_index];
	const struct block *block = &sm->block[warp->block];
	const struct trace *trace = gpu->grids[warp->grid].trace;
	const struct trace_pattern *pattern = &trace->patterns[op->pattern];
	u32 base = (u32)warp->slot << LINE_SLOT_SHIFT;

	lsu->count = 0;
	lsu->partial = 0;
	lsu->words = GPU_LINE_BYTES / 4;
	switch (pattern->kind) {
	case TRACE_RECORDED:
		recorded_lines(gpu, trace, warp, op, base, lsu);
		break;
	case TRACE_RANDOM:
		random_lines(gpu, warp, pattern, block->index, base, lsu);
		break;
	default:
		if (op->kind == TRACE_ATOMIC)
			atomic_lines(pattern, block, warp, op, base, lsu);
		else
			affine_lines(gpu, pattern, block, warp, op, base, lsu);
	}
	if (op->kind == TRACE_ATOMIC)
		lsu->words = words_of_atomic(atomic_bytes(pattern, op),
					     lsu->count);
	return lsu->count;
}
