// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu trace llm: steps of a language model as a trace, or requests to it. Kernels, memory and
 * commands are made by userspace/workloads/llm.c; here are the command line, what a request
 * runs, and the report.
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
#include "llm_requests.h"

static const char about[] =
	"Make a trace of a decoder-only language model: the operators of a prefill, of decode "
	"steps, or of requests that are both, each as the kernels that run it on a GPU. MODEL is a "
	"built-in shape; without one name the sizes.\v"
	"Built-in shapes: tinyllama-1.1b, llama-2-7b, llama-2-13b, llama-3-8b, mistral-7b. "
	"Others need --layers, --hidden, --heads, --ffn and --vocab. A model has RMSNorm, rotary "
	"embedding, and an MLP with a gate.\n"
	"\n"
	"Numbers of instructions and bytes follow from the sizes; nothing is fitted to measured "
	"times. Layers use the same memory in turn, as much of it as is four times the last-level "
	"cache of --config, since a tenant has 8 GiB. So such a trace copies token numbers, and "
	"managed memory refuses it. Tiles of products are chosen for --config.\n"
	"\n"
	"With --generate or --requests a launch of the trace runs a request: a prefill of its context, "
	"which gives the first token, and a decode step for each further one. Launch by launch they "
	"are done in the order of the list, and then from its beginning. Numbers of tokens are "
	"rounded up to a multiple of --round, so that requests share kernels.\n"
	"\n"
	"With --batching a service runs several requests together, one step after the other: the "
	"prefill of one of them, or a decode that gives each one a token. The trace has the steps, and "
	"batching=N of simgpu run says how many run at once.\n"
	"\n"
	"Examples:\n"
	"  simgpu trace llm --phase decode --batch 8 --context 512 llama-2-7b\n"
	"  simgpu trace llm --layers 1 --no-head -o layer.sgtr llama-2-7b\n"
	"  simgpu run --offline --config a100-80 --cycles 0 llama-2-7b.sgtr\n"
	"  simgpu trace llm --requests list.csv -o r.sgtr llama-2-7b\n"
	"  simgpu run --offline --config a100-80 r.sgtr:load=0.5 LLAMA-UP\n"
	"  simgpu trace llm --requests list.csv --batching 4 -o s.sgtr llama-2-7b\n"
	"  simgpu run --offline --config a100-80 s.sgtr:load=0.5,batching=4\n"
	"\n"
	"Exit status: 0; 1 if there is no trace; 2 for wrong usage.";

#define DEFAULT_CONFIG	"a100-80"
#define DEFAULT_NAME	"llm"
#define DEFAULT_CONTEXT	1024

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
	u32 each;
	u32 generate;
	u32 batching;
	const char *requests;
	const char *arrivals;
	u32 every;
	u32 limit;
	u32 round;
	u64 speed_ppm;
	u32 slots;
	bool no_head;
	bool json;
};

#define AT(member)	offsetof(struct arguments, member)

#define STEPS_MAX	10000
#define EACH_MAX	100
#define DEFAULT_ROUND	256
#define SPEED_MAX_PPM	(1000000ULL * SIMGPU_PPM)

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
	  "with a mark of a latency", TO_U32(steps, 1, STEPS_MAX) },
	{ "each", 0, "N", "Launch each operator so often in a row, as those do who measure operators "
	  "alone (default: 1)", TO_U32(each, 1, EACH_MAX) },
	{ "generate", 'g', "N", "A request: a prefill of --context tokens, and decode steps for all but "
	  "the first of N tokens", TO_U32(generate, 1, LLM_CONTEXT_MAX) },
	{ "batching", 0, "N", "Requests are for a service that batches up to N of them: the trace has "
	  "steps for it to choose from, prefills, and decodes of 1, 2, 4 and so on up to N requests",
	  TO_U32(batching, 1, SIMGPU_TRACE_BATCH_MAX) },
	{ "requests", 'r', "FILE", "The requests of a list: lines of a time (seconds, or date and time), "
	  "tokens of context and generated tokens", TO_TEXT(requests) },
	{ "every", 0, "N", "Of N requests of the list take the first one (default: 1)",
	  TO_U32(every, 1, LLM_REQUESTS_MAX) },
	{ "limit", 0, "N", "Take so many at most", TO_U32(limit, 1, LLM_REQUESTS_MAX) },
	{ "round", 0, "N", "Round tokens up to a multiple of N (default: 256)",
	  TO_U32(round, 1, LLM_CONTEXT_MAX) },
	{ "arrivals", 0, "FILE", "Write the times of the requests, in core cycles of --config, as "
	  "arrivals=FILE takes them", TO_TEXT(arrivals) },
	{ "speed", 0, "X", "For these times: X times as fast as in the list (default: 1)",
	  TO_RATIO(speed_ppm, SPEED_MAX_PPM) },
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

static bool has_requests(const struct arguments *arguments)
{
	return arguments->generate || arguments->requests;
}

static void check_arguments(struct argp_state *state)
{
	const struct arguments *arguments = state->input;

	if (!is_one_of(arguments->phase, "prefill", "decode"))
		argp_error(state, "--phase is prefill or decode, not \"%s\"", arguments->phase);
	if (!is_one_of(arguments->instructions, "ampere", "hopper"))
		argp_error(state, "--instructions are ampere or hopper, not \"%s\"",
			   arguments->instructions);
	if (has_requests(arguments) && (arguments->phase || arguments->steps || arguments->batch ||
					arguments->no_head || arguments->each > 1))
		argp_error(state, "--generate and --requests go without --phase, --steps, --batch, --each and --no-head");
	if (arguments->requests && (arguments->generate || arguments->context))
		argp_error(state, "--requests goes without --generate and --context");
	if (!arguments->requests && (arguments->every || arguments->limit || arguments->arrivals))
		argp_error(state, "--every, --limit and --arrivals are for --requests");
	if ((arguments->round || arguments->batching) && !has_requests(arguments))
		argp_error(state, "--round and --batching are for --requests and --generate");
	if (arguments->speed_ppm != SIMGPU_PPM && !arguments->arrivals)
		argp_error(state, "--speed is for --arrivals");
	if (!arguments->speed_ppm)
		argp_error(state, "--speed is above 0");
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
 * struct pass - kernels of a step, of one size
 * @operators: of the step
 * @operator_count: how many
 * @runs: how often the trace runs it; 0: as a service that batches requests says
 */
struct pass {
	struct llm_operator *operators;
	u32 operator_count;
	u64 runs;
};

/**
 * struct made - a trace that is being made
 * @arguments: the command line
 * @config: the GPU
 * @requests: those of the list; none: @arguments->steps of the only pass
 * @steps: the sizes of passes
 * @passes: the passes, by size
 * @step_count: how many sizes
 * @generation: of its products, with the shared memory that the GPU has
 * @plan: of the trace
 * @layout: of its memory
 * @name: in the trace
 * @output: its file
 * @trace_bytes: its size
 */
struct made {
	const struct arguments *arguments;
	struct gpu_config config;
	struct llm_requests requests;
	struct llm_step *steps;
	struct pass *passes;
	u32 step_count;
	struct llm_generation generation;
	struct llm_plan plan;
	struct llm_layout layout;
	const char *name;
	char *output;
	size_t trace_bytes;
};

static u32 or_else(u32 value, u32 otherwise)
{
	return value ? value : otherwise;
}

/* --- the plan --------------------------------------------------------------------------- */

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

/* --- sizes of passes --- */

/* The pass of a size, which may be a new one. Return: its index. */
static u32 pass_of(struct made *made, bool prefill, u32 batch, u32 context)
{
	u32 i;

	for (i = 0; i < made->step_count; i++)
		if (made->steps[i].prefill == prefill && made->steps[i].batch == batch &&
		    made->steps[i].context == context)
			return i;
	made->steps = grow(made->steps, i + 1, sizeof(*made->steps));
	made->passes = grow(made->passes, i + 1, sizeof(*made->passes));
	made->steps[i] = (struct llm_step){ prefill, batch, context };
	made->passes[i] = (struct pass){ 0 };
	made->step_count++;
	return i;
}

/* Tokens of a request's pass, in whole steps */
static u32 rounded(const struct made *made, u64 tokens)
{
	u32 unit = made->arguments->round ? made->arguments->round : DEFAULT_ROUND;

	return (u32)((tokens + unit - 1) / unit * unit);
}

/* The pass that makes a token of a request, from 0 on. */
static u32 pass_of_token(struct made *made, const struct llm_request *request, u32 token)
{
	return pass_of(made, !token, 1, rounded(made, (u64)request->context + token));
}

static int fail_commands(void)
{
	return fail("the trace would have more than %u commands: take fewer layers, requests or steps",
		    SIMGPU_TRACE_COMMANDS_MAX);
}

static int fail_kernels(const struct made *made)
{
	return fail("steps of %u sizes need more than %u kernels: take a greater --round, or fewer requests",
		    made->step_count, SIMGPU_TRACE_KERNELS_MAX);
}

static int list_requests(struct made *made)
{
	const struct arguments *arguments = made->arguments;

	if (arguments->requests)
		return llm_requests_read(arguments->requests, or_else(arguments->every, 1),
					 or_else(arguments->limit, LLM_REQUESTS_MAX),
					 &made->requests);
	made->requests.list = grow(NULL, 1, sizeof(*made->requests.list));
	made->requests.list[0] = (struct llm_request){
		.context = or_else(arguments->context, DEFAULT_CONTEXT),
		.generated = arguments->generate,
	};
	made->requests.count = 1;
	return STATUS_OK;
}

/* Each pass has a command and a kernel at least, so that a list without end ends here. */
static int take_requests(struct made *made)
{
	u32 i, token, passes = 0;
	int ret = list_requests(made);

	for (i = 0; !ret && i < made->requests.count; i++) {
		const struct llm_request *request = &made->requests.list[i];

		for (token = 0; !ret && token < request->generated; token++) {
			u32 pass = pass_of_token(made, request, token);

			made->passes[pass].runs++;
			if (++passes > SIMGPU_TRACE_COMMANDS_MAX)
				ret = fail_commands();
			else if (made->step_count > SIMGPU_TRACE_KERNELS_MAX)
				ret = fail_kernels(made);
		}
	}
	return ret;
}

/* Passes of one kind and each size up to @most, as far as there can be kernels for them */
static void take_sizes(struct made *made, bool prefill, u32 batch, u32 most)
{
	u32 context, unit = rounded(made, 1);

	for (context = unit;
	     context <= most && made->step_count <= SIMGPU_TRACE_KERNELS_MAX; context += unit)
		pass_of(made, prefill, batch, context);
}

/*
 * The passes that a service that batches requests chooses from, in the order in which it looks
 * for them: a prefill of each size, then decodes, those of fewer requests first. Requests
 * together have any number of tokens, up to what they would have if all were the longest one.
 */
static int take_steps(struct made *made)
{
	u32 i, batch, most = 0, longest = 0;
	int ret = list_requests(made);

	for (i = 0; !ret && i < made->requests.count; i++) {
		const struct llm_request *request = &made->requests.list[i];
		u64 last = (u64)request->context + request->generated - 1;

		longest = max(longest, rounded(made, request->context));
		most = max(most, rounded(made, last));
	}
	if (ret)
		return ret;
	take_sizes(made, true, 1, longest);
	for (batch = 1; batch < made->arguments->batching; batch *= 2)
		take_sizes(made, false, batch, most);
	take_sizes(made, false, made->arguments->batching, most);
	return made->step_count > SIMGPU_TRACE_KERNELS_MAX ? fail_kernels(made) : STATUS_OK;
}

static int take_passes(struct made *made)
{
	const struct arguments *arguments = made->arguments;
	u32 i;

	if (has_requests(arguments)) {
		int ret = arguments->batching ? take_steps(made) : take_requests(made);

		if (ret)
			return ret;
	} else {
		i = pass_of(made, !arguments->phase || !strcmp(arguments->phase, "prefill"),
			    or_else(arguments->batch, 1), or_else(arguments->context, DEFAULT_CONTEXT));
		made->passes[i].runs = or_else(arguments->steps, 1);
	}
	for (i = 0; i < made->step_count; i++)
		if (llm_step_tokens(&made->steps[i]) > LLM_TOKENS_MAX)
			return fail("a step cannot have more than %u tokens", LLM_TOKENS_MAX);
	return STATUS_OK;
}

static int plan(struct made *made)
{
	const struct arguments *arguments = made->arguments;
	const char *wrong;
	int ret;

	shape(arguments, &made->plan.model);
	wrong = llm_check(&made->plan.model);
	if (wrong)
		return fail_usage("%s", wrong);
	set_gpu(made);
	made->generation = is_hopper(made) ? llm_hopper : llm_ampere;
	if (made->generation.shared > made->plan.gpu.shared)
		made->generation.shared = made->plan.gpu.shared;
	ret = take_passes(made);
	if (ret)
		return ret;
	made->plan.generation = &made->generation;
	made->plan.value_bytes = arguments->value_bytes;
	made->plan.whole = !arguments->no_head;
	made->plan.slots = arguments->slots;
	made->plan.each = arguments->each;
	made->plan.steps = made->steps;
	made->plan.step_count = made->step_count;
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

/* A pass, and what it ends. Return: how many commands. */
static u64 command_pass(struct made *made, struct builder *builder, u32 index, u32 mark)
{
	const struct pass *pass = &made->passes[index];
	u64 commands = llm_command_step(builder, &made->plan, &made->steps[index], 0,
					pass->operators, pass->operator_count);

	builder_command(builder, SIMGPU_TRACE_COMMAND_MARK, 0, mark, 1, 0);
	return commands + 1;
}

/* Return: how many commands; more than a trace can have: not all were added. */
static u64 command_requests(struct made *made, struct builder *builder)
{
	u64 commands = 0;
	u32 i, token;

	for (i = 0; i < made->requests.count; i++) {
		const struct llm_request *request = &made->requests.list[i];

		for (token = 0; token < request->generated; token++) {
			if (commands > SIMGPU_TRACE_COMMANDS_MAX)
				return commands;
			commands += command_pass(made, builder, pass_of_token(made, request, token),
						 token ? SIMGPU_TRACE_MARK_TOKEN :
							 SIMGPU_TRACE_MARK_FIRST_TOKEN);
		}
		builder_command(builder, SIMGPU_TRACE_COMMAND_MARK, 0, SIMGPU_TRACE_MARK_REQUEST, 1,
				0);
		commands++;
	}
	return commands;
}

/* The steps of a service that batches requests, and its requests. Return: how many commands. */
static u64 command_steps(struct made *made, struct builder *builder)
{
	u64 commands = made->requests.count;
	u32 i;

	for (i = 0; i < made->step_count; i++) {
		const struct llm_step *step = &made->steps[i];

		commands += 1 + llm_command_step(builder, &made->plan, step, 0,
						 made->passes[i].operators,
						 made->passes[i].operator_count);
		builder_command(builder, SIMGPU_TRACE_COMMAND_STEP, 0,
				step->prefill ? 0 : step->batch, 1, step->context);
	}
	for (i = 0; i < made->requests.count; i++)
		builder_command(builder, SIMGPU_TRACE_COMMAND_REQUEST, 0,
				made->requests.list[i].context, 1,
				made->requests.list[i].generated);
	return commands;
}

static int build_commands(struct made *made, struct builder *builder)
{
	u64 commands = 0, step;

	llm_allocate(builder, &made->layout);
	if (made->arguments->batching)
		commands = command_steps(made, builder);
	else if (made->requests.count)
		commands = command_requests(made, builder);
	else
		for (step = 0; step < made->passes[0].runs; step++)
			commands += command_pass(made, builder, 0, SIMGPU_TRACE_MARK_LATENCY);
	if (commands > SIMGPU_TRACE_COMMANDS_MAX)
		return fail_commands();
	return STATUS_OK;
}

/* Layers alone, once, need no commands: their kernels run in order. */
static bool has_commands(const struct made *made)
{
	return made->plan.whole || made->passes[0].runs > 1 || made->plan.each > 1;
}

static int build_kernels(struct made *made, struct builder *builder)
{
	u32 kernels = 0, i;

	for (i = 0; i < made->step_count && kernels <= SIMGPU_TRACE_KERNELS_MAX; i++) {
		struct pass *pass = &made->passes[i];

		pass->operators = grow(NULL, llm_operators_most(&made->plan),
				       sizeof(*pass->operators));
		pass->operator_count = llm_emit_step(builder, &made->plan, &made->layout,
						     &made->steps[i], &kernels, pass->operators);
	}
	if (kernels > SIMGPU_TRACE_KERNELS_MAX)
		return fail_kernels(made);
	return STATUS_OK;
}

static int build_trace(struct made *made, void **trace)
{
	struct builder *builder = builder_new(made->name, "trace llm");
	int ret;

	if (!builder)
		return fail("out of memory");
	builder_footprint(builder, made->layout.bytes);
	ret = build_kernels(made, builder);
	if (!ret && has_commands(made))
		ret = build_commands(made, builder);
	if (!ret) {
		*trace = builder_finish(builder, 0, &made->trace_bytes);
		ret = *trace ? STATUS_OK : fail("out of memory");
	}
	builder_free(builder);
	return ret;
}

static int write_trace(struct made *made)
{
	struct trace_error error = { 0 };
	void *trace = NULL;
	u64 memory_bytes;
	int ret = build_trace(made, &trace);

	if (ret)
		return ret;
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
static bool fill_row(const struct made *made, const struct pass *pass, u32 index,
		     struct row *row)
{
	const struct llm_operator *operator = &pass->operators[index];

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

static struct json_object *json_operators(const struct made *made, const struct pass *pass)
{
	struct json_object *array = json_object_new_array();
	struct row row;
	u32 i;

	for (i = 0; i < pass->operator_count; i++) {
		struct json_object *object;

		if (!fill_row(made, pass, i, &row))
			continue;
		object = json_object_new_object();
		json_fields(object, fields, &row);
		json_object_array_add(array, object);
	}
	return array;
}

static const char *phase_name(const struct llm_step *step)
{
	return step->prefill ? "prefill" : "decode";
}

static void json_pass(struct json_object *object, const struct made *made, u32 index)
{
	json_set_string(object, "phase", phase_name(&made->steps[index]));
	json_set(object, "batch", json_u64(made->steps[index].batch));
	json_set(object, "context", json_u64(made->steps[index].context));
	/* A service that batches says how often when it runs. */
	if (!made->arguments->batching)
		json_set(object, "steps", json_u64(made->passes[index].runs));
}

static struct json_object *json_passes(const struct made *made)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < made->step_count; i++) {
		struct json_object *object = json_object_new_object();

		json_pass(object, made, i);
		json_set(object, "operators", json_operators(made, &made->passes[i]));
		json_object_array_add(array, object);
	}
	return array;
}

static int report_json(const struct made *made)
{
	struct json_object *document = json_object_new_object();

	made_by_json(document, NULL, 0);
	json_set_string(document, "trace", made->output);
	json_set(document, "bytes", json_u64(made->trace_bytes));
	json_set_string(document, "config", made->config.name);
	if (!made->requests.count)
		json_pass(document, made, 0);
	json_set(document, "layers", json_u64(made->plan.model.layers));
	json_set(document, "layers_with_memory", json_u64(made->plan.slots));
	json_set(document, "layer_bytes", json_u64(made->layout.layer_bytes));
	json_set(document, "footprint_bytes", json_u64(made->layout.bytes));
	if (made->requests.count) {
		json_set(document, "requests", json_u64(made->requests.count));
		json_set(document, "passes", json_passes(made));
	} else {
		json_set(document, "operators", json_operators(made, &made->passes[0]));
	}
	return json_print(document);
}

/* Adds up what a pass does. @table: of its operators; NULL: none */
static void add_up(const struct made *made, const struct pass *pass, struct table *table,
		   double *flops, double *bytes)
{
	struct row row;
	u32 i;

	for (i = 0; i < pass->operator_count; i++) {
		if (!fill_row(made, pass, i, &row))
			continue;
		*flops += (double)row.flops * row.launches;
		*bytes += (double)row.bytes * row.launches;
		if (!table)
			continue;
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
}

static void print_operators(const struct made *made)
{
	struct table *table = table_new("OPERATOR|TILE|>LAUNCHES|>GFLOP|>MB");
	double flops = 0, bytes = 0;

	add_up(made, &made->passes[0], table, &flops, &bytes);
	table_print(table);
	printf("\nA step: %.3f TFLOP, %.1f MB, %u layers\n", flops / 1e12, bytes / 1e6,
	       made->plan.model.layers);
}

/* Steps of each size, a row each; and what rounding adds */
static void print_passes(const struct made *made)
{
	bool batching = made->arguments->batching;
	struct table *table = table_new(batching ? "PHASE|>TOKENS|>REQUESTS|>TFLOP|>MB" :
						   "PHASE|>TOKENS|>STEPS|>TFLOP|>MB");
	u64 context = 0, padded = 0, generated = 0;
	u32 i;

	for (i = 0; i < made->step_count; i++) {
		double flops = 0, bytes = 0;

		add_up(made, &made->passes[i], NULL, &flops, &bytes);
		table_row(table, "%s|%u|%llu|%.3f|%.1f", phase_name(&made->steps[i]),
			  made->steps[i].context,
			  batching ? made->steps[i].batch : made->passes[i].runs, flops / 1e12,
			  bytes / 1e6);
	}
	for (i = 0; i < made->requests.count; i++) {
		context += made->requests.list[i].context;
		padded += rounded(made, made->requests.list[i].context);
		generated += made->requests.list[i].generated;
	}
	table_print(table);
	printf("\n%u requests: %llu tokens of context, rounded up to %llu, and %llu generated; %u layers\n",
	       made->requests.count, context, padded, generated, made->plan.model.layers);
}

static int report(const struct made *made)
{
	const struct llm_plan *plan = &made->plan;
	double layer = (double)made->layout.layer_bytes / 1e6;

	if (made->arguments->json)
		return report_json(made);
	if (made->requests.count)
		print_passes(made);
	else
		print_operators(made);
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
	if (!ret && made->arguments->arrivals)
		ret = llm_requests_write_arrivals(&made->requests, made->arguments->arrivals,
						  made->config.core_mhz,
						  made->arguments->speed_ppm);
	return ret ? ret : report(made);
}

static void free_made(struct made *made)
{
	u32 i;

	for (i = 0; i < made->step_count; i++)
		free(made->passes[i].operators);
	free(made->passes);
	free(made->steps);
	free(made->output);
	llm_requests_free(&made->requests);
}

int trace_llm_command(int argc, char **argv)
{
	struct arguments arguments = {
		.config = DEFAULT_CONFIG, .value_bytes = 2, .each = 1, .speed_ppm = SIMGPU_PPM,
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
	free_made(&made);
	return ret;
}
