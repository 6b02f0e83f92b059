// SPDX-License-Identifier: GPL-2.0
/*
 * The lines that a warp's access touches, against the words of simgpu_trace.h, lane by
 * lane and byte by byte; and where lines lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "device.h"
#include "random.h"
#include "small.h"

#define SLOT		5
#define WARP		6	/* its place on the SM */
#define BASE		(1U << 24)

/* struct bench - a warp of a GPU whose accesses are looked at one by one */
struct bench {
	struct gpu *gpu;
	struct trace trace;
	struct trace_pattern pattern;
	struct trace_op op;
	struct warp *warp;
	struct block *block;
	struct lsu lsu;
};

/* struct line - as it is expected: what lanes touch of it, overlaps counted twice */
struct line {
	u32 index;
	u32 sectors;
	u32 bytes;
};

static void bench_make(struct bench *bench, bool sectored)
{
	struct gpu_config config = small_config();
	struct sm *sm;

	if (sectored) {
		config.l1_sectors = 4;
		config.llc_sectors = 4;
	}
	memset(bench, 0, sizeof(*bench));
	bench->gpu = gpu_make(&config);
	bench->trace.patterns = &bench->pattern;
	bench->gpu->grids[grid_number(SLOT, 2)].trace = &bench->trace;
	sm = &bench->gpu->sms[1];
	bench->warp = &sm->warp[WARP];
	bench->warp->slot = SLOT;
	bench->warp->grid = grid_number(SLOT, 2);
	bench->warp->block = 3;
	bench->block = &sm->block[3];
}

/* What the load/store unit gets for the access. */
static u32 look_up(struct bench *bench)
{
	memset(&bench->lsu, 0xa5, sizeof(bench->lsu));
	return address_lines(bench->gpu, &bench->gpu->sms[1], WARP, &bench->op,
			     &bench->lsu);
}

/* --- affine patterns ----------------------------------------------------------------- */

static s64 random_stride(u32 bytes)
{
	static const s64 units[] = { 0, 0, 1, 1, 2, 3, 4, 5, 8, 16, 17, 32, 40 };
	s64 stride = units[random_below(ARRAY_SIZE(units))] * bytes;

	return random_below(4) ? stride : -stride;
}

static void draw_affine(struct bench *bench)
{
	struct trace_pattern *p = &bench->pattern;
	struct warp *w = bench->warp;
	u32 bytes = 1U << random_below(5), i;

	memset(p, 0, sizeof(*p));
	p->kind = TRACE_AFFINE;
	p->access_bytes = bytes;
	p->base = BASE + random_below(300) * bytes;
	for (i = 0; i < 3; i++) {
		p->block_stride[i] = random_stride(bytes);
		bench->block->position[i] = random_below(4);
	}
	p->warp_stride = random_stride(bytes);
	/* Mostly lanes are side by side, as compilers have them. */
	p->lane_stride = random_below(3) ? (s64)bytes : random_stride(bytes);
	if (!random_below(4)) {
		p->group_lanes = 1 + random_below(31);
		p->group_stride = random_stride(bytes);
	}
	for (i = 0; i < 4; i++)
		p->loop_stride[i] = random_stride(bytes);
	w->index = random_below(8);
	w->loop_depth = random_below(5);
	for (i = 0; i < 4; i++)
		w->loop_index[i] = i < w->loop_depth ? random_below(6) : 99;
	if (!random_below(3)) {
		p->xor_bytes = (u64)random_below(64) * bytes;
		p->xor_loop = random_below(w->loop_depth + 1U);
	}
	bench->op.kind = random_below(2) ? TRACE_LOAD : TRACE_STORE;
	bench->op.active_lanes = 1 + random_below(32);
	if (random_below(2))
		bench->op.active_lanes = 32;
}

static u64 lane_address(const struct bench *bench, u32 lane)
{
	const struct trace_pattern *p = &bench->pattern;
	const struct warp *w = bench->warp;
	u32 group = p->group_lanes ? p->group_lanes : 32, i;
	u64 mask = p->xor_bytes;
	s64 address = (s64)p->base + w->index * p->warp_stride;

	for (i = 0; i < 3; i++)
		address += bench->block->position[i] * p->block_stride[i];
	for (i = 0; i < w->loop_depth; i++)
		address += w->loop_index[i] * p->loop_stride[i];
	address += lane % group * p->lane_stride +
		   lane / group * p->group_stride;
	if (p->xor_loop)
		mask <<= w->loop_index[p->xor_loop - 1];
	return (u64)address ^ mask;
}

static u32 expect_affine(const struct bench *bench, struct line *lines)
{
	u32 count = 0, lane, byte, i;

	for (lane = 0; lane < bench->op.active_lanes; lane++) {
		for (byte = 0; byte < bench->pattern.access_bytes; byte++) {
			u64 address = lane_address(bench, lane) + byte;

			for (i = 0; i < count; i++)
				if (lines[i].index == address / 128)
					break;
			if (i == count)
				lines[count++] = (struct line) {
					.index = (u32)(address / 128),
				};
			lines[i].sectors |= 1U << address % 128 / SECTOR_BYTES;
			lines[i].bytes++;
		}
	}
	return count;
}

/*
 * Lines come in the order in which lanes first touch them, with their sectors; a store
 * is partial where it leaves out a byte of a line, or where caches have sectors of one
 * that it touches.
 */
static void affine_lanes_touch_what_the_format_says(void **state)
{
	u32 sectored, round, i, several = 0;

	random_state = 20261126;
	for (sectored = 0; sectored < 2; sectored++) {
		struct bench bench;

		bench_make(&bench, sectored);
		for (round = 0; round < 20000; round++) {
			struct line lines[GPU_LANES];
			u32 count;

			draw_affine(&bench);
			count = expect_affine(&bench, lines);
			several += count > 1;
			assert_int_equal(look_up(&bench), count);
			assert_int_equal(bench.lsu.count, count);
			assert_int_equal(bench.lsu.words, 32);
			for (i = 0; i < count; i++) {
				u32 whole = sectored ? SECTOR_BYTES *
					hweight64(lines[i].sectors) : 128;

				assert_int_equal(bench.lsu.line[i],
						 SLOT << 26 | lines[i].index);
				if (sectored)
					assert_int_equal(bench.lsu.sectors[i],
							 lines[i].sectors);
				assert_int_equal(bench.lsu.partial >> i & 1,
						 lines[i].bytes < whole);
			}
		}
		free(bench.gpu);
	}
	assert_true(several > 10000);
}

/* --- atomics ------------------------------------------------------------------------- */

/* One request: of a line some words, of a single sector. */
struct atomic {
	u32 index;
	u32 sector;
	u32 words;
};

static u32 expect_atomic(const struct bench *bench, struct atomic *requests)
{
	u32 count = 0, lane, i;

	for (lane = 0; lane < bench->op.active_lanes; lane++) {
		u64 address = lane_address(bench, lane);
		u32 index = (u32)(address / 128), word = address % 128 / 4;
		u32 sector = word / 8, words;

		words = bench->pattern.access_bytes <= 4 ? 1U << word :
			((1U << bench->pattern.access_bytes / 4) - 1) << word;
		for (i = 0; i < count; i++)
			if (requests[i].index == index &&
			    requests[i].sector == sector &&
			    !(requests[i].words & words))
				break;
		if (i == count)
			requests[count++] = (struct atomic) { index, sector, 0 };
		requests[i].words |= words;
	}
	return count;
}

/*
 * Lanes of a sector share a request unless two want a word; a request carries what its
 * lanes do, in the mean, rounded up to whole words.
 */
static void atomics_share_what_no_two_lanes_want(void **state)
{
	struct bench bench;
	u32 round, i;

	random_state = 77;
	bench_make(&bench, true);
	for (round = 0; round < 20000; round++) {
		struct atomic requests[GPU_LANES];
		u32 count, bytes;

		draw_affine(&bench);
		bench.op.kind = TRACE_ATOMIC;
		count = expect_atomic(&bench, requests);
		bytes = bench.op.active_lanes * bench.pattern.access_bytes;
		assert_int_equal(look_up(&bench), count);
		assert_int_equal(bench.lsu.words,
				 (bytes + 4 * count - 1) / (4 * count));
		for (i = 0; i < count; i++) {
			assert_int_equal(bench.lsu.line[i],
					 SLOT << 26 | requests[i].index);
			assert_int_equal(bench.lsu.sectors[i],
					 1U << requests[i].sector);
		}
		assert_int_equal(bench.lsu.partial, 0);
	}
	free(bench.gpu);
}

/* --- random patterns ----------------------------------------------------------------- */

static void random_pattern(struct bench *bench, u32 first, u32 region, u32 lines)
{
	bench->pattern = (struct trace_pattern) {
		.kind = TRACE_RANDOM, .access_bytes = 128,
		.base = (u64)first * 128, .region_bytes = (u64)region * 128,
		.lines = lines, .seed = 7,
	};
	bench->op = (struct trace_op) { .kind = TRACE_LOAD, .active_lanes = 32 };
}

/* Each line of the region, and none beside it, about equally often. */
static void random_lines_fill_their_region(void **state)
{
	static const u32 regions[] = { 1, 2, 7, 64, 1000 };
	u32 hits[1000], i, n, round;
	struct bench bench;

	bench_make(&bench, false);
	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		u32 region = regions[i], mean = 200;

		memset(hits, 0, sizeof(hits));
		random_pattern(&bench, 1000, region, 25);
		for (round = 0; round < mean * region; round += 25) {
			bench.block->index = round / 100;
			bench.warp->index = round / 25 % 8;
			assert_int_equal(look_up(&bench), 25);
			for (n = 0; n < 25; n++) {
				u32 line = bench.lsu.line[n] - (SLOT << 26);

				assert_in_range(line, 1000, 1000 + region - 1);
				hits[line - 1000]++;
			}
		}
		for (n = 0; n < region; n++)
			assert_in_range(hits[n], mean / 2, 2 * mean);
	}
	free(bench.gpu);
}

/* What decides which lines they are: seeds, block, warp, and its accesses so far. */
static void random_lines_depend_on_what_the_format_says(void **state)
{
	struct bench bench;
	u32 first[16], i;

	bench_make(&bench, false);
	random_pattern(&bench, 0, 1 << 20, 16);
	for (i = 0; i < 8; i++) {
		bench.gpu->seed = 1 + (i == 1) + ((u64)(i == 2) << 40);
		bench.pattern.seed = 7 + (i == 3);
		bench.block->index = 4 + (i == 4);
		bench.warp->index = 2 + (i == 5);
		bench.warp->accesses = 9 + (i == 6);
		assert_int_equal(look_up(&bench), 16);
		assert_int_equal(bench.warp->accesses, 10 + (i == 6));
		if (!i)
			memcpy(first, bench.lsu.line, sizeof(first));
		else if (i < 7)
			assert_memory_not_equal(first, bench.lsu.line,
						sizeof(first));
		else
			assert_memory_equal(first, bench.lsu.line,
					    sizeof(first));
	}
	free(bench.gpu);
}

/* The first bytes of each line, 1 to 128. */
static void random_lines_are_touched_as_far_as_they_say(void **state)
{
	u32 sectored, bytes, i;

	for (sectored = 0; sectored < 2; sectored++) {
		struct bench bench;

		bench_make(&bench, sectored);
		random_pattern(&bench, 0, 1 << 20, 3);
		for (bytes = 1; bytes <= 128; bytes++) {
			u32 whole = sectored ? bytes % 32 == 0 : bytes == 128;

			bench.pattern.access_bytes = bytes;
			bench.op.kind = TRACE_STORE;
			look_up(&bench);
			for (i = 0; sectored && i < 3; i++)
				assert_int_equal(bench.lsu.sectors[i],
						 (1U << (bytes + 31) / 32) - 1);
			assert_int_equal(bench.lsu.partial, whole ? 0 : 7);
			/* Each line's request carries what is touched of it. */
			bench.op.kind = TRACE_ATOMIC;
			look_up(&bench);
			assert_int_equal(bench.lsu.words, (bytes + 3) / 4);
		}
		free(bench.gpu);
	}
}

/* --- recorded lines ------------------------------------------------------------------ */

/* The warp's next ones, as they were recorded; the access after goes on behind them. */
static void recorded_lines_come_in_order(void **state)
{
	/* The table ends with the last: what is asked for behind it is not read. */
	static const u32 table[64] = {
		[40] = 10, [41] = TRACE_LINE_INDEX,
		[42] = 3 | TRACE_LINE_PARTIAL,
		[43] = 8 | 5U << TRACE_LINE_SKIP_SHIFT,
		[44] = 9 | TRACE_LINE_PARTIAL | 8U << TRACE_LINE_SKIP_SHIFT,
	};
	static const u32 sectors[] = { 0xf, 0xf, 0xf, 0xa, 0x7 };
	u32 sectored, i;

	for (sectored = 0; sectored < 2; sectored++) {
		struct bench bench;

		bench_make(&bench, sectored);
		bench.trace.lines = table;
		bench.pattern.kind = TRACE_RECORDED;
		bench.warp->line = 40;
		bench.op = (struct trace_op) {
			.kind = TRACE_STORE, .active_lanes = 32, .count = 2,
		};
		assert_int_equal(look_up(&bench), 2);
		assert_int_equal(bench.lsu.partial, 0);
		assert_int_equal(bench.lsu.line[0], SLOT << 26 | 10);
		assert_int_equal(bench.lsu.line[1],
				 SLOT << 26 | TRACE_LINE_INDEX);
		bench.op.count = 3;
		assert_int_equal(look_up(&bench), 3);
		/* Without sectors, to leave some out is to be partial. */
		assert_int_equal(bench.lsu.partial, sectored ? 5 : 7);
		for (i = 0; i < 3; i++) {
			assert_int_equal(bench.lsu.line[i], SLOT << 26 |
					 (table[42 + i] & TRACE_LINE_INDEX));
			assert_int_equal(bench.lsu.sectors[i], sectors[2 + i]);
		}
		assert_int_equal(bench.warp->line, 45);
		free(bench.gpu);
	}
}

/* A word for each lane, divided among the lines; a request carries a line at most. */
static void recorded_atomics_carry_a_word_a_lane(void **state)
{
	static const struct {
		u32 lanes;
		u32 lines;
		u32 words;
	} cases[] = {
		{ 32, 1, 32 }, { 32, 2, 16 }, { 32, 3, 11 }, { 31, 31, 1 },
		{ 1, 1, 1 }, { 17, 16, 2 },
	};
	static const u32 table[128];
	struct bench bench;
	u32 i;

	bench_make(&bench, true);
	bench.trace.lines = table;
	bench.pattern.kind = TRACE_RECORDED;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bench.warp->line = 0;
		bench.op = (struct trace_op) {
			.kind = TRACE_ATOMIC, .count = cases[i].lines,
			.active_lanes = (u8)cases[i].lanes,
		};
		look_up(&bench);
		assert_int_equal(bench.lsu.words, cases[i].words);
	}
	free(bench.gpu);
}

/* --- where lines lie ----------------------------------------------------------------- */

struct places {
	u32 channels;
	u32 per_channel;	/* slices */
};

static const struct places places[] = {
	{ 1, 1 }, { 1, 2 }, { 2, 2 }, { 4, 2 }, { 8, 2 }, { 8, 4 }, { 16, 4 },
	{ 32, 4 }, { 32, 1 }, { 3, 2 }, { 6, 1 }, { 12, 4 },
};

static bool has_places(const struct places *p, u32 hash)
{
	return hash != GPU_HASH_IPOLY || !(p->channels & (p->channels - 1));
}

static struct gpu *make_places(const struct places *p, u32 hash)
{
	struct gpu_config config = small_config();

	config.channels = p->channels;
	config.llc_slices = p->per_channel * p->channels;
	config.address_hash = hash;
	return gpu_make(&config);
}

/* Lines fill whole rows of all banks; slices have about equally many of them. */
static void expect_full_rows(const struct places *p, u32 hash)
{
	struct gpu *gpu = make_places(p, hash);
	u32 per_row = gpu->config.row_lines, banks = gpu->config.banks;
	u32 slices = gpu->config.llc_slices, rows = 4, line;
	u32 lines = p->channels * banks * per_row * rows;
	u32 *of_row = calloc(lines / per_row, sizeof(*of_row));
	u32 *of_slice = calloc(slices, sizeof(*of_slice));
	u8 bank;

	for (line = 0; line < lines; line++) {
		u32 slice = address_slice(gpu, line);
		u32 row = address_row(gpu, line, &bank);

		assert_true(slice < slices && row < rows && bank < banks);
		of_slice[slice]++;
		of_row[(slice / p->per_channel * banks + bank) * rows + row]++;
	}
	for (line = 0; line < lines / per_row; line++)
		assert_int_equal(of_row[line], per_row);
	for (line = 0; line < slices; line++)
		assert_in_range(of_slice[line] * slices, lines * 2 / 3,
				lines * 4 / 3);
	free(of_row);
	free(of_slice);
	free(gpu);
}

static void no_two_lines_have_one_place(void **state)
{
	u32 i, hash;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		for (hash = GPU_HASH_PLAIN; hash <= GPU_HASH_IPOLY; hash++)
			if (has_places(&places[i], hash))
				expect_full_rows(&places[i], hash);
}

/*
 * IPOLY: as many lines as there are slices, a power of two apart that is more than all
 * slices have of neighbours, are in all of them; for that its polynomials are irreducible.
 */
static void no_stride_lands_on_few_slices(void **state)
{
	u32 i, shift, n;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		u32 slices = places[i].channels * places[i].per_channel;
		struct gpu *gpu;

		if (!has_places(&places[i], GPU_HASH_IPOLY))
			continue;
		gpu = make_places(&places[i], GPU_HASH_IPOLY);
		for (shift = 1; slices << shift <= TRACE_LINE_INDEX; shift++) {
			u64 hit[2] = { 0 };

			if (1U << shift < 2 * slices)
				continue;
			for (n = 0; n < slices; n++) {
				u32 slice = address_slice(gpu, n << shift);

				hit[slice / 64] |= 1ULL << slice % 64;
			}
			assert_int_equal(hweight64(hit[0]) + hweight64(hit[1]),
					 slices);
		}
		free(gpu);
	}
}

/* As long as 256 bytes, a run of lines stays in one channel, then goes to another. */
static void neighbours_are_in_a_channel_by_twos(void **state)
{
	u32 hash, line;

	for (hash = GPU_HASH_PLAIN; hash <= GPU_HASH_IPOLY; hash++) {
		struct gpu_config config = small_config();
		u32 twos = 0, channel, before = NONE;
		struct gpu *gpu;

		config.address_hash = hash;
		gpu = gpu_make(&config);
		for (line = 0; line < 4096; line += 2) {
			channel = address_slice(gpu, line) / 2;
			assert_int_equal(address_slice(gpu, line + 1) / 2,
					 channel);
			twos += channel != before;
			before = channel;
		}
		assert_true(twos > 2048 * 2 / 3);
		free(gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(affine_lanes_touch_what_the_format_says),
		cmocka_unit_test(atomics_share_what_no_two_lanes_want),
		cmocka_unit_test(random_lines_fill_their_region),
		cmocka_unit_test(random_lines_depend_on_what_the_format_says),
		cmocka_unit_test(random_lines_are_touched_as_far_as_they_say),
		cmocka_unit_test(recorded_lines_come_in_order),
		cmocka_unit_test(recorded_atomics_carry_a_word_a_lane),
		cmocka_unit_test(no_two_lines_have_one_place),
		cmocka_unit_test(no_stride_lands_on_few_slices),
		cmocka_unit_test(neighbours_are_in_a_channel_by_twos),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
