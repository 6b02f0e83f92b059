/* SPDX-License-Identifier: GPL-2.0 */
/* The predicted NP of a run: the mean over its epochs. */
#ifndef SESSION_NP_H
#define SESSION_NP_H

#include <simgpu/model.h>

/**
 * struct session_counted - the part of an epoch that counts for a first run
 * @cycles: cycles of the epoch that belong to that run
 * @last_bit: whether the run has ended early in the epoch
 */
struct session_counted {
	u64 cycles;
	bool last_bit;
};

/**
 * struct session_np - sums over the predictions of a first run
 * @cycles: cycles of the run in predicted epochs
 * @sum: sum of NP times cycles
 * @memory_cycles: part of @cycles in epochs in which it was memory-bound
 * @memory_sum: part of @sum in these epochs
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
 * @memory_ppm: the same over epochs in which the model classed it as memory-bound; 0 if
 *	there are none
 * @compute_ppm: the same over epochs in which the model classed it as compute-bound
 * @memory_part_ppm: part of the cycles of both that is in the former
 */
struct session_np_figures {
	u64 run_ppm;
	u64 memory_ppm;
	u64 compute_ppm;
	u64 memory_part_ppm;
};

/* Whether a model has made a prediction for a tenant; it is then clamped to its bounds. */
bool session_said(struct simgpu_prediction_tenant *said);

/* Add an epoch's prediction; one of unknown class adds nothing. */
void session_np_add(struct session_np *np, u32 class, u64 np_ppm,
		    const struct session_counted *counted);
void session_np_figures(const struct session_np *np,
			struct session_np_figures *out);

#endif /* SESSION_NP_H */
