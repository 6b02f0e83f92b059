// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of launches with commands. A copy crosses the link to the host in its direction, after
 * the time that each copy takes to set up; copies on the device and sets take the device's
 * memory at its peak rate. Who shares one of these takes turns with the others, a piece each:
 * the pager's copies, too, which are pages.
 */
#include "commands.h"
#include "copies.h"
#include "pager_parts.h"

static const struct launch *launch_of(const struct session *session, u32 slot, u32 number)
{
	return present_launch(&session->tenants[slot].queue[number]);
}

static const struct trace_command *command_of(const struct session *session, u32 slot,
					      u32 number)
{
	return commands_present(launch_of(session, slot, number)->trace,
				&session->tenants[slot].part[number]);
}

static enum copy_way way_of(const struct trace_command *command)
{
	switch (command->kind) {
	case TRACE_COMMAND_COPY_IN:
		return COPY_WAY_IN;
	case TRACE_COMMAND_COPY_OUT:
		return COPY_WAY_OUT;
	default:
		return COPY_WAY_DEVICE;
	}
}

/* Cycles for bytes at a rate in million bytes a second, rounded up. */
static u64 cycles_of(const struct gpu_config *config, u64 bytes, u64 mb_per_s)
{
	return (bytes * config->core_mhz + mb_per_s - 1) / mb_per_s;
}

/* For how long a piece keeps what it takes busy. */
static u64 piece_cycles(const struct gpu_config *config, const struct trace_command *command,
			u64 bytes)
{
	u64 peak = gpu_peak_mb_per_s(config);

	switch (command->kind) {
	case TRACE_COMMAND_COPY_IN:
		return cycles_of(config, bytes, config->link_in_mb_per_s);
	case TRACE_COMMAND_COPY_OUT:
		return cycles_of(config, bytes, config->link_out_mb_per_s);
	case TRACE_COMMAND_COPY:
		return cycles_of(config, 2 * bytes, peak);
	default:
		return cycles_of(config, bytes, peak);
	}
}

/* The cycle from which on what a way takes is free. The pager's copies take the link, too. */
static u64 free_at(const struct session *session, enum copy_way way)
{
	const struct pager *pager = session->pager;
	u64 at = max(session->copy_free[way], session_now(session));

	if (pager && way == COPY_WAY_IN)
		at = max(at, pager->link_in);
	if (pager && way == COPY_WAY_OUT)
		at = max(at, pager->link_out);
	return at;
}

static void keep_busy(struct session *session, enum copy_way way, u64 until)
{
	struct pager *pager = session->pager;

	session->copy_free[way] = until;
	if (pager && way == COPY_WAY_IN)
		pager->link_in = until;
	if (pager && way == COPY_WAY_OUT)
		pager->link_out = until;
}

static void count_bytes(struct session *session, u32 slot, enum copy_way way, u64 bytes)
{
	struct simgpu_counters *counters = gpu_pager_counters(session->gpu, slot);

	if (way == COPY_WAY_IN)
		counters->copied_in_bytes += bytes;
	else if (way == COPY_WAY_OUT)
		counters->copied_out_bytes += bytes;
}

/* copies_go_on() - the next piece of a part's copy takes its turn */
void copies_go_on(struct session *session, u32 slot, u32 number)
{
	const struct trace_command *command = command_of(session, slot, number);
	const struct gpu_config *config = &session->initial.config;
	struct launch_part *part = &session->tenants[slot].part[number];
	enum copy_way way = way_of(command);
	u64 bytes = min_t(u64, command->amount - part->sent, COPY_PIECE_BYTES);
	u64 from = free_at(session, way);

	if (!part->sent && way != COPY_WAY_DEVICE)
		from += ((u64)config->link_setup_ns * config->core_mhz + 999) / 1000;
	part->until = from + piece_cycles(config, command, bytes);
	keep_busy(session, way, part->until);
	part->sent += bytes;
	count_bytes(session, slot, way, bytes);
}

/* copies_begin() - a part comes to a copy */
void copies_begin(struct session *session, u32 slot, u32 number)
{
	session->tenants[slot].part[number].sent = 0;
	copies_go_on(session, slot, number);
}

/* copies_are_done() - whether a part's copy has ended */
bool copies_are_done(const struct session *session, u32 slot, u32 number)
{
	const struct launch_part *part = &session->tenants[slot].part[number];

	return part->sent == command_of(session, slot, number)->amount &&
	       part->until <= session_now(session);
}

/* copies_end() - the device cycle in which it has */
u64 copies_end(const struct session *session, u32 slot, u32 number)
{
	return session->tenants[slot].part[number].until;
}

/* copies_next() - the device cycle in which a part's copy goes on, or ends */
u64 copies_next(const struct session *session, u32 slot, u32 number)
{
	return session->tenants[slot].part[number].until;
}

/* copies_hash() - add what copies keep busy to a hash, where there were any */
u64 copies_hash(const struct session *session, u64 hash)
{
	static const u64 none[COPY_WAYS];

	return memcmp(session->copy_free, none, sizeof(none)) ?
	       hash_bytes(hash, session->copy_free, sizeof(session->copy_free)) : hash;
}
