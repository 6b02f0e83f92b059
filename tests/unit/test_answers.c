// SPDX-License-Identifier: GPL-2.0
/*
 * What each built-in model and policy answers, to the bit, over lives of tenants that
 * are drawn by lot: devices of all sizes, kernels that come, run, are held and end, and
 * counters as they could be. What comes out is in tests/unit/answers.txt, a sum for each
 * decider, so that a change of one's answers is meant, and nobody else's change with it.
 * What is right to answer other tests say, by cases that can be computed by hand.
 *
 *	test_answers		compares, in the top folder
 *	test_answers --print	prints the file again
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../kmod/policy/common/split.h"
#include "listing.h"
#include "snapshots.h"

#define FILE_NAME	"tests/unit/answers.txt"
#define LIVES		80
#define STEPS		50
#define MODELS_MAX	16
/* Policies hear the first ones in turn, however many there are. */
#define MODELS_HEARD	11
#define POLICIES_MAX	64
#define TENANTS		14

/* One of some numbers. */
#define ONE_OF(...) \
	(((const u64[]){ __VA_ARGS__ })[random_up_to(sizeof((const u64[])		\
					{ __VA_ARGS__ }) / sizeof(u64) - 1)])

static bool once_in(u32 times)
{
	return !random_up_to(times - 1);
}

/**
 * struct decider - a model or a policy in a life
 * @state: that it keeps
 * @params: values of its params
 * @said: what a policy said last
 * @sum: of all that it has answered, in all lives
 */
struct decider {
	u64 state[SIMGPU_STATE_BYTES_MAX / sizeof(u64)];
	u64 params[SIMGPU_PARAMS_MAX];
	struct simgpu_proposal said;
	u32 sum;
};

static struct {
	struct decider model[MODELS_MAX];
	struct decider policy[POLICIES_MAX];
	struct simgpu_snapshot snapshot;
	struct simgpu_counters before[SIMGPU_SLOTS_MAX];
	u32 slots[TENANTS];
	u32 tenants;
	u64 epoch_start;
	u32 calm;
} life;

/* --- devices ------------------------------------------------------------------------- */

static void draw_device(struct simgpu_snapshot *snapshot)
{
	u32 sms = ONE_OF(1, 2, 3, 4, 5, 6, 8, 8, 10, 12, 16, 16, 20, 30);

	/* Rows of shared SMs are too few for so many on so many SMs. */
	life.tenants = 6;
	if (once_in(8)) {
		life.tenants = TENANTS;
		sms = ONE_OF(2, 8, 14, 100, 128);
	}
	snapshot_init(snapshot, sms, ONE_OF(10000, 20000, 50000, 500000));
	snapshot->sms_per_tpc = sms % 2 ? 1 : ONE_OF(1, 1, 2);
	snapshot->schedulers = ONE_OF(1, 2, 4);
	snapshot->channels = ONE_OF(4, 6, 32);
	snapshot->mirrors = !once_in(4);
	snapshot->l1_sectors = ONE_OF(1, 4);
	snapshot->sm_threads = 2048;
	snapshot->sm_blocks = ONE_OF(8, 16);
	snapshot->sm_registers = 65536;
	snapshot->sm_shared_bytes = 98304;
	snapshot->llc_ways = 16;
	snapshot->seed = random_up_to(9);
	snapshot->core_mhz = 1400;
	snapshot->memory_mhz = 440;
	snapshot->memory_bytes = ONE_OF(0, 4ULL << 30);
	snapshot->dram.banks = 16;
	snapshot->dram.trp = 12;
	snapshot->dram.trcd = 12;
	snapshot->epoch_length_cycles = snapshot->epoch_cycles;
	snapshot->epoch_cycles = 0;
}

/* By a name and a life's number: whoever else is there, and has params. */
static void draw_params(const char *name, const struct simgpu_param *param, u32 number,
		       u64 *params)
{
	u64 drawn = hash_mix(port_crc32(0, name, strlen(name)), number);

	for (; param && param->name; param++) {
		const u64 values[] = {
			param->initial, param->initial, param->initial,
			param->least, param->most,
			param->least / 2 + param->most / 2,
		};

		drawn = hash_mix(drawn, port_crc32(0, param->name,
						   strlen(param->name)));
		*params++ = values[drawn % ARRAY_SIZE(values)];
	}
}

static void begin_life(u32 number)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	u32 i;

	draw_device(&life.snapshot);
	memset(life.before, 0, sizeof(life.before));
	life.epoch_start = 0;
	/* In some, what is there stays for long. */
	life.calm = ONE_OF(1, 1, 10);
	for (i = 0; i < life.tenants; i++)
		life.slots[i] = i;
	life.slots[life.tenants - 1] = ONE_OF(20, 31, 63);
	for (i = 0; (model = registry_model_at(i)); i++) {
		memset(life.model[i].state, 0, sizeof(life.model[i].state));
		draw_params(model->name, model->params, number,
			   life.model[i].params);
	}
	for (i = 0; (policy = registry_policy_at(i)); i++) {
		memset(life.policy[i].state, 0, sizeof(life.policy[i].state));
		memset(&life.policy[i].said, 0, sizeof(life.policy[i].said));
		memset(life.policy[i].said.owner, SIMGPU_NO_OWNER,
		       sizeof(life.policy[i].said.owner));
		memset(life.policy[i].said.block_limit, SIMGPU_ANY_BLOCKS,
		       sizeof(life.policy[i].said.block_limit));
		draw_params(policy->name, policy->params, number,
			   life.policy[i].params);
	}
}

/* --- kernels -------------------------------------------------------------------------- */

static void draw_kernel(const struct simgpu_snapshot *snapshot,
			struct simgpu_snapshot_kernel *kernel)
{
	u64 most;

	memset(kernel, 0, sizeof(*kernel));
	kernel->flags = SIMGPU_KERNEL_PRESENT;
	if (!once_in(3))
		kernel->flags |= SIMGPU_KERNEL_IDEMPOTENT;
	kernel->kernel = random_up_to(3);
	kernel->blocks = ONE_OF(1, 2, 7, 8, 9, 16, 40, 100, 1000, 100000);
	kernel->blocks_left = kernel->blocks;
	kernel->threads = ONE_OF(32, 64, 100, 256, 1024);
	kernel->registers = ONE_OF(16, 32, 64);
	kernel->shared_bytes = ONE_OF(0, 0, 1024, 49152);
	most = 65536 / (kernel->threads * kernel->registers);
	if (kernel->shared_bytes && most > 98304 / kernel->shared_bytes)
		most = 98304 / kernel->shared_bytes;
	if (most > snapshot->sm_blocks)
		most = snapshot->sm_blocks;
	kernel->blocks_per_sm = most ? most : 1;
	kernel->sequence = random_up_to(99) + 1;
	kernel->arrival_cycle = snapshot->cycle - random_up_to(9) *
						  snapshot->cycle / 10;
}

/* Better on more SMs, up to some count. */
static void draw_profile(struct simgpu_snapshot *snapshot,
			 struct simgpu_snapshot_kernel *kernel)
{
	u32 cycles = ONE_OF(1000, 20000, 20000, 70000, 300000), most, sms;
	struct simgpu_snapshot_profile *profile;

	if (snapshot->profile_count == ARRAY_SIZE(snapshot->profiles))
		return;
	profile = &snapshot->profiles[snapshot->profile_count];
	most = 1 + random_up_to(snapshot->sms - 1);
	memset(profile, 0, sizeof(*profile));
	for (sms = 1; sms <= snapshot->sms; sms++) {
		u32 used = sms < most ? sms : most;

		profile->point[sms - 1].cycles = cycles / used + 1;
		profile->point[sms - 1].bandwidth_ppm =
			SIMGPU_PPM * used / snapshot->sms / 2;
	}
	kernel->profile = ++snapshot->profile_count;
	if (once_in(2) || snapshot->profile_count == ARRAY_SIZE(snapshot->profiles))
		return;
	/* What its launch has left takes longer. */
	profile[1] = profile[0];
	for (sms = 1; sms <= snapshot->sms; sms++)
		profile[1].point[sms - 1].cycles *= most + 1;
	kernel->launch_profile = ++snapshot->profile_count;
}

static void step_queue(struct simgpu_snapshot *snapshot,
		       struct simgpu_snapshot_tenant *tenant, u32 number)
{
	struct simgpu_snapshot_queue *queue = &tenant->queue[number];

	queue->events = 0;
	if (!(queue->head.flags & SIMGPU_KERNEL_PRESENT) ||
	    once_in(4 * life.calm)) {
		if (queue->head.flags & SIMGPU_KERNEL_PRESENT)
			queue->events |= SIMGPU_ON_KERNEL_END;
		draw_kernel(snapshot, &queue->head);
		draw_kernel(snapshot, &queue->next);
		queue->events |= SIMGPU_ON_KERNEL_READY;
		queue->issue_left = SIMGPU_NO_LIMIT;
		queue->waiting = random_up_to(2);
		queue->priority = (s32)ONE_OF(1, 2, 2, 2, 3, 5) - 2;
		queue->deadline_cycle = once_in(2) ? 0 :
			snapshot->cycle + random_up_to(100000);
	} else {
		queue->head.blocks_left -= queue->head.blocks_left / ONE_OF(2, 3, 9);
		queue->issue_left = ONE_OF(SIMGPU_NO_LIMIT, 0, 5);
		if (once_in(3))
			queue->events |= SIMGPU_ON_SLICE_END;
	}
	tenant->events |= queue->events;
}

/* --- tenants --------------------------------------------------------------------------- */

static void begin_tenant(struct simgpu_snapshot *snapshot, u32 slot)
{
	struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	memset(tenant, 0, sizeof(*tenant));
	tenant->active = 1;
	tenant->events = SIMGPU_ON_ARRIVAL;
	tenant->service = once_in(3) ? SIMGPU_QOS : SIMGPU_BEST_EFFORT;
	if (tenant->service == SIMGPU_QOS)
		tenant->target_ppm = ONE_OF(300000, 500000, 800000, 1000000);
	if (tenant->service == SIMGPU_QOS && !once_in(3))
		tenant->goal_ipc_ppm = snapshot->sms * ONE_OF(100000, 1000000,
							      9000000, 20000000);
	tenant->weight = ONE_OF(1, 1, 1, 2, 3, 7);
	tenant->share_ppm = ONE_OF(0, 0, 100000, 250000, 500000, 1000000);
	tenant->queue_count = ONE_OF(1, 1, 2, 3);
	tenant->arrival_cycle = snapshot->cycle;
	tenant->footprint_bytes = ONE_OF(1, 2, 3) << 30;
	if (once_in(3))
		tenant->sm_mask[0] = random_u64() &
				     (snapshot->sms < 64 ?
				      (1ULL << snapshot->sms) - 1 : U64_MAX);
	if (once_in(3))
		tenant->channel_mask = ONE_OF(1, 3, 12);
	if (once_in(3))
		tenant->llc_way_mask = ONE_OF(1, 0xff, 0xff00);
	tenant->cgroup = ONE_OF(0, 1, 1, 2);
	memset(&life.before[slot], 0, sizeof(life.before[slot]));
}

/* Of an epoch so far, on so many SMs; that are some of others stay so. */
static void draw_counters(const struct simgpu_snapshot *snapshot, u64 sms,
			  struct simgpu_counters *c)
{
	u64 cycles = snapshot->epoch_cycles, clocks = snapshot->memory_clocks;

	memset(c, 0, sizeof(*c));
	c->sm_cycles = sms * cycles - (sms ? random_up_to(cycles / 8) : 0);
	c->sm_active_cycles = c->sm_cycles * ONE_OF(3, 7, 8) / 8;
	c->idle_cycles = c->sm_cycles * snapshot->schedulers * random_up_to(8) / 8;
	c->stall_memory_cycles = c->idle_cycles * random_up_to(4) / 8;
	c->stall_empty_cycles = c->idle_cycles * random_up_to(2) / 8;
	c->stall_dependence_cycles = c->idle_cycles * random_up_to(2) / 8;
	c->warp_instructions = c->sm_cycles * snapshot->schedulers -
			       c->idle_cycles;
	c->thread_instructions = c->warp_instructions * ONE_OF(0, 8, 31, 32, 32, 32);
	c->l1_accesses = c->warp_instructions / ONE_OF(3, 10, 100);
	c->l1_misses = c->l1_accesses * random_up_to(8) / 8;
	c->l1_stores = c->l1_accesses / 8;
	c->llc_accesses = c->l1_misses + c->l1_stores;
	c->llc_misses = c->llc_accesses * random_up_to(9) / 8;
	c->atd_accesses = c->llc_accesses / ONE_OF(1, 2, 32);
	c->atd_hits = c->atd_accesses * random_up_to(8) / 8;
	c->dram_fills = c->llc_misses < clocks * snapshot->channels / 8 ?
			c->llc_misses : clocks * snapshot->channels / 8;
	c->dram_writebacks = c->dram_fills / ONE_OF(4, 8);
	c->row_activates = (c->dram_fills + c->dram_writebacks) *
			   random_up_to(8) / 8;
	c->row_interference = c->row_activates / ONE_OF(2, 5);
	c->bus_busy_clocks = 2 * (c->dram_fills + c->dram_writebacks);
	c->bus_wait_clocks = c->bus_busy_clocks / ONE_OF(1, 4);
	c->bank_busy_clocks = c->bus_busy_clocks * ONE_OF(1, 4, 9);
	c->bank_active_clocks = clocks / ONE_OF(1, 2);
	c->bank_interference_clocks = c->bank_busy_clocks / ONE_OF(2, 5);
	c->mirror_accesses = c->llc_accesses / ONE_OF(1, 4);
	c->mirror_requests = c->mirror_accesses * random_up_to(8) / 8;
	c->mirror_clocks = c->mirror_requests * ONE_OF(2, 3, 9);
	c->load_requests = c->llc_accesses;
	c->load_cycles = c->load_requests * ONE_OF(100, 200, 371, 900);
	c->noc_request_flits = c->llc_accesses;
	c->noc_reply_flits = c->llc_accesses * ONE_OF(0, 1, 5);
	c->kernels_finished = ONE_OF(0, 0, 1, 3, 4, 5);
	c->blocks_finished = c->kernels_finished * ONE_OF(2, 8, 40) + 1;
	c->drain_cycles = c->kernels_finished * ONE_OF(100, 200, 300, 900);
	if (c->drain_cycles > cycles)
		c->drain_cycles = cycles;
	c->idle_warp_samples = 100;
	c->idle_warps = random_up_to(1600);
}

static void add_to(struct simgpu_counters *sum, const struct simgpu_counters *what)
{
	u64 *to = (u64 *)sum;
	const u64 *more = (const u64 *)what;
	u32 i;

	for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
		to[i] += more[i];
}

static void work(struct simgpu_snapshot *snapshot, u32 slot)
{
	struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];
	u32 i;

	draw_counters(snapshot, random_up_to(snapshot->sms), &tenant->counters);
	tenant->total = life.before[slot];
	add_to(&tenant->total, &tenant->counters);
	if (snapshot->events & SIMGPU_ON_EPOCH)
		life.before[slot] = tenant->total;
	tenant->private_cycles = snapshot->epoch_cycles * random_up_to(8) / 8;
	tenant->service_cycles = tenant->total.sm_cycles / snapshot->sms;
	tenant->goal_cycles = snapshot->cycle - tenant->arrival_cycle;
	tenant->goal_promised = tenant->goal_ipc_ppm * tenant->goal_cycles /
				SIMGPU_PPM;
	tenant->goal_instructions = tenant->goal_promised * ONE_OF(0, 3, 4, 4, 5) / 4;
	tenant->blocks = 0;
	tenant->blocks_left = 0;
	for (i = 0; i < tenant->queue_count; i++) {
		struct simgpu_snapshot_queue *queue = &tenant->queue[i];

		step_queue(snapshot, tenant, i);
		memcpy(queue->sm_mask, tenant->sm_mask, sizeof(tenant->sm_mask));
		if (once_in(3) && tenant->sm_mask[0] & 0x55)
			queue->sm_mask[0] &= 0x55;
		tenant->blocks += queue->head.blocks;
		tenant->blocks_left += queue->head.blocks_left;
	}
}

static void step_tenant(struct simgpu_snapshot *snapshot, u32 slot)
{
	struct simgpu_snapshot_tenant *tenant = &snapshot->tenants[slot];

	tenant->events = 0;
	if (tenant->active && once_in(12 * life.calm)) {
		memset(tenant, 0, sizeof(*tenant));
		tenant->events = SIMGPU_ON_DEPARTURE;
	} else if (!tenant->active && once_in(3)) {
		begin_tenant(snapshot, slot);
	}
	if (tenant->active)
		work(snapshot, slot);
	snapshot->events |= tenant->events;
	snapshot->tenants_active += tenant->active;
	if (tenant->active || tenant->events)
		snapshot->slot_count = slot + 1;
}

/* Time goes on, to the epoch's end or less. */
static void step_time(struct simgpu_snapshot *snapshot)
{
	u64 left;

	if (snapshot->events & SIMGPU_ON_EPOCH) {
		snapshot->epoch++;
		snapshot->epoch_cycles = 0;
		life.epoch_start = snapshot->cycle;
	}
	left = snapshot->epoch_length_cycles - snapshot->epoch_cycles;
	snapshot->events = 0;
	if (once_in(3)) {
		snapshot->events = SIMGPU_ON_EPOCH;
		snapshot->epoch_cycles += left;
	} else {
		snapshot->epoch_cycles += left / ONE_OF(2, 3, 10) / 100 * 100;
	}
	if (once_in(5))
		snapshot->events |= SIMGPU_ON_WAKE;
	snapshot->cycle = life.epoch_start + snapshot->epoch_cycles;
	snapshot->memory_clocks = snapshot->epoch_cycles * 440 / 1400;
}

static void step(struct simgpu_snapshot *snapshot)
{
	bool profiles = random_up_to(2) && life.tenants < TENANTS;
	u32 i, queue;

	step_time(snapshot);
	snapshot->tenants_active = 0;
	snapshot->slot_count = 0;
	snapshot->profile_count = 0;
	for (i = 0; i < life.tenants; i++)
		step_tenant(snapshot, life.slots[i]);
	for (i = 0; i < life.tenants; i++) {
		struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[life.slots[i]];

		for (queue = 0; queue < tenant->queue_count; queue++) {
			tenant->queue[queue].head.profile = 0;
			tenant->queue[queue].head.launch_profile = 0;
			tenant->queue[queue].next.profile = 0;
			if (profiles)
				draw_profile(snapshot, &tenant->queue[queue].head);
			if (profiles && once_in(2))
				draw_profile(snapshot, &tenant->queue[queue].next);
		}
	}
}

/* --- what each is asked ---------------------------------------------------------------- */

static const void *constants_of(const struct simgpu_model *model)
{
	return model->built_in ? model->built_in[0].payload : NULL;
}

static void ask_models(u32 heard)
{
	struct simgpu_snapshot *snapshot = &life.snapshot;
	const struct simgpu_model *model;
	struct simgpu_prediction said;
	u32 i, j;

	for (i = 0; (model = registry_model_at(i)); i++) {
		struct decider *decider = &life.model[i];

		assert_true(i < MODELS_MAX);
		memset(&said, 0, sizeof(said));
		memcpy(snapshot->model_params, decider->params,
		       sizeof(decider->params));
		assert_int_equal(model->predict(snapshot, constants_of(model),
						decider->state, &said), 0);
		decider->sum = port_crc32(decider->sum, &said, sizeof(said));
		for (j = 0; i == heard && j < life.tenants; j++) {
			struct simgpu_snapshot_tenant *tenant =
				&snapshot->tenants[life.slots[j]];
			struct simgpu_prediction_tenant *of =
				&said.tenants[life.slots[j]];

			if (!tenant->active || !session_said(of))
				continue;
			tenant->class = of->class;
			tenant->np_ppm = of->np_ppm;
			tenant->sd_scal_ppm = of->sd_scal_ppm;
			tenant->sd_inter_ppm = of->sd_inter_ppm;
			tenant->curve = of->curve;
		}
	}
}

/* A number that depends on nobody's draws. */
static u64 made_of(u32 sm, u32 slot, u32 what)
{
	return hash_mix(hash_mix(life.snapshot.cycle, sm | slot << 16), what);
}

static void add_row(struct simgpu_snapshot *snapshot, u32 sm, u32 slot, u32 limit)
{
	static const s64 left[] = { SIMGPU_NO_QUOTA, -3, 0, 1, 5000, 700000 };
	struct simgpu_snapshot_shared *row =
		&snapshot->shared[snapshot->shared_rows++];

	row->sm = sm;
	row->slot = slot;
	row->block_limit = limit == SIMGPU_ANY_BLOCKS ? SIMGPU_NO_LIMIT : limit;
	row->blocks = made_of(sm, slot, 1) % 4;
	if (limit < 9)
		row->blocks = limit - (limit && made_of(sm, slot, 1) % 3 == 0);
	row->quota_left = left[made_of(sm, slot, 2) % ARRAY_SIZE(left)];
	row->thread_instructions = snapshot->cycle * (1 + made_of(sm, slot, 3) % 8);
	row->idle_warp_samples = snapshot->cycle / 100;
	row->idle_warps = row->idle_warp_samples * (made_of(sm, slot, 4) % 64);
}

/* SMs and kernels as the policy wanted them when it was asked last. */
static void see_own_words(struct simgpu_snapshot *snapshot,
			  struct decider *decider)
{
	struct simgpu_proposal *said = &decider->said;
	u32 slot, sm, i;

	for (i = 0; i < life.tenants; i++) {
		struct simgpu_snapshot_tenant *tenant =
			&snapshot->tenants[life.slots[i]];

		slot = life.slots[i];
		tenant->sms = 0;
		tenant->shared_sms = 0;
		tenant->held = tenant->active && said->hold >> slot & 1;
		for (sm = 0; tenant->active && sm < snapshot->sms; sm++) {
			tenant->sms += said->owner[sm] == slot;
			tenant->shared_sms += said->owner[sm] == SIMGPU_SHARED &&
					      said->sharers[sm] >> slot & 1;
		}
	}
	snapshot->shared_rows = 0;
	for (sm = 0; sm < snapshot->sms; sm++)
		for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
			if (said->owner[sm] == SIMGPU_SHARED &&
			    said->sharers[sm] >> slot & 1)
				add_row(snapshot, sm, slot,
					said->block_limit[sm][slot]);
	for (i = 0; i < life.tenants; i++) {
		slot = life.slots[i];
		for (sm = 0; sm < snapshot->tenants[slot].queue_count; sm++) {
			struct simgpu_snapshot_queue *queue =
				&snapshot->tenants[slot].queue[sm];

			queue->head.flags &= ~SIMGPU_KERNEL_RUNNING;
			if (!(queue->events & SIMGPU_ON_KERNEL_READY) &&
			    !(said->hold >> slot & 1) &&
			    !(said->hold_queues[slot] >> sm & 1))
				queue->head.flags |= SIMGPU_KERNEL_RUNNING;
		}
	}
}

/* As a session presents it. */
static void present(const struct simgpu_snapshot *snapshot, struct decider *decider)
{
	struct simgpu_proposal *said = &decider->said;
	u32 slot, sm;

	said->flags = 0;
	said->wake_cycle = 0;
	said->block_order = 0;
	said->idle_sample_cycles = 0;
	memset(said->bucket, 0, sizeof(said->bucket));
	memset(said->quota, 0, sizeof(said->quota));
	memset(said->refill, 0, sizeof(said->refill));
	memset(said->quota_flags, 0, sizeof(said->quota_flags));
	memset(said->issue_limit, 0xff, sizeof(said->issue_limit));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		said->sms[slot] = snapshot->tenants[slot].sms;
	for (sm = 0; sm < SIMGPU_SMS_MAX; sm++)
		if (said->owner[sm] < SIMGPU_SLOTS_MAX &&
		    !snapshot->tenants[said->owner[sm]].active)
			said->owner[sm] = SIMGPU_NO_OWNER;
}

/* Counts become owners, one SM after the other. */
static void take_counts(struct simgpu_proposal *said)
{
	u32 slot, i, sm = 0;

	if (said->flags & SIMGPU_SAYS_OWNERS)
		return;
	memset(said->owner, SIMGPU_NO_OWNER, sizeof(said->owner));
	for (slot = 0; slot < SIMGPU_SLOTS_MAX; slot++)
		for (i = 0; i < said->sms[slot] && sm < SIMGPU_SMS_MAX; i++)
			said->owner[sm++] = (u8)slot;
}

/*
 * What it does not list a session handles: an even split. Return: whether it is asked.
 */
static bool hears_of_it(const struct simgpu_policy *policy, struct decider *decider,
			u32 events)
{
	const u32 splits = SIMGPU_ON_ARRIVAL | SIMGPU_ON_DEPARTURE;

	if (events & splits & ~policy->events) {
		policy_split_even(&life.snapshot, &decider->said);
		take_counts(&decider->said);
	}
	return events & (policy->events | SIMGPU_ON_EPOCH);
}

static void ask_policies(void)
{
	struct simgpu_snapshot *snapshot = &life.snapshot;
	const struct simgpu_policy *policy;
	u32 events = snapshot->events, i;

	for (i = 0; (policy = registry_policy_at(i)); i++) {
		struct decider *decider = &life.policy[i];

		assert_true(i < POLICIES_MAX);
		if (!hears_of_it(policy, decider, events))
			continue;
		memcpy(snapshot->policy_params, decider->params,
		       sizeof(decider->params));
		see_own_words(snapshot, decider);
		present(snapshot, decider);
		snapshot->events = events & (policy->events | SIMGPU_ON_EPOCH);
		assert_int_equal(policy->decide(snapshot, decider->state,
						&decider->said), 0);
		snapshot->events = events;
		/* What is said of managed memory comes last, if it is said. */
		decider->sum = port_crc32(decider->sum, &decider->said,
					  decider->said.flags & SIMGPU_SAYS_MEMORY ?
					  sizeof(decider->said) :
					  offsetof(struct simgpu_proposal, memory_min));
		take_counts(&decider->said);
	}
}

static void live(void)
{
	u32 i, j;

	random_state = 0x5eed;
	for (i = 0; i < LIVES; i++) {
		begin_life(i);
		for (j = 0; j < STEPS; j++) {
			step(&life.snapshot);
			ask_models(i % MODELS_HEARD);
			ask_policies();
		}
	}
}

/* --- the file -------------------------------------------------------------------------- */

static void print_all(FILE *out)
{
	const struct simgpu_policy *policy;
	const struct simgpu_model *model;
	u32 i;

	live();
	for (i = 0; (model = registry_model_at(i)); i++)
		fprintf(out, "model %s %08x\n", model->name, life.model[i].sum);
	for (i = 0; (policy = registry_policy_at(i)); i++)
		fprintf(out, "policy %s %08x\n", policy->name,
			life.policy[i].sum);
}

static void answers_are_those_of_the_file(void **state)
{
	expect_listing(FILE_NAME, print_all);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_the_file),
	};

	if (argc > 1 && !strcmp(argv[1], "--print")) {
		print_all(stdout);
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
