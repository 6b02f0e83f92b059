// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel slowdown model of Themis (Zhao et al., IPDPS'19, section V): twelve rates
 * in, two hidden layers of twelve neurons, SD_scal and SD_inter out; leaky ReLU on
 * each layer, no biases (Table IV). All numbers are integers:
 *
 *  - rates are Q32, limited to 2^13 a cycle;
 *  - standardized inputs and outputs of neurons are Q20, inputs limited to 16, outputs to
 *    2048 either way;
 *  - weights are Q24, at most 8 either way.
 *
 * So a product is below 2^31 * 2^27, and a sum of twelve below 2^62.
 *
 * Without biases the net's output is 0 where all its inputs are 0. So training moves the
 * origin of the inputs away from their mean.
 */
#include "themis_net.h"

/* themis_constants_are_good() - whether all numbers are in their range */
bool themis_constants_are_good(const void *constants)
{
	const struct themis_constants *net = constants;
	u32 i;

	for (i = 0; i < THEMIS_INPUTS; i++)
		if (net->deviation[i] < 1 ||
		    net->deviation[i] > THEMIS_RATE_MOST ||
		    net->origin[i] > THEMIS_RATE_MOST ||
		    net->origin[i] < -THEMIS_RATE_MOST)
			return false;
	for (i = 0; i < THEMIS_WEIGHTS; i++)
		if (net->weights[i] > THEMIS_WEIGHT_MOST ||
		    net->weights[i] < -THEMIS_WEIGHT_MOST)
			return false;
	return true;
}

/*
 * themis_events() - SMs and Table I's events of a tenant, as counts
 *
 * SM-cycles, IPC, L1dAcc, L1dMiss, L1cAcc, L1cMiss, L2Acc, L2Miss and MemBW.
 */
void themis_events(const struct simgpu_counters *counters,
		   u64 events[THEMIS_OWN])
{
	events[0] = counters->sm_cycles;
	events[1] = counters->thread_instructions;
	events[2] = counters->l1_accesses;
	events[3] = counters->l1_misses;
	events[4] = counters->l1c_accesses;
	events[5] = counters->l1c_misses;
	events[6] = counters->llc_accesses;
	events[7] = counters->llc_misses;
	events[8] = counters->bus_busy_clocks;
}

static s64 rate(u64 count, u64 time)
{
	u64 value = fixed_mul_div(count, 1ULL << THEMIS_RATE_BITS, time);

	return (s64)min_t(u64, value, THEMIS_RATE_MOST);
}

/*
 * themis_rates() - the net's inputs (Eq. 7)
 * @cycles: core cycles in which the events were counted
 * @own: the tenant's events
 * @others: those of its co-runners, added up
 *
 * Of co-runners only their LLC accesses, misses and bandwidth count. Bandwidth is a part
 * of the peak.
 */
void themis_rates(const struct simgpu_snapshot *snapshot, u64 cycles,
		  const u64 own[THEMIS_OWN], const u64 others[THEMIS_OWN],
		  s64 rates[THEMIS_INPUTS])
{
	u64 clocks = fixed_mul(fixed_mul_div(snapshot->memory_clocks, cycles,
					     snapshot->epoch_cycles),
			       snapshot->channels);
	u32 i;

	for (i = 0; i < THEMIS_OWN - 1; i++)
		rates[i] = rate(own[i], cycles);
	rates[8] = rate(own[8], clocks);
	rates[9] = rate(others[6], cycles);
	rates[10] = rate(others[7], cycles);
	rates[11] = rate(others[8], clocks);
}

static s64 limit(s64 value, s64 most)
{
	if (value > most)
		return most;
	return value < -most ? -most : value;
}

/* (rate - origin) / deviation, in Q20. */
static s64 standardize(s64 rate, s64 origin, s64 deviation)
{
	s64 from = rate - origin;
	u64 size = (u64)(from < 0 ? -from : from);

	size = fixed_mul_div(size, 1ULL << THEMIS_VALUE_BITS, (u64)deviation);
	size = min_t(u64, size, THEMIS_INPUT_MOST);
	return from < 0 ? -(s64)size : (s64)size;
}

/* @count neurons over @inputs values. */
static const s32 *layer(const s32 *weights, const s64 *values, u32 inputs,
			s64 *out, u32 count)
{
	const s64 half = 1LL << (THEMIS_WEIGHT_BITS - 1);
	u32 neuron, i;

	for (neuron = 0; neuron < count; neuron++) {
		s64 sum = 0;

		for (i = 0; i < inputs; i++)
			sum += *weights++ * values[i];
		sum = (sum + half) >> THEMIS_WEIGHT_BITS;
		if (sum < 0)
			sum /= THEMIS_LEAK;
		out[neuron] = limit(sum, THEMIS_VALUE_MOST);
	}
	return weights;
}

/*
 * themis_infer() - compute the net's outputs
 * @rates: from themis_rates()
 * @sd_ppm: SD_scal and SD_inter; the net may answer less than 1
 */
void themis_infer(const struct themis_constants *constants,
		  const s64 rates[THEMIS_INPUTS], u64 sd_ppm[THEMIS_OUTPUTS])
{
	s64 inputs[THEMIS_INPUTS], first[THEMIS_HIDDEN], second[THEMIS_HIDDEN];
	s64 out[THEMIS_OUTPUTS];
	const s32 *weights = constants->weights;
	u32 i;

	for (i = 0; i < THEMIS_INPUTS; i++)
		inputs[i] = standardize(rates[i], constants->origin[i],
					constants->deviation[i]);
	weights = layer(weights, inputs, THEMIS_INPUTS, first, THEMIS_HIDDEN);
	weights = layer(weights, first, THEMIS_HIDDEN, second, THEMIS_HIDDEN);
	layer(weights, second, THEMIS_HIDDEN, out, THEMIS_OUTPUTS);
	for (i = 0; i < THEMIS_OUTPUTS; i++)
		sd_ppm[i] = out[i] < 0 ? 0 :
			    ((u64)out[i] * SIMGPU_PPM) >> THEMIS_VALUE_BITS;
}
