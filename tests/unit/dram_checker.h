/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A checker of DRAM commands, written from the standards' rules and apart from
 * the engine's table; and a memory channel alone, whose queue can be kept full.
 */
#ifndef TESTS_DRAM_CHECKER_H
#define TESTS_DRAM_CHECKER_H

#include "../../kmod/sim/sim.h"

enum dram_rule {
	TRC, TRP, TRRD_L, TRRD_S, TFAW, TRFC, TRFC_BANK, TRREFD,	/* activate */
	TRAS, TRTP, TWR,			/* precharge */
	TRCD_READ, TRCD_WRITE,
	READ_READ, READ_READ_GROUP, WRITE_WRITE, WRITE_WRITE_GROUP,
	READ_WRITE, TWTR_S, TWTR_L,
	DRAM_RULES
};

/**
 * struct dram_checker - what the commands of channel 0 so far allow
 * @burst: clocks of a line's data
 * @data: of an access's
 * @accesses: column accesses of a line
 * @one_by_one: each of them is a command
 * @bank_refresh: by bank, where banks are refreshed in turn
 * @turn: then the bank whose refresh comes next
 * @part: by bank, accesses of a line that is not complete
 * @group_banks: banks of a bank group
 * @slack: by rule, the least number of clocks that a command came after the
 *	first that the rule allows
 */
struct dram_checker {
	const struct gpu_config *config;
	s64 burst, data, accesses;
	bool one_by_one;
	s64 part[DRAM_BANKS_MAX];
	u32 group_banks;
	s64 bank_refresh[DRAM_BANKS_MAX];
	u32 turn;
	s64 activate[DRAM_BANKS_MAX], precharge[DRAM_BANKS_MAX];
	s64 read[DRAM_BANKS_MAX], write[DRAM_BANKS_MAX];
	s64 last_activates[4], refresh, data_end, row_command, column_command;
	bool open[DRAM_BANKS_MAX];
	u32 row[DRAM_BANKS_MAX];
	s64 slack[DRAM_RULES];
	u64 activates, reads, writes, refreshes;
};

void dram_checker_init(struct dram_checker *checker,
		       const struct gpu_config *config);
/* How many refreshes, or refreshes of a bank, have fallen due in so many clocks. */
u64 dram_checker_due(const struct dram_checker *checker, u64 clocks);
/* A gpu_command_hook: fails the test if a command comes too early. */
void dram_checker_command(void *checker, u32 channel, u64 clock,
			  enum dram_command command, u32 bank, u32 row);

/**
 * struct lone_channel - a device of which only channel 0 is used
 * @row: that the next request of a bank hits, if it is to hit
 * @random: state of the generator
 */
struct lone_channel {
	struct gpu_config config;
	struct dram_checker checker;
	struct gpu *gpu;
	void *memory;
	u32 row[DRAM_BANKS_MAX];
	u64 random;
};

void lone_channel_make(struct lone_channel *bench, const struct gpu_config *config);
void lone_channel_free(struct lone_channel *bench);
void lone_channel_post(struct lone_channel *bench, bool write, u32 bank, u32 row);
/* Random banks; the next request of a bank hits its last row by chance. */
void lone_channel_saturate(struct lone_channel *bench, u32 hit_percent,
			 u32 write_percent, u64 clocks);

#endif /* TESTS_DRAM_CHECKER_H */
