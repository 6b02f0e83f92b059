// SPDX-License-Identifier: GPL-2.0
/*
 * Shared by the trainings of themis and asm-gpm: the training programs, none of which
 * tests Themis' model, and splits of the SMs.
 */
#include "../../workloads/benchmarks.h"
#include "../../workloads/pressure.h"
#include "../output.h"
#include "train_prepare.h"
#include "train_themis.h"

/* Refuse a program that tests the model: a net must not be trained with it. */
static int check_program(const char *name)
{
	const struct benchmark *benchmark = benchmark_find(name);

	if (!benchmark || !(benchmark->sets & SET_THEMIS_TEST))
		return STATUS_OK;
	return fail_usage("%s is one of the programs that Themis' model is tested with",
			  benchmark->name);
}

static int add_program(struct samples *samples, const char *name)
{
	struct workload *workload = &samples->programs[samples->program_count];
	int ret = check_program(name);

	if (ret)
		return ret;
	if (samples->program_count == SAMPLES_PROGRAMS_MAX)
		return fail_usage("there can be %d programs",
				  SAMPLES_PROGRAMS_MAX);
	ret = workload_open(name, NULL, workload);
	samples->program_count++;
	/* The program may be in a file. */
	if (!ret)
		ret = check_program(workload->name);
	return ret ? ret : workload_decode(workload, NULL);
}

static int add_programs(const struct train_themis *arguments,
			struct samples *samples)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < arguments->program_count; i++)
		ret = add_program(samples, arguments->programs[i]);
	for (i = 0; !ret && !arguments->program_count && i < BENCHMARK_COUNT;
	     i++)
		if (benchmarks[i].sets & SET_THEMIS_TRAINING)
			ret = add_program(samples, benchmarks[i].name);
	for (i = 0; !ret && i < arguments->added_count; i++)
		ret = add_program(samples, arguments->added[i]);
	if (!ret && samples->program_count < 2)
		ret = fail_usage("one program is not enough to train with");
	return ret;
}

static int add_split(struct samples *samples, const char *text)
{
	u32 sms = samples->options.config.sms;
	struct split *split = &samples->splits[samples->split_count];
	char rest;

	if (samples->split_count == SAMPLES_SPLITS_MAX)
		return fail_usage("there can be %d splits", SAMPLES_SPLITS_MAX);
	if (sscanf(text, "%u:%u%c", &split->own, &split->producer, &rest) != 2 ||
	    !split->own || !split->producer)
		return fail_usage("--splits takes OWN:PRODUCER,..., not \"%s\"",
				  text);
	if (split->own > sms || split->own + split->producer != sms)
		return fail_usage("--splits %s does not add up to the %u SMs of %s",
				  text, sms, samples->options.config.name);
	samples->split_count++;
	return STATUS_OK;
}

static int add_splits(const struct train_themis *arguments,
		      struct samples *samples)
{
	char *copy, *rest, *text;
	int ret = STATUS_OK;

	if (!arguments->splits) {
		samples_default_splits(samples);
		return STATUS_OK;
	}
	copy = rest = strdup(arguments->splits);
	if (!copy)
		return fail("out of memory");
	while (!ret && (text = strsep(&rest, ",")))
		ret = add_split(samples, text);
	free(copy);
	return ret;
}

int train_prepare(const struct train_themis *arguments,
		  struct samples *samples)
{
	struct settings settings = *arguments->settings;
	int ret;

	/* Only the counters of the runs are used, so any model will do. */
	strcpy(settings.model, "hsm");
	strcpy(settings.policy, "proportional");
	ret = settings_options(&settings, &samples->options);
	samples->workers = arguments->workers;
	samples->threads = settings.threads;
	samples->levels = arguments->levels ? (u32)arguments->levels :
					      PRESSURE_LEVELS;
	if (!ret && samples->options.stop_cycle < 5 * SESSION_EPOCH_CYCLES_MIN)
		ret = fail_usage("--cycles is at least %llu here",
				 5 * SESSION_EPOCH_CYCLES_MIN);
	if (!ret)
		ret = add_splits(arguments, samples);
	if (!ret)
		ret = add_programs(arguments, samples);
	return ret;
}


struct json_object *train_programs_json(const struct samples *samples)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < samples->program_count; i++)
		json_object_array_add(array,
				      json_object_new_string(samples->programs[i].name));
	return array;
}

int train_write(const struct train_themis *arguments,
		const struct samples *samples, const struct simgpu_model *model,
		const void *constants)
{
	char file[SIMGPU_CONSTANTS_BYTES_MAX];
	u32 bytes;

	if (!arguments->out)
		return STATUS_OK;
	bytes = fit_constants_file(model, samples->options.config.name,
				   constants, file);
	return write_file(arguments->out, file, bytes);
}
