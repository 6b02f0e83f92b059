/* SPDX-License-Identifier: GPL-2.0 */
/* The predicted NP of a run: the mean over its epochs. */
#ifndef SESSION_NP_H
#define SESSION_NP_H

#include <simgpu/model.h>

/**
 * struct session_counted - what an epoch counts for in a first run
 * @cycles: of it that belong to that run
 * @last_bit: the run has ended early in it
 */
struct session_counted {
	u64 cycles;
	bool last_bit;
};

/**
 * struct session_np - predictions of a first run, added up
 * @cycles: of the run, that predicted epochs cover
 * @sum: their NPs, times their cycles
 * @memory_cycles: of @cycles, those of epochs in which it was memory-bound
 * @memory_sum: and of @sum
 */
struct session_np {
	u64 cycles;
	u64 sum;
	u64 memory_cycles;
	u64 memory_sum;
};

/**
 * struct session_np_figures - predicted NP of a run (docs/glossary.md)
 * @run_ppm: predictions of its first run's epochs, weighted by their cycles
 * @memory_ppm: the same over those epochs in which the model had it for
 *	memory-bound; 0 if there are none
 * @compute_ppm: over those in which it had it for compute-bound
 * @memory_part_ppm: part that the former have of the cycles of both
 */
struct session_np_figures {
	u64 run_ppm;
	u64 memory_ppm;
	u64 compute_ppm;
	u64 memory_part_ppm;
};

/* Whether a model has said something of a tenant, which is then within its bounds. */
bool session_said(struct simgpu_prediction_tenant *said);

/* Add an epoch's prediction; one of unknown class says nothing. */
void session_np_add(struct session_np *np, u32 class, u64 np_ppm,
		    const struct session_counted *counted);
void session_np_figures(const struct session_np *np,
			struct session_np_figures *out);

#endif /* SESSION_NP_H */
