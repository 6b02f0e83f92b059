/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Training of Themis' kernel slowdown model (IPDPS'19, section V.D), in floating point:
 * the net that kmod/policy/models/themis_net.c has in integers, the loss of Eq. 8 and
 * its gradient, Adam, and the resulting constants. The same seed and samples give
 * the same weights.
 */
#ifndef OFFLINE_THEMIS_FIT_H
#define OFFLINE_THEMIS_FIT_H

#include "../../kmod/policy/models/themis_net.h"
#include "offline.h"

/* Eq. 8 (V.D). */
#define THEMIS_ALPHA		2.0
#define THEMIS_LAMBDA		0.001

/**
 * struct themis_sample - a kernel beside a pressure producer, over one epoch
 * @rates: the net's inputs, Q32 a cycle
 * @scal: T_n / T_N
 * @meter: slowdown of the producer, if it is a pressure meter; else 0
 * @program: number of the program
 * @split: number of the split of the SMs
 * @pressure: &enum pressure
 * @level: level of the producer
 */
struct themis_sample {
	s64 rates[THEMIS_INPUTS];
	double scal;
	double inter;
	double meter;
	u32 program;
	u32 split;
	u32 pressure;
	u32 level;
};

/**
 * struct themis_net - the net in floating point
 * @origin: as in &struct themis_constants, a cycle; so are deviations
 */
struct themis_net {
	double origin[THEMIS_INPUTS];
	double deviation[THEMIS_INPUTS];
	double weights[THEMIS_WEIGHTS];
};

/* The two outputs as the net computes them, which may be below 1. */
void themis_net_infer(const struct themis_net *net,
		      const s64 rates[THEMIS_INPUTS],
		      double sd[THEMIS_OUTPUTS]);

/**
 * themis_net_loss() - Eq. 8 over some samples
 * @net: the net
 * @samples: the samples
 * @count: number of samples, at least 1
 * @gradient: set to the gradient, by weight; NULL: not wanted
 *
 * The norms of relative errors are taken as root mean squares, so that the loss does
 * not grow with the number of samples.
 *
 * Return: the loss.
 */
double themis_net_loss(const struct themis_net *net,
		       const struct themis_sample *samples, u32 count,
		       double gradient[THEMIS_WEIGHTS]);

/* The mean of |SD_pred - SD| / SD (Eq. 2), where factors below 1 count as 1. */
double themis_net_error(const struct themis_net *net,
			const struct themis_sample *samples, u32 count);

/* Folds of the programs that are held out in turn, and most seeds that are tried. */
#define THEMIS_FOLDS		5
#define THEMIS_SEEDS_MAX	16

/**
 * struct themis_fit - settings and results of training
 * @seed: the first seed: of first weights, and of which programs are in which fold
 * @seeds: how many seeds are tried, 1 to THEMIS_SEEDS_MAX
 * @shift: deviations by which the mean of the inputs is away from their origin
 * @rounds: most rounds
 * @progress: called with the loss every 100 rounds of the last training; NULL: not called
 * @context: passed to it
 * @loss: final loss of all samples
 * @error_training: Eq. 2 over all samples
 * @error_held: Eq. 2 over all samples, each predicted by a net that was trained without
 *	its program
 * @tried: the same for each seed, of which the least is @error_held
 * @chosen: the seed that was taken
 * @trained: rounds that the net was trained for
 */
struct themis_fit {
	u64 seed;
	u32 seeds;
	double shift;
	u32 rounds;
	void (*progress)(void *context, u32 round, double loss);
	void *context;
	double loss;
	double error_training;
	double error_held;
	double tried[THEMIS_SEEDS_MAX];
	u64 chosen;
	u32 trained;
};

/**
 * themis_fit_train() - train a net
 * @fit: settings; the results are filled in
 * @samples: the samples, of all programs
 * @count: at least 20
 * @net: filled in
 *
 * Programs are divided among THEMIS_FOLDS folds by the seed (samples, if there is a
 * single program). Five nets, each trained without one fold, say after how many rounds
 * a net fits programs that it has not seen best; the median is how long the net that is
 * returned is trained, on all samples. Of several seeds the one is taken whose five nets
 * err least on what they did not see.
 *
 * Return: 0; -EINVAL for too few samples or seeds; -ENOMEM.
 */
int themis_fit_train(struct themis_fit *fit, const struct themis_sample *samples,
		     u32 count, struct themis_net *net);

/* Rounds the net to integers. */
void themis_net_round(const struct themis_net *net,
		      struct themis_constants *out);

/* The greatest relative difference of a factor (below 1 counts as 1) from the net's. */
double themis_net_round_error(const struct themis_net *net,
			      const struct themis_sample *samples, u32 count);

/*
 * Makes a file of a model's constants, header and payload, at most
 * SIMGPU_CONSTANTS_BYTES_MAX bytes; returns its size.
 */
u32 fit_constants_file(const struct simgpu_model *model, const char *config,
		       const void *constants, void *file);
#define THEMIS_FILE_BYTES	(sizeof(struct simgpu_constants_header) + \
				 sizeof(struct themis_constants))

/* Spearman's rank correlation; equal values have their mean rank. 0 if one is constant. */
double themis_spearman(const double *x, const double *y, u32 count);

#endif /* OFFLINE_THEMIS_FIT_H */
