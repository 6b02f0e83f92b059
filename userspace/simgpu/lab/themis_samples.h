/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples to train Themis' model with (IPDPS'19, section V.C): training programs beside
 * pressure producers, offline, and each alone on the SMs that it had and on all.
 */
#ifndef SIMGPU_THEMIS_SAMPLES_H
#define SIMGPU_THEMIS_SAMPLES_H

#include "../../offline/themis_fit.h"
#include "../experiment.h"
#include "../workload.h"

#define SAMPLES_PROGRAMS_MAX	64
#define SAMPLES_SPLITS_MAX	16

/**
 * struct split - SMs of the training program and of the producer
 */
struct split {
	u32 own;
	u32 producer;
};

/**
 * struct samples - what is run, and the samples that it gives
 * @options: GPU, seed and cycles of a run
 * @workers: runs at a time
 * @threads: of each
 * @programs: training programs, decoded
 * @program_count: of these
 * @splits: of all SMs
 * @split_count: of these
 * @levels: of each producer, spread evenly from the greatest pressure to the least
 * @list: samples; samples_free() frees them
 * @count: of these
 */
struct samples {
	struct session_options options;
	u64 workers;
	u32 threads;
	struct workload programs[SAMPLES_PROGRAMS_MAX];
	u32 program_count;
	struct split splits[SAMPLES_SPLITS_MAX];
	u32 split_count;
	u32 levels;
	struct themis_sample *list;
	u32 count;
};

/* Themis' five splits: a sixth of the SMs, two, and so on, for the program. */
void samples_default_splits(struct samples *samples);

/*
 * Run all of it. Each epoch of a run, of which there are five, is a sample, but for the
 * first, in which SMs change hands. An exit status.
 */
int samples_make(struct samples *samples);

/**
 * struct solo - a program alone on some SMs
 * @progress: how fast it is beside itself on all of them; 0: it did nothing
 * @events: of themis_events()
 */
struct solo {
	double progress;
	u64 events[THEMIS_OWN];
};

/*
 * Each program alone, on the SMs that it has in each split, then on all: so many of
 * @solos a program. An exit status.
 */
int samples_solo(struct samples *samples, struct solo *solos);

/* To and from a file of CSV; an exit status. A file that is not there is no sample. */
int samples_write(const struct samples *samples, const char *path);
int samples_read(struct samples *samples, const char *path);

void samples_free(struct samples *samples);

#endif /* SIMGPU_THEMIS_SAMPLES_H */
