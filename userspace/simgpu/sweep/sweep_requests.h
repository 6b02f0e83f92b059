/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of a sweep's services. */
#ifndef SIMGPU_SWEEP_REQUESTS_H
#define SIMGPU_SWEEP_REQUESTS_H

#include "sweep.h"

/* Whether requests of some tenant come by themselves. */
bool sweep_has_services(const struct sweep *sweep);

/* Whether requests of some tenant come at a load, without a deadline of their own. */
bool sweep_takes_deadline(const struct sweep *sweep);

/* The plan of a tenant's requests in a run; an exit status. */
int sweep_arrivals(const struct sweep_run *run, u32 slot,
		   const struct session_options *options,
		   struct arrivals_plan *plan);

/* Before any mix runs, measures requests alone, of which loads are multiples. An exit status. */
int sweep_find_requests(struct sweep *sweep);

#endif /* SIMGPU_SWEEP_REQUESTS_H */
