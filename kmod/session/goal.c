// SPDX-License-Identifier: GPL-2.0
/*
 * Goals of tenants: thread instructions a cycle, the time of a kernel, or kernels a
 * second. Policies see all of them as instructions a cycle (FGQoS 3.2), with
 * the numbers that were promised and issued since the goal was set.
 */
#include "goal.h"
#include "internal.h"

#define NS_PER_SECOND	1000000000ULL

/*
 * goal_is_good() - whether a tenant of such a GPU may have the goal of its options
 */
bool goal_is_good(const struct gpu_config *config,
		  const struct session_tenant_options *options)
{
	if (options->goal_kind == SESSION_GOAL_NONE)
		return !options->goal;
	if (options->goal_kind >= SESSION_GOALS || !options->goal ||
	    options->service != SIMGPU_QOS)
		return false;
	return options->goal_kind != SESSION_GOAL_IPC ||
	       options->goal <= gpu_peak_ipc(config) * SIMGPU_PPM;
}

/*
 * Thread instructions of the kernels at the heads of a tenant's queues: their sum, as each
 * has to take the goal's time, or with @mean their mean.
 */
static u64 instructions_of(const struct session_tenant *tenant, bool mean)
{
	u32 mask, count = 0;
	u64 sum = 0;

	for (mask = working_queues(tenant); mask; mask &= mask - 1) {
		const struct queue *queue = &tenant->queue[__builtin_ctz(mask)];

		sum = fixed_add(sum, present_kernel(queue)->instructions);
		count++;
	}
	return mean && count ? sum / count : sum;
}

/*
 * FGQoS 3.2: IPC = instructions of the kernel / (frequency x execution time), but at most
 * what the device can issue.
 */
static u64 ipc_of(const struct session *session,
		  const struct session_tenant *tenant)
{
	const struct goal *goal = &tenant->goal;
	const struct gpu_config *config = &session->initial.config;
	u64 peak_ppm = gpu_peak_ipc(config) * SIMGPU_PPM;
	u64 mhz = config->core_mhz, ipc_ppm;

	switch (goal->kind) {
	case SESSION_GOAL_IPC:
		ipc_ppm = goal->value;
		break;
	case SESSION_GOAL_KERNEL_TIME:
		ipc_ppm = fixed_mul_div(instructions_of(tenant, false),
					NS_PER_SECOND,
					fixed_mul(goal->value, mhz));
		break;
	case SESSION_GOAL_RATE:
		ipc_ppm = fixed_mul_div(instructions_of(tenant, true),
					goal->value, mhz * SIMGPU_PPM);
		break;
	default:
		return 0;
	}
	return min(ipc_ppm, peak_ppm);
}

/*
 * goal_ipc_ppm() - IPC that a tenant is to reach now; 0 without a goal or work
 */
u64 goal_ipc_ppm(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];

	if (!has_work(tenant))
		return 0;
	return ipc_of(session, tenant);
}

/* The goal with what has passed since the last call, while there was work. */
static struct goal counted(const struct session *session, u32 slot)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u64 now = session_now(session), since;
	struct goal goal = tenant->goal;

	if (!goal.kind || session->stopped || tenant->left)
		return goal;
	since = max(goal.seen, tenant->arrival_cycle);
	if (has_work(tenant) && now > since) {
		goal.ipc_ppm = goal_ipc_ppm(session, slot);
		goal.cycles += now - since;
		goal.promised = fixed_add(goal.promised,
					  fixed_mul_div(goal.ipc_ppm,
							now - since,
							SIMGPU_PPM));
	}
	goal.seen = now;
	return goal;
}

/*
 * goal_account() - count up to now
 *
 * To be called before any change of what the tenant works on. Each call rounds down, so
 * calls must be at cycles that do not depend on observers.
 */
void goal_account(struct session *session, u32 slot)
{
	session->tenants[slot].goal = counted(session, slot);
}

/*
 * goal_follow() - count up to now, and begin a goal that the tenant has changed
 *
 * tenant->last has to be up to date.
 */
void goal_follow(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	const struct session_tenant_options *options = &tenant->options;

	if (tenant->goal.kind == options->goal_kind &&
	    tenant->goal.value == options->goal) {
		goal_account(session, slot);
		return;
	}
	tenant->goal = (struct goal) {
		.kind = options->goal_kind,
		.value = options->goal,
		.seen = session_now(session),
		.issued = tenant->last.thread_instructions,
	};
}

/*
 * goal_alpha() - max(goal / history, 1), in ppm; 0 without a goal (FGQoS 3.4.2)
 */
u64 goal_alpha(const struct session_goal_figures *figures)
{
	if (!figures->ipc_ppm)
		return 0;
	if (figures->instructions >= figures->promised ||
	    !figures->instructions)
		return SIMGPU_PPM;
	return fixed_ratio_ppm(figures->promised, figures->instructions);
}

/*
 * goal_figures() - figures of the goal up to now; changes nothing
 */
void goal_figures(const struct session *session, u32 slot,
		  struct session_goal_figures *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	struct goal goal = counted(session, slot);

	*out = (struct session_goal_figures) { .ipc_ppm = 0 };
	if (!goal.kind)
		return;
	out->ipc_ppm = has_work(tenant) ? goal_ipc_ppm(session, slot) :
					  goal.ipc_ppm;
	out->cycles = goal.cycles;
	out->instructions = tenant->last.thread_instructions - goal.issued;
	out->promised = goal.promised;
	out->met = out->cycles && out->instructions >= out->promised;
}
