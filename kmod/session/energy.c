// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of energies. All entries of events come from two public sources:
 *
 * [J] Arunkumar et al., "Understanding the Future of Energy Efficiency in
 *     Multi-Module GPUs" (GPUJoule), HPCA 2019, measured on a Tesla K40 (28 nm,
 *     GDDR5): about 60 pJ a thread instruction (FADD32), 5.45 nJ a 128 B access of
 *     shared memory, 5.99 nJ of an L1, 3.96 nJ for 32 B from the L2 to an L1
 *     (crossbar included), 7.82 nJ for 32 B from DRAM to the L2.
 * [F] O'Connor et al., "Fine-Grained DRAM", MICRO 2017: HBM2 takes 3.9 pJ a bit and
 *     909 pJ an activate of a row of 1 KB, GDDR5 14.0 pJ a bit.
 *
 * Other nodes than 28 nm are scaled by supply and size: 40 nm (Fermi) takes 1.5 times
 * as much, 12 nm 0.5 times, 7 nm 0.35 times, 4 nm 0.25 times; HBM3 takes as much as HBM2.
 * These are assumptions. Two more: an activate of GDDR5's rows of 2 KB costs two of
 * HBM2's; static power is a quarter of the board's power (NVIDIA's data sheets: GTX 480
 * 250 W, C2070 238 W, GTX 680 195 W, K20 225 W, GTX 980 165 W, V100 300 W, A100 400 W,
 * H100 700 W), scaled by SMs for GPUs that were never built. Refreshes depend on time, too,
 * and are part of static power. docs/fgqos.md says how much results change when static
 * power is halved or doubled.
 */
#include "energy.h"

#define PJ_PER_MW_US	1000ULL

const char *const energy_entry_names[ENERGY_ENTRIES] = {
	"thread_instruction", "l1_line", "shared_access", "llc_line",
	"dram_line", "activate", "static",
};

/* [J]; DRAM [J], four times 32 B; activates [F]. */
#define KEPLER_28NM(_static_mw) {					\
	60, 5990, 5450, 4 * 3960, 4 * 7820, 2 * 909, _static_mw \
}

/* [J] x 1.5, except for DRAM, which is the same GDDR5. */
#define FERMI_40NM(_static_mw) {					\
	90, 8985, 8175, 6 * 3960, 4 * 7820, 2 * 909, _static_mw \
}

/* [J] x 0.5; for DRAM, lines of 1024 bits at 3.9 pJ [F]. */
#define VOLTA_12NM(_static_mw) {					\
	30, 2995, 2725, 2 * 3960, 3994, 909, _static_mw	\
}

/* [J] x 0.35; DRAM as for 12 nm. */
#define AMPERE_7NM(_static_mw) {					\
	21, 2097, 1908, 5544, 3994, 909, _static_mw	\
}

/* [J] x 0.25; DRAM as for 12 nm. */
#define HOPPER_4NM(_static_mw) {					\
	15, 1498, 1363, 3960, 3994, 909, _static_mw	\
}

static const struct energy_table tables[] = {
	{ "hbm80", VOLTA_12NM(75000) },
	{ "gddr5_40", KEPLER_28NM(100000) },	/* 40 / 16 of a GTX 980 */
	{ "themis60", KEPLER_28NM(150000) },	/* 60 / 16 */
	{ "fg16", KEPLER_28NM(41000) },		/* GTX 980 */
	{ "fg56", KEPLER_28NM(144000) },	/* 56 / 16 */
	{ "gtx480", FERMI_40NM(62000) },
	{ "c2070", FERMI_40NM(59000) },
	{ "gtx680", KEPLER_28NM(49000) },
	{ "k20", KEPLER_28NM(56000) },
	{ "a100", AMPERE_7NM(100000) },
	{ "a100-80", AMPERE_7NM(100000) },
	{ "h100", HOPPER_4NM(175000) },
	{ "v100", VOLTA_12NM(75000) },
	{ "a100-hw", AMPERE_7NM(100000) },
	{ "h100-hw", HOPPER_4NM(175000) },
};

const struct energy_table *energy_find(const char *config)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].config, config))
			return &tables[i];
	return NULL;
}

u64 energy_events(enum energy_entry entry,
		  const struct simgpu_counters *counters)
{
	switch (entry) {
	case ENERGY_THREAD_INSTRUCTION:
		return counters->thread_instructions;
	case ENERGY_L1_LINE:
		return counters->l1_accesses + counters->l1c_accesses +
		       counters->l1_stores;
	case ENERGY_SHARED_ACCESS:
		return counters->shared_accesses;
	case ENERGY_LLC_LINE:
		return counters->llc_accesses;
	case ENERGY_DRAM_LINE:
		return simgpu_dram_requests(counters);
	case ENERGY_ACTIVATE:
		return counters->row_activates;
	default:
		return 0;
	}
}

u64 energy_dynamic_pj(const struct energy_table *table,
		      const struct simgpu_counters *counters)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ENERGY_ENTRIES; i++)
		sum = fixed_add(sum, fixed_mul(energy_events(i, counters),
					       table->entry[i]));
	return sum;
}

u64 energy_sm_pj(const struct energy_table *table,
		 const struct simgpu_counters *counters)
{
	static const enum energy_entry in_sms[] = {
		ENERGY_THREAD_INSTRUCTION, ENERGY_L1_LINE, ENERGY_SHARED_ACCESS,
	};
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(in_sms); i++)
		sum = fixed_add(sum, fixed_mul(energy_events(in_sms[i], counters),
					       table->entry[in_sms[i]]));
	return sum;
}

u64 energy_static_pj(const struct energy_table *table, u64 cycles, u32 core_mhz)
{
	/* mW x us = nJ */
	return fixed_mul_div(fixed_mul(table->entry[ENERGY_STATIC],
				       PJ_PER_MW_US), cycles, core_mhz);
}
