// SPDX-License-Identifier: GPL-2.0
/*
 * Clock, energy and power. Counters are kept as they are, and energies are computed from
 * them: what events would have taken at the highest clock, less what was saved since they
 * happened at a lower voltage. So nothing is counted twice, and without lower clocks all is
 * as if there were none.
 *
 * At a clock with the voltage V, and V0 at the highest one, an event in an SM takes
 * (V / V0)^2 of its energy in the table, and static power is V / V0 of that in the table:
 * leakage current is taken not to change (as in AccelWattch, Kandiah et al., MICRO 2021).
 * What happens in the last-level cache and in DRAM takes what it always does.
 *
 * The cap's rule: when a window ends, and the mean power in it was above the cap, the clock
 * goes one step below the present one. If it was so far below that even a power that grows
 * as clock times voltage squared would not exceed the cap, the cap allows one step more.
 */
#include "clocks.h"
#include "energy.h"
#include "internal.h"
#include "journal.h"
#include "power.h"

#define PPM	SIMGPU_PPM

/* --- clocks ------------------------------------------------------------------------------ */

static const struct clock_table *clocks_of(const struct session *session)
{
	const struct gpu_config *config = &session->initial.config;

	return clocks_find(config->name, config->core_mhz);
}

/* The clock that is so many steps below the highest. */
static const struct simgpu_clock *clock_at(const struct clock_table *table, u32 below)
{
	return &table->clock[table->count - 1 - below];
}

u32 power_clock_mhz(const struct session *session)
{
	return session->power.below ?
	       clock_at(clocks_of(session), session->power.below)->mhz :
	       session->initial.config.core_mhz;
}

/* The present voltage over the highest. */
static u64 voltage_ppm(const struct session *session)
{
	const struct clock_table *table = clocks_of(session);

	if (!session->power.below)
		return PPM;
	return (u64)clock_at(table, session->power.below)->mv * PPM / clock_at(table, 0)->mv;
}

/* power_has_clock() - whether the SMs can have a clock; 0 is the highest */
bool power_has_clock(const struct session *session, u64 mhz)
{
	const struct clock_table *table = clocks_of(session);
	u32 i;

	for (i = 0; table && i < table->count; i++)
		if (table->clock[i].mhz == mhz)
			return true;
	return !mhz;
}

/* power_clocks() - what a snapshot has of clocks that does not change */
void power_clocks(const struct session *session, struct simgpu_snapshot *snapshot)
{
	const struct clock_table *table = clocks_of(session);

	if (!table)
		return;
	snapshot->clock_count = table->count;
	memcpy(snapshot->clocks, table->clock, sizeof(snapshot->clocks));
}

/* Parts of energies that are saved at the present clock: of events in SMs, of static power. */
static u64 events_saved_ppm(const struct session *session)
{
	u64 volts = voltage_ppm(session);

	return PPM - volts * volts / PPM;
}

static u64 static_saved_ppm(const struct session *session)
{
	return PPM - voltage_ppm(session);
}

/* --- energy ------------------------------------------------------------------------------ */

/* A slot's counters; those of a tenant that has left are its last. */
static struct simgpu_counters counters_of(const struct session *session, u32 slot)
{
	struct simgpu_counters counters = session->tenants[slot].last;

	if (is_member(session, slot))
		gpu_tenant_counters(session->gpu, slot, &counters);
	return counters;
}

/* What a slot has saved so far, with events in SMs that would have taken @events_pj. */
static u64 slot_saved(const struct session *session, u32 slot, u64 events_pj)
{
	const struct power_tenant *own = &session->power.tenant[slot];
	u64 since = fixed_above(events_pj, own->settled_pj);

	return fixed_add(own->saved_pj,
			 fixed_mul_div(since, events_saved_ppm(session), PPM));
}

static u64 slot_pj(const struct session *session, u32 slot,
		   const struct energy_table *table,
		   const struct simgpu_counters *counters)
{
	return fixed_above(energy_dynamic_pj(table, counters),
			   slot_saved(session, slot, energy_sm_pj(table, counters)));
}

/* power_slot_pj() - what the events of a slot's tenant have taken; 0 if that is not known */
u64 power_slot_pj(const struct session *session, u32 slot)
{
	const struct energy_table *table = energy_find(session->initial.config.name);
	struct simgpu_counters counters;

	if (!table || !session->tenants[slot].joined)
		return 0;
	counters = counters_of(session, slot);
	return slot_pj(session, slot, table, &counters);
}

/* What static power has saved since it was settled. */
static u64 static_saves(const struct session *session, const struct energy_table *table)
{
	u64 cycles = session_now(session) - session->power.settled_cycle;

	return fixed_mul_div(energy_static_pj(table, cycles, session->initial.config.core_mhz),
			     static_saved_ppm(session), PPM);
}

static u64 static_saved(const struct session *session, const struct energy_table *table)
{
	return fixed_add(session->power.static_saved_pj, static_saves(session, table));
}

/* What is no slot's: static power, and events of tenants whose slots others have. */
static u64 shared_pj(const struct session *session, const struct energy_table *table)
{
	u64 all = energy_static_pj(table, session_now(session),
				   session->initial.config.core_mhz);

	return fixed_add(fixed_above(all, static_saved(session, table)),
			 session->power.left_pj);
}

/* All energy since the cold start; @read: each tenant's counters have just come to its @last */
static u64 energy_pj(const struct session *session, bool read)
{
	const struct energy_table *table = energy_find(session->initial.config.name);
	struct simgpu_counters counters;
	u64 sum;
	u32 slot;

	if (!table)
		return 0;
	sum = shared_pj(session, table);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!session->tenants[slot].joined)
			continue;
		counters = read ? session->tenants[slot].last : counters_of(session, slot);
		sum = fixed_add(sum, slot_pj(session, slot, table, &counters));
	}
	return sum;
}

static void settle_slot(struct session *session, u32 slot,
			const struct energy_table *table)
{
	struct power_tenant *own = &session->power.tenant[slot];
	struct simgpu_counters counters = counters_of(session, slot);
	u64 events_pj = energy_sm_pj(table, &counters);

	own->saved_pj = slot_saved(session, slot, events_pj);
	own->settled_pj = events_pj;
}

static u64 mhz_cycles(const struct session *session)
{
	return fixed_mul(session_now(session) - session->power.settled_cycle,
			 session->initial.config.core_mhz - power_clock_mhz(session));
}

/* Energies up to now are of the present voltage; from here on it may be another one. */
static void settle(struct session *session)
{
	const struct energy_table *table = energy_find(session->initial.config.name);
	struct power *power = &session->power;
	u32 slot;

	power->mhz_cycles = fixed_add(power->mhz_cycles, mhz_cycles(session));
	if (table) {
		power->static_saved_pj = static_saved(session, table);
		for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
			if (is_member(session, slot))
				settle_slot(session, slot, table);
	}
	power->settled_cycle = session_now(session);
}

/* power_join() - a tenant takes a slot; its counters begin anew */
void power_join(struct session *session, u32 slot)
{
	struct power *power = &session->power;

	power->left_pj = fixed_add(power->left_pj, power_slot_pj(session, slot));
	power->tenant[slot] = (struct power_tenant) { 0 };
}

/* power_leave() - a tenant leaves, with its last counters in @last */
void power_leave(struct session *session, u32 slot)
{
	const struct energy_table *table = energy_find(session->initial.config.name);

	if (table)
		settle_slot(session, slot, table);
}

/* --- power ------------------------------------------------------------------------------- */

/* Microwatts of so much energy in so many cycles. */
static u64 microwatts(const struct session *session, u64 pj, u64 cycles)
{
	return cycles ? fixed_mul_div(pj, (u64)session->initial.config.core_mhz,
				      cycles) : 0;
}

/* power_epoch_uw() - mean power of the present epoch so far; 0 as it begins */
u64 power_epoch_uw(const struct session *session)
{
	return microwatts(session, energy_pj(session, false) - session->power.epoch_pj,
			  session_now(session) - session->epoch_start);
}

/*
 * power_fill() - what a snapshot has of clock and power, once it has read all tenants' counters
 */
void power_fill(const struct session *session, struct simgpu_snapshot *snapshot)
{
	u64 uw = microwatts(session, energy_pj(session, true) - session->power.epoch_pj,
			    session_now(session) - session->epoch_start);

	snapshot->clock_mhz = power_clock_mhz(session);
	snapshot->power_mw = (u32)min_t(u64, uw / 1000, U32_MAX);
	snapshot->power_cap_mw = (u32)session->power.settings.cap * 1000;
}

/* power_epoch() - the present epoch ends; the caller then begins the next one */
void power_epoch(struct session *session)
{
	session->power.epoch_uw = power_epoch_uw(session);
	session->power.epoch_pj = energy_pj(session, false);
}

void session_power(const struct session *session, struct session_power *out)
{
	const struct energy_table *table = energy_find(session->initial.config.name);
	const struct power *power = &session->power;
	u64 now = session_now(session);

	*out = (struct session_power) {
		.known = table,
		.used = power_is_used(session),
		.clock_mhz = power_clock_mhz(session),
		.changes = power->changes,
		.mean_mhz = session->initial.config.core_mhz,
	};
	if (now)
		out->mean_mhz -= fixed_add(power->mhz_cycles, mhz_cycles(session)) / now;
	if (!table)
		return;
	out->static_saved_pj = static_saved(session, table);
	out->epoch_uw = session->epochs ? power->epoch_uw : power_epoch_uw(session);
}

void session_power_so_far(const struct session *session, struct session_power *out)
{
	session_power(session, out);
	out->mean_uw = microwatts(session, energy_pj(session, false), session_now(session));
}

/* --- what decides the clock ---------------------------------------------------------------- */

bool power_is_used(const struct session *session)
{
	const struct power *power = &session->power;

	return power->settings.clock_limit || power->settings.cap || power->changes;
}

/*
 * power_apply() - set the clock: the lowest of what the setting, the policy and the cap allow
 */
void power_apply(struct session *session)
{
	const struct clock_table *table = clocks_of(session);
	struct power *power = &session->power;
	u32 below;

	if (!table)
		return;
	below = max(clocks_below(table, (u32)power->settings.clock_limit),
		    clocks_below(table, session->controls.clock_mhz));
	below = max(below, power->capped);
	if (below == power->below)
		return;
	settle(session);
	power->below = below;
	power->changes++;
	gpu_set_clock(session->gpu, clock_at(table, below)->mhz);
}

static u64 window_of(const struct session *session)
{
	u64 set = session->power.settings.window;

	return set ? max(set, SESSION_POWER_WINDOW_MIN) : SESSION_POWER_WINDOW_DEFAULT;
}

static void begin_window(struct session *session)
{
	session->power.window_start = session_now(session);
	session->power.window_pj = energy_pj(session, false);
}

/* Whether there is a cap that can be kept. A GPU with clocks has energies, too. */
static bool is_capped(const struct session *session)
{
	return session->power.settings.cap && clocks_of(session);
}

/* Whether the power would stay below the cap at the next higher clock, if it was so much. */
static bool may_rise(const struct session *session, u64 uw, u64 cap_uw)
{
	const struct clock_table *table = clocks_of(session);
	u32 below = session->power.below;
	const struct simgpu_clock *now, *next;

	if (!below || below < session->power.capped)
		return true;
	now = clock_at(table, below);
	next = clock_at(table, below - 1);
	uw = fixed_mul_div(uw, (u64)next->mhz * next->mv * next->mv,
			   (u64)now->mhz * now->mv * now->mv);
	return uw <= cap_uw;
}

/* power_next() - device cycle at which a window ends; NEVER without a cap */
u64 power_next(const struct session *session)
{
	return is_capped(session) ? session->power.window_start + window_of(session) : NEVER;
}

/* power_due() - look at the window if it ends now: the cap's rule, which stands above */
void power_due(struct session *session)
{
	struct power *power = &session->power;
	u64 cap_uw = power->settings.cap * PPM, uw;
	u64 now = session_now(session);

	if (now < power_next(session))
		return;
	uw = microwatts(session, energy_pj(session, false) - power->window_pj,
			now - power->window_start);
	if (uw > cap_uw)
		power->capped = min(power->below + 1, clocks_of(session)->count - 1);
	else if (power->capped && may_rise(session, uw, cap_uw))
		power->capped--;
	power_apply(session);
	begin_window(session);
}

/* --- settings ------------------------------------------------------------------------------ */

/* power_begin() - the session begins, with what its options say */
void power_begin(struct session *session)
{
	struct power *power = &session->power;

	power->settings.clock_limit = session->initial.clock_limit;
	power->settings.cap = session->initial.power_cap;
	power->settings.window = session->initial.power_window;
	power_apply(session);
	power->changes = 0;
}

bool session_power_fits(const struct session_options *options)
{
	const struct gpu_config *config = &options->config;

	return (!options->clock_limit && !options->power_cap) ||
	       clocks_find(config->name, config->core_mhz);
}

int session_prepare_clock(struct session *session, u64 value)
{
	return !value || clocks_of(session) ? 0 : -EINVAL;
}

int session_set_power(struct session *session, const struct power_settings *settings)
{
	struct power_settings *now = &session->power.settings;
	bool anew = settings->cap != now->cap || settings->window != now->window;

	if (settings->clock_limit > SESSION_CLOCK_MAX ||
	    settings->cap > SESSION_POWER_CAP_MAX ||
	    settings->window > SESSION_POWER_WINDOW_MAX)
		return -EINVAL;
	*now = *settings;
	journal_add(session, JOURNAL_POWER, 0)->power = *settings;
	if (!now->cap)
		session->power.capped = 0;
	if (anew)
		begin_window(session);
	power_apply(session);
	return 0;
}

int session_set_clock(struct session *session, u64 mhz)
{
	struct power_settings settings = session->power.settings;

	settings.clock_limit = mhz;
	return session_set_power(session, &settings);
}

int session_set_power_cap(struct session *session, u64 watts)
{
	struct power_settings settings = session->power.settings;

	settings.cap = watts;
	return session_set_power(session, &settings);
}

int session_set_power_window(struct session *session, u64 cycles)
{
	struct power_settings settings = session->power.settings;

	settings.window = cycles;
	return session_set_power(session, &settings);
}

/* --- hash ---------------------------------------------------------------------------------- */

/*
 * power_hash() - what lasts, where the clock was ever lowered or may be. Elsewhere all of it
 * follows from the counters.
 */
u64 power_hash(const struct session *session, u64 hash)
{
	return power_is_used(session) ?
	       hash_bytes(hash, &session->power, sizeof(session->power)) : hash;
}
