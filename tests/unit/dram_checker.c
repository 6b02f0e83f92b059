// SPDX-License-Identifier: GPL-2.0
/* The checker of DRAM commands and the channel alone; see dram_checker.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dram_checker.h"

#define LONG_AGO	(-1000000LL)

/* --- the checker ------------------------------------------------------------------- */

void dram_checker_init(struct dram_checker *c, const struct gpu_config *config)
{
	u32 i;

	memset(c, 0, sizeof(*c));
	c->config = config;
	c->burst = GPU_LINE_BYTES / config->channel_bytes_per_clock;
	c->accesses = config->column_accesses_per_line;
	c->data = c->burst / c->accesses;
	assert_int_equal(c->data * c->accesses, c->burst);
	c->one_by_one = config->bank_groups > 1 &&
			config->dram.tccd_l > config->dram.tccd_s;
	c->group_banks = config->banks / config->bank_groups;
	for (i = 0; i < DRAM_BANKS_MAX; i++) {
		c->activate[i] = LONG_AGO;
		c->precharge[i] = LONG_AGO;
		c->read[i] = LONG_AGO;
		c->write[i] = LONG_AGO;
		c->bank_refresh[i] = LONG_AGO;
		c->last_activates[i % 4] = LONG_AGO;
	}
	c->refresh = LONG_AGO;
	c->data_end = LONG_AGO;
	c->row_command = -1;
	c->column_command = -1;
	for (i = 0; i < DRAM_RULES; i++)
		c->slack[i] = 1000000;
}

static u64 refresh_interval(const struct dram_checker *c)
{
	const struct dram_timing *t = &c->config->dram;

	return t->trfc_bank ? t->trefi / c->config->banks : t->trefi;
}

u64 dram_checker_due(const struct dram_checker *c, u64 clocks)
{
	return c->config->dram.trefi ? clocks / refresh_interval(c) : 0;
}

static void keep(struct dram_checker *c, enum dram_rule rule, s64 clock,
		 s64 since, s64 distance)
{
	s64 slack = clock - since - distance;

	/* Where nothing came before, nothing is shown. */
	if (since > LONG_AGO && slack < c->slack[rule])
		c->slack[rule] = slack;
	assert_true(since == LONG_AGO || slack >= 0);
}

static s64 latest(const s64 *clocks, u32 first, u32 count)
{
	s64 at = LONG_AGO;
	u32 i;

	for (i = first; i < first + count; i++)
		if (clocks[i] > at)
			at = clocks[i];
	return at;
}

/* The latest of a command in the whole channel, and in a bank's group. */
static s64 in_channel(const struct dram_checker *c, const s64 *clocks)
{
	return latest(clocks, 0, c->config->banks);
}

static s64 in_group(const struct dram_checker *c, const s64 *clocks, u32 bank)
{
	return latest(clocks, bank / c->group_banks * c->group_banks,
		      c->group_banks);
}

static void check_activate(struct dram_checker *c, s64 clock, u32 bank, u32 row)
{
	const struct dram_timing *t = &c->config->dram;

	assert_false(c->open[bank]);
	keep(c, TRC, clock, c->activate[bank], t->trc);
	keep(c, TRP, clock, c->precharge[bank], t->trp);
	keep(c, TRRD_L, clock, in_group(c, c->activate, bank), t->trrd_l);
	keep(c, TRRD_S, clock, in_channel(c, c->activate), t->trrd_s);
	keep(c, TFAW, clock, c->last_activates[c->activates % 4], t->tfaw);
	keep(c, TRFC, clock, c->refresh, t->trfc);
	keep(c, TRFC_BANK, clock, c->bank_refresh[bank], t->trfc_bank);
	keep(c, TRREFD, clock, in_channel(c, c->bank_refresh), t->trrefd);
	c->last_activates[c->activates++ % 4] = clock;
	c->activate[bank] = clock;
	c->open[bank] = true;
	c->row[bank] = row;
}

static void check_precharge(struct dram_checker *c, s64 clock, u32 bank)
{
	const struct dram_timing *t = &c->config->dram;

	keep(c, TRAS, clock, c->activate[bank], t->tras);
	keep(c, TRTP, clock, c->read[bank], t->trtp);
	keep(c, TWR, clock, c->write[bank], t->twl + c->data + t->twr);
	/* No row is closed in the middle of a line. */
	assert_int_equal(c->part[bank], 0);
	c->open[bank] = false;
	c->precharge[bank] = clock;
}

/* The data bus and the column commands, one access at a time. */
static void check_access(struct dram_checker *c, s64 clock, s64 data_start)
{
	assert_true(data_start >= c->data_end);
	c->data_end = data_start + c->data;
	assert_true(clock > c->column_command);
	c->column_command = clock;
}

static void check_read(struct dram_checker *c, s64 clock, u32 bank)
{
	const struct dram_timing *t = &c->config->dram;
	s64 write_end = t->twl + c->data;

	keep(c, TRCD_READ, clock, c->activate[bank], t->trcd_read);
	keep(c, READ_READ, clock, in_channel(c, c->read), t->tccd_s);
	keep(c, READ_READ_GROUP, clock, in_group(c, c->read, bank), t->tccd_l);
	keep(c, TWTR_S, clock, in_channel(c, c->write), write_end + t->twtr_s);
	keep(c, TWTR_L, clock, in_group(c, c->write, bank),
	     write_end + t->twtr_l);
}

/* read_to_write is from the first access of a line without gaps. */
static void check_write(struct dram_checker *c, s64 clock, u32 bank)
{
	const struct dram_timing *t = &c->config->dram;

	keep(c, TRCD_WRITE, clock, c->activate[bank], t->trcd_write);
	keep(c, WRITE_WRITE, clock, in_channel(c, c->write), t->tccd_s);
	keep(c, WRITE_WRITE_GROUP, clock, in_group(c, c->write, bank),
	     t->tccd_l);
	keep(c, READ_WRITE, clock, in_channel(c, c->read),
	     t->read_to_write - (c->accesses - 1) * c->data);
}

/*
 * A command, which stands for one access of a line or for all, tccd_l apart.
 * Those that follow by themselves must be allowed, but show no tightness.
 */
static void check_column(struct dram_checker *c, s64 clock, u32 bank, u32 row,
			 bool write)
{
	const struct dram_timing *t = &c->config->dram;
	u32 accesses = c->one_by_one ? 1 : c->accesses, i;
	s64 slack[DRAM_RULES];

	assert_true(c->open[bank] && c->row[bank] == row);
	for (i = 0; i < accesses; i++, clock += t->tccd_l) {
		memcpy(slack, c->slack, sizeof(slack));
		if (write)
			check_write(c, clock, bank);
		else
			check_read(c, clock, bank);
		if (i)
			memcpy(c->slack, slack, sizeof(slack));
		check_access(c, clock, clock + (write ? t->twl : t->tcl));
		(write ? c->write : c->read)[bank] = clock;
	}
	c->part[bank] += accesses;
	if (c->part[bank] == c->accesses) {
		c->part[bank] = 0;
		if (write)
			c->writes++;
		else
			c->reads++;
	}
}

static void check_refresh(struct dram_checker *c, s64 clock)
{
	const struct dram_timing *t = &c->config->dram;
	u32 bank;

	for (bank = 0; bank < c->config->banks; bank++) {
		assert_false(c->open[bank]);
		keep(c, TRP, clock, c->precharge[bank], t->trp);
	}
	c->refresh = clock;
	c->refreshes++;
}

/*
 * Banks in turn, each closed, none before it is due or after the next one is. To the other
 * banks' activates a refresh is one more.
 */
static void check_bank_refresh(struct dram_checker *c, s64 clock, u32 bank)
{
	const struct dram_timing *t = &c->config->dram;

	assert_int_equal(bank, c->turn);
	assert_int_equal(dram_checker_due(c, clock), c->refreshes + 1);
	assert_false(c->open[bank]);
	keep(c, TRC, clock, c->activate[bank], t->trc);
	keep(c, TRP, clock, c->precharge[bank], t->trp);
	keep(c, TRRD_S, clock, in_channel(c, c->activate), t->trrd_s);
	keep(c, TRREFD, clock, in_channel(c, c->bank_refresh), t->trrefd);
	c->bank_refresh[bank] = clock;
	c->turn = (bank + 1) % c->config->banks;
	c->refreshes++;
}

/* One row command a clock, in order. */
static void check_row_bus(struct dram_checker *c, s64 clock)
{
	assert_true(clock > c->row_command);
	c->row_command = clock;
}

void dram_checker_command(void *checker, u32 channel, u64 clock,
			  enum dram_command command, u32 bank, u32 row)
{
	struct dram_checker *c = checker;

	if (channel)
		return;
	if (command != DRAM_READ && command != DRAM_WRITE)
		check_row_bus(c, clock);
	switch (command) {
	case DRAM_ACTIVATE:
		check_activate(c, clock, bank, row);
		break;
	case DRAM_PRECHARGE:
		assert_true(c->open[bank]);
		check_precharge(c, clock, bank);
		break;
	case DRAM_READ:
	case DRAM_WRITE:
		check_column(c, clock, bank, row, command == DRAM_WRITE);
		break;
	case DRAM_PRECHARGE_ALL:
		for (bank = 0; bank < c->config->banks; bank++)
			if (c->open[bank])
				check_precharge(c, clock, bank);
		break;
	default:
		if (c->config->dram.trfc_bank)
			check_bank_refresh(c, clock, bank);
		else
			check_refresh(c, clock);
	}
}

/* --- a channel whose queue is kept full ---------------------------------------------- */

void lone_channel_make(struct lone_channel *bench, const struct gpu_config *config)
{
	memset(bench, 0, sizeof(*bench));
	bench->config = *config;
	bench->memory = aligned_alloc(64, (gpu_bytes(config) + 63) & ~63UL);
	bench->gpu = gpu_init(bench->memory, config, 1);
	bench->random = 88172645463325252ULL;
	dram_checker_init(&bench->checker, &bench->config);
	gpu_set_command_hook(bench->gpu, dram_checker_command, &bench->checker);
}

void lone_channel_free(struct lone_channel *bench)
{
	free(bench->memory);
}

static u32 draw(struct lone_channel *bench, u32 below)
{
	bench->random ^= bench->random << 13;
	bench->random ^= bench->random >> 7;
	bench->random ^= bench->random << 17;
	return (u32)(bench->random >> 33) % below;
}

void lone_channel_post(struct lone_channel *bench, bool write, u32 bank, u32 row)
{
	struct dram_request request = {
		.sectors = TRACE_SECTORS, .bank = bank, .row = row,
	};

	channel_post(bench->gpu, 0, write, &request);
}

/* The slices take what the channel says at once. */
static void take_done(struct lone_channel *bench)
{
	u32 i;

	for (i = 0; i < bench->gpu->shape.slices_per_channel; i++) {
		bench->gpu->slices[i].done_count = 0;
		bench->gpu->slices[i].done_head = 0;
	}
}

void lone_channel_saturate(struct lone_channel *bench, u32 hit_percent,
			 u32 write_percent, u64 clocks)
{
	struct channel *channel = &bench->gpu->channels[0];
	u64 end = channel->clock + clocks;

	while (channel->clock < end) {
		while (channel->inbox[0].count < 64 &&
		       channel->inbox[1].count < 64) {
			u32 bank = draw(bench, bench->config.banks);

			if (draw(bench, 100) >= hit_percent)
				bench->row[bank] = draw(bench, 32768);
			lone_channel_post(bench, draw(bench, 100) < write_percent,
					bank, bench->row[bank]);
		}
		channel_run(bench->gpu, 0, channel->clock + 16);
		take_done(bench);
	}
}
