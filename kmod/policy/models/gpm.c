// SPDX-License-Identifier: GPL-2.0
/*
 * How much a kernel loses because it has fewer SMs than the device, as GPM predicts it
 * (Wu et al., HPCA'15), which Themis combines with ASM (IPDPS'19, VI.A). Training
 * programs, each alone, are clustered by how they scale. A kernel is assumed to scale as
 * the cluster whose programs had the most similar events (Table I) with as many SMs.
 * GPM does not know that the events here are counted in the company of other tenants.
 */
#include "factors.h"
#include "gpm.h"
#include "themis_net.h"

/* Differences of an event count up to this many deviations, Q20. */
#define DISTANCE_MOST	(16ULL << 20)

static bool counts_are_good(const struct gpm_constants *gpm)
{
	u32 i;

	if (gpm->clusters < 1 || gpm->clusters > GPM_CLUSTERS || gpm->reserved)
		return false;
	for (i = 0; i < GPM_COUNTS; i++)
		if (gpm->sms[i] > SIMGPU_SMS_MAX ||
		    gpm->sms[i] <= (i ? gpm->sms[i - 1] : 0))
			return false;
	return true;
}

/* gpm_constants_are_good() - whether all numbers are in their range */
bool gpm_constants_are_good(const void *constants)
{
	const struct gpm_constants *gpm = constants;
	u32 cluster, i, event;

	if (!counts_are_good(gpm))
		return false;
	for (event = 0; event < GPM_EVENTS; event++)
		if (!gpm->deviation[event] ||
		    gpm->deviation[event] > GPM_RATE_MOST)
			return false;
	for (cluster = 0; cluster < GPM_CLUSTERS; cluster++) {
		const struct gpm_cluster *it = &gpm->cluster[cluster];

		for (i = 0; i < GPM_COUNTS; i++) {
			if (it->progress_ppm[i] > SIMGPU_PPM ||
			    (cluster < gpm->clusters && !it->progress_ppm[i]))
				return false;
			for (event = 0; event < GPM_EVENTS; event++)
				if (it->rates[i][event] > GPM_RATE_MOST)
					return false;
		}
	}
	return true;
}

/*
 * gpm_rates() - Table I's events for each cycle of an SM, Q32
 * @events: of themis_events()
 */
void gpm_rates(const u64 events[THEMIS_OWN], u64 rates[GPM_EVENTS])
{
	u32 i;

	for (i = 0; i < GPM_EVENTS; i++) {
		u64 rate = fixed_mul_div(events[i + 1], 1ULL << THEMIS_RATE_BITS,
					 events[0]);

		rates[i] = min(rate, GPM_RATE_MOST);
	}
}

/* The sum of squared differences, in deviations. */
static u64 distance(const struct gpm_constants *gpm, const u64 *rates,
		    const u64 *others)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < GPM_EVENTS; i++) {
		u64 apart = fixed_apart(rates[i], others[i]);

		apart = fixed_mul_div(apart, 1ULL << 20, gpm->deviation[i]);
		apart = min(apart, DISTANCE_MOST);
		sum += apart * apart;
	}
	return sum;
}

/* The trained SM count that is nearest to the SMs that the tenant held. */
static u32 nearest_count(const struct gpm_constants *gpm, u64 held_milli)
{
	u32 i;

	for (i = 0; i + 1 < GPM_COUNTS; i++)
		if (2 * held_milli <
		    1000ULL * (gpm->sms[i] + gpm->sms[i + 1]))
			break;
	return i;
}

/*
 * gpm_choose() - the cluster with the events most similar to a kernel's
 * @held_milli: SMs that the kernel held, in thousandths
 */
u32 gpm_choose(const struct gpm_constants *gpm, u64 held_milli,
	       const u64 rates[GPM_EVENTS])
{
	u32 count = nearest_count(gpm, held_milli), best = 0, i;
	u64 least = ~0ULL;

	for (i = 0; i < gpm->clusters && i < GPM_CLUSTERS; i++) {
		u64 apart = distance(gpm, rates, gpm->cluster[i].rates[count]);

		if (apart >= least)
			continue;
		least = apart;
		best = i;
	}
	return best;
}

/* gpm_progress_ppm() - scalability progress of a cluster: 0 with no SM, 1 with all */
u64 gpm_progress_ppm(const struct gpm_constants *gpm, u32 cluster,
		     u64 held_milli)
{
	struct simgpu_curve curve = { .knots = GPM_COUNTS + 1 };
	u32 i;

	for (i = 0; i < GPM_COUNTS; i++) {
		curve.knot[i + 1].sms_milli = 1000 * gpm->sms[i];
		curve.knot[i + 1].np_ppm =
			gpm->cluster[cluster].progress_ppm[i];
	}
	return simgpu_np_at_milli(&curve, held_milli);
}

/*
 * gpm_scal_ppm() - SD_scal of a tenant, from the epoch's counters
 * @constants: &struct gpm_constants
 */
u64 gpm_scal_ppm(const struct simgpu_snapshot *snapshot,
		 const void *constants,
		 const struct simgpu_snapshot_tenant *tenant)
{
	u64 events[THEMIS_OWN], rates[GPM_EVENTS], progress, held;

	themis_events(&tenant->counters, events);
	if (!events[0])
		return SIMGPU_PPM;
	held = fixed_mul_div(events[0], 1000, snapshot->epoch_cycles);
	gpm_rates(events, rates);
	progress = gpm_progress_ppm(constants,
				    gpm_choose(constants, held, rates), held);
	return progress ? SIMGPU_PPM * SIMGPU_PPM / progress :
			  FACTORS_SD_MOST_PPM;
}
