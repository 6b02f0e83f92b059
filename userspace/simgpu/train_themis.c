// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu train --model themis: samples of training programs beside pressure producers,
 * the net that fits them, and Table I's correlations (Themis, section V).
 */
#include <math.h>
#include <time.h>

#include "../workloads/benchmarks.h"
#include "../workloads/pressure.h"
#include "output.h"
#include "themis_samples.h"
#include "train_themis.h"

/* Losses that are printed. */
#define HISTORY_MAX	1024

/**
 * struct training - what was asked for, and what came out
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

/* --- what was asked for ------------------------------------------------------------ */

/* Of what a net is tested with it must know nothing. */
static int add_program(struct training *training, const char *name)
{
	struct samples *samples = &training->samples;
	const struct benchmark *benchmark = benchmark_find(name);
	struct workload *workload = &samples->programs[samples->program_count];
	int ret;

	if (benchmark && benchmark->sets & SET_THEMIS_TEST)
		return fail_usage("%s is one of the programs that Themis' model is tested with",
				  benchmark->name);
	if (samples->program_count == SAMPLES_PROGRAMS_MAX)
		return fail_usage("there can be %d programs",
				  SAMPLES_PROGRAMS_MAX);
	ret = workload_open(name, workload);
	samples->program_count++;
	return ret ? ret : workload_decode(workload);
}

static int add_programs(struct training *training)
{
	const struct train_themis *arguments = training->arguments;
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < arguments->program_count; i++)
		ret = add_program(training, arguments->programs[i]);
	for (i = 0; !ret && !arguments->program_count && i < BENCHMARK_COUNT;
	     i++)
		if (benchmarks[i].sets & SET_THEMIS_TRAINING)
			ret = add_program(training, benchmarks[i].name);
	for (i = 0; !ret && i < arguments->added_count; i++)
		ret = add_program(training, arguments->added[i]);
	if (!ret && training->samples.program_count < 2)
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

static int add_splits(struct training *training)
{
	char *copy, *rest, *text;
	int ret = STATUS_OK;

	if (!training->arguments->splits) {
		samples_default_splits(&training->samples);
		return STATUS_OK;
	}
	copy = rest = strdup(training->arguments->splits);
	if (!copy)
		return fail("out of memory");
	while (!ret && (text = strsep(&rest, ",")))
		ret = add_split(&training->samples, text);
	free(copy);
	return ret;
}

static int prepare(struct training *training)
{
	const struct train_themis *arguments = training->arguments;
	struct samples *samples = &training->samples;
	struct settings settings = *arguments->settings;
	int ret;

	/* The runs are looked at by their counters alone. */
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
		ret = add_splits(training);
	if (!ret)
		ret = add_programs(training);
	return ret;
}

/* --- training ---------------------------------------------------------------------- */

static void on_progress(void *context, u32 round, double loss)
{
	struct training *training = context;

	if (training->history == HISTORY_MAX)
		return;
	training->history_rounds[training->history] = round;
	training->history_loss[training->history++] = loss;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + now.tv_nsec / 1e9;
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
		.seed = training->arguments->settings->seed,
		.shift = (double)training->arguments->shift_ppm / SIMGPU_PPM,
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

static int write_constants(const struct training *training)
{
	char file[THEMIS_FILE_BYTES];
	u32 bytes;

	if (!training->arguments->out)
		return STATUS_OK;
	bytes = themis_constants_file(&training->constants,
				      training->samples.options.config.name,
				      file);
	return write_file(training->arguments->out, file, bytes);
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

/* Of an event, in one split of the SMs; below -1 where there are too few. */
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

/* The median over splits; below 0 where there is none. */
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

static int print_json(const struct training *training)
{
	struct json_object *object = json_object_new_object();
	const struct themis_fit *fit = &training->fit;

	json_set_string(object, "model", model_themis.name);
	json_set_string(object, "config",
			training->samples.options.config.name);
	json_set(object, "weights", json_u64(THEMIS_WEIGHTS));
	json_set(object, "samples", json_u64(training->samples.count));
	json_set(object, "seconds",
		 json_decimal_or_null(true, training->seconds));
	json_set(object, "loss", json_decimal_or_null(true, fit->loss));
	json_set(object, "error_training",
		 json_decimal_or_null(true, fit->error_training));
	json_set(object, "error_test",
		 json_decimal_or_null(true, fit->error_held));
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
	printf("\n%u samples, %u weights in %.0f s: loss %.4f, error %.3f, of samples that were held out %.3f; integers differ by %.5f at most\n",
	       training->samples.count, THEMIS_WEIGHTS, training->seconds,
	       fit->loss, fit->error_training, fit->error_held,
	       training->round_error);
	return flush_output();
}

int train_themis(const struct train_themis *arguments)
{
	struct training *training = calloc(1, sizeof(*training));
	double start = seconds_now();
	int ret;

	if (!training)
		return fail("out of memory");
	training->arguments = arguments;
	ret = prepare(training);
	if (!ret)
		ret = get_samples(training);
	if (!ret)
		ret = fit(training);
	training->seconds = seconds_now() - start;
	if (!ret)
		ret = write_constants(training);
	if (!ret)
		ret = arguments->json ? print_json(training) :
					print_table(training);
	samples_free(&training->samples);
	free(training);
	return ret;
}
