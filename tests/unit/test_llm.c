// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of language models (userspace/workloads/llm.c): tensor instructions and bytes of the
 * kernels are those of closed formulas, of several shapes; layers share memory only where they
 * have to; what the estimate chooses fits the GPU. Instructions are counted here from the
 * trace's bytes, apart from the code that wrote them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../userspace/offline/offline.h"
#include "../../userspace/workloads/llm.h"
#include "../../userspace/workloads/llm_attention.h"

#define LANES		32
#define OPERATORS	256
/* FLOPs of a tensor instruction of values of 2 bytes: 16 x 8 x 16 multiplications and additions */
#define TENSOR_FLOPS	(2ULL * 16 * 8 * 16)

/* An A100's SMs, and as much shared memory as products ask for */
static const struct llm_gpu a100 = {
	.sms = 108, .shared = 102400, .registers = 65536, .threads = 2048, .blocks = 32,
	.tensor_cycles = 8, .schedulers = 4, .memory_bytes = 1446, .port_bytes = 53,
	.latency = 390,
};

/**
 * struct counts - what a kernel's warps do, all together
 * @tensor: tensor instructions
 * @loaded: bytes of loads, an access of each lane
 * @stored: bytes of stores
 */
struct counts {
	u64 tensor;
	u64 loaded;
	u64 stored;
};

struct fixture {
	struct llm_plan plan;
	struct llm_layout layout;
	struct llm_step step;
	struct llm_generation generation;
	struct llm_operator operators[OPERATORS];
	u32 count;
	u32 commands;
	void *trace;
	size_t bytes;
};

/* --- counting --------------------------------------------------------------------------- */

static const void *section(const void *trace, u32 id)
{
	const struct simgpu_trace_header *header = trace;

	return (const char *)trace + header->sections[id].offset;
}

/* Tensor instructions of a burst: whole rounds of its mix, and a part of one */
static u64 tensor_in(const void *trace, const struct simgpu_trace_op *op)
{
	const struct simgpu_trace_mix *mix =
		(const struct simgpu_trace_mix *)section(trace, SIMGPU_TRACE_MIXES) + op->mix - 1;
	const struct simgpu_trace_instruction *instructions =
		section(trace, SIMGPU_TRACE_INSTRUCTIONS);
	u64 tensor = 0;
	u32 i;

	for (i = 0; op->mix && i < op->count; i++)
		tensor += instructions[mix->first_instruction + i % mix->instruction_count].unit ==
			  SIMGPU_TRACE_UNIT_TENSOR;
	return tensor;
}

static void count_program(const void *trace, u32 number, struct counts *counts)
{
	const struct simgpu_trace_program *program =
		(const struct simgpu_trace_program *)section(trace, SIMGPU_TRACE_PROGRAMS) + number;
	const struct simgpu_trace_op *ops = section(trace, SIMGPU_TRACE_OPS);
	const struct simgpu_trace_pattern *patterns = section(trace, SIMGPU_TRACE_PATTERNS);
	u64 trips[SIMGPU_TRACE_LOOP_DEPTH_MAX + 1] = { 1 };
	u32 depth = 0, i;

	memset(counts, 0, sizeof(*counts));
	for (i = 0; i < program->op_count; i++) {
		const struct simgpu_trace_op *op = &ops[program->first_op + i];
		u64 bytes = trips[depth] * op->active_lanes;

		if (op->kind == SIMGPU_TRACE_LOOP) {
			trips[depth + 1] = trips[depth] * op->count;
			depth++;
		} else if (op->kind == SIMGPU_TRACE_LOOP_END) {
			depth--;
		} else if (op->kind == SIMGPU_TRACE_COMPUTE) {
			counts->tensor += trips[depth] * tensor_in(trace, op);
		} else if (op->kind == SIMGPU_TRACE_LOAD) {
			counts->loaded += bytes * patterns[op->pattern].access_bytes;
		} else if (op->kind == SIMGPU_TRACE_STORE) {
			counts->stored += bytes * patterns[op->pattern].access_bytes;
		}
	}
}

static void add(struct counts *to, const struct counts *from, u64 times)
{
	to->tensor += from->tensor * times;
	to->loaded += from->loaded * times;
	to->stored += from->stored * times;
}

/* A kernel has no table, or one row of runs: its blocks are those of grid.y * grid.z rows. */
static struct counts count_kernel(const void *trace, u32 number)
{
	const struct simgpu_trace_kernel *kernel =
		(const struct simgpu_trace_kernel *)section(trace, SIMGPU_TRACE_KERNELS) + number;
	const struct simgpu_trace_row *row =
		(const struct simgpu_trace_row *)section(trace, SIMGPU_TRACE_ROWS) + kernel->first_row;
	const struct simgpu_trace_run *runs = section(trace, SIMGPU_TRACE_RUNS);
	const struct simgpu_trace_warp *warps = section(trace, SIMGPU_TRACE_WARPS);
	u64 rows = (u64)kernel->grid[1] * kernel->grid[2];
	u32 own = kernel->block[0] / LANES, begin = 0, run, warp;
	struct counts counts = { 0 }, program;

	if (!kernel->row_count) {
		assert_int_equal(kernel->program_count, 1);
		count_program(trace, kernel->first_program, &program);
		add(&counts, &program, rows * kernel->grid[0] * own);
		return counts;
	}
	assert_int_equal(kernel->row_count, 1);
	assert_int_equal(row->end, rows);
	for (run = row->first_run; run < row->first_run + row->run_count; run++) {
		for (warp = 0; warp < own; warp++) {
			u64 entry = kernel->first_warp + (u64)runs[run].block * own + warp;

			count_program(trace, kernel->first_program + warps[entry].program, &program);
			add(&counts, &program, rows * (runs[run].end - begin));
		}
		begin = runs[run].end;
	}
	assert_int_equal(begin, kernel->grid[0]);
	return counts;
}

static struct counts count_operator(const struct fixture *f, const struct llm_operator *operator)
{
	struct counts counts = { 0 }, kernel;
	u32 i;

	for (i = 0; i < operator->kernels; i++) {
		kernel = count_kernel(f->trace, operator->kernel + i);
		add(&counts, &kernel, 1);
	}
	return counts;
}

/* --- making ----------------------------------------------------------------------------- */

static const struct llm_model *model_of(const char *name)
{
	const struct llm_model *model = llm_models;

	while (strcmp(model->name, name))
		model++;
	return model;
}

static struct fixture *make(const char *model, u32 layers, bool whole, struct llm_step step,
			    const struct llm_generation *generation)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct trace_error error = { 0 };
	struct builder *b = builder_new("test", "test");
	u64 memory_bytes;
	u32 kernels = 0;

	assert_non_null(f);
	assert_non_null(b);
	f->step = step;
	f->generation = *generation;
	if (f->generation.shared > a100.shared)
		f->generation.shared = a100.shared;
	f->plan = (struct llm_plan){
		.model = *model_of(model), .value_bytes = 2, .whole = whole,
		.generation = &f->generation, .gpu = a100, .cache_bytes = 40 << 20,
		.steps = &f->step, .step_count = 1,
	};
	f->plan.model.layers = layers;
	assert_null(llm_check(&f->plan.model));
	assert_true(llm_plan(&f->plan, &f->layout));
	assert_true(llm_operators_most(&f->plan) <= OPERATORS);
	builder_footprint(b, f->layout.bytes);
	f->count = llm_emit_step(b, &f->plan, &f->layout, &f->step, &kernels, f->operators);
	if (whole) {
		llm_allocate(b, &f->layout);
		f->commands = llm_command_step(b, &f->plan, &f->step, 0, f->operators, f->count);
	}
	f->trace = builder_finish(b, 0, &f->bytes);
	builder_free(b);
	assert_non_null(f->trace);
	if (trace_check(f->trace, f->bytes, &memory_bytes, &error))
		fail_msg("%s: %s", error.field, error.reason);
	return f;
}

static void done(struct fixture *f)
{
	free(f->trace);
	free(f);
}

static const struct llm_operator *find(const struct fixture *f, const char *name)
{
	u32 i;

	for (i = 0; i < f->count; i++)
		if (!strcmp(f->operators[i].name, name))
			return &f->operators[i];
	fail_msg("there is no operator %s", name);
	return NULL;
}

static u64 round_up(u64 value, u64 unit)
{
	return (value + unit - 1) / unit * unit;
}

/* --- products --------------------------------------------------------------------------- */

static void check_product(const struct fixture *f, const char *name, u64 tokens, u64 depth,
			  u64 outputs)
{
	const struct llm_operator *operator = find(f, name);
	const struct llm_tile *tile = &operator->tile;
	struct counts counts = count_operator(f, operator);
	u64 rows = round_up(tokens, tile->rows * tile->cluster), bands = rows / tile->rows;
	u64 weights = depth * outputs * 2, loaded = weights * bands / tile->cluster;
	/* Parts are summed up in whole blocks of 1,024 values. */
	u64 summed = tile->parts > 1 ? round_up(tokens * outputs, 1024) : 0;

	assert_int_equal(operator->flops, 2 * tokens * depth * outputs);
	assert_int_equal(operator->bytes, 2 * (tokens * depth + depth * outputs + tokens * outputs));
	/* Tiles are whole: their instructions are those of all their rows. */
	assert_int_equal(counts.tensor * TENSOR_FLOPS, 2 * rows * depth * outputs);
	/* Each band of rows reads all weights, each column of tiles all activations. */
	if (tokens >= tile->rows && tokens % tile->rows == 0)
		assert_int_equal(counts.loaded, loaded + outputs / tile->columns * rows * depth * 2 +
				 summed * tile->parts * 4);
	/* Rows that are no tokens are neither read nor written, up to those of an instruction. */
	else if (tokens < tile->rows)
		assert_in_range(counts.loaded, loaded + outputs / tile->columns * tokens * depth * 2,
				loaded + outputs / tile->columns * (tokens + 64) * depth * 2 +
				summed * tile->parts * 4);
	if (tile->parts == 1 && tokens >= tile->rows)
		assert_int_equal(counts.stored, rows * outputs * 2);
	assert_true(operator->kernels == (tile->parts > 1 ? 2 : 1));
}

static void check_products(const struct fixture *f, u64 tokens)
{
	const struct llm_model *model = &f->plan.model;
	u64 width = (u64)model->heads * model->head, keys = (u64)model->kv_heads * model->head;

	check_product(f, "attn_pre_proj", tokens, model->hidden, width + 2 * keys);
	check_product(f, "attn_post_proj", tokens, width, model->hidden);
	check_product(f, "mlp_up_proj", tokens, model->hidden, 2 * model->mlp);
	check_product(f, "mlp_down_proj", tokens, model->mlp, model->hidden);
}

/* --- attention -------------------------------------------------------------------------- */

/* Whole tiles of 128 queries and 64 keys that a causal attention multiplies */
static u64 causal_tiles(u64 context)
{
	u64 tiles = 0, row;

	for (row = 0; row < round_up(context, 128) / 128; row++) {
		u64 last = (row + 1) * 128;

		tiles += round_up(last < context ? last : context, 64) / 64;
	}
	return tiles;
}

static void check_prefill_attention(const struct fixture *f)
{
	const struct llm_model *model = &f->plan.model;
	const struct llm_operator *operator = find(f, "attention");
	struct counts counts = count_operator(f, operator);
	u64 heads = (u64)f->step.batch * model->heads, tiles = heads * causal_tiles(f->step.context);
	u64 rows = round_up(f->step.context, 128), context = f->step.context;

	assert_int_equal(operator->flops, 2 * heads * model->head * context * (context + 1));
	assert_int_equal(counts.tensor * TENSOR_FLOPS, tiles * 4 * 128 * 64 * model->head);
	/* Queries once; of each tile its keys and values */
	assert_int_equal(counts.loaded, (heads * rows + tiles * 2 * 64) * model->head * 2);
	assert_int_equal(counts.stored, heads * rows * model->head * 2);
}

static void check_decode_attention(const struct fixture *f)
{
	const struct llm_model *model = &f->plan.model;
	const struct llm_operator *operator = find(f, "attention");
	struct counts counts = count_kernel(f->trace, operator->kernel);
	u64 groups = (u64)f->step.batch * model->kv_heads, tiles = round_up(f->step.context, 128) / 128;
	u64 group = model->heads / model->kv_heads;

	assert_int_equal(operator->flops, 4ULL * f->step.batch * model->heads * model->head *
			 f->step.context);
	/* 64 rows, of which a group of heads uses some */
	assert_int_equal(counts.tensor * TENSOR_FLOPS, groups * tiles * 4 * 64 * 128 * model->head);
	/* Keys and values once, whatever number of blocks shares them; each block its queries */
	assert_in_range(counts.loaded, groups * tiles * 2 * 128 * model->head * 2,
			groups * (tiles * 2 * 128 + tiles * group) * model->head * 2);
}

/* --- the others ------------------------------------------------------------------------- */

static void check_others(const struct fixture *f, u64 tokens)
{
	const struct llm_model *model = &f->plan.model;
	u64 hidden = tokens * model->hidden * 2, keys = (u64)model->kv_heads * model->head;
	u64 turned = (model->heads * (u64)model->head + keys) * 2 * tokens;
	struct counts counts = count_operator(f, find(f, "input_layernorm"));

	/* Rows twice, and the weights for each */
	assert_int_equal(counts.loaded, 3 * hidden);
	assert_int_equal(counts.stored, hidden);
	counts = count_operator(f, find(f, "add"));
	assert_in_range(counts.loaded, 2 * hidden, 2 * (hidden + 1024));
	assert_int_equal(counts.stored, counts.loaded / 2);
	counts = count_operator(f, find(f, "mlp_act"));
	assert_int_equal(counts.loaded, tokens * model->mlp * 4);
	assert_int_equal(counts.stored, tokens * model->mlp * 2);
	counts = count_operator(f, find(f, "attn_kv_save"));
	assert_int_equal(counts.loaded, tokens * 2 * keys * 2);
	assert_int_equal(counts.stored, counts.loaded);
	/* Each pair with a cosine and a sine; each thread reads its token's position. */
	counts = count_operator(f, find(f, "attn_rope"));
	assert_int_equal(counts.stored, turned);
	assert_true(counts.loaded >= 2 * turned && counts.loaded <= 2 * turned + tokens * 512 * 8);
}

static void check_step(const char *model, struct llm_step step,
		       const struct llm_generation *generation)
{
	struct fixture *f = make(model, 1, false, step, generation);
	u64 tokens = step.prefill ? (u64)step.batch * step.context : step.batch;

	assert_int_equal(llm_step_tokens(&step), tokens);
	assert_int_equal(f->count, LLM_LAYER_OPERATORS);
	check_products(f, tokens);
	if (step.prefill)
		check_prefill_attention(f);
	else
		check_decode_attention(f);
	check_others(f, tokens);
	done(f);
}

static void test_prefill(void **state)
{
	check_step("llama-2-7b", (struct llm_step){ true, 1, 1024 }, &llm_ampere);
	check_step("llama-2-7b", (struct llm_step){ true, 1, 1000 }, &llm_ampere);
	check_step("llama-2-7b", (struct llm_step){ true, 1, 1024 }, &llm_hopper);
	check_step("llama-2-13b", (struct llm_step){ true, 1, 300 }, &llm_ampere);
	check_step("llama-3-8b", (struct llm_step){ true, 2, 256 }, &llm_hopper);
	check_step("tinyllama-1.1b", (struct llm_step){ true, 3, 65 }, &llm_ampere);
	check_step("tinyllama-1.1b", (struct llm_step){ true, 1, 1 }, &llm_ampere);
}

static void test_decode(void **state)
{
	check_step("llama-2-7b", (struct llm_step){ false, 1, 1 }, &llm_ampere);
	check_step("llama-2-7b", (struct llm_step){ false, 64, 512 }, &llm_hopper);
	check_step("llama-2-13b", (struct llm_step){ false, 16, 130 }, &llm_ampere);
	check_step("llama-3-8b", (struct llm_step){ false, 1, 4000 }, &llm_ampere);
	check_step("mistral-7b", (struct llm_step){ false, 5, 1025 }, &llm_hopper);
	check_step("tinyllama-1.1b", (struct llm_step){ false, 200, 64 }, &llm_ampere);
}

/* --- a model ---------------------------------------------------------------------------- */

/* Weights of a layer of Llama-2-7B are larger than four caches, TinyLlama's are not. */
static void test_layers_share(void **state)
{
	struct llm_step step = { false, 1, 64 };
	struct fixture *f = make("llama-2-7b", 32, true, step, &llm_ampere);
	u64 layer;

	assert_int_equal(f->plan.slots, 1);
	assert_int_equal(f->count, LLM_LAYER_OPERATORS + LLM_OTHER_OPERATORS);
	done(f);

	f = make("tinyllama-1.1b", 22, true, step, &llm_ampere);
	layer = f->layout.layer_bytes;
	assert_true(f->plan.slots > 1 && f->plan.slots < 22);
	assert_true(f->plan.slots * layer >= 4 * f->plan.cache_bytes);
	assert_true((f->plan.slots - 1) * layer < 4 * f->plan.cache_bytes);
	done(f);

	f = make("tinyllama-1.1b", 1, true, step, &llm_ampere);
	assert_int_equal(f->plan.slots, 1);
	done(f);
}

/* Each layer launches its kernels; token numbers are copied to the device and back. */
static void test_commands(void **state)
{
	struct llm_step step = { true, 2, 100 };
	struct fixture *f = make("tinyllama-1.1b", 22, true, step, &llm_ampere);
	const struct simgpu_trace_command *commands = section(f->trace, SIMGPU_TRACE_COMMANDS);
	const struct simgpu_trace_header *header = f->trace;
	u32 per_layer = 0, others = 0, i, launches = 0;

	for (i = 0; i < f->count; i++) {
		if (!f->operators[i].layer)
			others += f->operators[i].kernels;
		else if (!f->operators[i].slot)
			per_layer += f->operators[i].kernels;
	}
	assert_int_equal(header->sections[SIMGPU_TRACE_COMMANDS].count, f->commands);
	assert_int_equal(f->commands, 22 * per_layer + others + 2);
	assert_int_equal(commands[0].kind, SIMGPU_TRACE_COMMAND_COPY_IN);
	assert_int_equal(commands[0].amount, 200 * sizeof(u32));
	assert_int_equal(commands[f->commands - 1].kind, SIMGPU_TRACE_COMMAND_COPY_OUT);
	assert_int_equal(commands[f->commands - 1].amount, 2 * sizeof(u32));
	/* A layer's kernels are launched by each layer that has its memory. */
	for (i = 0; i < f->commands; i++)
		launches += commands[i].kind == SIMGPU_TRACE_COMMAND_KERNEL &&
			    commands[i].what == find(f, "attention")->kernel;
	assert_int_equal(launches, (22 + f->plan.slots - 1) / f->plan.slots);
	done(f);
}

static void test_refusals(void **state)
{
	struct llm_model model = *model_of("llama-3-8b");

	model.kv_heads = 5;
	assert_non_null(llm_check(&model));
	model = *model_of("llama-3-8b");
	model.head = 96;
	assert_non_null(llm_check(&model));
	model = *model_of("llama-3-8b");
	model.hidden = 4100;
	assert_non_null(llm_check(&model));
	model = *model_of("llama-3-8b");
	model.mlp = 0;
	assert_non_null(llm_check(&model));
	model = *model_of("llama-3-8b");
	model.vocabulary = 32001;
	assert_non_null(llm_check(&model));
	model = *model_of("tinyllama-1.1b");
	model.kv_heads = 1;
	assert_non_null(llm_check(&model));
}

/* --- tiles ------------------------------------------------------------------------------ */

static struct llm_tile choose(u32 tokens, u32 depth, u32 outputs)
{
	struct llm_product product = {
		.tokens = tokens, .depth = depth, .outputs = outputs, .value_bytes = 2,
	};
	struct llm_generation generation = llm_ampere;

	generation.shared = a100.shared;
	return llm_tile_choose(&generation, &a100, &product);
}

static void test_tiles(void **state)
{
	struct llm_tile tile = choose(64, 4096, 4096);
	struct llm_gpu small = a100;
	struct llm_product product = { .tokens = 64, .depth = 4096, .outputs = 4096, .value_bytes = 2 };

	/* Few tokens: no rows that are none, and parts of the depth where there are few blocks. */
	assert_int_equal(tile.rows, 64);
	assert_true(tile.parts * (4096 / tile.columns) > 32);
	/* Columns divide the outputs, and whole turns the depth. */
	tile = choose(1024, 128, 192);
	assert_int_equal(192 % tile.columns, 0);
	/* There is none if shared memory has no room for two stages. */
	small.shared = 8 << 10;
	assert_int_equal(llm_tile_choose(&(struct llm_generation){
		.kernel = "none", .turn_bytes = 64, .stages = 3, .shared = 8 << 10,
		.registers = 240, .reads_operands = true, .cluster = 1,
	}, &small, &product).rows, 0);
	/* Nor if the depth is no whole number of turns. */
	assert_int_equal(choose(64, 4112, 4096).rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefill),
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_layers_share),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_tiles),
	};

	return cmocka_run_group_tests_name("llm", tests, NULL, NULL);
}
