// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of clocks: MHz, and mV of the core.
 *
 * MHz: the ends of what "nvidia-smi -q -d SUPPORTED_CLOCKS" lists of such cards: A100 210 to
 * 1410 MHz, H100 up to 1980 MHz, both in steps of 15 MHz; V100 135 to 1530 MHz in steps of
 * 7.5 MHz. Here a step is eight, eleven and eighteen of theirs, so that a power cap need not
 * pass a hundred of them; the lowest ones are the last that such a step leads to. HSM's GPU
 * was never built: its clocks are assumed, from a seventh of the highest one on.
 *
 * mV: NVIDIA publishes no table of voltages. Their form is what Guerreiro et al. (TPDS 2019)
 * found on GeForce cards: constant up to some clock, linear above it. The two points are
 * assumed, the same for all: 700 mV up to half of the highest clock, 1000 mV at the highest.
 * Energies only depend on ratios of voltages. docs/power.md has what follows.
 */
#include "clocks.h"

#define HBM80_CLOCKS {	\
	{ 200, 700 }, { 320, 700 }, { 440, 700 }, { 560, 700 }, { 680, 700 },	\
	{ 800, 743 }, { 920, 794 }, { 1040, 846 }, { 1160, 897 }, { 1280, 949 },	\
	{ 1400, 1000 }	\
}

#define V100_CLOCKS {	\
	{ 180, 700 }, { 315, 700 }, { 450, 700 }, { 585, 700 }, { 720, 700 },	\
	{ 855, 735 }, { 990, 788 }, { 1125, 841 }, { 1260, 894 }, { 1395, 947 },	\
	{ 1530, 1000 }	\
}

#define A100_CLOCKS {	\
	{ 210, 700 }, { 330, 700 }, { 450, 700 }, { 570, 700 }, { 690, 700 },	\
	{ 810, 745 }, { 930, 796 }, { 1050, 847 }, { 1170, 898 }, { 1290, 949 },	\
	{ 1410, 1000 }	\
}

#define H100_CLOCKS {	\
	{ 330, 700 }, { 495, 700 }, { 660, 700 }, { 825, 700 }, { 990, 700 },	\
	{ 1155, 750 }, { 1320, 800 }, { 1485, 850 }, { 1650, 900 }, { 1815, 950 },	\
	{ 1980, 1000 }	\
}

static const struct clock_table tables[] = {
	{ "hbm80", 11, HBM80_CLOCKS },
	{ "v100", 11, V100_CLOCKS },
	{ "a100", 11, A100_CLOCKS },
	{ "a100-80", 11, A100_CLOCKS },
	{ "a100-hw", 11, A100_CLOCKS },
	{ "h100", 11, H100_CLOCKS },
	{ "h100-hw", 11, H100_CLOCKS },
};

const struct clock_table *clocks_find(const char *config, u32 core_mhz)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct clock_table *table = &tables[i];

		if (!strcmp(table->config, config))
			return table->clock[table->count - 1].mhz == core_mhz ? table : NULL;
	}
	return NULL;
}

u32 clocks_below(const struct clock_table *table, u32 mhz)
{
	u32 below = 0;

	while (mhz && below + 1 < table->count &&
	       table->clock[table->count - 1 - below].mhz > mhz)
		below++;
	return below;
}
