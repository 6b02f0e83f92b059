// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace llm: a step of a language model as a trace. Kernels, memory and commands are
 * made by userspace/workloads/llm.c; here are the command line and the report.
 */
/* For asprintf. */
#define _GNU_SOURCE
#include <linux/simgpu_trace.h>

#include "../../workloads/llm.h"
#include "../fields.h"
#include "../json.h"
#include "../made_by.h"
#include "../options.h"
#include "../table.h"
#include "../workload.h"

static const char about[] =
	"Make a trace of a decoder-only language model: the operators of a prefill or of "
	"decode steps, each as the kernels that run it on a GPU. MODEL is a built-in shape; "
	"without one name the sizes.\v"
	"Built-in shapes: tinyllama-1.1b, llama-2-7b, llama-2-13b, llama-3-8b, mistral-7b. "
	"Others need --layers, --hidden, --heads, --ffn and --vocab. A model has RMSNorm, rotary "
	"embedding, and an MLP with a gate.\n"
	"\n"
	"Numbers of instructions and bytes follow from the sizes; nothing is fitted to measured "
	"times. Layers use the same memory in turn, as much of it as is four times the last-level "
	"cache of --config, since a tenant has 8 GiB. So such a trace copies token numbers, and "
	"managed memory refuses it. Tiles of products are chosen for --config.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace llm --phase decode --batch 8 --context 512 llama-2-7b\n"
	"  simgpu trace llm --layers 1 --no-head -o layer.sgtr llama-2-7b\n"
	"  simgpu run --offline --config a100-80 --cycles 0 llama-2-7b.sgtr\n"
	"\n"
	"Exit status: 0; 1 if there is no trace; 2 for wrong usage.";

#define DEFAULT_CONFIG	"a100-80"
#define DEFAULT_NAME	"llm"

/** struct arguments - the parsed command line */
struct arguments {
	const char *output;
	const char *model;
	const char *name;
	const char *config;
	const char *phase;
	const char *instructions;
	u32 layers;
	u32 hidden;
	u32 heads;
	u32 kv_heads;
	u32 mlp;
	u32 vocabulary;
	u32 value_bytes;
	u32 batch;
	u32 context;
	u32 steps;
	u32 slots;
	bool no_head;
	bool json;
};

#define AT(member)	offsetof(struct arguments, member)

#define STEPS_MAX	10000

static const struct command_option options[] = {
	{ "output", 'o', "FILE", "The trace (default: NAME.sgtr)", TO_TEXT(output) },
	{ "name", 'n', "NAME", "Name in the trace (default: the model's, or llm)",
	  .kind = OPTION_OWN },
	{ "config", 0, "NAME|FILE", "The GPU (default: " DEFAULT_CONFIG ")", TO_TEXT(config) },
	{ "phase", 'p', "PHASE", "prefill (default), or decode", TO_TEXT(phase) },
	{ "batch", 'b', "N", "Sequences at once (default: 1)", TO_U32(batch, 1, LLM_BATCH_MAX) },
	{ "context", 'c', "N", "Tokens of a sequence (default: 1024). A decode step computes the "
	  "last one", TO_U32(context, 1, LLM_CONTEXT_MAX) },
	{ "steps", 's', "N", "How often, each time with the same context (default: 1); each ends "
	  "with a mark", TO_U32(steps, 1, STEPS_MAX) },
	{ "layers", 0, "N", "Layers (default: the model's)", TO_U32(layers, 1, LLM_LAYERS_MAX) },
	{ "no-head", 0, NULL, "Layers alone, without embedding, head, and copies", TO_FLAG(no_head) },
	{ "own-memory", 0, "N", "Layers that have memory of their own (default: as few as are four "
	  "last-level caches)", TO_U32(slots, 1, LLM_LAYERS_MAX) },
	{ "hidden", 0, "N", "Values of a token, a multiple of 128",
	  TO_U32(hidden, 1, LLM_WIDTH_MAX) },
	{ "heads", 0, "N", "Heads of queries, each of 64 or 128 values",
	  TO_U32(heads, 1, LLM_HEADS_MAX) },
	{ "kv-heads", 0, "N", "Heads of keys and values (default: as many)",
	  TO_U32(kv_heads, 1, LLM_HEADS_MAX) },
	{ "ffn", 0, "N", "Inner values of the MLP, a multiple of 128",
	  TO_U32(mlp, 1, LLM_WIDTH_MAX) },
	{ "vocab", 0, "N", "Vocabulary, a multiple of 64", TO_U32(vocabulary, 1, LLM_WIDTH_MAX) },
	{ "dtype", 0, "BYTES", "Bytes of a value: 1, 2 (default) or 4", TO_U32(value_bytes, 1, 4) },
	{ "instructions", 0, "NAME", "Of products: ampere or hopper (default: hopper if tensor "
	  "cores of --config are faster than warps can feed)", TO_TEXT(instructions) },
	{ "json", 'j', NULL, "Print one JSON document", TO_FLAG(json) },
	{ .name = NULL }
};

static error_t parse_argument(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (key != 'n')
		return ARGP_ERR_UNKNOWN;
	arguments->name = option_trace_name(state, text);
	return 0;
}

static bool is_one_of(const char *text, const char *one, const char *other)
{
	return !text || !strcmp(text, one) || !strcmp(text, other);
}

static const struct llm_model *find_model(const char *name)
{
	const struct llm_model *model;

	for (model = llm_models; model->name; model++)
		if (!strcasecmp(model->name, name))
			return model;
	return NULL;
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (!is_one_of(arguments->phase, "prefill", "decode"))
		argp_error(state, "--phase is prefill or decode, not \"%s\"", arguments->phase);
	if (!is_one_of(arguments->instructions, "ampere", "hopper"))
		argp_error(state, "--instructions are ampere or hopper, not \"%s\"",
			   arguments->instructions);
	if (arguments->value_bytes == 3)
		argp_error(state, "--dtype is 1, 2 or 4");
	if (arguments->model && !find_model(arguments->model))
		argp_error(state, "there is no built-in shape \"%s\"", arguments->model);
	if (!arguments->model && (!arguments->layers || !arguments->hidden || !arguments->heads ||
				  !arguments->mlp || !arguments->vocabulary))
		argp_error(state, "name a MODEL, or --layers, --hidden, --heads, --ffn and --vocab");
}

static const struct command_line command_line = {
	.options = options,
	.own = parse_argument,
	.check = check_arguments,
	.words = "[MODEL]",
	.word = AT(model),
	.about = about,
};

/**
 * struct made - a trace that is being made
 * @arguments: the command line
 * @config: the GPU
 * @step: the pass
 * @generation: of its products, with the shared memory that the GPU has
 * @plan: of the trace
 * @layout: of its memory
 * @operators: of the step
 * @operator_count: how many
 * @name: in the trace
 * @output: its file
 * @trace_bytes: its size
 */
struct made {
	const struct arguments *arguments;
	struct gpu_config config;
	struct llm_step step;
	struct llm_generation generation;
	struct llm_plan plan;
	struct llm_layout layout;
	struct llm_operator *operators;
	u32 operator_count;
	const char *name;
	char *output;
	size_t trace_bytes;
};

/* --- the plan --------------------------------------------------------------------------- */

static u32 or_else(u32 value, u32 otherwise)
{
	return value ? value : otherwise;
}

static void shape(const struct arguments *arguments, struct llm_model *model)
{
	if (arguments->model)
		*model = *find_model(arguments->model);
	model->layers = or_else(arguments->layers, model->layers);
	if (arguments->hidden || arguments->heads) {
		model->hidden = or_else(arguments->hidden, model->hidden);
		model->heads = or_else(arguments->heads, model->heads);
		model->kv_heads = model->heads;
		model->head = model->hidden / model->heads;
	}
	model->kv_heads = or_else(arguments->kv_heads, model->kv_heads);
	model->mlp = or_else(arguments->mlp, model->mlp);
	model->vocabulary = or_else(arguments->vocabulary, model->vocabulary);
}

/* Cycles between two tensor instructions below which warps cannot read operands fast enough */
#define FED_BY_WARPS	8

/*
 * Of a scheduler: to read what eight instructions of 16 x 8 x 32 bytes multiply takes two
 * reads of four passes of the unit for shared memory, which four schedulers share.
 */
static bool is_hopper(const struct made *made)
{
	if (made->arguments->instructions)
		return !strcmp(made->arguments->instructions, "hopper");
	return made->plan.gpu.tensor_cycles < FED_BY_WARPS && made->plan.gpu.schedulers >= 4;
}

/* A read that misses everywhere, on an idle GPU */
static u32 idle_latency(const struct gpu_config *config)
{
	u64 row = config->dram.trcd_read + config->dram.tcl;

	return config->l1_hit_latency + 2 * config->noc_latency + config->llc_latency +
		2 * config->llc_to_dram_latency +
		(u32)(row * config->core_mhz / config->memory_mhz);
}

/* What an SM gets in a cycle when all get as much: slices have ports of the same width. */
static u32 port_bytes(const struct gpu_config *config)
{
	u32 ports = config->llc_slices < config->sms ? config->llc_slices : config->sms;
	u32 bytes = ports * config->noc_flit_bytes / config->sms;

	return bytes ? bytes : 1;
}

static void set_gpu(struct made *made)
{
	const struct gpu_config *config = &made->config;

	made->plan.gpu = (struct llm_gpu){
		.sms = config->sms, .shared = config->shared_bytes_per_sm,
		.registers = config->registers_per_sm, .threads = config->threads_per_sm,
		.blocks = config->blocks_per_sm, .schedulers = config->schedulers_per_sm,
		.tensor_cycles = config->unit[SIMGPU_TRACE_UNIT_TENSOR].interval,
		.memory_bytes = (u32)(gpu_peak_mb_per_s(config) / config->core_mhz) + 1,
		.port_bytes = port_bytes(config), .latency = idle_latency(config),
	};
	made->plan.cache_bytes = (u64)config->llc_slices * config->llc_sets * config->llc_ways *
				 SIMGPU_TRACE_LINE_BYTES;
}

static int plan(struct made *made)
{
	const struct arguments *arguments = made->arguments;
	const char *wrong;

	shape(arguments, &made->plan.model);
	wrong = llm_check(&made->plan.model);
	if (wrong)
		return fail_usage("%s", wrong);
	set_gpu(made);
	made->generation = is_hopper(made) ? llm_hopper : llm_ampere;
	if (made->generation.shared > made->plan.gpu.shared)
		made->generation.shared = made->plan.gpu.shared;
	made->step = (struct llm_step){
		.prefill = !arguments->phase || !strcmp(arguments->phase, "prefill"),
		.batch = arguments->batch, .context = arguments->context,
	};
	made->plan.generation = &made->generation;
	made->plan.value_bytes = arguments->value_bytes;
	made->plan.whole = !arguments->no_head;
	made->plan.slots = arguments->slots;
	made->plan.steps = &made->step;
	made->plan.step_count = 1;
	if (llm_step_tokens(&made->step) > LLM_TOKENS_MAX)
		return fail("a step cannot have more than %u tokens", LLM_TOKENS_MAX);
	if (!llm_plan(&made->plan, &made->layout))
		return fail("%s has too little shared memory for the products' tiles",
			    made->config.name);
	if (arguments->no_head && made->plan.slots < made->plan.model.layers)
		return fail_usage("--no-head: layers would have the same memory; take --layers %u, or --own-memory %u",
				  made->plan.slots, made->plan.model.layers);
	if (made->layout.bytes > SIMGPU_TRACE_SPACE_BYTES)
		return fail("it needs %llu MB, more than the 8 GiB of a tenant: %llu MB are of %u layers, the rest of tokens",
			    made->layout.bytes / 1000000,
			    made->plan.slots * made->layout.layer_bytes / 1000000,
			    made->plan.slots);
	return STATUS_OK;
}

/* --- the trace -------------------------------------------------------------------------- */

static void build_commands(struct made *made, struct builder *builder)
{
	u32 step;

	llm_allocate(builder, &made->layout);
	for (step = 0; step < made->arguments->steps; step++) {
		llm_command_step(builder, &made->plan, &made->step, 0, made->operators,
				 made->operator_count);
		builder_command(builder, SIMGPU_TRACE_COMMAND_MARK, 0, 0, 1, 0);
	}
}

/* Layers alone, once, need no commands: their kernels run in order. */
static bool has_commands(const struct made *made)
{
	return made->plan.whole || made->arguments->steps > 1;
}

static void *build_trace(struct made *made)
{
	struct builder *builder = builder_new(made->name, "trace llm");
	u32 kernels = 0;
	void *trace;

	if (!builder)
		return NULL;
	builder_footprint(builder, made->layout.bytes);
	made->operators = grow(NULL, llm_operators_most(&made->plan), sizeof(*made->operators));
	made->operator_count = llm_emit_step(builder, &made->plan, &made->layout, &made->step,
					     &kernels, made->operators);
	if (has_commands(made))
		build_commands(made, builder);
	trace = builder_finish(builder, 0, &made->trace_bytes);
	builder_free(builder);
	return trace;
}

static int write_trace(struct made *made)
{
	struct trace_error error = { 0 };
	void *trace = build_trace(made);
	u64 memory_bytes;
	int ret;

	if (!trace)
		return fail("out of memory");
	if (trace_check(trace, made->trace_bytes, &memory_bytes, &error)) {
		explain_refusal(made->output, error.offset, error.field, error.reason);
		ret = STATUS_FAILED;
	} else {
		ret = write_file(made->output, trace, made->trace_bytes);
	}
	free(trace);
	return ret;
}

/* --- the report ------------------------------------------------------------------------- */

/**
 * struct row - an operator of the report
 * @name: as its kernels are named
 * @kernel: index of its first kernel
 * @kernels: how many it has
 * @launches: of each in a step
 * @flops: of a launch
 * @bytes: of inputs, weights and result of a launch
 * @rows: of its tile; 0: it is no product
 * @columns: of its tile
 * @parts: that share the depth
 */
struct row {
	const char *name;
	u32 kernel;
	u32 kernels;
	u32 launches;
	u64 flops;
	u64 bytes;
	u32 rows;
	u32 columns;
	u32 parts;
};

static const struct field fields[] = {
	FIELD("name", FIELD_TEXT, struct row, name),
	FIELD("kernel", FIELD_U32, struct row, kernel),
	FIELD("kernels", FIELD_U32, struct row, kernels),
	FIELD("launches", FIELD_U32, struct row, launches),
	FIELD("flops", FIELD_U64, struct row, flops),
	FIELD("bytes", FIELD_U64, struct row, bytes),
	FIELD_OR_0("tile_rows", FIELD_U32, struct row, rows),
	FIELD_OR_0("tile_columns", FIELD_U32, struct row, columns),
	FIELD_OR_0("tile_parts", FIELD_U32, struct row, parts),
	{ NULL }
};

/* Operators of the first layer stand for those of all; false: it is another layer's. */
static bool fill_row(const struct made *made, u32 index, struct row *row)
{
	const struct llm_operator *operator = &made->operators[index];

	if (operator->layer && operator->slot)
		return false;
	*row = (struct row){
		.name = operator->name, .kernel = operator->kernel,
		.kernels = operator->kernels,
		.launches = operator->layer ? made->plan.model.layers : 1,
		.flops = operator->flops, .bytes = operator->bytes,
		.rows = operator->tile.rows, .columns = operator->tile.columns,
		.parts = operator->tile.parts,
	};
	return true;
}

static int report_json(const struct made *made)
{
	struct json_object *document = json_object_new_object(), *array = json_object_new_array();
	struct row row;
	u32 i;

	for (i = 0; i < made->operator_count; i++) {
		struct json_object *object;

		if (!fill_row(made, i, &row))
			continue;
		object = json_object_new_object();
		json_fields(object, fields, &row);
		json_object_array_add(array, object);
	}
	made_by_json(document, NULL, 0);
	json_set_string(document, "trace", made->output);
	json_set(document, "bytes", json_u64(made->trace_bytes));
	json_set_string(document, "config", made->config.name);
	json_set_string(document, "phase", made->step.prefill ? "prefill" : "decode");
	json_set(document, "batch", json_u64(made->step.batch));
	json_set(document, "context", json_u64(made->step.context));
	json_set(document, "steps", json_u64(made->arguments->steps));
	json_set(document, "layers", json_u64(made->plan.model.layers));
	json_set(document, "layers_with_memory", json_u64(made->plan.slots));
	json_set(document, "layer_bytes", json_u64(made->layout.layer_bytes));
	json_set(document, "footprint_bytes", json_u64(made->layout.bytes));
	json_set(document, "operators", array);
	return json_print(document);
}

static void print_operators(const struct made *made, double *flops, double *bytes)
{
	struct table *table = table_new("OPERATOR|TILE|>LAUNCHES|>GFLOP|>MB");
	struct row row;
	u32 i;

	for (i = 0; i < made->operator_count; i++) {
		if (!fill_row(made, i, &row))
			continue;
		*flops += (double)row.flops * row.launches;
		*bytes += (double)row.bytes * row.launches;
		table_cell(table, "%s", row.name);
		if (row.parts > 1)
			table_cell(table, "%u x %u, %u parts", row.rows, row.columns, row.parts);
		else if (row.rows)
			table_cell(table, "%u x %u", row.rows, row.columns);
		else
			table_cell(table, "-");
		table_row(table, "%u|%.4f|%.4f", row.launches, (double)row.flops / 1e9,
			  (double)row.bytes / 1e6);
	}
	table_print(table);
}

static int report(const struct made *made)
{
	const struct llm_plan *plan = &made->plan;
	double flops = 0, bytes = 0, layer = (double)made->layout.layer_bytes / 1e6;

	if (made->arguments->json)
		return report_json(made);
	print_operators(made, &flops, &bytes);
	printf("\nA step: %.3f TFLOP, %.1f MB, %u layers\n", flops / 1e12, bytes / 1e6,
	       plan->model.layers);
	if (plan->slots < plan->model.layers)
		printf("Memory: the layers use that of %u in turn, %.1f MB each; the last-level cache of %s has %.1f MB\n",
		       plan->slots, layer, made->config.name, (double)plan->cache_bytes / 1e6);
	else
		printf("Memory: each layer has its own, %.1f MB\n", layer);
	print_escaped(stdout, "%s: %zu bytes, %.1f MB of device memory\n", made->output,
		       made->trace_bytes, (double)made->layout.bytes / 1e6);
	return flush_output();
}

/* --- the command ------------------------------------------------------------------------ */

static int make(struct made *made)
{
	int ret = plan(made);

	if (!ret)
		ret = write_trace(made);
	return ret ? ret : report(made);
}

int trace_llm_command(int argc, char **argv)
{
	struct arguments arguments = {
		.config = DEFAULT_CONFIG, .value_bytes = 2, .batch = 1, .context = 1024,
		.steps = 1,
	};
	struct made made = { .arguments = &arguments };
	int ret;

	parse_command_line(&command_line, argc, argv, 0, &arguments);
	ret = config_load(arguments.config, &made.config);
	if (ret)
		return ret;
	made.name = arguments.name ? arguments.name :
		    arguments.model ? find_model(arguments.model)->name : DEFAULT_NAME;
	if (arguments.output)
		made.output = strdup(arguments.output);
	else if (asprintf(&made.output, "%s.sgtr", *made.name ? made.name : DEFAULT_NAME) < 0)
		made.output = NULL;
	ret = made.output ? make(&made) : fail("out of memory");
	free(made.operators);
	free(made.output);
	return ret;
}
