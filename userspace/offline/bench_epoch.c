// SPDX-License-Identifier: GPL-2.0
/*
 * The host time of an epoch's end: snapshot, model, policy, check and application,
 * without the simulation around them.
 */
#include "bench.h"
#include "bench_epoch.h"
#include "internal.h"
#include "run.h"

#define EPOCHS		101
#define EPOCH_CYCLES	50000ULL

/* Tenants on all SMs together, with quotas: as many rows as there can be. */
#define SHARERS		12

static int share_everything(const struct simgpu_snapshot *snapshot, void *state,
			    struct simgpu_proposal *proposal)
{
	u32 sm, slot;

	proposal->flags = SIMGPU_SAYS_OWNERS | SIMGPU_SAYS_QUOTAS |
			  SIMGPU_SAYS_BLOCK_LIMITS;
	for (sm = 0; sm < snapshot->sms; sm++) {
		proposal->owner[sm] = SIMGPU_SHARED;
		proposal->sharers[sm] = (1ULL << SHARERS) - 1;
		for (slot = 0; slot < SHARERS; slot++)
			proposal->block_limit[sm][slot] =
				(u8)(1 + (slot + snapshot->epoch) % 2);
	}
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++) {
		proposal->quota[slot] = 1000000 + (s64)snapshot->shared_rows;
		proposal->refill[slot] = 1000000;
		proposal->quota_flags[slot] = SIMGPU_QUOTA_BY_BLOCKS |
					      SIMGPU_QUOTA_KEEP;
	}
	return 0;
}

static const struct simgpu_policy sharing = {
	.name = "bench-share",
	.needs = SIMGPU_NEEDS_SHARED_ROWS,
	.decide = share_everything,
};

static u64 time_cycles(struct session *session, u64 cycles)
{
	u64 start_ns = offline_wall_ns();

	session_run(session, cycles);
	return offline_wall_ns() - start_ns;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Times the cycles at which an epoch ends and at which the decision takes effect. From
 * each the time of the next cycle, in which nothing is decided, is subtracted.
 */
static u64 time_epoch(struct session *session, u32 tenants)
{
	const u64 latency = 181ULL * tenants;
	u64 busy, idle;

	session_run(session, EPOCH_CYCLES - 1 -
			     session_now(session) % EPOCH_CYCLES);
	busy = time_cycles(session, 1);
	idle = time_cycles(session, 1);
	session_run(session, latency - 2);
	busy += time_cycles(session, 1);
	idle += time_cycles(session, 1);
	return busy > idle ? busy - idle : 0;
}

static int begin(struct offline_home *home, const struct gpu_config *config,
		 const struct trace *trace, u32 tenants, bool shared)
{
	static const struct offline_observer nobody;
	struct session_options options = {
		.config = *config,
		.seed = 1,
		.epoch_cycles = EPOCH_CYCLES,
		.gang_size = tenants,
		.model = &model_hsm,
		.policy = shared ? &sharing : &policy_hsm_fair,
	};
	struct session_tenant_options tenant = { .name = "t", .weight = 1 };
	u64 sequence;
	u32 slot;
	int ret;

	session_default_params(&options);
	ret = offline_open(home, &options, &nobody, 1);
	for (slot = 0; !ret && slot < tenants; slot++) {
		ret = session_join(home->session, slot, &tenant);
		if (ret > 0)
			ret = 0;
	}
	for (slot = 0; !ret && slot < tenants; slot++)
		ret = session_launch(home->session, slot, trace, U64_MAX, 0,
				     &sequence);
	return ret;
}

int offline_measure_epoch(const struct gpu_config *config,
			  const struct trace *trace, bool shared, u64 *ns)
{
	u32 tenants = shared ? SHARERS : SESSION_SLOTS_MAX, i;
	u64 costs[EPOCHS];
	struct offline_home home;
	int ret = begin(&home, config, trace, tenants, shared);

	for (i = 0; !ret && i < EPOCHS; i++)
		costs[i] = time_epoch(home.session, tenants);
	if (!ret) {
		qsort(costs, EPOCHS, sizeof(costs[0]), compare);
		*ns = costs[EPOCHS / 2];
	}
	offline_close(&home);
	return ret;
}
