// SPDX-License-Identifier: GPL-2.0
/* What stretches of sampled time have measured: how sure that is, and what is kept of it. */
#include "sampling_kept.h"
#include "sampling_state.h"
#include "sampling_stretch.h"

/*
 * Deviations of rates from their mean, in tenths of parts of it, so that little ones count,
 * squared, added up
 */
static u64 squares_of_rates(const u64 *rates, u64 count)
{
	u64 mean = 0, squares = 0;
	u32 i;

	for (i = 0; i < count; i++)
		mean += rates[i];
	mean /= count;
	for (i = 0; mean && i < count; i++) {
		u64 apart = min(fixed_apart(rates[i], mean), 2 * mean);

		apart = fixed_mul_div(apart, 10 * SAMPLING_ERROR_PARTS, mean);
		squares += apart * apart;
	}
	return squares;
}

/* sampling_variance() - of the mean of some rates, in parts of it, squared, rounded up */
u64 sampling_variance(const u64 *rates, u64 count)
{
	return 1 + squares_of_rates(rates, count) / (100 * count * (count - 1));
}

/* What leaps within the stretches add to it: all stretches may be off by as much. */
static u64 variance_of_leaps(const struct session *session, const struct measure *measure,
			     u32 slot)
{
	u64 time = max((session_now(session) - measure->begin[0]) / ERROR_CYCLES, 1ULL);

	return fixed_above(session->sampling->doubt[slot].squares, measure->squares[slot]) /
	       (time * time);
}

/* The length of a stretch of a measurement, in units */
static u64 length_of(const struct session *session, const struct measure *measure)
{
	return max((session_now(session) - measure->begin[0]) / measure->stretches /
		   SPREAD_CYCLES, 1ULL);
}

/* How much a tenant's rates differ in a measurement of two stretches or more */
static struct spread spread_of(const struct session *session, const struct measure *measure,
			       u32 slot)
{
	u64 rates[STRETCHES_MOST];
	u32 i;

	for (i = 0; i < measure->stretches; i++)
		rates[i] = measure->rate[i][slot];
	return (struct spread){
		.squares = squares_of_rates(rates, measure->stretches) *
			   length_of(session, measure),
		.freedoms = measure->stretches - 1,
	};
}

/*
 * The variance of a tenant's mean rate. Two stretches may be alike by chance, so what others
 * have shown before counts, too: that of a longer stretch is taken to be so much smaller.
 */
static u64 variance_of(const struct session *session, u32 way, u32 slot)
{
	const struct measure *measure = &session->sampling->measure[way];
	const struct spread *before = &session->sampling->doubt[slot].spread[way];
	const struct spread spread = spread_of(session, measure, slot);
	u64 freedoms = EXPECTED_FREEDOMS + spread.freedoms + before->freedoms;
	u64 each = max(spread.squares / spread.freedoms,
		       (EXPECTED_FREEDOMS * EXPECTED_SQUARES + spread.squares +
			before->squares) / freedoms);

	each /= 100 * length_of(session, measure) * measure->stretches;
	/* As Student's t distribution has it: what few stretches say is not sure. */
	return 1 + fixed_mul_div(each, freedoms, freedoms - 2) +
	       variance_of_leaps(session, measure, slot);
}

static void add_spread(struct spread *all, u64 squares, u64 freedoms)
{
	all->squares += squares;
	all->freedoms += freedoms;
	if (all->freedoms > SPREADS_MOST) {
		all->squares /= 2;
		all->freedoms /= 2;
	}
}

/* Remember how much a tenant's rates differed. */
static void note_spread(struct session *session, u32 way, u32 slot)
{
	const struct spread spread = spread_of(session, &session->sampling->measure[way], slot);

	add_spread(&session->sampling->doubt[slot].spread[way], spread.squares,
		   spread.freedoms);
}

/* Whether what was measured is near enough to be used, for each tenant. */
bool sampling_is_known(const struct session *session, u32 way)
{
	const struct measure *measure = &session->sampling->measure[way];
	u64 most = ERROR_MOST * session->sampled * SAMPLING_ERROR_PARTS / 100;
	u32 slot;

	for (slot = 0; measure->stretches > 1 && slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]) &&
		    variance_of(session, way, slot) > most * most)
			return false;
	return measure->stretches > 1;
}

/* --- what was measured is kept ------------------------------------------------------ */

/* What runs, and which kernels of it do that are measured by their thread blocks. */
u64 sampling_key(const struct session *session, u32 way)
{
	const struct sampling *sampling = session->sampling;
	u64 key = sampling->situation;
	u32 slot, mask;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct session_tenant *tenant = &session->tenants[slot];

		for (mask = working_queues(tenant); mask; mask &= mask - 1) {
			u32 queue = (u32)__builtin_ctz(mask);
			const struct part *part = &sampling->measure[way].part[slot][queue];
			u64 kernel = tenant->queue[queue].kernel %
				     period_of(session, slot, queue);

			key = hash_mix(key, part->in_blocks ? 1 + kernel : 0);
			key = hash_mix(key, part->in_blocks ? part->trip : 0);
		}
	}
	return key;
}

/* Use what was kept under a key. False if nothing was. */
bool sampling_use_kept(struct sampling *sampling, u64 key)
{
	u32 i;

	for (i = 0; i < KEPT; i++) {
		if (sampling->kept[i].cycles && sampling->kept[i].key == key) {
			sampling->using = i;
			return true;
		}
	}
	return false;
}

/* The thread instructions of a queue in all stretches, by what it has done. */
static bool note_work(const struct working *working)
{
	struct kept *kept = kept_in_use(working->session);
	const struct part *part = working->part;
	u64 parts = KERNEL_PARTS * period_of(working->session, working->slot,
					     working->queue);

	kept->done[working->slot][working->queue] = part->in_blocks ?
		fixed_mul(working->status.blocks_finished - part->blocks[0],
			  block_instructions(working)) :
		fixed_mul_div(sampling_place(working) - part->place[0],
			      period_instructions(working), parts);
	kept->in_blocks[working->slot] |= (u8)(part->in_blocks << working->queue);
	if (part->in_blocks) {
		kept->trip[working->slot] = part->trip;
		kept->age[working->slot] = age_of(working);
	}
	return true;
}

/*
 * How many instructions a tenant has issued is known exactly, which of them are a queue's only
 * by what it has done.
 */
static void share_work(struct session *session, struct kept *kept, u32 slot, u64 issued)
{
	u32 mask = working_queues(&session->tenants[slot]), rest;
	u64 *done = kept->done[slot], sum = 0;

	for (rest = mask; rest; rest &= rest - 1)
		sum = fixed_add(sum, done[__builtin_ctz(rest)]);
	for (rest = mask; rest; rest &= rest - 1) {
		u32 queue = (u32)__builtin_ctz(rest);

		done[queue] = mask & (mask - 1) ?
			      fixed_mul_div(issued, done[queue], max(sum, 1ULL)) : issued;
	}
}

/*
 * What the stretches have measured, behind all that is kept. It is what is in use until
 * sampling_keep() is over.
 */
static struct kept *measured(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	const struct measure *measure = &sampling->measure[way];
	u64 *from = begin_tally(session, way), *counted;
	struct kept *kept = &sampling->kept[KEPT];
	struct simgpu_counters now;
	size_t i;
	u32 slot;

	sampling->using = KEPT;
	memset(kept, 0, sizeof(*kept));
	kept->key = sampling_key(session, way);
	kept->cycles = session_now(session) - measure->begin[0];
	kept->least = kept->cycles;
	kept->count = 1;
	sampling_all_queues(session, way, note_work);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!has_work(&session->tenants[slot]))
			continue;
		kept->variance[slot] = variance_of(session, way, slot);
		note_spread(session, way, slot);
		gpu_tenant_counters(session->gpu, slot, &now);
		share_work(session, kept, slot,
			   now.thread_instructions - measure->issued[0][slot]);
	}
	counted = kept_tally(session, kept);
	gpu_tally(session->gpu, counted);
	for (i = 0; i < gpu_tally_count(&session->initial.config); i++)
		counted[i] -= from[i];
	/* Few blocks end in a stretch of trips, or many at once: a leap counts those it passes. */
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (kept->trip[slot])
			gpu_tally_without_blocks(session->gpu, slot, counted);
	return kept;
}

static u64 done_by_tenant(const struct kept *kept, u32 slot)
{
	u64 sum = 0;
	u32 queue;

	for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
		sum = fixed_add(sum, kept->done[slot][queue]);
	return sum;
}

/* By how much a tenant's rate in two measurements differs, in parts */
static u64 rates_apart(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 done = done_by_tenant(now, slot);
	u64 expected = fixed_mul_div(done_by_tenant(kept, slot), now->cycles, kept->cycles);
	u64 apart = fixed_mul_div(fixed_apart(done, expected), SAMPLING_ERROR_PARTS,
				  max(expected, 1ULL));

	return min(apart, 2ULL * SAMPLING_ERROR_PARTS);
}

/* Whether a tenant did as much a cycle, and where it is measured in trips, near the same age. */
static bool agrees_on(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 apart = rates_apart(kept, now, slot);

	return apart * apart <= AGREEMENT * AGREEMENT *
				(kept->variance[slot] + now->variance[slot]) &&
	       now->age[slot] <= 2 * kept->age[slot] && kept->age[slot] <= 2 * now->age[slot];
}

/* Whether a measurement is of the same as one that is kept. */
static bool agrees(const struct session *session, const struct kept *kept,
		   const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]) && !agrees_on(kept, now, slot))
			return false;
	return true;
}

/* The mean of two figures of measurements, as long as each of them is */
static u64 mean_of(const struct kept *kept, u64 a, const struct kept *now, u64 b)
{
	u64 cycles = kept->cycles + now->cycles;

	return fixed_mul_div(a, kept->cycles, cycles) + fixed_mul_div(b, now->cycles, cycles);
}

/* Of the mean of two measurements: each counts by its part of the time, squared. */
static u64 mean_variance(const struct kept *kept, const struct kept *now, u32 slot)
{
	u64 cycles = kept->cycles + now->cycles;
	u64 before = fixed_mul_div(kept->variance[slot], kept->cycles, cycles);
	u64 behind = fixed_mul_div(now->variance[slot], now->cycles, cycles);

	return 1 + fixed_mul_div(before, kept->cycles, cycles) +
	       fixed_mul_div(behind, now->cycles, cycles);
}

/* A measurement of what is kept already makes that more certain. */
static void add_measured(struct session *session, struct kept *kept, const struct kept *now)
{
	const u64 *more = kept_tally(session, now);
	u64 *counted = kept_tally(session, kept);
	u32 slot, queue;
	size_t i;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		kept->variance[slot] = mean_variance(kept, now, slot);
		kept->age[slot] = mean_of(kept, kept->age[slot], now, now->age[slot]);
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
			kept->done[slot][queue] += now->done[slot][queue];
	}
	/* What was leapt by it has the errors of a part of what it is now. */
	kept->leapt = mean_of(kept, kept->leapt, now, 0);
	for (i = 0; i < gpu_tally_count(&session->initial.config); i++)
		counted[i] += more[i];
	kept->cycles += now->cycles;
	kept->count += now->count;
	kept->least = now->least;
}

/*
 * Another measurement of the same shows how sure one is: its stretches follow one another, and may
 * have more in common than the kernel has with them.
 */
static void note_apart(struct session *session, u32 way, const struct kept *kept,
		       const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		u64 apart = has_work(&session->tenants[slot]) ?
			    rates_apart(kept, now, slot) : 0;

		if (done_by_tenant(now, slot))
			add_spread(&session->sampling->doubt[slot].apart[way],
				   apart * apart * kept->count / (kept->count + 1), 1);
	}
}

/* The variance of what is kept is at least what such differences have shown so far. */
static void raise_variance(struct session *session, u32 way, struct kept *kept,
			   const struct kept *now)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		const struct spread *apart = &session->sampling->doubt[slot].apart[way];
		u64 each = (EXPECTED_APART * now->variance[slot] + apart->squares) /
			   (EXPECTED_APART + apart->freedoms);

		kept->variance[slot] = max(kept->variance[slot], each / kept->count);
	}
}

/*
 * Keep what the stretches have measured: together with what was kept of the same, if they
 * agree, or in place of it, or of what was kept first.
 */
void sampling_keep(struct session *session, u32 way)
{
	struct sampling *sampling = session->sampling;
	const struct kept *now = measured(session, way);
	bool again = sampling_use_kept(sampling, now->key);
	struct kept *kept;

	if (!again) {
		sampling->using = sampling->replace;
		sampling->replace = (sampling->replace + 1) % KEPT;
	}
	kept = kept_in_use(session);
	if (again)
		note_apart(session, way, kept, now);
	if (again && agrees(session, kept, now)) {
		add_measured(session, kept, now);
	} else {
		*kept = *now;
		memcpy(kept_tally(session, kept), kept_tally(session, now),
		       sizeof(u64) * gpu_tally_count(&session->initial.config));
	}
	raise_variance(session, way, kept, now);
}
