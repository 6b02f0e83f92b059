// SPDX-License-Identifier: GPL-2.0
/* The timings of a DRAM standard, as least distances between commands. */
#include "dram_timing.h"

#define SET_DISTANCE(level, before, after, clocks) \
	(limits->distance[DRAM_##level][DRAM_##before][DRAM_##after] = (clocks))

/* Drop a group's distance where the channel's distance is at least as long. */
static void drop_covered(struct dram_limits *limits, bool one_group)
{
	u32 before, after;

	for (before = 0; before < DRAM_BOUND; before++) {
		for (after = 0; after < DRAM_BOUND; after++) {
			u16 *group = &limits->distance[DRAM_GROUP][before][after];
			u16 *channel =
				&limits->distance[DRAM_CHANNEL][before][after];

			if (one_group && *channel < *group)
				*channel = *group;
			if (*group <= *channel)
				*group = 0;
		}
	}
}

/* Whether accesses to other bank groups fit between those of a line. */
static bool groups_interleave(const struct gpu_config *config)
{
	return config->bank_groups > 1 &&
	       config->dram.tccd_l > config->dram.tccd_s;
}

/*
 * dram_compile() - compute the distances between commands from a standard's timings
 *
 * dram_timing.read_to_write counts from the first access of a line whose data
 * has no gaps.
 */
void dram_compile(const struct gpu_config *config, struct dram_limits *limits)
{
	const struct dram_timing *t = &config->dram;
	u16 accesses = config->column_accesses_per_line;
	u16 burst = GPU_LINE_BYTES / config->channel_bytes_per_clock;
	u16 data = (burst + accesses - 1) / accesses;
	/* Column accesses of other lines may come between those of one line. */
	u16 columns = groups_interleave(config) || config->llc_sectors > 1 ?
		      accesses : 1;
	u16 span = (accesses / columns - 1) * max(t->tccd_l, data);
	u16 write_end = t->twl + span + data;
	u16 rest = burst > data ? burst - data : 0;
	u16 read_to_write = max(t->read_to_write, rest) - rest;
	u32 i;

	memset(limits, 0, sizeof(*limits));
	DRAM_CONSTRAINTS(SET_DISTANCE);
	drop_covered(limits, config->bank_groups == 1);
	limits->activate_window = t->tfaw;
	limits->read_data = t->tcl + span + data;
	limits->write_data = write_end;
	limits->burst = burst;
	limits->group_banks = config->banks / config->bank_groups;
	limits->columns = columns;
	for (i = 1; i <= TRACE_SECTORS; i++) {
		limits->burst_of[i] = (burst * i + TRACE_SECTORS - 1) /
				      TRACE_SECTORS;
		limits->columns_of[i] = (columns * i + TRACE_SECTORS - 1) /
					TRACE_SECTORS;
	}
}
