/* SPDX-License-Identifier: GPL-2.0 */
/* Pseudo-random snapshots of 64 tenants, the same in the kernel and in userspace. */
#ifndef SIMGPU_TEST_RANDOM_SNAPSHOT_H
#define SIMGPU_TEST_RANDOM_SNAPSHOT_H

#include <simgpu/snapshot.h>

/* xorshift64*, as in the unit tests. */
static inline u64 random_word(u64 *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return *random * 0x2545f4914f6cdd1dULL;
}

static inline u32 random_below(u64 *random, u32 n)
{
	return (u32)((random_word(random) >> 32) % n);
}

/* Any width is as likely as any other: products of 128 bits, too. */
static inline void random_counters(u64 *random, struct simgpu_counters *counters)
{
	u64 *words = (u64 *)counters;
	size_t i;

	for (i = 0; i < sizeof(*counters) / sizeof(*words); i++)
		words[i] = random_word(random) >> random_below(random, 64);
}

static inline void random_curve(u64 *random, struct simgpu_curve *curve)
{
	u32 i, sms_milli = 0;

	curve->knots = random_below(random, SIMGPU_CURVE_KNOTS_MAX + 1);
	for (i = 0; i < curve->knots; i++) {
		sms_milli += 1 + random_below(random, 30000);
		curve->knot[i].sms_milli = sms_milli;
		curve->knot[i].np_ppm = random_below(random, 1000001);
	}
}

static inline void random_queues(u64 *random,
				 struct simgpu_snapshot_tenant *tenant)
{
	u32 q;

	tenant->queue_count = random_below(random, SIMGPU_QUEUES_MAX + 1);
	for (q = 0; q < tenant->queue_count; q++) {
		tenant->queue[q].waiting = random_below(random, 100);
		tenant->queue[q].head.flags = random_below(random, 8);
		tenant->queue[q].head.blocks_left = random_below(random, 5000);
	}
}

/* One in sixteen has no work. */
static inline void random_tenant(u64 *random,
				 struct simgpu_snapshot_tenant *tenant)
{
	if (!random_below(random, 16))
		return;
	tenant->active = 1;
	tenant->service = random_below(random, 2);
	tenant->weight = 1 + random_below(random, 1000);
	tenant->np_ppm = random_below(random, 1000001);
	tenant->service_cycles = random_word(random) >> random_below(random, 64);
	random_counters(random, &tenant->counters);
	random_curve(random, &tenant->curve);
	random_queues(random, tenant);
}

/* A few of the rows name an SM or a slot that cannot be. */
static inline void random_rows(u64 *random, struct simgpu_snapshot *snapshot)
{
	u32 i;

	snapshot->shared_rows = random_below(random, 4) ? 0 :
		random_below(random, SIMGPU_SHARED_ROWS_MAX + 1);
	for (i = 0; i < snapshot->shared_rows; i++) {
		struct simgpu_snapshot_shared *row = &snapshot->shared[i];

		row->sm = random_below(random, SIMGPU_SMS_MAX + 2);
		row->slot = random_below(random, SIMGPU_SLOTS_MAX + 2);
		row->blocks = random_below(random, 12);
		row->idle_warps = random_below(random, 3);
	}
}

static inline void random_snapshot(u64 seed, struct simgpu_snapshot *snapshot)
{
	u64 random = seed * 2 + 1;
	u32 i;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->version = SIMGPU_SNAPSHOT_VERSION;
	snapshot->bytes = sizeof(*snapshot);
	snapshot->sms = 1 + random_below(&random, SIMGPU_SMS_MAX);
	snapshot->epoch = seed;
	snapshot->cycle = random_word(&random) >> 16;
	for (i = 0; i < SIMGPU_SLOTS_MAX; i++) {
		random_tenant(&random, &snapshot->tenants[i]);
		snapshot->tenants_active += snapshot->tenants[i].active;
		if (snapshot->tenants[i].active)
			snapshot->slot_count = i + 1;
	}
	random_rows(&random, snapshot);
}

/* What a policy finds in its proposal before each call. */
static inline void fresh_proposal(struct simgpu_proposal *proposal)
{
	memset(proposal, 0, sizeof(*proposal));
	memset(proposal->owner, SIMGPU_NO_OWNER, sizeof(proposal->owner));
	memset(proposal->block_limit, SIMGPU_ANY_BLOCKS,
	       sizeof(proposal->block_limit));
}

#endif /* SIMGPU_TEST_RANDOM_SNAPSHOT_H */
