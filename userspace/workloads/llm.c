// SPDX-License-Identifier: GPL-2.0
/* A language model as a trace: see llm.h. The kernels themselves: llm_operators.c and so on. */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "llm.h"
#include "llm_attention.h"
#include "llm_operators.h"

/* From the models' published configurations (config.json). */
const struct llm_model llm_models[] = {
	{ "tinyllama-1.1b", 22, 2048, 32, 4, 64, 5632, 32000 },
	{ "llama-2-7b", 32, 4096, 32, 32, 128, 11008, 32000 },
	{ "llama-2-13b", 40, 5120, 40, 40, 128, 13824, 32000 },
	{ "llama-3-8b", 32, 4096, 32, 8, 128, 14336, 128256 },
	{ "mistral-7b", 32, 4096, 32, 8, 128, 14336, 32000 },
	{ .name = NULL }
};

const char *llm_check(const struct llm_model *model)
{
	if (!model->kv_heads || model->heads % model->kv_heads)
		return "the heads of queries are no multiple of those of keys";
	if (model->head != 64 && model->head != 128)
		return "a head has neither 64 nor 128 values";
	if (!model->hidden || model->hidden % LLM_WIDTH_UNIT)
		return "the hidden size is no multiple of 128";
	if (!model->mlp || model->mlp % LLM_WIDTH_UNIT)
		return "the inner size of the MLP is no multiple of 128";
	if (model->kv_heads * model->head % LLM_WIDTH_UNIT)
		return "the heads of keys have together no multiple of 128 values";
	if (!model->vocabulary || model->vocabulary % LLM_VOCABULARY_UNIT)
		return "the vocabulary is no multiple of 64";
	return NULL;
}

__u64 llm_step_tokens(const struct llm_step *step)
{
	return step->prefill ? (__u64)step->batch * step->context : step->batch;
}

/* --- products ------------------------------------------------------------------------------- */

enum product { PRODUCT_QKV, PRODUCT_OUT, PRODUCT_UP, PRODUCT_DOWN, PRODUCT_HEAD, PRODUCTS };

static __u32 qkv_width(const struct llm_model *model)
{
	return (model->heads + 2 * model->kv_heads) * model->head;
}

/* Names, sizes and tokens; addresses are the caller's. */
static struct llm_product product_of(const struct llm_plan *plan, const struct llm_step *step,
				     enum product which)
{
	const struct llm_model *model = &plan->model;
	const __u32 sizes[PRODUCTS][2] = {
		[PRODUCT_QKV] = { model->hidden, qkv_width(model) },
		[PRODUCT_OUT] = { model->heads * model->head, model->hidden },
		[PRODUCT_UP] = { model->hidden, 2 * model->mlp },
		[PRODUCT_DOWN] = { model->mlp, model->hidden },
		[PRODUCT_HEAD] = { model->hidden, model->vocabulary },
	};
	static const char *const names[PRODUCTS] = {
		"attn_pre_proj", "attn_post_proj", "mlp_up_proj", "mlp_down_proj", "lm_head",
	};
	/* Of a prefill the last token of each sequence goes through the head. */
	__u64 tokens = which == PRODUCT_HEAD ? step->batch : llm_step_tokens(step);

	return (struct llm_product){
		.kernel = names[which], .tokens = (__u32)tokens,
		.depth = sizes[which][0], .outputs = sizes[which][1],
		.value_bytes = plan->value_bytes,
	};
}

static __u64 weight_bytes(const struct llm_plan *plan, enum product which)
{
	static const struct llm_step any = { .batch = 1 };
	struct llm_product product = product_of(plan, &any, which);

	return (__u64)product.depth * product.outputs * product.value_bytes;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Arrays begin at pages, with some memory between: kernels may reach a little beyond. */
#define PLACE_UNIT	(1ULL << 12)
#define PLACE_BEHIND	(1ULL << 13)
/* Rows of a tile of a product, or of a cluster of tiles, at most */
#define ROWS_UNIT	256
/* Layers are as large as so many last-level caches together. */
#define CACHES		4

static __u64 round_up(__u64 value, __u64 unit)
{
	return (value + unit - 1) / unit * unit;
}

static __u64 place(struct llm_layout *layout, __u64 bytes)
{
	__u64 at = layout->bytes;

	layout->bytes = round_up(at + bytes + PLACE_BEHIND, PLACE_UNIT);
	return at;
}

static struct llm_attention attention_of(const struct llm_plan *plan, const struct llm_step *step)
{
	const struct llm_model *model = &plan->model;

	return (struct llm_attention){
		.causal = step->prefill, .sequences = step->batch,
		.tokens = step->prefill ? step->context : 1, .context = step->context,
		.heads = model->heads, .kv_heads = model->kv_heads, .head = model->head,
		.value_bytes = plan->value_bytes,
	};
}

/**
 * struct needs - the most that any step needs
 * @rows: of activations
 * @batch: sequences
 * @tokens: of a sequence, in whole tiles of keys
 * @parts: bytes of partial results
 * @cached: tokens with keys and values, of all sequences
 */
struct needs {
	__u64 rows;
	__u64 batch;
	__u64 tokens;
	__u64 parts;
};

static void raise_to(__u64 *most, __u64 value)
{
	if (*most < value)
		*most = value;
}

static bool add_needs(const struct llm_plan *plan, const struct llm_step *step,
		      struct needs *needs)
{
	struct llm_attention attention = attention_of(plan, step);
	unsigned int i;

	raise_to(&needs->rows, llm_step_tokens(step));
	raise_to(&needs->batch, step->batch);
	raise_to(&needs->tokens, round_up(step->context, LLM_ATTENTION_TILE));
	raise_to(&needs->parts, llm_attention_parts_bytes(&plan->gpu, &attention));
	for (i = 0; i < PRODUCTS; i++) {
		struct llm_product product = product_of(plan, step, i);
		struct llm_tile tile = llm_tile_choose(plan->generation, &plan->gpu, &product);

		if (!tile.rows)
			return false;
		raise_to(&needs->parts,
			 llm_product_parts_bytes(&tile, product.tokens, product.outputs));
	}
	return true;
}

static __u64 key_row(const struct llm_plan *plan)
{
	return 2ULL * plan->model.kv_heads * plan->model.head * plan->value_bytes;
}

bool llm_plan(struct llm_plan *plan, struct llm_layout *layout)
{
	const struct llm_model *model = &plan->model;
	__u64 value = plan->value_bytes, rows, hidden = model->hidden * value;
	struct needs needs = { 0 };
	unsigned int i;

	for (i = 0; i < plan->step_count; i++)
		if (!add_needs(plan, &plan->steps[i], &needs))
			return false;
	rows = round_up(needs.rows, ROWS_UNIT);
	memset(layout, 0, sizeof(*layout));
	layout->sequence_tokens = (__u32)needs.tokens;
	layout->tokens = place(layout, needs.rows * sizeof(__u32));
	layout->stream = place(layout, rows * hidden);
	layout->normed = place(layout, rows * hidden);
	layout->delta = place(layout, rows * hidden);
	layout->qkv = place(layout, rows * qkv_width(model) * value);
	layout->attended = place(layout, rows * model->heads * model->head * value);
	layout->up = place(layout, rows * 2 * model->mlp * value);
	layout->activated = place(layout, rows * model->mlp * value);
	layout->parts = place(layout, needs.parts);
	layout->positions = place(layout, rows * sizeof(__u64));
	layout->cosines = place(layout, rows * model->head * value);
	layout->norm_weights = place(layout, hidden);
	if (plan->whole) {
		layout->logits = place(layout, round_up(needs.batch, ROWS_UNIT) *
				       model->vocabulary * value);
		layout->table = place(layout, needs.rows * hidden);
		layout->head = place(layout, weight_bytes(plan, PRODUCT_HEAD));
	}
	for (i = PRODUCT_QKV; i <= PRODUCT_DOWN; i++)
		layout->layer_bytes += weight_bytes(plan, i);
	layout->layer_bytes += needs.batch * needs.tokens * key_row(plan);
	layout->layer_bytes = round_up(layout->layer_bytes + PLACE_BEHIND, PLACE_UNIT);
	if (!plan->slots)
		plan->slots = (__u32)((CACHES * plan->cache_bytes + layout->layer_bytes - 1) /
				      layout->layer_bytes);
	if (!plan->slots)
		plan->slots = 1;
	if (plan->slots > model->layers)
		plan->slots = model->layers;
	layout->layers = place(layout, plan->slots * layout->layer_bytes);
	return true;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/**
 * struct emission - kernels of a step that are being added
 * @b: to which
 * @plan: of the trace
 * @layout: of the trace
 * @step: the step
 * @tokens: that it computes
 * @kernel: index of the next kernel
 * @slot: the layer's
 * @layer: it is one, not the rest of the step
 * @weights: of the layer, those that come next
 * @operators: those that were added
 * @count: how many
 */
struct emission {
	struct builder *b;
	const struct llm_plan *plan;
	const struct llm_layout *layout;
	const struct llm_step *step;
	__u32 tokens;
	__u32 kernel;
	__u32 slot;
	bool layer;
	__u64 weights;
	struct llm_operator *operators;
	__u32 count;
};

static struct llm_operator *note(struct emission *e, const char *name, __u32 kernels, __u64 flops,
				 __u64 bytes)
{
	struct llm_operator *operator = &e->operators[e->count++];

	*operator = (struct llm_operator){
		.name = name, .kernel = e->kernel, .kernels = kernels, .layer = e->layer,
		.slot = e->slot, .flops = flops, .bytes = bytes,
	};
	e->kernel += kernels;
	return operator;
}

static __u64 hidden_bytes(const struct emission *e)
{
	return (__u64)e->tokens * e->plan->model.hidden * e->plan->value_bytes;
}

/* Multiplications and additions of a value, of the operators that are no products */
#define NORM_FLOPS	4
#define ROPE_FLOPS	3
#define ACT_FLOPS	5

static void emit_norm(struct emission *e, const char *name)
{
	const struct llm_model *model = &e->plan->model;

	llm_norm(e->b, &(struct llm_norm){
		.kernel = name, .tokens = e->tokens, .width = model->hidden,
		.value_bytes = e->plan->value_bytes, .x = e->layout->stream,
		.out = e->layout->normed, .weights = e->layout->norm_weights,
	});
	note(e, name, 1, (__u64)NORM_FLOPS * e->tokens * model->hidden,
	     2 * hidden_bytes(e) + model->hidden * e->plan->value_bytes);
}

static void emit_add(struct emission *e, const char *name)
{
	llm_add(e->b, &(struct llm_add){
		.kernel = name, .bytes = hidden_bytes(e), .value_bytes = e->plan->value_bytes,
		.x = e->layout->stream, .y = e->layout->delta, .sum = e->layout->stream,
	});
	note(e, name, 1, (__u64)e->tokens * e->plan->model.hidden, 3 * hidden_bytes(e));
}

static void emit_product(struct emission *e, enum product which, __u64 activations, __u64 weights,
			 __u64 result)
{
	struct llm_product product = product_of(e->plan, e->step, which);
	struct llm_tile tile = llm_tile_choose(e->plan->generation, &e->plan->gpu, &product);
	__u64 tokens = product.tokens, depth = product.depth, outputs = product.outputs;

	product.activations = activations;
	product.weights = weights;
	product.result = result;
	product.parts = e->layout->parts;
	note(e, product.kernel, llm_product(e->b, e->plan->generation, &tile, &product),
	     2 * tokens * depth * outputs,
	     (tokens * depth + depth * outputs + tokens * outputs) * product.value_bytes)->tile = tile;
}

/* A product with the next weights of the layer */
static void emit_layer_product(struct emission *e, enum product which, __u64 activations,
			       __u64 result)
{
	emit_product(e, which, activations, e->weights, result);
	e->weights += weight_bytes(e->plan, which);
}

static void emit_rope(struct emission *e)
{
	const struct llm_model *model = &e->plan->model;
	__u64 turned = (__u64)(model->heads + model->kv_heads) * model->head;

	llm_rope(e->b, &(struct llm_rope){
		.kernel = "attn_rope", .tokens = e->tokens, .heads = model->heads,
		.kv_heads = model->kv_heads, .head = model->head,
		.value_bytes = e->plan->value_bytes, .row = e->layout->qkv,
		.positions = e->layout->positions, .cosines = e->layout->cosines,
	});
	note(e, "attn_rope", 1, ROPE_FLOPS * e->tokens * turned,
	     e->tokens * ((2 * turned + model->head) * e->plan->value_bytes + sizeof(__u64)));
}

/* Keys and values of the tokens, behind those that are there */
static void emit_save(struct emission *e, __u64 keys)
{
	const struct llm_model *model = &e->plan->model;
	__u64 row = (__u64)qkv_width(model) * e->plan->value_bytes, cached = key_row(e->plan);
	__u32 tokens = e->tokens / e->step->batch;

	llm_copy(e->b, &(struct llm_copy){
		.kernel = "attn_kv_save", .tokens = tokens, .sequences = e->step->batch,
		.width = 2 * model->kv_heads * model->head, .value_bytes = e->plan->value_bytes,
		.from = e->layout->qkv + (__u64)model->heads * model->head * e->plan->value_bytes,
		.from_row = row, .from_sequence = tokens * row,
		.to = keys + (e->step->context - tokens) * cached,
		.to_row = cached, .to_sequence = e->layout->sequence_tokens * cached,
	});
	note(e, "attn_kv_save", 1, 0, 2 * e->tokens * cached);
}

/* Pairs of a query and a key: each of a prefill's tokens attends to those up to itself. */
static __u64 pairs(const struct llm_step *step)
{
	__u64 context = step->context;

	return step->batch * (step->prefill ? context * (context + 1) / 2 : context);
}

static void emit_attention(struct emission *e, __u64 keys)
{
	const struct llm_model *model = &e->plan->model;
	__u64 width = (__u64)model->heads * model->head;
	struct llm_attention attention = attention_of(e->plan, e->step);

	attention.queries = e->layout->qkv;
	attention.query_row = (__u64)qkv_width(model) * e->plan->value_bytes;
	attention.keys = keys;
	attention.values = keys + key_row(e->plan) / 2;
	attention.key_row = key_row(e->plan);
	attention.key_sequence = e->layout->sequence_tokens * key_row(e->plan);
	attention.result = e->layout->attended;
	attention.parts = e->layout->parts;
	note(e, "attention", llm_attention(e->b, &e->plan->gpu, &attention),
	     4 * pairs(e->step) * width,
	     2 * e->tokens * width * e->plan->value_bytes +
	     (__u64)e->step->batch * e->step->context * key_row(e->plan));
}

static void emit_act(struct emission *e)
{
	const struct llm_model *model = &e->plan->model;

	llm_act(e->b, &(struct llm_act){
		.kernel = "mlp_act", .tokens = e->tokens, .width = model->mlp,
		.value_bytes = e->plan->value_bytes, .in = e->layout->up,
		.out = e->layout->activated,
	});
	note(e, "mlp_act", 1, (__u64)ACT_FLOPS * e->tokens * model->mlp,
	     3ULL * e->tokens * model->mlp * e->plan->value_bytes);
}

static void emit_layer(struct emission *e, __u32 slot)
{
	const struct llm_layout *layout = e->layout;
	__u64 layer = layout->layers + slot * layout->layer_bytes, keys = layer;
	unsigned int i;

	for (i = PRODUCT_QKV; i <= PRODUCT_DOWN; i++)
		keys += weight_bytes(e->plan, i);
	e->slot = slot;
	e->weights = layer;
	emit_norm(e, "input_layernorm");
	emit_layer_product(e, PRODUCT_QKV, layout->normed, layout->qkv);
	emit_rope(e);
	emit_save(e, keys);
	emit_attention(e, keys);
	emit_layer_product(e, PRODUCT_OUT, layout->attended, layout->delta);
	emit_add(e, "add");
	emit_norm(e, "post_attention_layernorm");
	emit_layer_product(e, PRODUCT_UP, layout->normed, layout->up);
	emit_act(e);
	emit_layer_product(e, PRODUCT_DOWN, layout->activated, layout->delta);
	emit_add(e, "mlp_add");
}

/* The rows of the table that the tokens name; they may as well stand side by side. */
static void emit_embedding(struct emission *e)
{
	__u64 row = (__u64)e->plan->model.hidden * e->plan->value_bytes;

	llm_copy(e->b, &(struct llm_copy){
		.kernel = "embedding", .tokens = e->tokens, .sequences = 1,
		.width = e->plan->model.hidden, .value_bytes = e->plan->value_bytes,
		.from = e->layout->table, .from_row = row,
		.to = e->layout->stream, .to_row = row,
	});
	note(e, "embedding", 1, 0, 2 * e->tokens * row);
}

__u32 llm_operators_most(const struct llm_plan *plan)
{
	return plan->slots * LLM_LAYER_OPERATORS + LLM_OTHER_OPERATORS;
}

__u32 llm_emit_step(struct builder *b, const struct llm_plan *plan,
		    const struct llm_layout *layout, const struct llm_step *step, __u32 *kernel,
		    struct llm_operator *operators)
{
	struct emission e = {
		.b = b, .plan = plan, .layout = layout, .step = step, .kernel = *kernel,
		.tokens = (__u32)llm_step_tokens(step), .operators = operators, .layer = true,
	};
	__u32 slot;

	for (slot = 0; slot < plan->slots; slot++)
		emit_layer(&e, slot);
	e.layer = false;
	if (plan->whole) {
		emit_embedding(&e);
		emit_norm(&e, "final_layernorm");
		emit_product(&e, PRODUCT_HEAD, layout->normed, layout->head, layout->logits);
	}
	*kernel = e.kernel;
	return e.count;
}

/* --- commands ----------------------------------------------------------------------------------- */

void llm_allocate(struct builder *b, const struct llm_layout *layout)
{
	builder_allocation(b, "tokens", layout->tokens, layout->stream - layout->tokens,
			   SIMGPU_TRACE_DEVICE);
}

static __u32 launch(struct builder *b, const struct llm_plan *plan, __u32 queue,
		    const struct llm_operator *operator)
{
	__u32 commands = (plan->each ? plan->each : 1) * operator->kernels, i;

	for (i = 0; i < commands; i++)
		builder_command(b, SIMGPU_TRACE_COMMAND_KERNEL, queue,
				operator->kernel + i % operator->kernels, 1, 0);
	return commands;
}

__u32 llm_command_step(struct builder *b, const struct llm_plan *plan,
		       const struct llm_step *step, __u32 queue,
		       const struct llm_operator *operators, __u32 count)
{
	const struct llm_operator *others = operators + plan->slots * LLM_LAYER_OPERATORS;
	__u32 layer, i, commands = 0;

	if (plan->whole) {
		builder_command(b, SIMGPU_TRACE_COMMAND_COPY_IN, queue, 0, 1,
				llm_step_tokens(step) * sizeof(__u32));
		commands += 1 + launch(b, plan, queue, others++);
	}
	for (layer = 0; layer < plan->model.layers; layer++)
		for (i = 0; i < LLM_LAYER_OPERATORS; i++)
			commands += launch(b, plan, queue, &operators[layer % plan->slots *
								LLM_LAYER_OPERATORS + i]);
	for (; others < operators + count; others++)
		commands += launch(b, plan, queue, others);
	if (plan->whole) {
		builder_command(b, SIMGPU_TRACE_COMMAND_COPY_OUT, queue, 0, 1,
				step->batch * sizeof(__u32));
		commands++;
	}
	return commands;
}
