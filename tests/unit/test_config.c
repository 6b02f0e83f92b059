// SPDX-License-Identifier: GPL-2.0
/*
 * All shipped configurations: beside their lists of sources (docs/configs),
 * run, and saturated; and a user's own, from text.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_checker.h"
#include "traces.h"

#define LISTS		"docs/configs"
#define BLOCK_WARPS	8
#define LONG_ENOUGH	20000000ULL

/* Every shipped configuration in turn. */
#define for_each_spec(spec, index) \
	for ((index) = 0; ((spec) = gpu_config_at(index)); (index)++)

/* --- the lists ---------------------------------------------------------------------- */

static const struct config_field *find_field(const char *name, u32 *index)
{
	const struct config_field *field;

	for (*index = 0; (field = config_field_at(*index)); (*index)++)
		if (!strcmp(field->name, name))
			return field;
	return NULL;
}

/* A number, or where values have words the word. */
static bool is_value(const struct config_field *field, const char *text,
		     u32 value)
{
	if (field->words)
		return !strcmp(text, field->words[value]);
	return strtoul(text, NULL, 10) == value;
}

/* One row: parameter,value,unit,source. */
static void check_row(const struct gpu_config *spec, char *row, u32 *rows)
{
	const struct config_field *field;
	char *name = strsep(&row, ",");
	char *value = strsep(&row, ",");
	char *unit = strsep(&row, ",");
	char *source = strsep(&row, "\n");
	u32 index;

	field = find_field(name, &index);
	if (!field)
		fail_msg("%s: there is no field %s", spec->name, name);
	if (!source || !*unit || !*source || strchr(source, ','))
		fail_msg("%s: %s needs a unit and a source", spec->name, name);
	if (!is_value(field, value, config_get(spec, field)))
		fail_msg("%s: %s is %s in the list, %u in the code", spec->name,
			 name, value, config_get(spec, field));
	rows[index]++;
}

/* The base of a list, if @row names it: "base,NAME,". */
static const struct gpu_config *base_of(char *row)
{
	char *name;

	if (strncmp(row, "base,", 5))
		return NULL;
	strsep(&row, ",");
	name = strsep(&row, ",");
	if (!gpu_config_find(name))
		fail_msg("there is no base %s", name);
	return gpu_config_find(name);
}

/*
 * What stands in the code stands in the list with its source, and vice versa. Where a list
 * has a base, the fields that it leaves out are as there.
 */
static void lists_and_code_agree(void **state)
{
	const struct config_field *field;
	const struct gpu_config *spec;
	u32 i, j;

	for_each_spec(spec, i) {
		const struct gpu_config *base = NULL;
		u32 rows[CONFIG_FIELDS_MAX] = { 0 };
		char path[128], line[1024];
		FILE *list;

		snprintf(path, sizeof(path), LISTS "/%s.csv", spec->name);
		list = fopen(path, "r");
		if (!list)
			fail_msg("there is no %s", path);
		assert_non_null(fgets(line, sizeof(line), list));
		assert_string_equal(line, "parameter,value,unit,source\n");
		while (fgets(line, sizeof(line), list)) {
			if (!base)
				base = base_of(line);
			if (strcmp(line, "base"))
				check_row(spec, line, rows);
		}
		fclose(list);
		for (j = 0; (field = config_field_at(j)); j++)
			if (rows[j] != 1 &&
			    (rows[j] || !base ||
			     config_get(base, field) != config_get(spec, field)))
				fail_msg("%s: %u rows for %s", path, rows[j],
					 field->name);
	}
}

static void every_list_is_of_a_spec(void **state)
{
	DIR *folder = opendir(LISTS);
	struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		char *end = strstr(entry->d_name, ".csv");

		if (!end)
			continue;
		*end = '\0';
		assert_non_null(gpu_config_find(entry->d_name));
	}
	closedir(folder);
}

/* A field that the table forgot would be neither checked nor parsed. */
static void the_table_has_every_field(void **state)
{
	const struct config_field *field;
	size_t bytes = 0;
	u32 i;

	for (i = 0; (field = config_field_at(i)); i++)
		bytes += field->bytes;
	assert_int_equal(bytes, sizeof(struct gpu_config) -
			 offsetof(struct gpu_config, sms) -
			 (sizeof(struct gpu_config) -
			  offsetof(struct gpu_config, dram.trrefd) -
			  sizeof(u16)));
}

static void specs_can_be_simulated(void **state)
{
	const struct gpu_config *spec;
	u32 i;

	for_each_spec(spec, i) {
		const char *field;

		if (gpu_config_check(spec, &field))
			fail_msg("%s: %s", spec->name, field);
		assert_ptr_equal(gpu_config_find(spec->name), spec);
		/* The largest has half as many SMs again as the second. */
		assert_in_range(gpu_bytes(spec), 1, 28 << 20);
	}
	assert_int_equal(i, 15);
	assert_null(gpu_config_find("gtx"));
}

/* Peak bandwidth as the papers and the boards' makers state it, within 0.3%. */
static void peak_bandwidth_is_as_stated(void **state)
{
	static const struct {
		const char *name;
		u32 gigabytes;
	} stated[] = {
		{ "hbm80", 900 }, { "gddr5_40", 484 }, { "themis60", 224 },
		{ "fg16", 224 }, { "fg56", 224 }, { "gtx480", 177 },
		{ "c2070", 144 }, { "gtx680", 192 }, { "k20", 208 },
		{ "a100", 1555 }, { "a100-80", 2039 }, { "h100", 3350 },
		{ "v100", 900 }, { "a100-hw", 1555 }, { "h100-hw", 3350 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stated); i++) {
		const struct gpu_config *c = gpu_config_find(stated[i].name);
		u32 peak = c->channels * c->channel_bytes_per_clock *
			   c->memory_mhz;
		u32 want = stated[i].gigabytes * 1000;

		assert_in_range(peak, want - want * 3 / 1000,
				want + want * 3 / 1000);
	}
	assert_null(gpu_config_at(i));
}

/* --- devices ------------------------------------------------------------------------- */

/** struct run - one tenant alone on all SMs */
struct run {
	struct gpu *gpu;
	void *memory;
};

static struct run run_make(const struct gpu_config *config,
			   const struct trace *trace)
{
	struct run run;
	u32 i;

	run.memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	memset(run.memory, 0x5a, gpu_bytes(config));
	run.gpu = gpu_init(run.memory, config, 1);
	for (i = 0; i < config->sms; i++)
		gpu_sm_assign(run.gpu, i, 0, GPU_PREEMPT_DRAIN);
	gpu_kernel_start(run.gpu, 0, trace, 0);
	return run;
}

/* To its end, and until what is on its way has come to rest. */
static struct simgpu_counters run_finish(struct run *run, u64 *cycles, u64 *hash)
{
	struct simgpu_counters counters;

	gpu_run(run->gpu, LONG_ENOUGH);
	assert_int_equal(gpu_take_finished(run->gpu), 1);
	*cycles = gpu_now(run->gpu);
	gpu_run(run->gpu, *cycles + 20000);
	*hash = gpu_state_hash(run->gpu);
	gpu_tenant_counters(run->gpu, 0, &counters);
	free(run->memory);
	return counters;
}

static struct simgpu_counters run_trace(const struct gpu_config *config,
					const struct trace *trace, u64 *cycles,
					u64 *hash)
{
	struct run run = run_make(config, trace);

	return run_finish(&run, cycles, hash);
}

static void traces_run_to_their_end(void **state)
{
	struct trace *copy = trace_copy(200, 6, 32);
	struct trace *random = trace_random(100, 5, 4, 1ULL << 28);
	struct trace *compute = trace_compute(200, 10, 20);
	const struct gpu_config *spec;
	u64 warps, cycles, hash;
	u32 i;

	for_each_spec(spec, i) {
		/* Accesses, fills and write-backs are of lines, or of their sectors. */
		u32 parts = spec->llc_sectors;
		u64 burst = GPU_LINE_BYTES / spec->channel_bytes_per_clock / parts;
		struct simgpu_counters c;

		c = run_trace(spec, copy, &cycles, &hash);
		warps = 200 * BLOCK_WARPS;
		assert_int_equal(c.blocks_finished, 200);
		assert_int_equal(c.warp_instructions, warps * 6 * 4);
		assert_int_equal(c.llc_accesses, 2 * warps * 6 * parts);
		assert_int_equal(c.dram_fills, warps * 6 * parts *
				 (spec->llc_write_allocate == GPU_ALLOCATE_ALWAYS ?
				  2 : 1));
		assert_int_equal(c.bus_busy_clocks,
				 (c.dram_fills + c.dram_writebacks) * burst);
		c = run_trace(spec, random, &cycles, &hash);
		warps = 100 * BLOCK_WARPS;
		assert_int_equal(c.blocks_finished, 100);
		assert_int_equal(c.warp_instructions, warps * 5 * 3);
		assert_int_equal(c.l1_accesses, warps * 5 * 4);
		assert_int_equal(c.dram_writebacks, 0);
		c = run_trace(spec, compute, &cycles, &hash);
		warps = 200 * BLOCK_WARPS;
		assert_int_equal(c.blocks_finished, 200);
		assert_int_equal(c.thread_instructions, warps * 10 * 20 * 32);
		assert_int_equal(c.llc_accesses, 0);
	}
	trace_free(copy);
	trace_free(random);
	trace_free(compute);
}

/* Every scheduler of every SM issues every cycle while it has work. */
static void peak_issue_rate_is_reached(void **state)
{
	struct trace *trace = trace_compute(10000, 1, 1000000);
	const struct gpu_config *spec;
	u32 i;

	for_each_spec(spec, i) {
		struct run run = run_make(spec, trace);
		struct simgpu_counters c;

		gpu_run(run.gpu, 3000);
		gpu_tenant_counters(run.gpu, 0, &c);
		assert_int_equal(c.warp_instructions, 3000ULL * spec->sms *
				 spec->schedulers_per_sm);
		free(run.memory);
	}
	trace_free(trace);
}

/* The shipped batch length, and none: the same device at the end. */
static void batches_do_not_show(void **state)
{
	struct trace *trace = trace_copy(200, 6, 16);
	const struct gpu_config *spec;
	u32 i;

	for_each_spec(spec, i) {
		struct gpu_config single = *spec;
		u64 cycles[2], hash[2];

		single.channel_batch_clocks = 1;
		run_trace(spec, trace, &cycles[0], &hash[0]);
		run_trace(&single, trace, &cycles[1], &hash[1]);
		assert_int_equal(cycles[0], cycles[1]);
		assert_int_equal(hash[0], hash[1]);
	}
	trace_free(trace);
}

/* Whole lines in a row, with three loads of a warp under way. */
static struct trace *deep_stream(u32 blocks)
{
	struct builder *b = builder_new("stream", "test");
	u64 bytes = (u64)blocks * BLOCK_WARPS * 8 * 128;
	u32 pattern = builder_affine(b, 0, bytes, 4, 8 * 128 * BLOCK_WARPS,
				     8 * 128, 128);

	builder_kernel(b, "stream", blocks, BLOCK_WARPS * 32, 32, 0);
	builder_loop(b, 8);
	builder_load(b, pattern, 32, 8);
	builder_compute(b, 2, 32);
	builder_loop_end(b);
	return trace_of(b, bytes);
}

/*
 * All SMs stream: nothing between SM and channel (MSHRs, ports, queues) keeps a
 * GPU far from the bandwidth that it states. Where slices' queues end, the ports let SMs
 * pass in turn, and the more SMs, the fewer requests for the same row come together (Yuan,
 * Bakhoda and Aamodt, MICRO '09): hbm80 has 92% with 40 SMs, 74% with 80.
 */
static void streams_come_near_the_peak(void **state)
{
	struct trace *trace = deep_stream(20000);
	const struct gpu_config *spec;
	u32 i;

	for_each_spec(spec, i) {
		struct run run = run_make(spec, trace);
		struct simgpu_counters c;
		u64 clocks, percent;

		gpu_run(run.gpu, 60000);
		clocks = gpu_memory_clocks(run.gpu, 60000) * spec->channels;
		gpu_tenant_counters(run.gpu, 0, &c);
		percent = c.bus_busy_clocks * 100 / clocks;
		print_message("# %s: a stream has %llu%% of the peak, row-buffer hits %llu%%\n",
			      spec->name, percent, 100 - c.row_activates * 100 /
			      (c.dram_fills + c.dram_writebacks));
		assert_in_range(percent, spec->slice_queue_flits ? 70 : 85, 100);
		free(run.memory);
	}
	trace_free(trace);
}

static u32 draw(u64 *random, u32 below)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)((*random >> 33) % below);
}

/* A shipped configuration with some fields set to anything in their ranges. */
static struct gpu_config draw_config(u64 *random)
{
	struct gpu_config config = *gpu_config_at(draw(random, 10));
	const struct config_field *field;
	u32 changes = 1 + draw(random, 6), count = 0;

	while (config_field_at(count))
		count++;
	for (; changes; changes--) {
		u32 value;

		field = config_field_at(draw(random, count));
		value = field->least +
			draw(random, field->greatest - field->least + 1);
		if (draw(random, 4) == 0)
			value = draw(random, 2) ? field->least : field->greatest;
		config_set(&config, field, value);
	}
	return config;
}

/* What passes the check comes to its end, whatever it is. */
static void all_that_is_accepted_runs(void **state)
{
	struct trace *trace = trace_copy(60, 4, 16);
	u64 random = 1, cycles[2], hash[2];
	u32 runs = 0;

	while (runs < 200) {
		struct gpu_config config = draw_config(&random), single = config;
		struct simgpu_counters c;
		const char *field;

		single.channel_batch_clocks = 1;
		if (gpu_config_check(&config, &field) ||
		    !gpu_kernel_fits(&config, &trace->kernels[0]))
			continue;
		c = run_trace(&config, trace, &cycles[0], &hash[0]);
		assert_int_equal(c.blocks_finished, 60);
		assert_int_equal(c.warp_instructions, 60 * BLOCK_WARPS * 4 * 4);
		run_trace(&single, trace, &cycles[1], &hash[1]);
		assert_int_equal(cycles[0], cycles[1]);
		assert_int_equal(hash[0], hash[1]);
		runs++;
	}
	trace_free(trace);
}

/* --- one channel alone ------------------------------------------------------------------ */

static void saturate_spec(const struct gpu_config *spec, u32 hits, u32 writes)
{
	struct lone_channel bench;
	u64 clocks;

	lone_channel_make(&bench, spec);
	/* The checker stops the test at the first broken rule. */
	lone_channel_saturate(&bench, hits, writes, 30000);
	clocks = bench.gpu->channels[0].clock;
	assert_int_equal(bench.checker.refreshes,
			 dram_checker_due(&bench.checker, clocks));
	assert_true(bench.checker.reads || writes == 100);
	/* Hits alone leave the bus idle in refreshes and for the activates then. */
	if (hits == 100 && !writes)
		assert_in_range(bench.checker.reads * bench.checker.burst * 100,
				98 * (clocks - bench.checker.refreshes *
				      (spec->dram.trfc + 4 * spec->dram.trc)),
				100 * clocks);
	lone_channel_free(&bench);
}

static void timings_are_kept(void **state)
{
	const struct gpu_config *spec;
	u32 i, hits, writes;

	for_each_spec(spec, i)
		for (hits = 0; hits <= 100; hits += 25)
			for (writes = 0; writes <= 100; writes += 50)
				saturate_spec(spec, hits, writes);
}

/* --- text --------------------------------------------------------------------------------- */

static int parse(const char *text, struct gpu_config *config,
		 struct config_error *error)
{
	return gpu_config_parse(text, strlen(text), config, error);
}

static void printed_text_parses_to_the_same(void **state)
{
	const struct gpu_config *spec;
	u32 i;

	for_each_spec(spec, i) {
		struct config_error error;
		struct gpu_config config;
		char text[4096], again[4096];
		size_t length;

		memset(&config, 0x5a, sizeof(config));
		length = gpu_config_print(spec, text, sizeof(text));
		assert_int_equal(length, strlen(text));
		assert_int_equal(gpu_config_parse(text, length, &config, &error),
				 0);
		assert_memory_equal(&config, spec, sizeof(config));
		gpu_config_print(&config, again, sizeof(again));
		assert_string_equal(text, again);
	}
}

static void printing_stays_in_its_room(void **state)
{
	const struct gpu_config *spec = gpu_config_at(0);
	char whole[4096], part[4096];
	size_t length = gpu_config_print(spec, NULL, 0), room;

	assert_int_equal(gpu_config_print(spec, whole, sizeof(whole)), length);
	for (room = 1; room <= length + 1; room += 7) {
		memset(part, 'x', sizeof(part));
		assert_int_equal(gpu_config_print(spec, part, room), length);
		assert_int_equal(strlen(part), room - 1);
		assert_memory_equal(part, whole, room - 1);
		assert_int_equal(part[room], 'x');
	}
}

static void a_base_is_changed_line_by_line(void **state)
{
	static const char text[] =
		"\r\n# mine\n \tbase=gtx480 # Fermi\r\n"
		"name = my-own_1.0\n\n sms\t=  14\ndram.trefi=0\nl1_ways = 0012";
	struct gpu_config config, want = *gpu_config_find("gtx480");
	struct config_error error;

	assert_int_equal(parse(text, &config, &error), 0);
	strcpy(want.name, "my-own_1.0");
	want.sms = 14;
	want.dram.trefi = 0;
	want.l1_ways = 12;
	assert_memory_equal(&config, &want, sizeof(want));
}

static void names_tell_configurations_apart(void **state)
{
	struct config_error error;
	struct gpu_config config;

	assert_int_equal(parse("base = k20\nsms = 12", &config, &error), 0);
	assert_string_equal(config.name, "custom");
	assert_int_equal(parse("base = k20\nname = k20", &config, &error), 0);
	assert_memory_equal(&config, gpu_config_find("k20"), sizeof(config));
	assert_int_equal(parse("base = k20\nname = k20\nsms = 12", &config,
			       &error), -EINVAL);
}

/* What the page shows as an example is one. */
static void the_pages_example_is_good(void **state)
{
	struct config_error error;
	struct gpu_config config;
	char page[16384], *text, *end;
	FILE *file = fopen("docs/configurations.md", "r");

	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	text = strstr(page, "```\nbase");
	assert_non_null(text);
	text += strlen("```\n");
	end = strstr(text, "```");
	assert_non_null(end);
	if (gpu_config_parse(text, (size_t)(end - text), &config, &error))
		fail_msg("line %u: %s %s", error.line, error.field, error.reason);
	assert_string_equal(config.name, "half-the-hbm");
	assert_int_equal(config.channels, 16);
	assert_int_equal(config.dram.trcd_read, 9);
}

/** struct bad - a text, and what is said of it */
struct bad {
	const char *text;
	u32 line;
	const char *field;
	const char *reason;
};

static const struct bad bad_texts[] = {
	{ "base = hbm80\nsms", 2, "sms", "is not of the form name = value" },
	{ "= 5", 1, "", "is not of the form name = value" },
	{ "base = hbm80\nsms =", 2, "sms", "has no value" },
	{ "base = hbm80\nsms = # 5", 2, "sms", "has no value" },
	{ "base = hbm80\n\nsmss = 5", 3, "smss", "is not the name of a field" },
	{ "base = hbm80\nSMS = 5", 2, "SMS", "is not the name of a field" },
	{ "base = hbm80\ntrc = 5", 2, "trc", "is not the name of a field" },
	{ "base = hbm80\ns\033ms = 5", 2, "s?ms", "is not the name of a field" },
	{ "base = hbm80\nan_overlong_name_of_no_field_at_all = 5", 2,
	  "an_overlong_name_of_no_field_at", "is not the name of a field" },
	{ "base = hbm80\nsms = 5\nsms = 5", 3, "sms", "is given twice" },
	{ "base = hbm80\nsms = five", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = 5 SMs", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = 0x5", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = -5", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = +5", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = 5.0", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = 5 = 5", 2, "sms",
	  "is not a number in decimal digits" },
	{ "base = hbm80\nsms = 0", 2, "sms", "must be 1 to 512" },
	{ "base = hbm80\nsms = 513", 2, "sms", "must be 1 to 512" },
	{ "base = hbm80\nsms = 4294967297", 2, "sms", "must be 1 to 512" },
	{ "base = hbm80\nsms = 99999999999999999999999999999999", 2, "sms",
	  "must be 1 to 512" },
	{ "base = hbm80\ndram.trefi = 65536", 2, "dram.trefi",
	  "must be 0 to 65535" },
	{ "base = hbm81", 1, "base",
	  "is not the name of a shipped configuration" },
	{ "base = hbm80\nbase = hbm80", 2, "base", "is given twice" },
	{ "sms = 5\nbase = hbm80", 2, "base", "must come first" },
	{ "base = hbm80\nname = a b", 2, "name",
	  "may have letters, digits, '_', '-' and '.'" },
	{ "base = hbm80\nname = a/b", 2, "name",
	  "may have letters, digits, '_', '-' and '.'" },
	{ "base = hbm80\nname = a\nname = a", 3, "name", "is given twice" },
	{ "base = hbm80\nname = a23456789012345678901234567890123", 2, "name",
	  "is longer than 31 characters" },
	{ "base = hbm80\nsms = 79\nname = k20", 3, "name",
	  "is of a shipped configuration, whose values differ" },
	{ "", 0, "sms", "is missing, and there is no base" },
	{ "sms = 5\nname = k20", 0, "core_mhz",
	  "is missing, and there is no base" },
	{ "base = hbm80\nschedulers_per_sm = 3", 2, "schedulers_per_sm",
	  "must be a power of two" },
	{ "base = hbm80\nbanks = 12", 2, "banks", "must be a power of two" },
	{ "base = hbm80\nl1_sets = 48", 2, "l1_sets", "must be a power of two" },
	{ "base = hbm80\nl1c_sets = 48", 2, "l1c_sets",
	  "must be a power of two" },
	{ "base = gddr5_40\naddress_hash = 2", 2, "address_hash",
	  "must not be 2 but with powers of two of channels and slices" },
	{ "base = hbm80\nl1_write_allocate = fetch", 2, "l1_write_allocate",
	  "must be none or lazy" },
	{ "base = hbm80\nl1_write_allocate = lazy", 2, "l1_write_allocate",
	  "must be none where l1_sectors is 1" },
	{ "base = hbm80\nllc_write_allocate = lazily", 2,
	  "llc_write_allocate",
	  "is neither one of its words nor a number" },
	{ "base = hbm80\nllc_write_allocate = 4", 2, "llc_write_allocate",
	  "must be 0 to 3" },
	{ "base = hbm80\nllc_write_allocate = lazy\nmirrors = 1", 2,
	  "llc_write_allocate",
	  "must be fetch, always or lazy with sectors, for tags or mirrors" },
	{ "base = hbm80\nl1_sectors = 2", 2, "l1_sectors", "must be 1 or 4" },
	{ "base = hbm80\nllc_sectors = 3", 2, "llc_sectors",
	  "must be 1 or 4" },
	{ "base = hbm80\nl1_ways = 257", 2, "l1_ways", "must be 1 to 256" },
	{ "base = hbm80\nl1_sets = 4\nl1_ways = 96", 3, "l1_ways",
	  "must be a power of two if it is more than 16" },
	{ "base = hbm80\nl1_sets = 4\nl1_ways = 256", 3, "l1_ways",
	  "must be 16 or fewer where l1_sectors is 1" },
	{ "base = hbm80\nl1_sets = 64\nl1_ways = 32\nl1_sectors = 4", 2, "l1_sets",
	  "must be 16 or fewer if l1_ways is more than 16" },
	{ "base = hbm80\nl1c_ways = 0", 2, "l1c_ways", "must be 1 to 16" },
	{ "base = hbm80\nrow_lines = 24", 2, "row_lines",
	  "must be a power of two" },
	{ "base = hbm80\nbank_groups = 3", 2, "bank_groups",
	  "must be a power of two" },
	{ "base = hbm80\nbanks = 2", 0, "bank_groups",
	  "must not be more than banks" },
	{ "base = hbm80\nchannels = 33", 0, "llc_slices",
	  "must be a multiple of channels" },
	{ "base = hbm80\nchannels = 4", 0, "llc_mshrs",
	  "is too much for the slices of a channel together" },
	{ "base = hbm80\nchannels = 4\nllc_mshrs = 8", 0, "llc_write_credits",
	  "is too much for the slices of a channel together" },
	{ "base = hbm80\natd_sampling = 2", 2, "atd_sampling",
	  "must be 0, or leave 16384 tags a tenant or fewer" },
	{ "base = hbm80\nqueue_entries = 16", 0, "write_drain_start",
	  "must not be more than queue_entries" },
	{ "base = hbm80\nwrite_drain_stop = 32", 2, "write_drain_stop",
	  "must be less than write_drain_start" },
	{ "base = hbm80\nchannel_bytes_per_clock = 48", 2,
	  "channel_bytes_per_clock", "must divide a line of 128 bytes" },
	{ "base = hbm80\nchannel_batch_clocks = 20", 2, "channel_batch_clocks",
	  "must not be longer than llc_to_dram_latency" },
	{ "base = hbm80\ndram.read_to_write = 6", 2, "dram.read_to_write",
	  "lets a write's data meet a read's" },
	{ "base = hbm80\ndram.trefi = 251", 2, "dram.trefi",
	  "must be 0 or more than all other timings together" },
	{ "base = hbm80\ndram.trfc = 2000", 0, "dram.trefi",
	  "must be 0 or more than all other timings together" },
	{ "base = hbm80\ndram.trfc_bank = 2000", 0, "dram.trefi",
	  "must be 0 or more than all other timings together" },
	{ "base = hbm80\ndram.trfc_bank = 70\ndram.trrefd = 4\ndram.trefi = 799", 2,
	  "dram.trfc_bank",
	  "must be 0 where dram.trefi has no time for banks in turn" },
	/* Each just beyond what good_texts has. */
	{ "base = hbm80\nbanks = 2\nbank_groups = 4", 3, "bank_groups",
	  "must not be more than banks" },
	{ "base = hbm80\nqueue_entries = 31", 0, "write_drain_start",
	  "must not be more than queue_entries" },
	{ "base = hbm80\nwrite_drain_start = 8", 0, "write_drain_stop",
	  "must be less than write_drain_start" },
	{ "base = hbm80\nchannels = 8\nllc_mshrs = 65", 3, "llc_mshrs",
	  "is too much for the slices of a channel together" },
	{ "base = hbm80\nchannels = 4\nllc_mshrs = 32\n"
	  "llc_write_credits = 33", 4, "llc_write_credits",
	  "is too much for the slices of a channel together" },
	{ "base = hbm80\nllc_sets = 513\nmirrors = 1", 3, "mirrors",
	  "must be 0 where a channel caches over 16384 lines" },
	{ "base = hbm80\nchannel_batch_clocks = 19", 2,
	  "channel_batch_clocks",
	  "must not be longer than llc_to_dram_latency" },
	{ "base = hbm80\ncore_mhz = 440\nchannel_batch_clocks = 61", 3,
	  "channel_batch_clocks",
	  "must not be longer than llc_to_dram_latency" },
	{ "base = hbm80\nsms_per_tpc = 3", 2, "sms_per_tpc",
	  "must divide sms" },
	{ "base = hbm80\nsms_per_tpc = 81", 2, "sms_per_tpc",
	  "must divide sms" },
	{ "base = hbm80\naddress_hash = 2\nllc_slices = 96", 2,
	  "address_hash",
	  "must not be 2 but with powers of two of channels and slices" },
	{ "base = hbm80\naddress_hash = 2\nchannels = 24\nllc_slices = 48",
	  2, "address_hash",
	  "must not be 2 but with powers of two of channels and slices" },
	{ "base = hbm80\nllc_write_allocate = none\natd_sampling = 64", 2,
	  "llc_write_allocate",
	  "must be fetch, always or lazy with sectors, for tags or mirrors" },
	{ "base = hbm80\nnoc_head_blocking = 0", 0, "slice_queue_flits",
	  "must be 0 where noc_head_blocking is 0" },
	{ "base = hbm80\nslice_queue_flits = 4", 2, "slice_queue_flits",
	  "must be a line's packet at least" },
	{ "base = hbm80\nname = a2345678901234567890123456789012", 2, "name",
	  "is longer than 31 characters" },
	{ "base = hbm80\ns ms = 5", 2, "s?ms", "is not the name of a field" },
	{ "base = hbm80\ns~ms! = 5", 2, "s~ms!",
	  "is not the name of a field" },
	{ "base = hbm80\ns\177ms = 5", 2, "s?ms",
	  "is not the name of a field" },
};

/* What is just good, of the same rules: hbm80 with one or a few other values. */
static const char *const good_texts[] = {
	"banks = 4", "queue_entries = 32", "write_drain_start = 9",
	"write_drain_stop = 31", "channels = 8",
	"channels = 4\nllc_mshrs = 32\nllc_write_credits = 32",
	"atd_sampling = 3", "llc_sets = 512\nmirrors = 1",
	"channel_batch_clocks = 18", "core_mhz = 440\nchannel_batch_clocks = 60",
	"sms_per_tpc = 80", "address_hash = 2", "slice_queue_flits = 5",
	"slice_queue_flits = 0\nnoc_head_blocking = 0",
	"llc_write_allocate = always", "llc_write_allocate = lazy",
	"llc_sectors = 4", "l1_sectors = 4\nl1_write_allocate = lazy",
	"l1_sets = 4\nl1_ways = 256\nl1_sectors = 4",
	"l1_sets = 16\nl1_ways = 32\nl1_sectors = 4",
	"llc_sectors = 4\natd_sampling = 64", "llc_sectors = 4\nmirrors = 1",
	"llc_sectors = 4\nllc_write_allocate = lazy\nmirrors = 1",
	"dram.read_to_write = 7", "dram.trefi = 252",
	"dram.trfc_bank = 70\ndram.trrefd = 4\ndram.trefi = 800",
	"dram.trfc_bank = 70\ndram.trefi = 0",
	"dram.trefi = 0\ndram.trfc = 10000", "channel_bytes_per_clock = 128",
	"schedulers_per_sm = 1", "schedulers_per_sm = 4", "bank_groups = 1",
	"name = a234567890123456789012345678901",
	"sms = 000000000000000000000000000000000000000080",
};

static void rules_end_where_they_say(void **state)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(good_texts); i++) {
		struct config_error error;
		struct gpu_config config;
		char text[128];

		snprintf(text, sizeof(text), "base = hbm80\n%s", good_texts[i]);
		if (parse(text, &config, &error))
			fail_msg("%s: %s %s", good_texts[i], error.field,
				 error.reason);
	}
}

/* Of all characters, in a name's midst, where no blank or comment is cut off. */
static void names_have_letters_digits_and_three_more(void **state)
{
	struct config_error error;
	struct gpu_config config;
	char text[] = "base = hbm80\nname = a?b";
	u32 c;

	for (c = 1; c < 256; c++) {
		bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			    (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
			    c == '.';

		/* These two end the name, which is good up to there, or not. */
		if (c == '#' || c == '\n')
			continue;
		text[sizeof(text) - 3] = (char)c;
		assert_int_equal(parse(text, &config, &error),
				 good ? 0 : -EINVAL);
	}
}

static void bad_lines_are_refused(void **state)
{
	struct gpu_config config, before;
	u32 i;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(bad_texts); i++) {
		const struct bad *bad = &bad_texts[i];
		struct config_error error;

		config = before;
		if (!parse(bad->text, &config, &error))
			fail_msg("accepted: %s", bad->text);
		if (error.line != bad->line || strcmp(error.field, bad->field) ||
		    strcmp(error.reason, bad->reason))
			fail_msg("%s: line %u: %s %s", bad->text, error.line,
				 error.field, error.reason);
		assert_memory_equal(&config, &before, sizeof(config));
	}
}

/* Whether a value is refused for its range, of which the reason says the ends. */
static bool is_out_of_range(const struct config_field *field, u64 value)
{
	struct config_error error;
	struct gpu_config config;
	char text[80], reason[64];

	snprintf(text, sizeof(text), "base=hbm80\n%s=%llu", field->name, value);
	snprintf(reason, sizeof(reason), "must be %u to %u", field->least,
		 field->greatest);
	return parse(text, &config, &error) && error.line == 2 &&
	       !strcmp(error.field, field->name) &&
	       !strcmp(error.reason, reason);
}

/*
 * Each field at the ends of its range, where other values may go with them alone, and just
 * past them. Which ends: tests/unit/ranges.txt.
 */
static void ranges_hold_for_every_field(void **state)
{
	const struct config_field *field;
	u32 i;

	for (i = 0; (field = config_field_at(i)); i++)
		if (!is_out_of_range(field, field->greatest + 1ULL) ||
		    is_out_of_range(field, field->greatest) ||
		    is_out_of_range(field, field->least) ||
		    !is_out_of_range(field, field->least - 1ULL))
			fail_msg("%s ends elsewhere", field->name);
}

/* Whatever comes: an answer, and nothing that cannot be simulated. */
static void broken_texts_do_no_harm(void **state)
{
	static const char noise[] = "#=\n \t\r0\0a\377.-9";
	u64 random = 88172645463325252ULL;
	char text[4096], *exact;
	size_t length, i;
	u32 round;

	length = gpu_config_print(gpu_config_at(1), text, sizeof(text));
	for (round = 0; round < 3000; round++) {
		struct config_error error;
		struct gpu_config config;
		const char *field;
		size_t count = length;

		exact = malloc(length + 1);
		memcpy(exact, text, length);
		for (i = 0; i < 1 + round % 5; i++) {
			exact[draw(&random, (u32)length)] =
				noise[draw(&random, sizeof(noise))];
		}
		if (round % 3 == 0)
			count = draw(&random, (u32)length);
		/* So that the sanitizer sees a byte read too far. */
		exact = realloc(exact, count ? count : 1);
		if (!gpu_config_parse(exact, count, &config, &error))
			assert_int_equal(gpu_config_check(&config, &field), 0);
		else
			assert_true(strlen(error.reason) > 0);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_code_agree),
		cmocka_unit_test(every_list_is_of_a_spec),
		cmocka_unit_test(the_table_has_every_field),
		cmocka_unit_test(specs_can_be_simulated),
		cmocka_unit_test(peak_bandwidth_is_as_stated),
		cmocka_unit_test(traces_run_to_their_end),
		cmocka_unit_test(peak_issue_rate_is_reached),
		cmocka_unit_test(batches_do_not_show),
		cmocka_unit_test(streams_come_near_the_peak),
		cmocka_unit_test(all_that_is_accepted_runs),
		cmocka_unit_test(timings_are_kept),
		cmocka_unit_test(printed_text_parses_to_the_same),
		cmocka_unit_test(printing_stays_in_its_room),
		cmocka_unit_test(a_base_is_changed_line_by_line),
		cmocka_unit_test(names_tell_configurations_apart),
		cmocka_unit_test(the_pages_example_is_good),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(rules_end_where_they_say),
		cmocka_unit_test(names_have_letters_digits_and_three_more),
		cmocka_unit_test(ranges_hold_for_every_field),
		cmocka_unit_test(broken_texts_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
