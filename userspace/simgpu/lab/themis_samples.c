// SPDX-License-Identifier: GPL-2.0
/* Samples for Themis' model; see themis_samples.h. */
#include <math.h>
#include <unistd.h>

#include "../../offline/run.h"
#include "../../workloads/pressure.h"
#include "../jobs.h"
#include "themis_samples.h"

/* Epochs of a run; the first one is not used. */
#define EPOCHS		5
/* Margin for a run alone that is, by chance, a little slower than one in company. */
#define ALONE_MORE	20
/* Cycles between two readings of a run alone. */
#define ALONE_CYCLES	SESSION_EPOCH_CYCLES_MIN

/**
 * struct alone - a program alone on some SMs
 * @trace: the program
 * @sms: number of SMs; 0: all
 * @points: thread instructions after each ALONE_CYCLES
 * @count: number of points
 * @events: themis_events() of the whole run
 */
struct alone {
	const struct trace *trace;
	u32 sms;
	u64 *points;
	u32 count;
	u64 events[THEMIS_OWN];
	int ret;
};

/**
 * struct half - one of two tenants in an epoch
 * @before: thread instructions that it had executed at the epoch's start
 */
struct half {
	u64 before;
	u32 sms;
	struct simgpu_counters counters;
};

/**
 * struct pair - a program beside a producer
 * @halves: by epoch, the program's and the producer's half
 */
struct pair {
	u32 program;
	u32 split;
	u32 pressure;
	u32 level;
	u32 epochs;
	u64 cycles[EPOCHS];
	struct half halves[EPOCHS][2];
	u64 done[2];
	int ret;
};

/**
 * struct work - all runs
 * @producers: by pressure and level
 * @alones: each program on each split's SMs, then on all SMs; then each meter on each
 *	split's SMs
 */
struct work {
	struct samples *samples;
	struct workload producers[PRESSURES][PRESSURE_LEVELS];
	struct alone *alones;
	u32 alone_count;
	struct pair *pairs;
	u32 pair_count;
};

void samples_default_splits(struct samples *samples)
{
	u32 sms = samples->options.config.sms, i;

	samples->split_count = 5;
	for (i = 0; i < samples->split_count; i++) {
		samples->splits[i].own = (sms * (i + 1) + 3) / 6;
		samples->splits[i].producer = sms - samples->splits[i].own;
	}
}

/* --- runs ------------------------------------------------------------------------- */

static struct alone *alone_of(const struct work *work, u32 program, u32 split)
{
	return &work->alones[program * (work->samples->split_count + 1) +
			     split];
}

static struct alone *meter_of(const struct work *work, u32 pressure, u32 split)
{
	u32 splits = work->samples->split_count;

	return &work->alones[work->samples->program_count * (splits + 1) +
			     pressure * splits + split];
}

static void on_alone(void *context, const struct session_epoch *epoch)
{
	struct alone *alone = context;
	u64 before = alone->count ? alone->points[alone->count - 1] : 0;
	u64 events[THEMIS_OWN];
	u32 i;

	if (!epoch->tenant_count || epoch->end_cycle % ALONE_CYCLES)
		return;
	alone->points[alone->count++] = before +
		epoch->tenants[0].counters.thread_instructions;
	themis_events(&epoch->tenants[0].counters, events);
	for (i = 0; i < THEMIS_OWN; i++)
		alone->events[i] += events[i];
}

static void begin_experiment(const struct work *work,
			     struct offline_experiment *experiment)
{
	experiment->options = work->samples->options;
	experiment->threads = work->samples->threads;
	experiment->options.policy = &policy_proportional;
	experiment->options.model = &model_hsm;
	experiment->options.relaunch = true;
	experiment->options.constants = NULL;
	experiment->options.kernel_end = SESSION_KERNEL_END_CARRY;
	experiment->options.preemption = SESSION_PREEMPTION_SWITCH;
	session_default_params(&experiment->options);
}

static int run_alone(const struct work *work, struct alone *alone,
		     struct offline_experiment *experiment,
		     struct offline_result *result)
{
	const struct offline_observer observer = {
		.context = alone, .epoch = on_alone,
	};
	u64 cycles = work->samples->options.stop_cycle;

	begin_experiment(work, experiment);
	cycles += cycles / ALONE_MORE + ALONE_CYCLES;
	experiment->options.stop_cycle = cycles;
	experiment->options.epoch_cycles = ALONE_CYCLES;
	experiment->options.sms_most = alone->sms;
	experiment->count = 1;
	experiment->tenants[0].options.weight = 1;
	experiment->tenants[0].trace = alone->trace;
	alone->points = calloc(cycles / ALONE_CYCLES + 1,
			       sizeof(*alone->points));
	return alone->points ? offline_run(experiment, &observer, result) :
			       -ENOMEM;
}

static void on_pair(void *context, const struct session_epoch *epoch)
{
	struct pair *pair = context;
	u32 i;

	if (pair->epochs == EPOCHS)
		return;
	pair->cycles[pair->epochs] = epoch->end_cycle - epoch->start_cycle;
	for (i = 0; i < epoch->tenant_count && i < 2; i++) {
		const struct session_epoch_tenant *row = &epoch->tenants[i];
		struct half *half = &pair->halves[pair->epochs][row->slot];

		half->before = pair->done[row->slot];
		half->sms = row->sms;
		half->counters = row->counters;
		pair->done[row->slot] += row->counters.thread_instructions;
	}
	pair->epochs++;
}

static int run_pair(const struct work *work, struct pair *pair,
		    struct offline_experiment *experiment,
		    struct offline_result *result)
{
	const struct offline_observer observer = {
		.context = pair, .epoch = on_pair,
	};
	const struct samples *samples = work->samples;
	const struct split *split = &samples->splits[pair->split];

	begin_experiment(work, experiment);
	experiment->options.epoch_cycles =
		samples->options.stop_cycle / EPOCHS;
	experiment->count = 2;
	experiment->tenants[0].options.weight = split->own;
	experiment->tenants[0].trace = samples->programs[pair->program].trace;
	experiment->tenants[1].options.weight = split->producer;
	experiment->tenants[1].trace =
		work->producers[pair->pressure][pair->level - 1].trace;
	return offline_run(experiment, &observer, result);
}

static void run_job(struct jobs *jobs, u32 index, void *context)
{
	struct work *work = context;
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct offline_result *result = calloc(1, sizeof(*result));
	int *ret = index < work->alone_count ? &work->alones[index].ret :
		   &work->pairs[index - work->alone_count].ret;

	if (!experiment || !result)
		*ret = -ENOMEM;
	else if (index < work->alone_count)
		*ret = run_alone(work, &work->alones[index], experiment, result);
	else
		*ret = run_pair(work, &work->pairs[index - work->alone_count],
				experiment, result);
	jobs_progress(jobs, 1);
	free(experiment);
	free(result);
}

/* --- samples from runs ------------------------------------------------------------- */

/* Cycles after which a run alone had executed so many instructions; below 0: never. */
static double cycles_at(const struct alone *alone, u64 instructions)
{
	u64 before = 0;
	u32 i;

	for (i = 0; i < alone->count; i++) {
		u64 after = alone->points[i];

		if (after >= instructions && after > before)
			return ALONE_CYCLES *
			       (i + (double)(instructions - before) /
				    (double)(after - before));
		before = after;
	}
	return -1;
}

/* Time alone of a half's instructions in an epoch; 0 or less: not known. */
static double time_alone(const struct alone *alone, const struct half *half)
{
	u64 end = half->before + half->counters.thread_instructions;
	double to = cycles_at(alone, end);

	return to < 0 ? -1 : to - fmax(0, cycles_at(alone, half->before));
}

static void fill_rates(const struct samples *samples, const struct pair *pair,
		       u32 epoch, struct themis_sample *out)
{
	const struct gpu_config *config = &samples->options.config;
	u64 own[THEMIS_OWN], others[THEMIS_OWN], cycles = pair->cycles[epoch];
	struct simgpu_snapshot *device = calloc(1, sizeof(*device));

	if (!device)
		return;
	device->channels = config->channels;
	device->epoch_cycles = cycles;
	device->memory_clocks = cycles * config->memory_mhz / config->core_mhz;
	themis_events(&pair->halves[epoch][0].counters, own);
	themis_events(&pair->halves[epoch][1].counters, others);
	themis_rates(device, cycles, own, others, out->rates);
	free(device);
}

/* The slowdown of a pressure meter; 0 for producers of other levels. */
static double meter_slowdown(const struct work *work, const struct pair *pair,
			     u32 epoch)
{
	double alone;

	if (pair->level != 1)
		return 0;
	alone = time_alone(meter_of(work, pair->pressure, pair->split),
			   &pair->halves[epoch][1]);
	return alone > 0 ? pair->cycles[epoch] / alone : 0;
}

static void add_sample(const struct work *work, const struct pair *pair,
		       u32 epoch)
{
	struct samples *samples = work->samples;
	const struct half *half = &pair->halves[epoch][0];
	double with_n = time_alone(alone_of(work, pair->program, pair->split),
				   half);
	double with_all = time_alone(alone_of(work, pair->program,
					      samples->split_count), half);
	struct themis_sample *sample = &samples->list[samples->count];

	/* It issued nothing, or SMs had not changed hands, or its run alone is over. */
	if (with_n <= 0 || with_all <= 0 || !half->counters.thread_instructions ||
	    half->sms != samples->splits[pair->split].own)
		return;
	fill_rates(samples, pair, epoch, sample);
	sample->scal = fmax(1, with_n / with_all);
	sample->inter = fmax(1, pair->cycles[epoch] / with_n);
	sample->meter = meter_slowdown(work, pair, epoch);
	sample->program = pair->program;
	sample->split = pair->split;
	sample->pressure = pair->pressure;
	sample->level = pair->level;
	samples->count++;
}

/* --- all of it --------------------------------------------------------------------- */

static u32 level_at(const struct samples *samples, u32 i)
{
	if (samples->levels == 1)
		return 1;
	return 1 + i * (PRESSURE_LEVELS - 1) / (samples->levels - 1);
}

static int build_producers(struct work *work)
{
	const struct gpu_config *config = &work->samples->options.config;
	u64 cache = (u64)config->llc_slices * config->llc_sets *
		    config->llc_ways * GPU_LINE_BYTES;
	u32 pressure, level;
	int ret = STATUS_OK;

	for (pressure = 0; pressure < PRESSURES; pressure++) {
		for (level = 0; !ret && level < PRESSURE_LEVELS; level++) {
			struct workload *workload =
				&work->producers[pressure][level];

			workload->path = strdup(pressure_names[pressure]);
			workload->bytes =
				pressure_trace((enum pressure)pressure,
					       level + 1, cache / 2,
					       &workload->count);
			if (!workload->path || !workload->bytes)
				return fail("out of memory");
			ret = workload_decode(workload, NULL);
		}
	}
	return ret;
}

static void plan_alones(struct work *work)
{
	const struct samples *samples = work->samples;
	u32 i, split;

	for (i = 0; i < samples->program_count; i++)
		for (split = 0; split <= samples->split_count; split++) {
			struct alone *alone = alone_of(work, i, split);

			alone->trace = samples->programs[i].trace;
			if (split < samples->split_count)
				alone->sms = samples->splits[split].own;
		}
}

static void plan_meters(struct work *work)
{
	const struct samples *samples = work->samples;
	u32 i, split;

	for (i = 0; i < PRESSURES; i++)
		for (split = 0; split < samples->split_count; split++) {
			meter_of(work, i, split)->trace =
				work->producers[i][0].trace;
			meter_of(work, i, split)->sms =
				samples->splits[split].producer;
		}
}

static void plan_pairs(struct work *work)
{
	const struct samples *samples = work->samples;
	u32 i, per_program = samples->split_count * PRESSURES * samples->levels;

	for (i = 0; i < work->pair_count; i++) {
		struct pair *pair = &work->pairs[i];
		u32 rest = i % per_program;

		pair->program = i / per_program;
		pair->split = rest % samples->split_count;
		rest /= samples->split_count;
		pair->pressure = rest % PRESSURES;
		pair->level = level_at(samples, rest / PRESSURES);
	}
}

static int plan(struct work *work)
{
	struct samples *samples = work->samples;
	u32 programs = samples->program_count, splits = samples->split_count;

	work->alone_count = programs * (splits + 1) + PRESSURES * splits;
	work->pair_count = programs * splits * PRESSURES * samples->levels;
	work->alones = calloc(work->alone_count, sizeof(*work->alones));
	work->pairs = calloc(work->pair_count, sizeof(*work->pairs));
	samples->list = calloc((size_t)work->pair_count * EPOCHS,
			       sizeof(*samples->list));
	if (!work->alones || !work->pairs || !samples->list)
		return fail("out of memory");
	plan_alones(work);
	plan_meters(work);
	plan_pairs(work);
	return STATUS_OK;
}

static int check_runs(const struct work *work)
{
	u32 i;

	for (i = 0; i < work->alone_count; i++)
		if (work->alones[i].ret)
			return fail("a run alone: %s",
				    strerror(-work->alones[i].ret));
	for (i = 0; i < work->pair_count; i++)
		if (work->pairs[i].ret)
			return fail("%s beside %s: %s",
				    work->samples->programs[work->pairs[i].program].name,
				    pressure_names[work->pairs[i].pressure],
				    strerror(-work->pairs[i].ret));
	return STATUS_OK;
}

static void free_work(struct work *work)
{
	u32 pressure, i;

	for (pressure = 0; pressure < PRESSURES; pressure++)
		for (i = 0; i < PRESSURE_LEVELS; i++)
			workload_free(&work->producers[pressure][i]);
	for (i = 0; work->alones && i < work->alone_count; i++)
		free(work->alones[i].points);
	free(work->alones);
	free(work->pairs);
	free(work);
}

int samples_make(struct samples *samples)
{
	struct work *work = calloc(1, sizeof(*work));
	u32 i, epoch;
	int ret;

	if (!work)
		return fail("out of memory");
	work->samples = samples;
	ret = build_producers(work);
	if (!ret)
		ret = plan(work);
	if (!ret) {
		jobs_run("samples", work->alone_count + work->pair_count,
			 samples->workers, run_job, work,
			 work->alone_count + work->pair_count);
		ret = check_runs(work);
	}
	for (i = 0; !ret && i < work->pair_count; i++)
		for (epoch = 1; epoch < work->pairs[i].epochs; epoch++)
			add_sample(work, &work->pairs[i], epoch);
	free_work(work);
	return ret;
}

static void fill_solo(const struct work *work, u32 program, u32 split,
		      struct solo *out)
{
	const struct alone *alone = alone_of(work, program, split);
	const struct alone *all = alone_of(work, program,
					   work->samples->split_count);
	u32 last = alone->count;
	double cycles = -1;

	/* If it was faster here than on all SMs, by chance, take a shorter part. */
	while (last && cycles <= 0)
		cycles = cycles_at(all, alone->points[--last]);
	out->progress = fmin(1, cycles / (ALONE_CYCLES * (last + 1.0)));
	memcpy(out->events, alone->events, sizeof(out->events));
}

int samples_solo(struct samples *samples, struct solo *solos)
{
	struct work *work = calloc(1, sizeof(*work));
	u32 splits = samples->split_count + 1, i;
	int ret;

	if (!work)
		return fail("out of memory");
	work->samples = samples;
	work->alone_count = samples->program_count * splits;
	work->alones = calloc(work->alone_count, sizeof(*work->alones));
	if (!work->alones) {
		free_work(work);
		return fail("out of memory");
	}
	plan_alones(work);
	jobs_run("runs alone", work->alone_count, samples->workers, run_job,
		 work, work->alone_count);
	ret = check_runs(work);
	for (i = 0; !ret && i < work->alone_count; i++)
		fill_solo(work, i / splits, i % splits, &solos[i]);
	free_work(work);
	return ret;
}

/* --- files ------------------------------------------------------------------------- */

static const char header[] =
	"program,split,pressure,level,scal,inter,meter,rates\n";

int samples_write(const struct samples *samples, const char *path)
{
	FILE *file = fopen(path, "w");
	u32 i, k;

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	fputs(header, file);
	for (i = 0; i < samples->count; i++) {
		const struct themis_sample *sample = &samples->list[i];

		fprintf(file, "%u,%u,%u,%u,%.17g,%.17g,%.17g", sample->program,
			sample->split, sample->pressure, sample->level,
			sample->scal, sample->inter, sample->meter);
		for (k = 0; k < THEMIS_INPUTS; k++)
			fprintf(file, ",%lld", (long long)sample->rates[k]);
		fputc('\n', file);
	}
	return close_file(file, path);
}

static bool read_sample(FILE *file, struct themis_sample *sample)
{
	u32 k;

	if (fscanf(file, "%u,%u,%u,%u,%lf,%lf,%lf", &sample->program,
		   &sample->split, &sample->pressure, &sample->level,
		   &sample->scal, &sample->inter, &sample->meter) != 7)
		return false;
	for (k = 0; k < THEMIS_INPUTS; k++) {
		long long rate;

		if (fscanf(file, ",%lld", &rate) != 1)
			return false;
		sample->rates[k] = rate;
	}
	return sample->scal >= 1 && sample->inter >= 1 &&
	       sample->split < SAMPLES_SPLITS_MAX &&
	       sample->pressure < PRESSURES && fgetc(file) == '\n';
}

int samples_read(struct samples *samples, const char *path)
{
	struct themis_sample sample;
	FILE *file;
	char line[sizeof(header) + 1];
	int ret = STATUS_OK;

	if (access(path, F_OK))
		return STATUS_OK;
	file = fopen(path, "r");
	if (!file)
		return fail("%s: %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), file) || strcmp(line, header))
		ret = fail("%s is no file of samples", path);
	while (!ret && read_sample(file, &sample)) {
		samples->list = grow(samples->list, samples->count + 1,
				     sizeof(sample));
		samples->list[samples->count++] = sample;
	}
	if (!ret && !feof(file))
		ret = fail("%s: line %u is no sample", path,
			   samples->count + 2);
	fclose(file);
	return ret;
}

void samples_free(struct samples *samples)
{
	u32 i;

	for (i = 0; i < samples->program_count; i++)
		workload_free(&samples->programs[i]);
	free(samples->list);
}
