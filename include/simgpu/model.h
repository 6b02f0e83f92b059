/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* The interface of a slowdown model: counters in, class and NP out. */
#ifndef SIMGPU_MODEL_H
#define SIMGPU_MODEL_H

#include <simgpu/snapshot.h>

#define SIMGPU_NAME_BYTES	32

/* In @flags of a model: it reads the auxiliary tags' counters. */
#define SIMGPU_MODEL_ATD	1U
/* And: those of the mirrors. */
#define SIMGPU_MODEL_MIRROR	2U
/* And: the cycles of private runs. */
#define SIMGPU_MODEL_ORACLE	4U

/**
 * struct simgpu_model - a slowdown model
 * @name: as written to sysfs; unique among models
 * @latency_cycles: core cycles that a prediction takes for each tenant; a new
 *	assignment takes effect that much after the epoch's end (HSM 4.1: 181)
 * @flags: SIMGPU_MODEL_* or 0: what a session has to provide for it
 * @predict: fills @prediction from the counters of @snapshot. No side effects,
 *	no allocation, no sleeping; integers only. Returns 0 or a negative
 *	errno: then the last predictions stand
 */
struct simgpu_model {
	char name[SIMGPU_NAME_BYTES];
	u32 latency_cycles;
	u32 flags;
	int (*predict)(const struct simgpu_snapshot *snapshot,
		       struct simgpu_prediction *prediction);
};

#endif /* SIMGPU_MODEL_H */
