// SPDX-License-Identifier: GPL-2.0
/* The bounds of predictions, and the predicted NP of a run: the mean over its epochs. */
#include "internal.h"
#include "np.h"

bool session_said(struct simgpu_prediction_tenant *said)
{
	if (said->class != SIMGPU_CLASS_COMPUTE &&
	    said->class != SIMGPU_CLASS_MEMORY)
		return false;
	said->np_ppm = min(said->np_ppm, SIMGPU_NP_MOST_PPM);
	if (said->curve.knots > SIMGPU_CURVE_KNOTS_MAX)
		said->curve.knots = 0;
	return true;
}

void session_np_add(struct session_np *np, u32 class, u64 np_ppm,
		    const struct session_counted *counted)
{
	u64 weighted = fixed_mul(np_ppm, counted->cycles);

	/* An epoch in which the first run has ended would weigh what came after it. */
	if (class == SIMGPU_CLASS_UNKNOWN || (np->cycles && counted->last_bit))
		return;
	np->sum = fixed_add(np->sum, weighted);
	np->cycles += counted->cycles;
	if (class != SIMGPU_CLASS_MEMORY)
		return;
	np->memory_sum = fixed_add(np->memory_sum, weighted);
	np->memory_cycles += counted->cycles;
}

void session_np_figures(const struct session_np *np,
			struct session_np_figures *out)
{
	u64 compute = np->cycles - np->memory_cycles;

	memset(out, 0, sizeof(*out));
	if (!np->cycles)
		return;
	out->run_ppm = np->sum / np->cycles;
	out->memory_part_ppm = fixed_ratio_ppm(np->memory_cycles, np->cycles);
	if (np->memory_cycles)
		out->memory_ppm = np->memory_sum / np->memory_cycles;
	if (compute)
		out->compute_ppm = (np->sum - np->memory_sum) / compute;
}
