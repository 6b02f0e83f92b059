// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu train --model themis: samples of training programs beside pressure producers,
 * the net that fits them, and Table I's correlations (Themis, section V).
 */
#include <math.h>

#include "../../offline/run.h"
#include "../../workloads/pressure.h"
#include "../json.h"
#include "../output.h"
#include "../table.h"
#include "themis_samples.h"
#include "train_prepare.h"
#include "train_themis.h"

/* Most losses that are printed. */
#define HISTORY_MAX	1024

/**
 * struct training - arguments and results
 */
struct training {
	const struct train_themis *arguments;
	struct samples samples;
	struct themis_fit fit;
	struct themis_net net;
	struct themis_constants constants;
	double seconds;
	double round_error;
	u32 history_rounds[HISTORY_MAX];
	double history_loss[HISTORY_MAX];
	u32 history;
};

/* --- training ---------------------------------------------------------------------- */

static void on_progress(void *context, u32 round, double loss)
{
	struct training *training = context;

	if (training->history == HISTORY_MAX)
		return;
	training->history_rounds[training->history] = round;
	training->history_loss[training->history++] = loss;
}

static int get_samples(struct training *training)
{
	const char *path = training->arguments->samples;
	struct samples *samples = &training->samples;
	int ret = path ? samples_read(samples, path) : STATUS_OK;

	if (ret || samples->count)
		return ret;
	ret = samples_make(samples);
	if (!ret && path)
		ret = samples_write(samples, path);
	return ret;
}

static int fit(struct training *training)
{
	struct samples *samples = &training->samples;
	int ret;

	training->fit = (struct themis_fit) {
		.seed = training->arguments->settings->session.seed,
		.shift = (double)training->arguments->shift_ppm / SIMGPU_PPM,
		.seeds = (u32)training->arguments->seeds,
		.rounds = (u32)training->arguments->rounds,
		.progress = on_progress,
		.context = training,
	};
	ret = themis_fit_train(&training->fit, samples->list, samples->count,
			       &training->net);
	if (ret == -EINVAL)
		return fail("%u samples are too few to train with",
			    samples->count);
	if (ret)
		return fail("%s", strerror(-ret));
	themis_net_round(&training->net, &training->constants);
	training->round_error = themis_net_round_error(&training->net,
						       samples->list,
						       samples->count);
	if (!themis_constants_are_good(&training->constants))
		return fail("the weights found are out of their range");
	return STATUS_OK;
}

/* --- Table I ------------------------------------------------------------------------ */

static const char *const event_names[] = {
	"IPC", "L1dAcc", "L1dMiss", "L1cAcc", "L1cMiss", "L2Acc", "L2Miss",
	"MemBW",
};

enum { RHO_SCAL, RHO_INTER, RHO_BANDWIDTH, RHO_CACHE, RHOS };

static bool counts(const struct themis_sample *sample, u32 rho)
{
	if (sample->meter <= 0)
		return false;
	if (rho == RHO_BANDWIDTH)
		return sample->pressure == PRESSURE_BANDWIDTH;
	return rho != RHO_CACHE || sample->pressure == PRESSURE_CACHE;
}

/* The correlation of an event in one split of the SMs; below -1 if there are too few. */
static double rho_in_split(const struct samples *samples, u32 event, u32 rho,
			   u32 split)
{
	double *x = calloc(2 * (size_t)samples->count + 1, sizeof(*x));
	double *y = x + samples->count, value = -2;
	u32 count = 0, i;

	for (i = 0; x && i < samples->count; i++) {
		const struct themis_sample *sample = &samples->list[i];

		if (sample->split != split || !counts(sample, rho))
			continue;
		x[count] = (double)sample->rates[1 + event];
		y[count++] = rho == RHO_SCAL ? sample->scal :
			     rho == RHO_INTER ? sample->inter : sample->meter;
	}
	if (count > 2)
		value = fabs(themis_spearman(x, y, count));
	free(x);
	return value;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The median of the correlations over splits; below 0 if there is none. */
static double rho(const struct samples *samples, u32 event, u32 which)
{
	double values[SAMPLES_SPLITS_MAX];
	u32 count = 0, split;

	for (split = 0; split < SAMPLES_SPLITS_MAX; split++) {
		values[count] = rho_in_split(samples, event, which, split);
		count += values[count] >= 0;
	}
	if (!count)
		return -1;
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* --- output ------------------------------------------------------------------------- */

static struct json_object *spearman_json(const struct samples *samples)
{
	static const char *const keys[RHOS] = {
		"scal", "inter", "bandwidth", "cache",
	};
	struct json_object *array = json_object_new_array();
	u32 event, which;

	for (event = 0; event < ARRAY_SIZE(event_names); event++) {
		struct json_object *object = json_object_new_object();

		json_set_string(object, "event", event_names[event]);
		for (which = 0; which < RHOS; which++) {
			double value = rho(samples, event, which);

			json_set(object, keys[which],
				 json_decimal_or_null(value >= 0, value));
		}
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *history_json(const struct training *training)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < training->history; i++) {
		struct json_object *object = json_object_new_object();

		json_set(object, "round",
			 json_u64(training->history_rounds[i]));
		json_set(object, "loss",
			 json_decimal_or_null(true, training->history_loss[i]));
		json_object_array_add(array, object);
	}
	return array;
}

/* What each seed's nets err by on programs that they were not trained on. */
static struct json_object *tried_json(const struct themis_fit *fit)
{
	struct json_object *array = json_object_new_array();
	u32 i;

	for (i = 0; i < fit->seeds; i++)
		json_object_array_add(array, json_decimal_or_null(true, fit->tried[i]));
	return array;
}

static int print_json(const struct training *training)
{
	struct json_object *object = json_object_new_object();
	const struct themis_fit *fit = &training->fit;

	json_set_string(object, "model", model_themis.name);
	json_set_string(object, "config",
			training->samples.options.config.name);
	json_set(object, "programs", train_programs_json(&training->samples));
	json_set(object, "weights", json_u64(THEMIS_WEIGHTS));
	json_set(object, "samples", json_u64(training->samples.count));
	json_set(object, "seconds",
		 json_decimal_or_null(true, training->seconds));
	json_set(object, "loss", json_decimal_or_null(true, fit->loss));
	json_set(object, "error_training",
		 json_decimal_or_null(true, fit->error_training));
	json_set(object, "error_test",
		 json_decimal_or_null(true, fit->error_held));
	json_set(object, "error_test_by_seed", tried_json(fit));
	json_set(object, "seed", json_u64(fit->chosen));
	json_set(object, "rounds", json_u64(fit->trained));
	json_set(object, "fixed_point_error_max",
		 json_decimal_or_null(true, training->round_error));
	json_set_string(object, "constants", training->arguments->out ?
			training->arguments->out : "");
	json_set(object, "spearman", spearman_json(&training->samples));
	json_set(object, "history", history_json(training));
	return json_print(object);
}

static void cell_rho(struct table *table, double value)
{
	if (value < 0)
		table_cell(table, "-");
	else
		table_cell(table, "%.2f", value);
}

static int print_table(const struct training *training)
{
	const struct themis_fit *fit = &training->fit;
	struct table *table =
		table_new("EVENT|>SD_SCAL|>SD_INTER|>BANDWIDTH|>CACHE");
	u32 event, which;

	for (event = 0; event < ARRAY_SIZE(event_names); event++) {
		table_cell(table, "%s", event_names[event]);
		for (which = 0; which < RHOS; which++)
			cell_rho(table, rho(&training->samples, event, which));
	}
	table_print(table);
	printf("\n%u samples, %u weights in %.0f s: loss %.4f, error %.3f, of programs that were held out %.3f; integers differ by %.5f at most\n",
	       training->samples.count, THEMIS_WEIGHTS, training->seconds,
	       fit->loss, fit->error_training, fit->error_held,
	       training->round_error);
	printf("seed %llu of %u: %u rounds\n", (unsigned long long)fit->chosen,
	       fit->seeds, fit->trained);
	return flush_output();
}

int train_themis(const struct train_themis *arguments)
{
	struct training *training = calloc(1, sizeof(*training));
	u64 start_ns = offline_wall_ns();
	int ret;

	if (!training)
		return fail("out of memory");
	training->arguments = arguments;
	ret = train_prepare(arguments, &training->samples);
	if (!ret)
		ret = get_samples(training);
	if (!ret)
		ret = fit(training);
	training->seconds = (double)(offline_wall_ns() - start_ns) / 1e9;
	if (!ret)
		ret = train_write(arguments, &training->samples, &model_themis,
				  &training->constants);
	if (!ret)
		ret = arguments->json ? print_json(training) :
					print_table(training);
	samples_free(&training->samples);
	free(training);
	return ret;
}
