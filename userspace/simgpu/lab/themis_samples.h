/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples for the training of Themis' model (IPDPS'19, section V.C): training programs
 * beside pressure producers, offline, and each alone on the SMs that it had and on all.
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
 * struct samples - the runs, and their samples
 * @options: GPU, seed and cycles of a run
 * @workers: most runs at a time
 * @threads: threads of each run
 * @programs: training programs, decoded
 * @program_count: number of programs
 * @splits: splits of all SMs
 * @split_count: number of splits
 * @levels: levels of each producer, spread evenly from the greatest pressure to the least
 * @list: samples; samples_free() frees them
 * @count: number of samples
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

/* Themis' five splits: the program has one sixth of the SMs, two sixths, and so on. */
void samples_default_splits(struct samples *samples);

/*
 * Makes all runs. Each of the five epochs of a run is a sample, except for the first, in
 * which SMs change hands. An exit status.
 */
int samples_make(struct samples *samples);

/**
 * struct solo - a program alone on some SMs
 * @progress: its speed over its speed on all SMs; 0: it issued nothing
 * @events: its themis_events()
 */
struct solo {
	double progress;
	u64 events[THEMIS_OWN];
};

/*
 * Runs each program alone, on the SMs that it has in each split, then on all: that many
 * entries of @solos for each program. An exit status.
 */
int samples_solo(struct samples *samples, struct solo *solos);

/* Write and read a CSV file; an exit status. A file that does not exist has no samples. */
int samples_write(const struct samples *samples, const char *path);
int samples_read(struct samples *samples, const char *path);

void samples_free(struct samples *samples);

#endif /* SIMGPU_THEMIS_SAMPLES_H */
