/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How tenants hinder each other in a memory channel, and what is counted of that: the time
 * that their banks serve others, rows that others close, banks that hold
 * their requests, and the data bus. Only dram.c includes this file.
 */
#ifndef SIM_DRAM_TENANTS_H
#define SIM_DRAM_TENANTS_H

#include "sim.h"

/* --- interference between tenants ------------------------------------------- */

/* clocks_of_others() for a tenant that the bank does not serve now. */
static inline u32 clocks_of_all_others(const struct channel *channel, u32 bank,
				       u32 slot, u64 clock)
{
	u32 end = channel->closed_at[bank], clocks;

	clocks = channel->served[bank] - channel->share[bank][slot].clocks;
	if (channel->owner[bank] == NONE)
		return clocks;
	if (channel->open & (1U << bank))
		end = (u32)clock;
	return clocks + end - channel->owned_since[bank];
}

/* Clocks up to now in which a bank has served tenants other than this one. */
static __always_inline u32 clocks_of_others(const struct channel *channel,
					    u32 bank, u32 slot, u64 clock)
{
	if (channel->owner[bank] == slot)
		return channel->others[bank];
	return clocks_of_all_others(channel, bank, slot, clock);
}

/* A bank's owner gives it up; without that its row would stay open. */
static inline void end_ownership(struct channel *channel, u32 bank)
{
	u32 clocks = channel->closed_at[bank] - channel->owned_since[bank];
	u32 owner = channel->owner[bank];
	struct dram_share *share = &channel->share[bank][owner];

	share->clocks += clocks;
	share->row = channel->row[bank];
	channel->served[bank] += clocks;
	if (channel->fresh & (1U << bank))
		channel->reopening[bank] |= 1ULL << owner;
}

/* The bank's next activate is for another tenant. */
static inline void change_owner(struct channel *channel, u32 bank,
				struct dram_entry *entry, u32 row, u64 clock)
{
	u32 slot = entry->tag.slot;
	u64 bit = 1ULL << slot;

	if (channel->owner[bank] != NONE)
		end_ownership(channel, bank);
	channel->owner[bank] = slot;
	channel->others[bank] = channel->served[bank] -
				channel->share[bank][slot].clocks;
	channel->owned_since[bank] = (u32)clock;
	if ((channel->reopening[bank] & bit) &&
	    channel->share[bank][slot].row == row)
		entry->reopened++;
	channel->reopening[bank] &= ~bit;
}

/* --- banks and bus of a tenant ------------------------------------------------ */

/* Count the banks that hold a tenant's requests up to a clock. */
static inline void count_banks(struct dram_tenant *tenant, u64 clock)
{
	u32 clocks = (u32)clock - tenant->since;

	tenant->bank_busy += clocks * tenant->banks;
	tenant->bank_active += tenant->banks ? clocks : 0;
	tenant->since = (u32)clock;
}

static inline void bank_takes(struct channel *channel, u32 bank, u32 slot, u64 clock)
{
	struct dram_tenant *tenant = &channel->tenant[slot];

	if (tenant->held[bank]++)
		return;
	count_banks(tenant, clock);
	tenant->banks++;
}

/* A line of a tenant is on its way; it takes the data bus for @burst clocks. */
static inline void bank_gives(struct channel *channel, u32 bank, u32 slot, u32 burst,
			      u64 clock)
{
	struct dram_tenant *tenant = &channel->tenant[slot];

	if (!--tenant->held[bank]) {
		count_banks(tenant, clock);
		tenant->banks--;
	}
	tenant->bus_data += burst;
	channel->bus_data += burst;
}

/* Clocks of other tenants' data on the bus. */
static inline u32 others_data(const struct channel *channel, u32 slot)
{
	return channel->bus_data - channel->tenant[slot].bus_data;
}

/*
 * A bank's hit gets its column access: count how long other tenants' data kept it
 * waiting. That is no longer than it has been there and the bank allowed the access.
 */
static inline void count_bus_wait(struct channel *channel, u32 bank,
				  const struct dram_entry *entry, u32 command,
				  u64 clock)
{
	u32 others = others_data(channel, entry->tag.slot);
	u32 data = others - channel->bus_others[bank], waited;

	if (!data)
		return;
	channel->bus_others[bank] = others;
	waited = (u32)(clock - channel->bank_next[command][bank]);
	if (waited > (u32)clock - entry->since)
		waited = (u32)clock - entry->since;
	channel->tenant[entry->tag.slot].bus_wait += min(data, waited);
}

#endif /* SIM_DRAM_TENANTS_H */
