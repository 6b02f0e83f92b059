// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu train --model asm-gpm: clusters of training programs by how they scale, from
 * runs alone only (GPM, as Themis combines it with ASM).
 */
#include <time.h>

#include "../../offline/gpm_fit.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "train_gpm.h"
#include "train_prepare.h"
#include "train_themis.h"

/**
 * struct training - arguments and results
 */
struct training {
	const struct train_themis *arguments;
	struct samples samples;
	struct gpm_program programs[SAMPLES_PROGRAMS_MAX];
	struct gpm_constants constants;
	time_t start;
	double error;
};

static int check_splits(const struct training *training)
{
	const struct samples *samples = &training->samples;
	u32 i;

	if (samples->split_count + 1 != GPM_COUNTS)
		return fail_usage("asm-gpm takes %u splits, not %u",
				  GPM_COUNTS - 1, samples->split_count);
	for (i = 1; i < samples->split_count; i++)
		if (samples->splits[i].own <= samples->splits[i - 1].own)
			return fail_usage("asm-gpm takes splits in rising order");
	return STATUS_OK;
}

static int run(struct training *training)
{
	struct samples *samples = &training->samples;
	u32 count = samples->program_count, i, k;
	struct solo *solos = calloc((size_t)count * GPM_COUNTS, sizeof(*solos));
	int ret = solos ? samples_solo(samples, solos) : fail("out of memory");

	for (i = 0; !ret && i < count; i++) {
		struct gpm_program *program = &training->programs[i];

		for (k = 0; !ret && k < GPM_COUNTS; k++) {
			const struct solo *solo = &solos[i * GPM_COUNTS + k];

			if (solo->progress <= 0)
				ret = fail("%s did nothing in %llu cycles",
					   samples->programs[i].name,
					   samples->options.stop_cycle);
			program->progress[k] = solo->progress;
			gpm_rates(solo->events, program->rates[k]);
		}
	}
	free(solos);
	return ret;
}

static int fit(struct training *training)
{
	const struct samples *samples = &training->samples;
	struct gpm_constants *gpm = &training->constants;
	u32 i;

	for (i = 0; i < samples->split_count; i++)
		gpm->sms[i] = samples->splits[i].own;
	gpm->sms[i] = samples->options.config.sms;
	gpm_fit(training->programs, samples->program_count,
		training->arguments->settings->session.seed, gpm);
	training->error = gpm_fit_error(gpm, training->programs,
					samples->program_count);
	if (!gpm_constants_are_good(gpm))
		return fail("the clusters found are out of their range");
	return STATUS_OK;
}

/* --- output ------------------------------------------------------------------------- */

static struct json_object *members_json(const struct training *training,
					u32 cluster)
{
	struct json_object *array = json_object_new_array();
	u32 at, i, k = 0;

	/* The constants leave out clusters that lost all their programs. */
	for (at = 0; at < GPM_CLUSTERS; at++) {
		u32 members = 0;

		for (i = 0; i < training->samples.program_count; i++) {
			if (training->programs[i].cluster != at)
				continue;
			members++;
			if (k == cluster)
				json_object_array_add(array,
						      json_object_new_string(training->samples.programs[i].name));
		}
		k += members > 0;
	}
	return array;
}

static struct json_object *cluster_json(const struct training *training,
					u32 cluster)
{
	struct json_object *object = json_object_new_object();
	struct json_object *progress = json_object_new_array();
	u32 i;

	for (i = 0; i < GPM_COUNTS; i++)
		json_object_array_add(progress,
				      json_ppm(training->constants.cluster[cluster].progress_ppm[i]));
	json_set(object, "programs", members_json(training, cluster));
	json_set(object, "progress", progress);
	return object;
}

static int print_json(const struct training *training)
{
	struct json_object *object = json_object_new_object();
	struct json_object *sms = json_object_new_array();
	struct json_object *clusters = json_object_new_array();
	u32 i;

	for (i = 0; i < GPM_COUNTS; i++)
		json_object_array_add(sms, json_u64(training->constants.sms[i]));
	for (i = 0; i < training->constants.clusters; i++)
		json_object_array_add(clusters, cluster_json(training, i));
	json_set_string(object, "model", model_asm_gpm.name);
	json_set_string(object, "config",
			training->samples.options.config.name);
	json_set(object, "programs", train_programs_json(&training->samples));
	json_set(object, "seconds", json_u64((u64)(time(NULL) - training->start)));
	json_set(object, "error_training",
		 json_decimal_or_null(true, training->error));
	json_set_string(object, "constants", training->arguments->out ?
			training->arguments->out : "");
	json_set(object, "sms", sms);
	json_set(object, "clusters", clusters);
	return json_print(object);
}

static int print_table(const struct training *training)
{
	const u32 *sms = training->constants.sms;
	struct table *table;
	char headings[128];
	u32 i, k;

	snprintf(headings, sizeof(headings),
		 "PROGRAM|>CLUSTER|>ON %u SMS|>ON %u|>ON %u|>ON %u|>ON %u",
		 sms[0], sms[1], sms[2], sms[3], sms[4]);
	table = table_new(headings);

	for (i = 0; i < training->samples.program_count; i++) {
		const struct gpm_program *program = &training->programs[i];

		table_cell(table, "%s", training->samples.programs[i].name);
		table_cell(table, "%u", program->cluster);
		for (k = 0; k < GPM_COUNTS - 1; k++)
			table_cell(table, "%.3f", program->progress[k]);
	}
	table_print(table);
	printf("\n%u clusters: error of scalability %.3f\n",
	       training->constants.clusters, training->error);
	return flush_output();
}

int train_gpm(const struct train_themis *arguments)
{
	struct training *training = calloc(1, sizeof(*training));
	int ret;

	if (!training)
		return fail("out of memory");
	training->arguments = arguments;
	training->start = time(NULL);
	ret = train_prepare(arguments, &training->samples);
	if (!ret)
		ret = check_splits(training);
	if (!ret)
		ret = run(training);
	if (!ret)
		ret = fit(training);
	if (!ret)
		ret = train_write(arguments, &training->samples, &model_asm_gpm,
				  &training->constants);
	if (!ret)
		ret = arguments->json ? print_json(training) :
					print_table(training);
	samples_free(&training->samples);
	free(training);
	return ret;
}
