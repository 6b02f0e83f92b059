// SPDX-License-Identifier: GPL-2.0
/*
 * What model and policy see of counters that are not exact or not up to date:
 * with noise (counter_noise), or of earlier epochs (counter_delay). The session
 * itself computes with, and reports, exact counts.
 */
#include "internal.h"
#include "private_run.h"
#include "registers.h"
#include "sight.h"
#include "snapshot.h"

/* Keeps these random numbers apart from the run's others, which do not change. */
#define NOISE_STREAM	0x6e6f697365ULL

/* The words of the list of counters. */
enum seen { EXACT, NOISY, PART, SHARE };

#define SIMGPU_PLACE_none	SIMGPU_COUNTER_PLACES

static const struct {
	u8 seen;
	u8 whole;
} rules[] = {
#define COUNTER(number, name, seen, whole, text)			\
	[number] = { seen, SIMGPU_PLACE_##whole },
#include <simgpu/counter_list.h>
};

/* The factor of a tenant's counter; it is the same all epoch, so counters never go back. */
static u64 factor_ppm(const struct session *session, u32 slot, u32 place)
{
	u64 most = session->initial.counter_noise * (SIMGPU_PPM / 100);
	u64 draw = hash_mix(NOISE_STREAM, session->initial.seed);

	draw = hash_mix(draw, session->epoch_start);
	draw = hash_mix(draw, slot | (u64)place << 32);
	draw = hash_mix(draw, NOISE_STREAM) & U32_MAX;
	return SIMGPU_PPM - most + (draw * (2 * most + 1) >> 32);
}

/* Keep each part no greater than its whole, if it was so before noise. */
static void keep_parts(const u64 *exact, u64 *seen)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].seen == PART && exact[i] <= exact[rules[i].whole])
			seen[i] = min(seen[i], seen[rules[i].whole]);
}

/* Limit shares to what earlier ones have left of a whole, if it was so before noise. */
static void keep_shares(const u64 *exact, u64 *seen, u32 whole)
{
	u64 exact_rest = exact[whole], rest = seen[whole];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (rules[i].seen != SHARE || rules[i].whole != whole)
			continue;
		if (exact[i] > exact_rest)
			break;
		exact_rest -= exact[i];
		seen[i] = min(seen[i], rest);
		rest -= seen[i];
	}
}

/* Limit sums of several counters, and what the device can do at most. */
static void keep_sums(const struct session *session,
		      const struct simgpu_counters *exact, u64 clocks,
		      struct simgpu_counters *seen)
{
	if (exact->row_activates <= simgpu_dram_requests(exact))
		seen->row_activates = min(seen->row_activates,
					  simgpu_dram_requests(seen));
	seen->row_interference = min(seen->row_interference,
				     seen->row_activates);
	seen->thread_instructions = min(seen->thread_instructions,
					seen->warp_instructions * GPU_LANES);
	seen->bus_busy_clocks = min(seen->bus_busy_clocks,
				    clocks * gpu_config(session->gpu)->channels);
}

/* The counters over the present epoch, with its noise. */
static void add_noise(const struct session *session, u32 slot,
		      struct simgpu_counters *counters)
{
	const struct simgpu_counters exact = *counters;
	u64 *seen = (u64 *)counters;
	u64 clocks;
	u32 i;

	if (!session->initial.counter_noise)
		return;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].seen != EXACT)
			seen[i] = fixed_mul_div(seen[i],
						factor_ppm(session, slot, i),
						SIMGPU_PPM);
	clocks = gpu_memory_clocks(session->gpu, session_now(session) -
						 session->epoch_start);
	keep_parts((const u64 *)&exact, seen);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		keep_shares((const u64 *)&exact, seen, i);
	keep_sums(session, &exact, clocks, counters);
}

static void add_counters(struct simgpu_counters *to,
			 const struct simgpu_counters *what)
{
	const u64 *more = (const u64 *)what;
	u64 *sum = (u64 *)to;
	u32 i;

	for (i = 0; i < sizeof(*to) / sizeof(u64); i++)
		sum[i] = fixed_add(sum[i], more[i]);
}

static bool is_exact(const struct session *session)
{
	return !(session->initial.counter_noise | session->initial.counter_delay);
}

/* The total: the present epoch with noise, and the epochs before as they were seen. */
static void total_of(const struct session *session, u32 slot,
		     struct simgpu_counters *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	counters_subtract(&tenant->last, &tenant->epoch_base, out);
	add_noise(session, slot, out);
	add_counters(out, &tenant->seen);
}

/* sight_bytes() - memory for the counters of earlier epochs */
size_t sight_bytes(const struct session_options *options)
{
	return options->counter_delay * sizeof(struct past);
}

static void keep(struct session *session, u32 slot, struct past *past)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct simgpu_counters *epoch = &past->counters[slot];

	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	total_of(session, slot, &past->total[slot]);
	counters_subtract(&tenant->last, &tenant->epoch_base, epoch);
	if (gpu_config(session->gpu)->hardware_counters)
		registers_read(session, slot, epoch);
	add_noise(session, slot, epoch);
	past->private_cycles[slot] = private_run_cycles(session, slot);
}

/*
 * sight_epoch_end() - the present epoch ends, and its counters are still there: keep what
 *	will be seen of it
 */
void sight_epoch_end(struct session *session)
{
	struct past *past = session->past;
	u32 slot;

	if (is_exact(session))
		return;
	if (past) {
		past += session->past_at;
		past->cycles = session_now(session) - session->epoch_start;
		past->memory_clocks = gpu_memory_clocks(session->gpu,
							past->cycles);
		session->past_at = (session->past_at + 1) %
				   session->initial.counter_delay;
	}
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct simgpu_counters total;

		if (!is_member(session, slot))
			continue;
		if (past)
			keep(session, slot, past);
		gpu_tenant_counters(session->gpu, slot,
				    &session->tenants[slot].last);
		total_of(session, slot, &total);
		session->tenants[slot].seen = total;
	}
}

/* sight_forget() - another tenant is in a slot: forget what was seen there */
void sight_forget(struct session *session, u32 slot)
{
	u32 i;

	for (i = 0; i < session->initial.counter_delay; i++) {
		struct past *past = &session->past[i];

		past->private_cycles[slot] = 0;
		memset(&past->counters[slot], 0, sizeof(past->counters[slot]));
		memset(&past->total[slot], 0, sizeof(past->total[slot]));
	}
}

/* sight_time() - set the snapshot's span to that of its counters, if there is such an epoch */
void sight_time(struct session *session)
{
	const struct past *past = session->past;

	if (!past || !past[session->past_at].cycles)
		return;
	past += session->past_at;
	session->snapshot.epoch_cycles = past->cycles;
	session->snapshot.memory_clocks = past->memory_clocks;
}

/* sight_tenant() - turn a tenant's exact counters in the snapshot into what is seen */
void sight_tenant(struct session *session, u32 slot,
		  struct simgpu_snapshot_tenant *out)
{
	const struct past *past = session->past;

	if (is_exact(session))
		return;
	if (!past) {
		total_of(session, slot, &out->total);
		add_noise(session, slot, &out->counters);
		return;
	}
	past += session->past_at;
	out->counters = past->counters[slot];
	out->total = past->total[slot];
	out->private_cycles = past->private_cycles[slot];
}
