/* SPDX-License-Identifier: GPL-2.0 */
/* Themis' network (Eq. 7 and Table IV), and its weights of themis_weights.c. */
#ifndef MODEL_THEMIS_NET_H
#define MODEL_THEMIS_NET_H

#include <simgpu/model.h>

#define THEMIS_INPUTS		12
#define THEMIS_HIDDEN		12
#define THEMIS_OUTPUTS		2
/* The first inputs are a tenant's own: its SMs and Table I's events. */
#define THEMIS_OWN		9
#define THEMIS_WEIGHTS		(THEMIS_INPUTS * THEMIS_HIDDEN + \
				 THEMIS_HIDDEN * THEMIS_HIDDEN + \
				 THEMIS_HIDDEN * THEMIS_OUTPUTS)
/* Fractional bits of rates a cycle, of weights, and of outputs of neurons. */
#define THEMIS_RATE_BITS	32
#define THEMIS_WEIGHT_BITS	24
#define THEMIS_VALUE_BITS	20
/* The greatest rate, standardized input, weight and output, either way. */
#define THEMIS_RATE_MOST	(1LL << (THEMIS_RATE_BITS + 13))
#define THEMIS_INPUT_MOST	(16LL << THEMIS_VALUE_BITS)
#define THEMIS_WEIGHT_MOST	(8LL << THEMIS_WEIGHT_BITS)
#define THEMIS_VALUE_MOST	(2048LL << THEMIS_VALUE_BITS)
/* A leaky ReLU's slope below 0 is 1 / this. */
#define THEMIS_LEAK		100

/**
 * struct themis_constants - what `simgpu train --model themis` has found
 * @origin: what is subtracted from an input's rate, Q32
 * @deviation: what the difference is divided by, Q32, above 0
 * @weights: Q24, by layer, then by neuron, then by its inputs
 */
struct themis_constants {
	s64 origin[THEMIS_INPUTS];
	s64 deviation[THEMIS_INPUTS];
	s32 weights[THEMIS_WEIGHTS];
};

static_assert(THEMIS_WEIGHTS == 312, "Table IV");
static_assert(sizeof(struct themis_constants) == 192 + 1248, "no padding");

extern const struct simgpu_constants_built_in themis_weights[];

bool themis_constants_are_good(const void *constants);
void themis_events(const struct simgpu_counters *counters,
		   u64 events[THEMIS_OWN]);
void themis_rates(const struct simgpu_snapshot *snapshot, u64 cycles,
		  const u64 own[THEMIS_OWN], const u64 others[THEMIS_OWN],
		  s64 rates[THEMIS_INPUTS]);
void themis_infer(const struct themis_constants *constants,
		  const s64 rates[THEMIS_INPUTS], u64 sd_ppm[THEMIS_OUTPUTS]);

#endif /* MODEL_THEMIS_NET_H */
