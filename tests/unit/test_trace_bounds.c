// SPDX-License-Identifier: GPL-2.0
/*
 * Which thread blocks and warps run a program, as the validator and the decoder see it:
 * traces drawn at random, with tables of warps, rows, runs and samples, beside a slow
 * second reader of the format that goes through them thread block by thread block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/sim/trace.h"
#include "../../userspace/workloads/builder.h"
#include "random.h"

#define ROUNDS		400
#define KERNELS		4
#define KERNEL_PROGRAMS	3
#define PROGRAMS	(KERNELS * KERNEL_PROGRAMS)
#define BLOCKS		60	/* of 5 x 4 x 3 */
#define WARPS		3
#define ENTRIES		BLOCKS
#define ROWS		12
/* Where the patterns lie at first: far from both ends. */
#define MIDDLE		(SIMGPU_TRACE_SPACE_BYTES / 2)

/*
 * struct program - as it was drawn
 * @load: index of its affine load among the ops
 * @lanes: of the load
 * @trips: of the loops around it
 * @pattern: of the load
 * @instructions: thread instructions of a warp
 * @lines: recorded lines that a warp takes
 * @runs: whether a warp runs it
 * @low: least x, y, z and warp of those that do
 * @high: greatest
 */
struct program {
	u32 load;
	u32 lanes;
	u32 depth;
	u32 trips[4];
	struct simgpu_trace_pattern pattern;
	u64 instructions;
	u32 lines;
	bool runs;
	u32 low[4];
	u32 high[4];
};

/* struct rows - of a kernel: from each row on the runs of row @list */
struct rows {
	u32 count;
	u32 end[ROWS];
	u32 list[ROWS];
	u32 runs[ROWS];
	u32 run_end[ROWS][BLOCKS];
	u32 run_block[ROWS][BLOCKS];
};

/*
 * struct kernel - as it was drawn
 * @table: whether it has one
 * @shares: whether that is the table of the kernel before
 * @entries: thread blocks of the table
 * @program: that a warp of an entry runs
 * @first_line: of it
 * @entry: of the table, for each thread block
 */
struct kernel {
	u32 grid[3];
	u32 warps;
	u32 sample_n;
	u32 first_program;
	u32 programs;
	bool table;
	bool shares;
	u32 entries;
	u8 program[ENTRIES][WARPS];
	u32 first_line[ENTRIES][WARPS];
	struct rows rows;
	u32 entry[BLOCKS];
	u64 instructions;
};

static struct program programs[PROGRAMS];
static struct kernel kernels[KERNELS];
static u32 program_count, op_count, line_count;
/* The file. */
static struct simgpu_trace_header *file;
static size_t file_bytes;

static void *section(u32 number)
{
	return (char *)file + file->sections[number].offset;
}

/* --- drawing ------------------------------------------------------------------------------ */

static u32 from_1_to(u32 most)
{
	return 1 + random_below(most);
}

static s64 draw_stride(u32 access_bytes)
{
	return ((s64)random_below(2001) - 1000) * access_bytes;
}

static void draw_pattern(struct program *p)
{
	struct simgpu_trace_pattern *to = &p->pattern;
	u32 access = 1U << random_below(5), i;

	memset(to, 0, sizeof(*to));
	to->kind = SIMGPU_TRACE_AFFINE;
	to->access_bytes = access;
	to->base = MIDDLE;
	to->region_bytes = MIDDLE;
	for (i = 0; i < 3; i++)
		to->block_stride[i] = draw_stride(access);
	for (i = 0; i < p->depth; i++)
		to->loop_stride[i] = draw_stride(access);
	to->warp_stride = draw_stride(access);
	to->lane_stride = draw_stride(access);
	if (random_below(2)) {
		/* Full groups, or one that is not. */
		to->group_lanes = from_1_to(31);
		if (to->group_lanes < p->lanes)
			p->lanes -= p->lanes % to->group_lanes;
		to->group_stride = draw_stride(access);
	}
	if (random_below(3) == 0) {
		to->xor_bytes = (u64)from_1_to(64) * access;
		to->xor_loop = random_below(p->depth + 1);
	}
}

static void draw_program(struct builder *b, u32 recorded)
{
	struct program *p = &programs[program_count++];
	u32 count = from_1_to(9), lanes = from_1_to(32), times = 1, i;

	memset(p, 0, sizeof(*p));
	p->lanes = from_1_to(32);
	p->depth = random_below(5);
	for (i = 0; i < p->depth; i++) {
		p->trips[i] = from_1_to(3);
		times *= p->trips[i];
		builder_loop(b, p->trips[i]);
	}
	draw_pattern(p);
	p->load = op_count + p->depth;
	builder_load(b, builder_pattern(b, &p->pattern), p->lanes, 0);
	builder_compute(b, count, lanes);
	p->instructions = times * (p->lanes + (u64)count * lanes);
	op_count += 2 * p->depth + 3;
	if (recorded) {
		p->lines = from_1_to(32);
		builder_op(b, &(struct simgpu_trace_op) {
			.kind = SIMGPU_TRACE_LOAD, .active_lanes = 32,
			.count = p->lines,
			.pattern = builder_pattern(b,
				&(struct simgpu_trace_pattern) {
					.kind = SIMGPU_TRACE_RECORDED }),
		});
		p->lines *= times;
		p->instructions += 32 * times;
		op_count++;
	}
	for (i = 0; i < p->depth; i++)
		builder_loop_end(b);
	builder_barrier(b);
	builder_shared(b, 2, 1, 1);
	p->instructions += 32 + 2;
	op_count++;
}

/* The runs of a row of so many thread blocks. */
static void draw_runs(struct builder *b, const struct kernel *k,
		      struct rows *rows, u32 row, u32 length)
{
	u32 end = 0, count = 0;

	while (end < length) {
		end += from_1_to(length - end);
		rows->run_end[row][count] = end;
		rows->run_block[row][count] = random_below(k->entries);
		builder_run(b, end, rows->run_block[row][count]);
		count++;
	}
	rows->runs[row] = count;
}

static void draw_rows(struct builder *b, struct kernel *k, u32 recorded)
{
	u32 length = k->sample_n == 1 ? k->grid[0] : recorded;
	u32 total = k->sample_n == 1 ? k->grid[1] * k->grid[2] : 1;
	struct rows *rows = &k->rows;
	u32 end = 0, row;

	while (end < total) {
		row = rows->count++;
		end += from_1_to(total - end > 3 ? 3 : total - end);
		rows->end[row] = end;
		builder_row(b, end);
		rows->list[row] = row;
		if (row && random_below(3) == 0)
			rows->list[row] = rows->list[random_below(row)];
		else
			draw_runs(b, k, rows, row, length);
	}
}

/* Which entry of its table a thread block has. */
static u32 entry_of(const struct kernel *k, u32 block)
{
	const struct rows *rows = &k->rows;
	u32 place = block / k->sample_n, row = 0, list, run = 0;

	if (!rows->count)
		return place;
	if (k->sample_n == 1) {
		place = block % k->grid[0];
		while (rows->end[row] <= block / k->grid[0])
			row++;
	}
	list = rows->list[row];
	while (rows->run_end[list][run] <= place)
		run++;
	return rows->run_block[list][run];
}

static void draw_table(struct builder *b, struct kernel *k)
{
	u32 blocks = k->grid[0] * k->grid[1] * k->grid[2];
	u32 recorded, entry, warp;

	k->sample_n = random_below(2) ? 1 : from_1_to(5);
	recorded = (blocks + k->sample_n - 1) / k->sample_n;
	k->entries = recorded;
	if (random_below(3)) {
		k->entries = from_1_to(4);
		draw_rows(b, k, recorded);
	}
	builder_sample(b, k->sample_n);
	for (entry = 0; entry < k->entries; entry++) {
		for (warp = 0; warp < k->warps; warp++) {
			u32 program = random_below(k->programs);
			u32 line = random_below(20), lines;

			k->program[entry][warp] = program;
			k->first_line[entry][warp] = line;
			builder_warp(b, program, line);
			lines = line +
				programs[k->first_program + program].lines;
			if (lines >= line_count)
				line_count = lines;
		}
	}
}

/* Thread block by thread block, what a kernel means. */
static void go_through(struct kernel *k)
{
	u32 blocks = k->grid[0] * k->grid[1] * k->grid[2];
	u32 at[4], block, program, i;
	struct program *p;

	k->instructions = 0;
	for (block = 0; block < blocks; block++) {
		at[0] = block % k->grid[0];
		at[1] = block / k->grid[0] % k->grid[1];
		at[2] = block / k->grid[0] / k->grid[1];
		k->entry[block] = k->table ? entry_of(k, block) : 0;
		for (at[3] = 0; at[3] < k->warps; at[3]++) {
			program = k->table ?
				  k->program[k->entry[block]][at[3]] : 0;
			p = &programs[k->first_program + program];
			k->instructions += p->instructions;
			for (i = 0; i < 4; i++) {
				if (!p->runs || at[i] < p->low[i])
					p->low[i] = at[i];
				if (!p->runs || at[i] > p->high[i])
					p->high[i] = at[i];
			}
			p->runs = true;
		}
	}
}

static void draw_grid(struct kernel *k)
{
	k->grid[0] = from_1_to(5);
	k->grid[1] = from_1_to(4);
	k->grid[2] = from_1_to(3);
}

static void draw_kernel(struct builder *b, struct kernel *k)
{
	u32 i;

	memset(k, 0, sizeof(*k));
	draw_grid(k);
	k->warps = from_1_to(WARPS);
	k->sample_n = 1;
	k->table = random_below(4) != 0;
	k->first_program = program_count;
	k->programs = from_1_to(KERNEL_PROGRAMS);
	builder_kernel(b, "drawn", 1, k->warps * 32 - random_below(32),
		       from_1_to(255), random_below(1 << 20));
	builder_grid(b, k->grid[0], k->grid[1], k->grid[2]);
	/* One that no op has, and of which every field is set. */
	builder_pattern(b, &(struct simgpu_trace_pattern) {
		.kind = SIMGPU_TRACE_RANDOM, .access_bytes = from_1_to(128),
		.region_bytes = MIDDLE, .lines = from_1_to(32),
		.seed = from_1_to(1 << 30),
	});
	for (i = 0; i < k->programs; i++) {
		if (i)
			builder_program(b);
		/* All may run the first one, with or without a table. */
		draw_program(b, i && k->table && random_below(2));
	}
	if (k->table)
		draw_table(b, k);
}

/* The same as the one before, or its programs in another grid, which has no table. */
static void draw_again(struct builder *b, const struct kernel *from,
		       struct kernel *k)
{
	*k = *from;
	if (random_below(2)) {
		builder_again(b, 1, 1);
		k->shares = k->table;
		return;
	}
	draw_grid(k);
	k->table = false;
	k->sample_n = 1;
	k->rows.count = 0;
	builder_again(b, 1, 1);
	builder_grid(b, k->grid[0], k->grid[1], k->grid[2]);
}

/* What the builder does not do: rows that share runs, and kernels that have none. */
static void patch_kernels(void)
{
	struct simgpu_trace_kernel *to = section(SIMGPU_TRACE_KERNELS);
	struct simgpu_trace_row *rows = section(SIMGPU_TRACE_ROWS);
	u32 i, row;

	for (i = 0; i < KERNELS; i++) {
		const struct kernel *k = &kernels[i];

		if (!k->table) {
			to[i].first_warp = SIMGPU_TRACE_NO_WARPS;
			to[i].sample_n = 1;
			to[i].row_count = 0;
			to[i].first_row = 0;
		}
		to[i].table_blocks = k->rows.count ? k->entries : 0;
		for (row = 0; row < k->rows.count; row++) {
			struct simgpu_trace_row *r = &rows[to[i].first_row + row];
			u32 list = to[i].first_row + k->rows.list[row];

			r->first_run = rows[list].first_run;
			r->run_count = rows[list].run_count;
		}
	}
}

static void draw_trace(void)
{
	struct builder *b = builder_new("drawn", "test");
	u32 i;

	program_count = 0;
	op_count = 0;
	line_count = 0;
	for (i = 0; i < KERNELS; i++) {
		if (i == KERNELS - 1)
			draw_again(b, &kernels[i - 1], &kernels[i]);
		else
			draw_kernel(b, &kernels[i]);
	}
	for (i = 0; i < line_count; i++)
		builder_line(b, i);
	file = builder_finish(b, SIMGPU_TRACE_SPACE_BYTES, &file_bytes);
	assert_non_null(file);
	builder_free(b);
	patch_kernels();
	for (i = 0; i < KERNELS; i++)
		go_through(&kernels[i]);
}

/* --- what is said of it ------------------------------------------------------------------- */

static int check(u64 *memory_bytes, struct trace_error *error)
{
	builder_seal(file, file_bytes);
	return trace_check(file, file_bytes, memory_bytes, error);
}

static void expect_good(u32 round)
{
	struct trace_error error;
	u64 memory_bytes;

	if (check(&memory_bytes, &error))
		fail_msg("round %u: %s %s", round, error.field, error.reason);
}

static void expect_bad(u32 round, const char *section_name, u32 index,
		       const char *field, const char *reason)
{
	struct trace_error error;
	u64 memory_bytes;
	char name[64];

	snprintf(name, sizeof(name), "%s[%u].%s", section_name, index, field);
	if (check(&memory_bytes, &error) != -EINVAL)
		fail_msg("round %u: %s is accepted", round, name);
	if (strcmp(error.field, name) || strcmp(error.reason, reason))
		fail_msg("round %u: %s %s instead of %s %s", round, error.field,
			 error.reason, name, reason);
}

static void reach(s64 *low, s64 *high, s64 a, s64 b)
{
	*low += a < b ? a : b;
	*high += a < b ? b : a;
}

/* What a program's load touches, from its base on, lane by lane. */
static void reach_of(const struct program *p, s64 *low, s64 *high)
{
	const struct simgpu_trace_pattern *pattern = &p->pattern;
	u32 group = pattern->group_lanes ? pattern->group_lanes : 32, i;
	s64 least = 0, most = 0;

	for (i = 0; i < p->lanes; i++) {
		s64 at = (s64)(i % group) * pattern->lane_stride +
			 (s64)(i / group) * pattern->group_stride;

		least = at < least ? at : least;
		most = at > most ? at : most;
	}
	*low = least;
	*high = most + pattern->access_bytes;
	for (i = 0; i < 3; i++)
		reach(low, high, pattern->block_stride[i] * p->low[i],
		      pattern->block_stride[i] * p->high[i]);
	reach(low, high, pattern->warp_stride * p->low[3],
	      pattern->warp_stride * p->high[3]);
	for (i = 0; i < p->depth; i++)
		reach(low, high, 0, pattern->loop_stride[i] * (p->trips[i] - 1));
	if (pattern->xor_loop)
		*high += (s64)(pattern->xor_bytes <<
			       (p->trips[pattern->xor_loop - 1] - 1));
	else
		*high += (s64)pattern->xor_bytes;
}

/* The least region is good, one that begins later or ends earlier is not. */
static void expect_reach(u32 round, u32 index)
{
	const struct program *p = &programs[index];
	const struct simgpu_trace_op *ops = section(SIMGPU_TRACE_OPS);
	struct simgpu_trace_pattern *pattern = section(SIMGPU_TRACE_PATTERNS);
	s64 low, high;

	assert_int_equal(ops[p->load].kind, SIMGPU_TRACE_LOAD);
	pattern += ops[p->load].pattern;
	reach_of(p, &low, &high);
	/* That the region is larger than the mask is a rule of its own. */
	if (p->pattern.xor_bytes && high - 1 <= (s64)p->pattern.xor_bytes)
		return;
	pattern->base = (u64)-low;
	pattern->region_bytes = (u64)high;
	expect_good(round);
	pattern->region_bytes--;
	expect_bad(round, "ops", p->load, "pattern", "leaves its region");
	pattern->base -= pattern->access_bytes;
	pattern->region_bytes += 1 + pattern->access_bytes;
	expect_bad(round, "ops", p->load, "pattern", "leaves its region");
	*pattern = p->pattern;
}

/* Every warp's lines are there, and none fewer will do. */
static void expect_lines(u32 round)
{
	struct simgpu_trace_warp *warps = section(SIMGPU_TRACE_WARPS);
	u32 index = 0, i, entry, warp;

	for (i = 0; i < KERNELS; i++) {
		const struct kernel *k = &kernels[i];

		if (k->shares || !k->table)
			continue;
		for (entry = 0; entry < k->entries; entry++) {
			for (warp = 0; warp < k->warps; warp++, index++) {
				u32 lines = programs[k->first_program +
					k->program[entry][warp]].lines;

				warps[index].first_line = line_count - lines;
				expect_good(round);
				warps[index].first_line++;
				expect_bad(round, "warps", index, "first_line",
					   "runs past the lines");
				warps[index].first_line =
					k->first_line[entry][warp];
			}
		}
	}
	assert_int_equal(index, file->sections[SIMGPU_TRACE_WARPS].count);
}

static void programs_are_checked_for_exactly_who_runs_them(void **state)
{
	u32 round, i;

	random_state = 1234567;
	for (round = 0; round < ROUNDS; round++) {
		draw_trace();
		expect_good(round);
		for (i = 0; i < program_count; i++)
			expect_reach(round, i);
		if (round % 8 == 0)
			expect_lines(round);
		free(file);
	}
}

static void expect_warps(const struct trace_kernel *decoded,
			 const struct kernel *k)
{
	u32 block, warp;

	for (block = 0; block < decoded->blocks; block++) {
		const struct trace_warp *first =
			&decoded->warps[k->entry[block] * k->warps];

		for (warp = 0; warp < k->warps; warp++)
			assert_ptr_equal(trace_warp(decoded, block, warp),
					 first + warp);
	}
}

static void warps_and_counts_are_those_of_the_tables(void **state)
{
	struct trace_error error;
	u32 round, i;
	struct trace *trace;
	u64 memory_bytes;

	random_state = 7654321;
	for (round = 0; round < ROUNDS; round++) {
		draw_trace();
		assert_int_equal(check(&memory_bytes, &error), 0);
		trace = trace_decode(file, port_alloc(memory_bytes));
		for (i = 0; i < KERNELS; i++) {
			assert_int_equal(trace->kernels[i].instructions,
					 kernels[i].instructions);
			if (kernels[i].table)
				expect_warps(&trace->kernels[i], &kernels[i]);
		}
		port_free(trace);
		free(file);
	}
}

/* --- decoding ------------------------------------------------------------------------------ */

static void expect_op(const struct trace_op *to, const struct simgpu_trace_op *from)
{
	assert_int_equal(to->kind, from->kind);
	assert_int_equal(to->active_lanes, from->active_lanes);
	assert_int_equal(to->issue_cycles, from->issue_cycles);
	assert_int_equal(to->count, from->count);
	if (to->kind != TRACE_LOOP_END)
		assert_int_equal(to->pattern, from->pattern);
	assert_int_equal(to->consume_after, from->consume_after);
}

/* Each program's ops, a loop's end with its begin, and an op of zeros behind them. */
static void expect_programs(const struct trace *trace)
{
	const struct simgpu_trace_program *program =
		section(SIMGPU_TRACE_PROGRAMS);
	const struct simgpu_trace_op *from = section(SIMGPU_TRACE_OPS);
	const struct trace_op *to = trace->ops, none = { .kind = TRACE_END };
	u32 open[4], depth = 0, i, j;

	for (i = 0; i < program_count; i++, to++) {
		for (j = 0; j < program[i].op_count; j++, to++, from++) {
			expect_op(to, from);
			if (to->kind == TRACE_LOOP)
				open[depth++] = (u32)(to - trace->ops) + 1;
			else if (to->kind == TRACE_LOOP_END)
				assert_int_equal(to->body, open[--depth]);
		}
		assert_memory_equal(to, &none, sizeof(none));
	}
	/* A program of two ops that the file does not have follows: to spin. */
	assert_int_equal(to - trace->ops, trace->spin);
	assert_int_equal(to[0].kind, TRACE_COMPUTE);
	assert_int_equal(to[1].kind, TRACE_END);
	assert_int_equal(to[1].body, trace->spin + 1);
	assert_int_equal(to + 2 - trace->ops, trace->op_count);
}

static void expect_kernels(const struct trace *trace)
{
	const struct simgpu_trace_kernel *from = section(SIMGPU_TRACE_KERNELS);
	const struct simgpu_trace_program *program =
		section(SIMGPU_TRACE_PROGRAMS);
	const struct simgpu_trace_row *rows = section(SIMGPU_TRACE_ROWS);
	const struct simgpu_trace_run *runs = section(SIMGPU_TRACE_RUNS);
	u32 i, j;

	assert_int_equal(trace->kernel_count, KERNELS);
	for (i = 0; i < KERNELS; i++) {
		const struct trace_kernel *to = &trace->kernels[i];

		assert_string_equal(to->name, from[i].name);
		assert_memory_equal(to->grid, from[i].grid, sizeof(to->grid));
		assert_int_equal(to->blocks, from[i].grid[0] *
				 from[i].grid[1] * from[i].grid[2]);
		assert_int_equal(to->block_threads, from[i].block[0]);
		assert_int_equal(to->block_warps, kernels[i].warps);
		assert_int_equal(to->registers_per_thread,
				 from[i].registers_per_thread);
		assert_int_equal(to->shared_bytes, from[i].shared_bytes);
		assert_int_equal(to->sample_n, from[i].sample_n);
		assert_int_equal(to->row_count, from[i].row_count);
		for (j = 0; j < kernels[i].programs; j++) {
			u32 number = kernels[i].first_program + j;

			assert_int_equal(to->programs[j],
					 program[number].first_op + number);
		}
		if (to->row_count)
			assert_memory_equal(to->rows,
					    &rows[from[i].first_row],
					    to->row_count * sizeof(*rows));
		if (file->sections[SIMGPU_TRACE_RUNS].count)
			assert_memory_equal(to->runs, runs,
					    file->sections[SIMGPU_TRACE_RUNS].count *
					    sizeof(*runs));
	}
}

/* The last thing in memory, the programs' begins, ends with it. */
static void expect_layout(const struct trace *trace, u64 memory_bytes)
{
	const u32 *begins = trace->lines +
			    file->sections[SIMGPU_TRACE_LINES].count;

	assert_ptr_equal(begins, trace->kernels[0].programs);
	assert_int_equal((const char *)(begins + program_count) -
			 (const char *)trace, memory_bytes);
	assert_int_equal(trace->memory_bytes, memory_bytes);
	assert_int_equal(trace->bytes, file_bytes);
	assert_int_equal(trace->checksum, file->checksum);
	assert_int_equal(trace->footprint_bytes, file->footprint_bytes);
	assert_string_equal(trace->name, "drawn");
}

static void decoding_keeps_everything(void **state)
{
	struct trace_error error;
	struct trace *trace;
	u64 memory_bytes;
	u32 round;

	random_state = 97531;
	for (round = 0; round < ROUNDS / 4; round++) {
		draw_trace();
		assert_int_equal(check(&memory_bytes, &error), 0);
		trace = trace_decode(file, port_alloc(memory_bytes));
		expect_programs(trace);
		expect_kernels(trace);
		expect_layout(trace, memory_bytes);
		assert_memory_equal(trace->patterns,
				    section(SIMGPU_TRACE_PATTERNS),
				    file->sections[SIMGPU_TRACE_PATTERNS].count *
				    sizeof(*trace->patterns));
		if (line_count)
			assert_memory_equal(trace->lines,
					    section(SIMGPU_TRACE_LINES),
					    line_count * sizeof(u32));
		port_free(trace);
		free(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_checked_for_exactly_who_runs_them),
		cmocka_unit_test(warps_and_counts_are_those_of_the_tables),
		cmocka_unit_test(decoding_keeps_everything),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_bounds", tests, NULL, NULL);
}
