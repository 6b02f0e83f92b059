// SPDX-License-Identifier: GPL-2.0
/* simgpu trace import: what was made of a profile, as a table, JSON or CSV. */
#include "../fields.h"
#include "../json.h"
#include "../made_by.h"
#include "../table.h"
#include "trace_import_report.h"

#define NAME_BYTES	64

/**
 * struct row - a kernel of the report
 * @name: function's name
 * @class: name of its class
 * @launches: launches in the profile
 * @blocks: thread blocks
 * @threads: threads of a thread block
 * @recorded_ns: median of its recorded times
 * @simulated_ns: its time here, alone and from empty caches; 0: it is not in the trace
 * @error_ppm: difference between the two
 * @sign: -1 if it is faster than recorded
 * @moved_bytes: bytes of its loads and stores
 * @instructions: thread instructions
 * @turns: turns of its loop
 * @extra: thread blocks with a turn more
 * @tail: instructions behind that
 * @runs: simulations of the search
 * @searched_ns: time of all of them on the GPU
 * @fitted: within 5%
 * @reason: why not; empty if it is
 */
struct row {
	const char *name;
	const char *class;
	u64 launches;
	u64 blocks;
	u32 threads;
	u64 recorded_ns;
	u64 simulated_ns;
	double error;
	u64 moved_bytes;
	u64 instructions;
	u32 turns;
	u32 extra;
	u32 tail;
	u32 runs;
	u64 searched_ns;
	u32 fitted;
	const char *reason;
	char text[NAME_BYTES];
};

static const struct field fields[] = {
	FIELD("name", FIELD_TEXT, struct row, name),
	FIELD("class", FIELD_TEXT, struct row, class),
	FIELD("launches", FIELD_U64, struct row, launches),
	FIELD("blocks", FIELD_U64, struct row, blocks),
	FIELD("threads", FIELD_U32, struct row, threads),
	FIELD("recorded_us", FIELD_US, struct row, recorded_ns),
	FIELD_OR_0("simulated_us", FIELD_US, struct row, simulated_ns),
	FIELD("error", FIELD_DECIMAL, struct row, error),
	FIELD("moved_bytes", FIELD_U64, struct row, moved_bytes),
	FIELD("instructions", FIELD_U64, struct row, instructions),
	FIELD("turns", FIELD_U32, struct row, turns),
	FIELD("extra", FIELD_U32, struct row, extra),
	FIELD("tail", FIELD_U32, struct row, tail),
	FIELD("runs", FIELD_U32, struct row, runs),
	FIELD("searched_us", FIELD_US, struct row, searched_ns),
	FIELD("fitted", FIELD_TRUTH, struct row, fitted),
	FIELD("reason", FIELD_TEXT, struct row, reason),
	{ NULL }
};

static void fill_row(const struct imported *imported, u32 index, struct row *row)
{
	const struct program_kernel *kernel = &imported->program.kernels[index];
	const struct activity *activity = kernel->activity;
	const struct fit *fit = &imported->fits[index];

	memset(row, 0, sizeof(*row));
	class_short_name(activity->name, row->text, sizeof(row->text));
	row->name = row->text;
	row->class = fit->synthetic.class->name;
	row->launches = kernel->launches;
	row->blocks = (u64)activity->grid[0] * activity->grid[1] * activity->grid[2];
	row->threads = activity->block[0] * activity->block[1] * activity->block[2];
	row->recorded_ns = kernel->median_ns;
	row->simulated_ns = fit->simulated_ns;
	row->error = fit->simulated_ns ? ppm_ratio(fit->error_ppm) * (fit->slower ? 1 : -1) : 0;
	row->moved_bytes = fit->memory_bytes;
	row->instructions = fit->instructions;
	row->turns = fit->synthetic.turns;
	row->extra = fit->synthetic.extra;
	row->tail = fit->synthetic.tail;
	row->runs = fit->runs;
	row->searched_ns = fit->searched_ns;
	row->fitted = !fit->reason;
	row->reason = fit->reason ? fit->reason : "";
}

/* Kernels that have less shared memory than recorded */
static u32 count_cut(const struct imported *imported)
{
	u32 cut = 0, i;

	for (i = 0; i < imported->program.kernel_count; i++)
		cut += imported->fits[i].synthetic.shared_bytes <
		       imported->fits[i].synthetic.kernel->shared_bytes;
	return cut;
}

static u32 count_fitted(const struct imported *imported)
{
	u32 fitted = 0, i;

	for (i = 0; i < imported->program.kernel_count; i++)
		fitted += !imported->fits[i].reason;
	return fitted;
}

/* --- JSON and CSV ------------------------------------------------------------------- */

static struct json_object *kernels_json(const struct imported *imported)
{
	struct json_object *array = json_object_new_array();
	struct row row;
	u32 i;

	for (i = 0; i < imported->program.kernel_count; i++) {
		struct json_object *object = json_object_new_object();

		fill_row(imported, i, &row);
		json_fields(object, fields, &row);
		json_set_string(object, "full_name",
				imported->program.kernels[i].activity->name);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *commands_json(const struct program *program)
{
	struct json_object *object = json_object_new_object();
	u32 kind;

	for (kind = SIMGPU_TRACE_COMMAND_KERNEL; kind < PROGRAM_KINDS; kind++)
		json_set(object, program_command_name(kind), json_u64(program->done[kind]));
	return object;
}

static struct json_object *unknown_json(const struct activities *activities)
{
	struct json_object *object = json_object_new_object();
	size_t i;

	for (i = 0; i < activities->unknown_count; i++)
		json_set(object, activities->unknown[i].name,
			 json_u64(activities->unknown[i].count));
	return object;
}

static int report_json(const struct imported *imported)
{
	struct json_object *document = json_object_new_object();
	const struct program *program = &imported->program;

	made_by_json(document, NULL, 0);
	json_set_string(document, "profile", imported->path);
	json_set_string(document, "trace", imported->output);
	json_set(document, "synthetic", json_object_new_boolean(1));
	json_set(document, "bytes", json_u64(imported->trace_bytes));
	json_set(document, "device", imported->activities.device ?
		 json_object_new_string(imported->activities.device) : NULL);
	json_set_string(document, "config", imported->config.name);
	json_set(document, "kernels_fitted", json_u64(count_fitted(imported)));
	json_set(document, "kernels", kernels_json(imported));
	json_set(document, "commands", commands_json(program));
	json_set(document, "command_elements", json_u64(program->command_count));
	json_set(document, "streams", json_u64(program->streams));
	json_set(document, "queues", json_u64(program->queues));
	json_set(document, "host_us", json_u64(program->host_ns / 1000));
	json_set(document, "span_us", json_u64(program->span_ns / 1000));
	json_set(document, "without_call", json_u64(program->without_call));
	json_set(document, "silent_waits", json_u64(program->silent_waits));
	json_set(document, "copies_without_bytes", json_u64(program->copies_without_bytes));
	json_set(document, "kernels_with_less_shared_memory", json_u64(count_cut(imported)));
	json_set(document, "kernels_that_share_memory", json_u64(imported->reused));
	json_set(document, "unknown", unknown_json(&imported->activities));
	return json_print(document);
}

static int report_csv(const struct imported *imported)
{
	struct row row;
	u32 i;

	printf("kernel");
	csv_headings(stdout, fields);
	putchar('\n');
	for (i = 0; i < imported->program.kernel_count; i++) {
		fill_row(imported, i, &row);
		printf("%u", i);
		csv_fields(stdout, fields, &row);
		putchar('\n');
	}
	return flush_output();
}

/* --- the table ---------------------------------------------------------------------- */

static void print_kernels(const struct imported *imported)
{
	struct table *table = table_new("KERNEL|CLASS|>BLOCKS|>THREADS|>LAUNCHES|>RECORDED|>SIMULATED|>ERROR");
	struct row row;
	u32 i;

	for (i = 0; i < imported->program.kernel_count; i++) {
		fill_row(imported, i, &row);
		row.text[SIMGPU_TRACE_NAME_BYTES - 1] = '\0';
		table_row(table, "%s|%s|%llu|%u|%llu|%.1f us", row.name, row.class, row.blocks,
			  row.threads, row.launches, (double)row.recorded_ns / 1000);
		if (row.simulated_ns)
			table_row(table, "%.1f us|%+.1f%%", (double)row.simulated_ns / 1000,
				  row.error * 100);
		else
			table_row(table, "-|-");
	}
	table_print(table);
}

/* Each reason once, with the kernels that have it. */
static void print_reasons(const struct imported *imported)
{
	const struct fit *fits = imported->fits;
	u32 count = imported->program.kernel_count, i, j;

	for (i = 0; i < count; i++) {
		u32 alike = 0;

		for (j = 0; fits[i].reason && j < count; j++) {
			if (!fits[j].reason || strcmp(fits[i].reason, fits[j].reason))
				continue;
			if (j < i)
				break;
			alike++;
		}
		if (alike)
			print_paragraph("Not fitted: %u kernel%s, since %s.", alike,
					alike == 1 ? "" : "s", fits[i].reason);
	}
}

static void print_commands(const struct imported *imported)
{
	const struct program *program = &imported->program;
	u32 kind;

	printf("Commands:");
	for (kind = SIMGPU_TRACE_COMMAND_KERNEL; kind < PROGRAM_KINDS; kind++)
		if (program->done[kind])
			printf(" %llu %s,", (u64)program->done[kind], program_command_name(kind));
	printf(" of %u streams in %u queues\n", program->streams, program->queues);
	print_paragraph("The profile spans %.1f ms. Queues wait for the host for %.1f ms, all queues together.",
			(double)program->span_ns / 1e6, (double)program->host_ns / 1e6);
	if (program->streams > program->queues)
		print_paragraph("A tenant has %u queues. Streams without a queue of their own, which wait behind the work of another stream: %u.",
				PROGRAM_QUEUES, program->streams - program->queues);
	if (program->silent_waits)
		print_paragraph("%llu waits for events are left out: the profile does not say which event.",
				(u64)program->silent_waits);
	if (program->without_call)
		print_paragraph("%llu activities have no launch call in the profile, and so no delay.",
				(u64)program->without_call);
	if (program->copies_without_bytes)
		print_paragraph("%llu copies are left out: the profile does not say their bytes.",
				(u64)program->copies_without_bytes);
}

static void print_unknown(const struct activities *activities)
{
	size_t i;

	for (i = 0; i < activities->unknown_count; i++)
		print_escaped(stdout, "Left out, since unknown: %llu of \"%s\"\n",
			      (u64)activities->unknown[i].count, activities->unknown[i].name);
}

static int report_table(const struct imported *imported)
{
	print_kernels(imported);
	putchar('\n');
	print_paragraph("%u of %u kernels take their recorded time within 5%%, alone on %s.",
			count_fitted(imported), imported->program.kernel_count,
			imported->config.name);
	print_reasons(imported);
	if (count_cut(imported))
		print_paragraph("%u kernels have less shared memory than recorded: as much as an SM of %s has, %u bytes.",
				count_cut(imported), imported->config.name,
				imported->config.shared_bytes_per_sm);
	if (imported->reused)
		print_paragraph("%u kernels have memory that others have, too: all together need more than a tenant has.",
				imported->reused);
	print_commands(imported);
	print_unknown(&imported->activities);
	print_escaped(stdout, "%s: synthetic, %zu bytes%s\n", imported->output, imported->trace_bytes,
		      imported->kernels_alone ? ", each kernel once" : "");
	return flush_output();
}

int import_report(const struct imported *imported, enum import_form form)
{
	switch (form) {
	case IMPORT_JSON:
		return report_json(imported);
	case IMPORT_CSV:
		return report_csv(imported);
	default:
		return report_table(imported);
	}
}
