/* SPDX-License-Identifier: GPL-2.0 */
/* How much a synthetic kernel does: as much as takes its recorded time, alone on a GPU. */
#ifndef IMPORT_FIT_H
#define IMPORT_FIT_H

#include "../offline/offline.h"
#include "templates.h"

/* A kernel whose time is off by no more counts as fitted, in parts per million. */
#define FIT_GOOD_PPM	50000
/* At this the search for a better one ends. */
#define FIT_DONE_PPM	30000
/* Most runs of a kernel in search of its number of turns, and of its tail */
#define FIT_RUNS_MAX	16

/**
 * struct fit - a kernel, and what was found
 * @synthetic: the kernel: kernel and class are given, the rest is found
 * @wanted_ns: time that it should take
 * @simulated_ns: time that it takes as found; 0: it cannot run
 * @error_ppm: difference between the two, without its sign
 * @slower: it takes longer than it should
 * @memory_bytes: bytes that its loads and stores touch, all thread blocks together
 * @instructions: warp instructions of all thread blocks
 * @runs: how often it was simulated
 * @searched_ns: time of all these runs on the GPU
 * @reason: why it is not fitted, a sentence; NULL: it is
 */
struct fit {
	struct synthetic synthetic;
	uint64_t wanted_ns;
	uint64_t simulated_ns;
	uint64_t error_ppm;
	bool slower;
	uint64_t memory_bytes;
	uint64_t instructions;
	uint32_t runs;
	uint64_t searched_ns;
	const char *reason;
};

/**
 * fit_kernel() - find the turns and the tail of a kernel
 * @config: the GPU
 * @fit: the kernel; filled in
 * @stop: whether to give up; or NULL
 *
 * The kernel runs from empty caches on all SMs. It has the shared memory that was recorded, or
 * as much as an SM of @config has, if that is less: a card divides its L1 by what a kernel needs. Its turns are searched for by secants between
 * bounds, which are cut in halves where a secant does not get on; then some thread blocks do a turn more, or
 * a tail takes the rest of the time. A kernel of more than 200 us is first searched with a few waves of its thread blocks,
 * which gives a first guess for all of them. The same kernel on the same GPU always gives the same answer.
 *
 * Return: 0, also if no program takes that time: then the nearest is kept, with a reason.
 * -EINTR if it was stopped; -ENOMEM.
 */
int fit_kernel(const struct gpu_config *config, struct fit *fit, bool (*stop)(void));

#endif /* IMPORT_FIT_H */
