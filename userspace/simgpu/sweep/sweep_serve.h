/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Services beside best-effort work: the first tenant of each mix has requests that come
 * at a load and deadlines, the second one always has work. In addition, each
 * service runs alone at each load, and each best-effort program alone; the report
 * compares latencies and throughput with these.
 */
#ifndef SIMGPU_SWEEP_SERVE_H
#define SIMGPU_SWEEP_SERVE_H

#include "sweep_kept.h"

/* Slots of a mix. */
#define SERVE_SERVICE		0
#define SERVE_BEST_EFFORT	1

/* Checks which options go with such a suite; an exit status. */
int sweep_serve_check(const struct sweep *sweep);

/* Adds the services alone to the sweep's runs; an exit status. */
int sweep_serve_add_alone(struct sweep *sweep);

/* Whether a run is of a service alone. */
bool sweep_serve_is_alone(const struct sweep_run *run);

struct serve_ends;

/* Makes a list for the ends of a run's requests; serve_ends_free() frees it. */
struct serve_ends *serve_ends_new(const struct trace *trace);
void serve_ends_free(struct serve_ends *ends);
/* Notes that a kernel of the run has ended. */
void serve_ends_add(struct serve_ends *ends, const struct offline_kernel *kernel);
/* Notes that a leap of sampled time has passed a request of a slot. */
void serve_ends_pass(struct serve_ends *ends, u32 slot, u64 end);

/**
 * sweep_serve_judge() - compute figures of a run's requests
 * @run: the first tenant's figures are filled in
 * @ends: ends of its requests
 * @plan: plan of its arrivals
 * @core_mhz: core clock of the GPU
 *
 * Return: 0; -ENOMEM; -EPROTO if the requests differ from those that the session counted.
 */
int sweep_serve_judge(struct sweep_run *run, const struct serve_ends *ends,
		      const struct arrivals_plan *plan, u32 core_mhz);

#endif /* SIMGPU_SWEEP_SERVE_H */
