// SPDX-License-Identifier: GPL-2.0
/* Training of Themis' kernel slowdown model; see themis_fit.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include <simgpu/random.h>

#include "themis_fit.h"

#define LEAK		(1.0 / THEMIS_LEAK)
#define INPUT_MOST	16.0
#define WEIGHT_MOST	8.0
/* Parameters of Adam, from its paper; the rate falls to a hundredth. */
#define RATE		0.004
#define BETA1		0.9
#define BETA2		0.999
#define TINY		1e-8
/* Rounds without a better net before training ends. */
#define PATIENCE	2000
#define LOOK_ROUNDS	20
/* Fewer samples than these are not trained on. */
#define SAMPLES_MIN	20
#define PROGRAMS_MAX	1024

/* --- the net ---------------------------------------------------------------------- */

/**
 * struct values - outputs of the neurons for a sample
 */
struct values {
	double inputs[THEMIS_INPUTS];
	double first[THEMIS_HIDDEN];
	double second[THEMIS_HIDDEN];
	double out[THEMIS_OUTPUTS];
};

static void standardize(const struct themis_net *net, const s64 *rates,
			double *inputs)
{
	u32 i;

	for (i = 0; i < THEMIS_INPUTS; i++) {
		double rate = ldexp((double)rates[i], -THEMIS_RATE_BITS);
		double z = (rate - net->origin[i]) / net->deviation[i];

		inputs[i] = fmax(-INPUT_MOST, fmin(INPUT_MOST, z));
	}
}

static const double *layer(const double *weights, const double *values,
			   u32 inputs, double *out, u32 count)
{
	u32 neuron, i;

	for (neuron = 0; neuron < count; neuron++) {
		double sum = 0;

		for (i = 0; i < inputs; i++)
			sum += *weights++ * values[i];
		out[neuron] = sum < 0 ? sum * LEAK : sum;
	}
	return weights;
}

static void infer(const struct themis_net *net, struct values *values)
{
	const double *weights = net->weights;

	weights = layer(weights, values->inputs, THEMIS_INPUTS, values->first,
			THEMIS_HIDDEN);
	weights = layer(weights, values->first, THEMIS_HIDDEN, values->second,
			THEMIS_HIDDEN);
	layer(weights, values->second, THEMIS_HIDDEN, values->out,
	      THEMIS_OUTPUTS);
}

void themis_net_infer(const struct themis_net *net,
		      const s64 rates[THEMIS_INPUTS], double sd[THEMIS_OUTPUTS])
{
	struct values values;

	standardize(net, rates, values.inputs);
	infer(net, &values);
	memcpy(sd, values.out, sizeof(values.out));
}

/* --- the loss --------------------------------------------------------------------- */

/* Relative errors of SD_scal, SD_inter and their product. */
static void errors_of(const struct values *values,
		      const struct themis_sample *sample, double errors[3])
{
	errors[0] = (values->out[0] - sample->scal) / sample->scal;
	errors[1] = (values->out[1] - sample->inter) / sample->inter;
	errors[2] = values->out[0] * values->out[1] /
		    (sample->scal * sample->inter) - 1;
}

/* @delta: of a layer's outputs before the ReLU; adds to @gradient, computes @below. */
static void layer_back(const double *weights, const double *values, u32 inputs,
		       const double *delta, u32 count, double *gradient,
		       double *below)
{
	u32 neuron, i;

	if (below)
		memset(below, 0, inputs * sizeof(*below));
	for (neuron = 0; neuron < count; neuron++) {
		for (i = 0; i < inputs; i++) {
			gradient[neuron * inputs + i] +=
				delta[neuron] * values[i];
			if (below)
				below[i] += delta[neuron] *
					    weights[neuron * inputs + i];
		}
	}
}

static void through_relu(const double *values, double *delta, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (values[i] < 0)
			delta[i] *= LEAK;
}

static void back(const struct themis_net *net, const struct values *values,
		 double delta[THEMIS_OUTPUTS], double *gradient)
{
	const u32 second = THEMIS_INPUTS * THEMIS_HIDDEN;
	const u32 last = second + THEMIS_HIDDEN * THEMIS_HIDDEN;
	double of_second[THEMIS_HIDDEN], of_first[THEMIS_HIDDEN];

	through_relu(values->out, delta, THEMIS_OUTPUTS);
	layer_back(net->weights + last, values->second, THEMIS_HIDDEN, delta,
		   THEMIS_OUTPUTS, gradient + last, of_second);
	through_relu(values->second, of_second, THEMIS_HIDDEN);
	layer_back(net->weights + second, values->first, THEMIS_HIDDEN,
		   of_second, THEMIS_HIDDEN, gradient + second, of_first);
	through_relu(values->first, of_first, THEMIS_HIDDEN);
	layer_back(net->weights, values->inputs, THEMIS_INPUTS, of_first,
		   THEMIS_HIDDEN, gradient, NULL);
}

static double norm_of(const double *weights)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < THEMIS_WEIGHTS; i++)
		sum += weights[i] * weights[i];
	return sqrt(sum);
}

/* The root mean squares of the three errors; none of them is returned as zero. */
static void measure(const struct themis_net *net,
		    const struct themis_sample *samples, u32 count,
		    double norms[3])
{
	struct values values;
	double errors[3];
	u32 i, k;

	norms[0] = norms[1] = norms[2] = 0;
	for (i = 0; i < count; i++) {
		standardize(net, samples[i].rates, values.inputs);
		infer(net, &values);
		errors_of(&values, &samples[i], errors);
		for (k = 0; k < 3; k++)
			norms[k] += errors[k] * errors[k];
	}
	for (k = 0; k < 3; k++)
		norms[k] = sqrt(norms[k] / count);
}

static void add_gradient(const struct themis_net *net,
			 const struct themis_sample *sample,
			 const double scale[3], double *gradient)
{
	double whole = sample->scal * sample->inter, errors[3];
	double delta[THEMIS_OUTPUTS];
	struct values values;

	standardize(net, sample->rates, values.inputs);
	infer(net, &values);
	errors_of(&values, sample, errors);
	delta[0] = scale[0] * errors[0] / sample->scal +
		   scale[2] * errors[2] * values.out[1] / whole;
	delta[1] = scale[1] * errors[1] / sample->inter +
		   scale[2] * errors[2] * values.out[0] / whole;
	back(net, &values, delta, gradient);
}

double themis_net_loss(const struct themis_net *net,
		       const struct themis_sample *samples, u32 count,
		       double gradient[THEMIS_WEIGHTS])
{
	const double parts[3] = { 1, 1, THEMIS_ALPHA };
	double norms[3], scale[3], size = norm_of(net->weights);
	u32 i;

	measure(net, samples, count, norms);
	if (gradient) {
		for (i = 0; i < 3; i++)
			scale[i] = norms[i] > 0 ?
				   parts[i] / (norms[i] * count) : 0;
		for (i = 0; i < THEMIS_WEIGHTS; i++)
			gradient[i] = size > 0 ? THEMIS_LAMBDA *
				      net->weights[i] / size : 0;
		for (i = 0; i < count; i++)
			add_gradient(net, &samples[i], scale, gradient);
	}
	return norms[0] + norms[1] + THEMIS_ALPHA * norms[2] +
	       THEMIS_LAMBDA * size;
}

double themis_net_error(const struct themis_net *net,
			const struct themis_sample *samples, u32 count)
{
	double sum = 0, sd[THEMIS_OUTPUTS];
	u32 i;

	for (i = 0; i < count; i++) {
		double truth = samples[i].scal * samples[i].inter;

		themis_net_infer(net, samples[i].rates, sd);
		sum += fabs(fmax(1, sd[0]) * fmax(1, sd[1]) - truth) / truth;
	}
	return count ? sum / count : 0;
}

/* --- training --------------------------------------------------------------------- */

/* splitmix64 */
static u64 random_bits(u64 *state)
{
	return simgpu_random_mix(*state += SIMGPU_RANDOM_STEP);
}

/* From -1 to 1. */
static double random_unit(u64 *state)
{
	return ldexp((double)(random_bits(state) >> 11), -52) - 1;
}

/* Count the samples of each program; returns how many programs have some. */
static u32 count_programs(const struct themis_sample *samples, u32 count,
			  u32 *sizes)
{
	u32 programs = 0, i;

	memset(sizes, 0, PROGRAMS_MAX * sizeof(*sizes));
	for (i = 0; i < count; i++)
		programs += !sizes[samples[i].program % PROGRAMS_MAX]++;
	return programs;
}

/* In which fold a sample is: programs are dealt out in the order of @place. */
static u32 fold_of(const struct themis_sample *sample, const u32 *place)
{
	return place[sample->program % PROGRAMS_MAX] % THEMIS_FOLDS;
}

/* A place for each program that has samples, by lot. */
static void deal(u32 *place, const u32 *sizes, u64 *state)
{
	u32 order[PROGRAMS_MAX], count = 0, i;

	for (i = 0; i < PROGRAMS_MAX; i++)
		if (sizes[i])
			order[count++] = i;
	for (; count; count--) {
		i = (u32)(random_bits(state) % count);
		place[order[i]] = count - 1;
		order[i] = order[count - 1];
	}
}

/*
 * Copy samples such that those of one program stand in one fold, folds one behind the
 * other: a net that fits other programs may not fit a new one. If there is one program
 * only, its samples are divided evenly. @begin gets where folds begin, and @count.
 */
static void divide(const struct themis_sample *samples, u32 count, u64 *state,
		   struct themis_sample *out, u32 begin[THEMIS_FOLDS + 1])
{
	u32 sizes[PROGRAMS_MAX], place[PROGRAMS_MAX] = { 0 }, placed = 0, fold, i;
	bool many = count_programs(samples, count, sizes) > 1;

	deal(place, sizes, state);
	for (fold = 0; fold < THEMIS_FOLDS; fold++) {
		begin[fold] = placed;
		for (i = 0; i < count; i++)
			if ((many ? fold_of(&samples[i], place) :
				    i % THEMIS_FOLDS) == fold)
				out[placed++] = samples[i];
	}
	begin[THEMIS_FOLDS] = placed;
}

static void find_scale(struct themis_net *net,
		       const struct themis_sample *samples, u32 count,
		       double shift)
{
	u32 input, i;

	for (input = 0; input < THEMIS_INPUTS; input++) {
		double mean = 0, square = 0, rate;

		for (i = 0; i < count; i++) {
			rate = ldexp((double)samples[i].rates[input],
				     -THEMIS_RATE_BITS);
			mean += rate / count;
			square += rate * rate / count;
		}
		net->deviation[input] = sqrt(fmax(0, square - mean * mean));
		/* An input that never varies tells nothing; it must stay finite. */
		if (net->deviation[input] < 1e-6)
			net->deviation[input] = 1;
		net->origin[input] = mean - shift * net->deviation[input];
	}
}

/* Small weights with which both outputs begin above 0. */
static void first_weights(struct themis_net *net, u64 *state)
{
	const double size = sqrt(6.0 / THEMIS_INPUTS);
	const u32 last = THEMIS_WEIGHTS - THEMIS_HIDDEN * THEMIS_OUTPUTS;
	u32 i;

	for (i = 0; i < THEMIS_WEIGHTS; i++) {
		net->weights[i] = size * random_unit(state) / 2;
		if (i >= last)
			net->weights[i] = fabs(net->weights[i]);
	}
}

/**
 * struct adam - the moments of Adam
 */
struct adam {
	double first[THEMIS_WEIGHTS];
	double second[THEMIS_WEIGHTS];
	double gradient[THEMIS_WEIGHTS];
};

static void step(struct adam *adam, struct themis_net *net, u32 round,
		 u32 rounds)
{
	double left = 1 - 0.99 * round / rounds;
	double rate = RATE * left * sqrt(1 - pow(BETA2, round + 1)) /
		      (1 - pow(BETA1, round + 1));
	u32 i;

	for (i = 0; i < THEMIS_WEIGHTS; i++) {
		double slope = adam->gradient[i], weight;

		adam->first[i] += (1 - BETA1) * (slope - adam->first[i]);
		adam->second[i] += (1 - BETA2) *
				   (slope * slope - adam->second[i]);
		weight = net->weights[i] - rate * adam->first[i] /
			 (sqrt(adam->second[i]) + TINY);
		net->weights[i] = fmax(-WEIGHT_MOST, fmin(WEIGHT_MOST, weight));
	}
}

/* The round after which the samples that were held out fitted best; @net is of then. */
static u32 run_watched(const struct themis_fit *fit, struct adam *adam,
		       const struct themis_sample *samples, u32 trained,
		       u32 held, struct themis_net *net)
{
	struct themis_net best = *net;
	double least = INFINITY, loss;
	u32 round, found = 0;

	for (round = 0; round < fit->rounds && round - found < PATIENCE;
	     round++) {
		themis_net_loss(net, samples, trained, adam->gradient);
		if (round % LOOK_ROUNDS == 0) {
			loss = themis_net_loss(net, samples + trained, held,
					       NULL);
			if (loss < least) {
				least = loss;
				best = *net;
				found = round;
			}
		}
		step(adam, net, round, fit->rounds);
	}
	*net = best;
	return found;
}

static void run_rounds(const struct themis_fit *fit, struct adam *adam,
		       const struct themis_sample *samples, u32 count,
		       u32 rounds, struct themis_net *net)
{
	u32 round;

	for (round = 0; round < rounds; round++) {
		double loss = themis_net_loss(net, samples, count, adam->gradient);

		if (fit->progress && round % 100 == 0)
			fit->progress(fit->context, round, loss);
		step(adam, net, round, fit->rounds);
	}
}

static void begin_net(const struct themis_fit *fit, struct themis_net *net,
		      struct adam *adam, const struct themis_sample *samples,
		      u32 count, u64 seed)
{
	memset(adam, 0, sizeof(*adam));
	find_scale(net, samples, count, fit->shift);
	first_weights(net, &seed);
}

/* Move a fold's samples, from @begin on, to the end; again: all is where it was. */
static void hold_out(struct themis_sample *samples, u32 count, u32 begin, u32 held)
{
	const u32 moved = min(held, count - held - begin);
	u32 i;

	for (i = 0; i < moved; i++) {
		struct themis_sample swap = samples[begin + i];

		samples[begin + i] = samples[count - moved + i];
		samples[count - moved + i] = swap;
	}
}

/**
 * struct attempt - what a seed comes to
 * @error: Eq. 2 over all samples, each predicted by the net that was trained without its fold
 * @rounds: the median of the rounds after which folds fitted best
 */
struct attempt {
	double error;
	u32 rounds;
};

static int ascending(const void *a, const void *b)
{
	u32 left = *(const u32 *)a, right = *(const u32 *)b;

	return (left > right) - (left < right);
}

/* Train without each fold in turn. */
static struct attempt validate(const struct themis_fit *fit, struct adam *adam,
			       struct themis_sample *samples, u32 count,
			       const u32 begin[THEMIS_FOLDS + 1], u64 seed)
{
	u32 rounds[THEMIS_FOLDS], folds = 0, fold;
	struct attempt attempt = { 0 };
	struct themis_net net;

	for (fold = 0; fold < THEMIS_FOLDS; fold++) {
		u32 held = begin[fold + 1] - begin[fold], trained = count - held;

		if (!held || !trained)
			continue;
		hold_out(samples, count, begin[fold], held);
		begin_net(fit, &net, adam, samples, trained, seed);
		rounds[folds++] = run_watched(fit, adam, samples, trained, held, &net);
		attempt.error += themis_net_error(&net, samples + trained, held) *
				 held / count;
		hold_out(samples, count, begin[fold], held);
	}
	qsort(rounds, folds, sizeof(*rounds), ascending);
	attempt.rounds = max_t(u32, rounds[folds / 2], 1);
	return attempt;
}

/* Fill in fit->tried, and choose the seed whose nets err least on folds they did not see. */
static struct attempt try_seeds(struct themis_fit *fit, struct adam *adam,
				const struct themis_sample *samples, u32 count,
				struct themis_sample *folded)
{
	struct attempt best = { .error = INFINITY };
	u32 begin[THEMIS_FOLDS + 1], i;

	for (i = 0; i < fit->seeds; i++) {
		u64 state = fit->seed + i;
		struct attempt attempt;

		divide(samples, count, &state, folded, begin);
		attempt = validate(fit, adam, folded, count, begin, fit->seed + i);
		fit->tried[i] = attempt.error;
		if (attempt.error < best.error) {
			best = attempt;
			fit->chosen = fit->seed + i;
		}
	}
	return best;
}

int themis_fit_train(struct themis_fit *fit, const struct themis_sample *samples,
		     u32 count, struct themis_net *net)
{
	struct themis_sample *folded;
	struct attempt best;
	struct adam *adam;

	if (count < SAMPLES_MIN || !fit->seeds || fit->seeds > THEMIS_SEEDS_MAX)
		return -EINVAL;
	adam = calloc(1, sizeof(*adam));
	folded = calloc(count, sizeof(*folded));
	if (!adam || !folded) {
		free(adam);
		free(folded);
		return -ENOMEM;
	}
	best = try_seeds(fit, adam, samples, count, folded);
	begin_net(fit, net, adam, samples, count, fit->chosen);
	run_rounds(fit, adam, samples, count, best.rounds, net);
	free(adam);
	free(folded);
	fit->trained = best.rounds;
	fit->error_held = best.error;
	fit->loss = themis_net_loss(net, samples, count, NULL);
	fit->error_training = themis_net_error(net, samples, count);
	return 0;
}

/* --- constants -------------------------------------------------------------------- */

void themis_net_round(const struct themis_net *net, struct themis_constants *out)
{
	u32 i;

	for (i = 0; i < THEMIS_INPUTS; i++) {
		out->origin[i] = llround(ldexp(net->origin[i],
					       THEMIS_RATE_BITS));
		out->deviation[i] = llround(ldexp(net->deviation[i],
						  THEMIS_RATE_BITS));
	}
	for (i = 0; i < THEMIS_WEIGHTS; i++)
		out->weights[i] = (s32)lround(ldexp(net->weights[i],
						    THEMIS_WEIGHT_BITS));
}

double themis_net_round_error(const struct themis_net *net,
			      const struct themis_sample *samples, u32 count)
{
	struct themis_constants constants;
	double sd[THEMIS_OUTPUTS], most = 0;
	u64 ppm[THEMIS_OUTPUTS];
	u32 i, k;

	themis_net_round(net, &constants);
	for (i = 0; i < count; i++) {
		themis_net_infer(net, samples[i].rates, sd);
		themis_infer(&constants, samples[i].rates, ppm);
		for (k = 0; k < THEMIS_OUTPUTS; k++) {
			double truth = fmax(1, sd[k]);
			double value = fmax(1, (double)ppm[k] / SIMGPU_PPM);

			most = fmax(most, fabs(value - truth) / truth);
		}
	}
	return most;
}

u32 fit_constants_file(const struct simgpu_model *model, const char *config,
		       const void *constants, void *file)
{
	struct simgpu_constants_header header = {
		.magic = SIMGPU_CONSTANTS_MAGIC,
		.version = model->constants_version,
		.length = (u32)sizeof(header) + model->constants_bytes,
		.checksum = port_crc32(0, constants, model->constants_bytes),
	};

	snprintf(header.model, sizeof(header.model), "%s", model->name);
	snprintf(header.config, sizeof(header.config), "%s", config);
	memcpy(file, &header, sizeof(header));
	memcpy((char *)file + sizeof(header), constants,
	       model->constants_bytes);
	return header.length;
}

/* --- correlation ------------------------------------------------------------------ */

static int compare(const void *a, const void *b, void *values)
{
	const double *x = values;
	double left = x[*(const u32 *)a], right = x[*(const u32 *)b];

	return (left > right) - (left < right);
}

/* The rank of each value, from 1; false if memory ran out. */
static bool rank(const double *x, u32 count, double *ranks)
{
	u32 *order = calloc(count, sizeof(*order)), i, k;

	if (!order)
		return false;
	for (i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare, (void *)x);
	for (i = 0; i < count; i = k) {
		u32 equal;

		for (k = i + 1; k < count && x[order[k]] == x[order[i]]; k++)
			;
		for (equal = i; equal < k; equal++)
			ranks[order[equal]] = (i + 1 + k) / 2.0;
	}
	free(order);
	return true;
}

double themis_spearman(const double *x, const double *y, u32 count)
{
	double *ranks = calloc(2 * (size_t)count + 1, sizeof(*ranks));
	double mean = (count + 1) / 2.0, xy = 0, xx = 0, yy = 0;
	u32 i;

	if (ranks && rank(x, count, ranks) && rank(y, count, ranks + count))
		for (i = 0; i < count; i++) {
			double a = ranks[i] - mean, b = ranks[count + i] - mean;

			xy += a * b;
			xx += a * a;
			yy += b * b;
		}
	free(ranks);
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
