/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a GPU has what a trace needs, and the sentence that says what it lacks. */
#ifndef SIMGPU_FITS_H
#define SIMGPU_FITS_H

#include "workload.h"

/* Room for the sentence of trace_lacks(). */
#define FITS_WORDS	256

/**
 * trace_lacks() - whether a GPU lacks what a trace needs
 * @trace: the trace
 * @config: the GPU
 * @words: set to what is lacking and of which kernel, FITS_WORDS bytes, if something is
 *
 * Something is lacking exactly where a launch would be refused with -E2BIG (a thread block
 * that no SM can hold) or -ENOSPC (more memory than the GPU has).
 */
bool trace_lacks(const struct trace *trace, const struct gpu_config *config,
		 char *words);

/* trace_lacks() for a workload that was read; false for a trace or a GPU that is not known. */
bool workload_lacks(const struct workload *workload,
		    const struct gpu_config *config, char *words);

/* An exit status; prints what the GPU lacks behind @who. */
int trace_check_fits(const char *who, const struct trace *trace,
		     const struct gpu_config *config);

#endif /* SIMGPU_FITS_H */
