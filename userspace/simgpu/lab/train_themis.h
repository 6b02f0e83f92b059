/* SPDX-License-Identifier: GPL-2.0 */
/* simgpu train of themis and asm-gpm: the arguments from the command line. */
#ifndef SIMGPU_TRAIN_THEMIS_H
#define SIMGPU_TRAIN_THEMIS_H

#include "themis_samples.h"

#define TRAIN_PROGRAMS_MAX	64

/**
 * struct train_themis - arguments of a training
 * @settings: GPU, seed and cycles of a run
 * @workers: most runs at a time
 * @out: file for the constants, or NULL
 * @samples: file in which samples are kept, or NULL
 * @splits: list of OWN:PRODUCER, or NULL: Themis' five
 * @levels: levels of each producer; 0: all
 * @rounds: most rounds of training
 * @seeds: seeds that are tried
 * @shift_ppm: deviations by which the mean of inputs is away from their origin
 * @programs: programs in place of Themis' 15
 * @program_count: number of @programs
 * @added: additional programs
 * @added_count: number of @added
 * @json: print one JSON document
 */
struct train_themis {
	const struct settings *settings;
	u64 workers;
	const char *out;
	const char *samples;
	const char *splits;
	u64 levels;
	u64 rounds;
	u64 seeds;
	u64 shift_ppm;
	const char **programs;
	u32 program_count;
	const char **added;
	u32 added_count;
	bool json;
};

/* These two train a model; an exit status. */
int train_themis(const struct train_themis *arguments);

#endif /* SIMGPU_TRAIN_THEMIS_H */
