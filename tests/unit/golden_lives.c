// SPDX-License-Identifier: GPL-2.0
/* What tenants do in the golden runs: see test_goldens.c. */
#include "golden_lives.h"

static struct session_tenant_options plain(u32 weight)
{
	return (struct session_tenant_options) { .name = "t", .weight = weight };
}

/* With a promise, if @target_ppm is above 0. */
static void join(struct golden_run *run, u32 slot, u32 weight, u64 target_ppm)
{
	struct session_tenant_options options = plain(weight);

	options.share_ppm = 200000 + 50000 * slot;
	if (target_ppm) {
		options.service = SIMGPU_QOS;
		options.target_ppm = target_ppm;
	}
	golden_join(run, slot, &options);
}

static void join_with_goal(struct golden_run *run, u32 slot, u32 kind, u64 goal)
{
	struct session_tenant_options options = plain(2);

	options.service = SIMGPU_QOS;
	options.goal_kind = kind;
	options.goal = goal;
	golden_join(run, slot, &options);
}

static void launch(struct golden_run *run, u32 slot, u32 queue, u32 trace, u64 repeats)
{
	const struct session_launch_options options = {
		.trace = golden_traces[trace], .repeats = repeats, .queue = queue,
	};

	golden_launch(run, slot, &options);
}

static void arrive(struct golden_run *run, u32 slot, u32 trace,
		   const struct arrivals_plan *plan)
{
	u64 sequence = 0;

	golden_note(run, "arrivals", session_arrivals(run->session, slot,
						      golden_traces[trace], plan,
						      &sequence));
	golden_note(run, "sequence", (s64)sequence);
}

/* --- company of all sorts, which comes and goes ------------------------------------------ */

static void together(struct golden_run *run, bool idempotent)
{
	const struct session_launch_options more = {
		.trace = golden_traces[GOLDEN_SHARED], .repeats = 2, .queue = 1,
		.idempotent = idempotent, .deadline = session_now(run->session) + 15000,
	};
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_POISSON, .launches = 1, .requests = 20, .seed = 5,
		.rate = 400000000, .deadline_cycles = 3000,
	};
	struct session_launch_options options = {
		.trace = golden_traces[GOLDEN_PROFILED], .repeats = 9,
		.idempotent = idempotent,
	};

	switch (run->step) {
	case 0:
		join(run, 0, 1, 600000);
		golden_launch(run, 0, &options);
		join(run, 1, 3, 0);
		options.trace = golden_traces[GOLDEN_MIXED];
		golden_launch(run, 1, &options);
		golden_launch(run, 1, &more);
		break;
	case 2:
		join_with_goal(run, 2, SESSION_GOAL_IPC, 60 * SIMGPU_PPM);
		options.trace = golden_traces[GOLDEN_COPY];
		golden_launch(run, 2, &options);
		break;
	case 4:
		join(run, 3, 1, 0);
		if (!idempotent)
			arrive(run, 3, GOLDEN_FEW, &plan);
		break;
	case 6:
		options.trace = golden_traces[GOLDEN_TWICE];
		options.queue = 2;
		golden_launch(run, 0, &options);
		break;
	case 8:
	case 24:
		session_leave(run->session, 1);
		break;
	case 9:
	case 25:
		join(run, 1, 2, 0);
		options.trace = golden_traces[run->step == 9 ? GOLDEN_GATHER :
							       GOLDEN_DEPENDENT];
		options.queue = 0;
		golden_launch(run, 1, &options);
		break;
	case 30:
		session_leave(run->session, 0);
		join(run, 0, 7, 0);
		options.trace = golden_traces[GOLDEN_LONG];
		options.queue = 0;
		golden_launch(run, 0, &options);
		break;
	case 40:
		join_with_goal(run, 4, SESSION_GOAL_RATE, 90000 * SIMGPU_PPM);
		options.trace = golden_traces[GOLDEN_BRIEF];
		golden_launch(run, 4, &options);
		golden_launch(run, 4, &more);
		break;
	}
}

void live_together(struct golden_run *run)
{
	together(run, false);
}

void live_idempotent(struct golden_run *run)
{
	together(run, true);
}

/* Traces that @variant names, a byte each: 1 more than their numbers. */
void live_with_traces(struct golden_run *run)
{
	u32 slot;

	for (slot = 0; slot < 4 && !run->step; slot++) {
		u32 trace = run->variant >> 8 * slot & 0xff;

		if (!trace)
			continue;
		join(run, slot, 1 + slot, 0);
		launch(run, slot, 0, trace - 1, 3);
	}
}

/* Profiled kernels, urgent or not, in two queues of some tenants. */
void live_with_profiles(struct golden_run *run)
{
	static const u32 traces[] = {
		GOLDEN_PROFILED, GOLDEN_GREEDY, GOLDEN_MODEST, GOLDEN_PROFILED,
		GOLDEN_HALF, GOLDEN_BRIEF,
	};
	struct session_launch_options options = { .repeats = 3, .idempotent = true };
	u32 slot = run->step % 6;

	if (run->step >= 18)
		return;
	if (run->step < 6)
		join(run, slot, 1 + slot, slot % 3 ? 0 : 400000 + 100000 * slot);
	options.trace = golden_traces[traces[slot]];
	options.queue = run->step / 6 % 2;
	options.deadline = session_now(run->session) + 5000;
	golden_launch(run, slot, &options);
}

/* The same, while one policy after another, and now and then a model, takes over. */
void live_through_policies(struct golden_run *run)
{
	const struct simgpu_policy *policy = registry_policy_at(run->step / 3 + run->variant);
	const struct simgpu_model *model = registry_model_at(run->step / 9);

	live_with_profiles(run);
	if (run->step % 3 == 2 && policy)
		session_set_policy(run->session, policy);
	if (run->step % 9 == 8 && model)
		session_set_model(run->session, model);
	/* Who has come to the end begins again. */
	if (run->step > 18)
		launch(run, run->step % 6, run->step % 2, GOLDEN_MODEST, 1);
}

/* --- the session's calls ------------------------------------------------------------------ */

/* Several queues that wait for one another, with priorities and masks of launches. */
void live_in_queues(struct golden_run *run)
{
	struct session_launch_options options = {
		.trace = golden_traces[GOLDEN_BRIEF], .repeats = 2,
		.sms = {
			run->variant ? 0x3cULL << (run->variant > 1 ? 58 : 0) : 0,
			run->variant > 1 ? 0x5a : 0,
		},
	};
	u32 queue;

	if (run->step % 4)
		return;
	if (!run->step) {
		join(run, 0, 1, 0);
		join(run, 1, 1, 0);
		launch(run, 1, 0, GOLDEN_RANDOM, 1);
		launch(run, 1, 3, GOLDEN_DEPENDENT, 1);
	}
	for (queue = 0; queue < 4; queue++) {
		s32 priority = (s32)(queue + run->step / 4) % 7 - 3;

		options.queue = queue;
		options.wait[0] = queue ? queue : 0;
		options.deadline = session_now(run->session) + 4000 * (queue + 1);
		golden_launch(run, 0, &options);
		golden_note(run, "queue", session_set_queue(run->session, 0, queue,
							    priority));
		options.trace = golden_traces[GOLDEN_TWICE + 6 * queue];
		options.sms[0] <<= 1;
	}
}

void live_by_arrivals(struct golden_run *run)
{
	static const u64 cycles[] = { 0, 10, 10, 3000, 3001, 9000, 16000 };
	struct arrivals_plan plan = {
		.kind = ARRIVALS_POISSON, .launches = 2, .requests = 30, .seed = 3,
		.rate = 900000000, .deadline_cycles = 2500,
	};

	if (run->step)
		return;
	join(run, 0, 1, 0);
	arrive(run, 0, GOLDEN_FEW, &plan);
	join_with_goal(run, 1, SESSION_GOAL_RATE, 200000 * SIMGPU_PPM);
	plan.kind = ARRIVALS_EVERY;
	plan.every_cycles = 2200;
	plan.launches = 1;
	arrive(run, 1, GOLDEN_BRIEF, &plan);
	join(run, 2, 1, 0);
	plan.kind = ARRIVALS_LIST;
	plan.requests = ARRAY_SIZE(cycles);
	plan.list = cycles;
	plan.deadline_cycles = 0;
	arrive(run, 2, GOLDEN_TWICE, &plan);
	join(run, 3, 1, 0);
	launch(run, 3, 0, GOLDEN_STREAM, 1);
}

static void set_c2(struct golden_run *run, u64 value)
{
	int ret = session_set_param(run->session, SESSION_MODEL_PARAMS, "c2", value);

	golden_note(run, "param", ret);
}

void live_with_settings(struct golden_run *run)
{
	struct session_tenant_options options = plain(5);

	switch (run->step) {
	case 0:
		join(run, 0, 1, 0);
		launch(run, 0, 0, GOLDEN_RANDOM, 2);
		join_with_goal(run, 1, SESSION_GOAL_KERNEL_TIME, 9000);
		launch(run, 1, 0, GOLDEN_TWICE, 40);
		break;
	case 3:
		session_set_policy(run->session, &policy_quota_rollover);
		session_set_model(run->session, &model_hsm_atd);
		break;
	case 5:
		options.service = SIMGPU_QOS;
		options.goal_kind = SESSION_GOAL_IPC;
		options.goal = 90 * SIMGPU_PPM;
		golden_note(run, "tenant", session_set_tenant(run->session, 0,
							      &options));
		golden_note(run, "epoch", session_set_epoch_cycles(run->session, 12000));
		break;
	case 7:
		session_set_policy(run->session, &policy_proportional);
		set_c2(run, 300000);
		set_c2(run, 3000000);
		break;
	case 9:
		options.weight = 0;
		golden_note(run, "tenant", session_set_tenant(run->session, 1,
							      &options));
		session_policy_is_slow(run->session);
		break;
	}
}

void live_in_masks(struct golden_run *run)
{
	const struct session_masks masks = {
		.sms = { run->step % 4 ? 0x33 << run->step % 4 & 0xff : 0 },
		.channels = run->step % 3 ? 0x5 << run->step % 2 : 0,
		.llc_ways = run->step % 5 ? 0x0f0f >> run->step : 0,
	};

	if (!run->step) {
		join(run, 0, 1, 0);
		join(run, 1, 2, 0);
		launch(run, 0, 0, GOLDEN_BRIEF, 40);
		launch(run, 0, 1, GOLDEN_SCATTER, 1);
		launch(run, 1, 0, GOLDEN_GATHER, 1);
	}
	golden_note(run, "masks", session_set_masks(run->session, run->step % 2,
						    &masks));
}

void live_in_gang(struct golden_run *run)
{
	static const u32 traces[2][3] = {
		{ GOLDEN_TWICE, GOLDEN_SAMPLE, GOLDEN_PARTIAL },
		/* Longer than an epoch. */
		{ GOLDEN_COMPUTE, GOLDEN_RANDOM, GOLDEN_PARTIAL },
	};
	u32 slot;

	for (slot = 0; slot < 3 && !run->step; slot++) {
		join(run, slot, 1 + slot, slot ? 0 : 300000);
		launch(run, slot, 0, traces[run->variant][slot], 1);
	}
}

/* Launches whose footprints do not fit beside each other, or at all. */
void live_in_memory(struct golden_run *run)
{
	u32 slot;

	for (slot = 0; slot < 3 && !run->step; slot++) {
		join(run, slot, 1, 0);
		launch(run, slot, 0, slot == 1 ? GOLDEN_SCATTER : GOLDEN_FEW, 1);
	}
	/* Two at once, of which one fits; then another one, in the first slot. */
	if (run->step == 3) {
		launch(run, 1, 0, GOLDEN_MIXED, 1);
		launch(run, 1, 1, GOLDEN_RANDOM, 1);
		launch(run, 2, 0, GOLDEN_RANDOM, 1);
		launch(run, 0, 0, GOLDEN_RANDOM, 1);
	}
	if (run->step == 6 || run->step == 12)
		session_leave(run->session, run->step / 6);
	if (run->step == 7)
		launch(run, 2, 1, GOLDEN_ODD, 1);
}

/* Long thread blocks, of which some have to go when others come. */
void live_long(struct golden_run *run)
{
	switch (run->step) {
	case 0:
		join(run, 0, 1, 0);
		launch(run, 0, 0, GOLDEN_LONG, 1);
		join(run, 1, 1, 0);
		launch(run, 1, 0, GOLDEN_BRIEF, 30);
		break;
	case 3:
		join(run, 2, 1, 0);
		launch(run, 2, 0, GOLDEN_MIXED, 1);
		break;
	case 6:
		session_leave(run->session, 1);
		break;
	case 8:
		join(run, 1, 4, 0);
		launch(run, 1, 0, GOLDEN_DEPENDENT, 1);
		break;
	}
}

/* The device is empty between launches, and starts them at their cycles. */
void live_now_and_then(struct golden_run *run)
{
	struct session_launch_options options = {
		.trace = golden_traces[GOLDEN_FEW], .repeats = 1,
	};
	u32 slot = run->step % 2;

	if (run->step < 2)
		join(run, slot, 1, 0);
	options.not_before = session_now(run->session) + 700 * (run->step % 5);
	/* Some are in time. */
	options.deadline = options.not_before + 800 * (1 + run->step % 4);
	golden_launch(run, slot, &options);
}
