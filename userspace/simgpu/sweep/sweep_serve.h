/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services beside best-effort work: the first tenant of each mix has requests that come
 * at a load and deadlines, the second one always has work. Beside the mixes each
 * service runs alone at each load, and each best-effort program alone; the report
 * holds latencies and throughput against these.
 */
#ifndef SIMGPU_SWEEP_SERVE_H
#define SIMGPU_SWEEP_SERVE_H

#include "sweep_kept.h"

/* Slots of a mix. */
#define SERVE_SERVICE		0
#define SERVE_BEST_EFFORT	1

/* What options say that goes with such a suite, or does not; an exit status. */
int sweep_serve_check(const struct sweep *sweep);

/* Add the services alone to the sweep's runs; an exit status. */
int sweep_serve_add_alone(struct sweep *sweep);

/* Whether a run is of a service alone. */
bool sweep_serve_is_alone(const struct sweep_run *run);

struct serve_ends;

/* To take the ends of a run's requests; serve_ends_free() frees it. */
struct serve_ends *serve_ends_new(const struct trace *trace);
void serve_ends_free(struct serve_ends *ends);
/* A kernel of the run has ended. */
void serve_ends_add(struct serve_ends *ends, const struct offline_kernel *kernel);

/**
 * sweep_serve_judge() - what the requests of a run have shown
 * @run: the first tenant's figures are filled in
 * @ends: of its requests
 * @plan: of its arrivals
 * @core_mhz: of the GPU
 *
 * Return: 0; -ENOMEM; -EPROTO if they are not what the session has counted.
 */
int sweep_serve_judge(struct sweep_run *run, const struct serve_ends *ends,
		      const struct arrivals_plan *plan, u32 core_mhz);

/* serve.csv in the folder, and a summary on standard output; an exit status. */
int sweep_serve_report(const struct sweep *sweep);

#endif /* SIMGPU_SWEEP_SERVE_H */
