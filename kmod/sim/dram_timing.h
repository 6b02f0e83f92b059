/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timings of DRAM commands: the table of all constraints, and the clocks
 * from which each bank and channel allows each command again.
 */
#ifndef SIM_DRAM_TIMING_H
#define SIM_DRAM_TIMING_H

#include "sim.h"

/*
 * The timings: X(level, command before, command after, clocks between them).
 *
 * A request is one line, several column accesses to a bank. Usually these are
 * issued as one command: READ and WRITE stand for the first access, and @span
 * is the distance from the first to the last. But where accesses to other bank groups
 * fit in between (tCCDl above tCCDs), each access is a command of its own and
 * @span is 0. @data is the time that the bus needs for an access.
 */
#define DRAM_CONSTRAINTS(X) \
	do { \
		X(BANK, ACTIVATE, ACTIVATE, t->trc); \
		X(BANK, ACTIVATE, READ, t->trcd_read); \
		X(BANK, ACTIVATE, WRITE, t->trcd_write); \
		X(BANK, ACTIVATE, PRECHARGE, t->tras); \
		X(BANK, READ, PRECHARGE, span + t->trtp); \
		X(BANK, WRITE, PRECHARGE, write_end + t->twr); \
		X(BANK, PRECHARGE, ACTIVATE, t->trp); \
		X(GROUP, ACTIVATE, ACTIVATE, t->trrd_l); \
		X(GROUP, READ, READ, span + max(t->tccd_l, data)); \
		X(GROUP, WRITE, WRITE, span + max(t->tccd_l, data)); \
		X(GROUP, WRITE, READ, write_end + t->twtr_l); \
		X(CHANNEL, ACTIVATE, ACTIVATE, t->trrd_s); \
		X(CHANNEL, READ, READ, span + max(t->tccd_s, data)); \
		X(CHANNEL, WRITE, WRITE, span + max(t->tccd_s, data)); \
		X(CHANNEL, READ, WRITE, span + read_to_write); \
		X(CHANNEL, WRITE, READ, write_end + t->twtr_s); \
	} while (0)

static inline void not_before(u64 *at, u64 clock)
{
	*at = max(*at, clock);
}

/* Limits of a bank group are kept in each of its banks. */
static __always_inline void forbid_at(const struct dram_limits *limits,
				      struct channel *channel, u32 level,
				      u32 bank, u32 before, u32 after, u64 clock)
{
	u32 distance = limits->distance[level][before][after];
	u64 *next = channel->bank_next[after];

	if (level == DRAM_CHANNEL) {
		not_before(&channel->next[after], clock + distance);
	} else if (level == DRAM_BANK) {
		not_before(&next[bank], clock + distance);
	} else if (distance) {
		u32 end = (bank | (limits->group_banks - 1U)) + 1;

		for (bank = end - limits->group_banks; bank < end; bank++)
			not_before(&next[bank], clock + distance);
	}
}

#define FORBID(level, before, after, clocks) \
	do { \
		if (command == DRAM_##before) \
			forbid_at(&gpu->limits, channel, DRAM_##level, bank, \
				  DRAM_##before, DRAM_##after, clock); \
	} while (0)

/* A command is issued: the commands that it forbids have to wait. @command is a constant. */
static __always_inline void forbid(const struct gpu *gpu, struct channel *channel,
				   u32 bank, u32 command, u64 clock)
{
	DRAM_CONSTRAINTS(FORBID);
}

/* Four activates in tFAW: the fifth waits for the first. */
static inline void forbid_fifth(const struct gpu *gpu, struct channel *channel,
				u64 clock)
{
	u32 oldest = channel->oldest_window;

	channel->window[oldest] = clock + gpu->limits.activate_window;
	oldest = (oldest + 1) % 4;
	channel->oldest_window = oldest;
	not_before(&channel->next[DRAM_ACTIVATE], channel->window[oldest]);
}

#endif /* SIM_DRAM_TIMING_H */
