// SPDX-License-Identifier: GPL-2.0
/*
 * Private runs for the model oracle: beside the device, each tenant has a GPU
 * to itself, on which the same kernels run on all SMs. It never goes further
 * than the tenant has come on the device, so its clock says how long the same
 * instructions take alone: the truth that other models predict. It costs as much
 * time and memory again for each tenant.
 */
#include "core.h"

/* Private clocks stop at multiples of this: how exact an epoch's cycles are. */
#define ORACLE_STEP	256

/* oracle_join() - a GPU for a new tenant, if the session has private runs */
int oracle_join(struct session *session, u32 slot)
{
	struct gpu_config config = session->initial.config;
	struct oracle *oracle = &session->oracles[slot];
	u32 sm;

	if (!(session->initial.model->flags & SIMGPU_MODEL_ORACLE))
		return 0;
	/* Nobody looks at these there. */
	config.atd_sampling = 0;
	config.mirrors = 0;
	oracle->bytes = gpu_bytes(&config) + GPU_ALIGNMENT;
	oracle->memory = port_alloc(oracle->bytes);
	if (!oracle->memory)
		return -ENOMEM;
	oracle->gpu = gpu_init(align_gpu(oracle->memory), &config,
			       session->initial.seed);
	oracle->epoch_start = 0;
	session->bytes += oracle->bytes;
	for (sm = 0; sm < config.sms; sm++)
		gpu_sm_assign(oracle->gpu, sm, slot, GPU_PREEMPT_DRAIN);
	return 0;
}

/* oracle_leave() - a tenant is gone, and its private run with it */
void oracle_leave(struct session *session, u32 slot)
{
	struct oracle *oracle = &session->oracles[slot];

	if (!oracle->gpu)
		return;
	session->bytes -= oracle->bytes;
	port_free(oracle->memory);
	memset(oracle, 0, sizeof(*oracle));
}

/* oracle_start() - a kernel has begun on the device: it begins here, too */
void oracle_start(struct session *session, u32 slot, const struct trace *trace,
		  u32 kernel)
{
	struct oracle *oracle = &session->oracles[slot];

	if (!oracle->gpu)
		return;
	gpu_kernel_start(oracle->gpu, slot, trace, kernel);
	oracle->runs = true;
}

static void run_to(struct oracle *oracle, u64 cycle)
{
	gpu_run(oracle->gpu, cycle);
	if (gpu_take_finished(oracle->gpu))
		oracle->runs = false;
}

static u64 instructions_of(struct gpu *gpu, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(gpu, slot, &counters);
	return counters.thread_instructions;
}

/*
 * oracle_follow() - private runs go on to where their tenants are
 * @ended: slots whose kernels have ended on the device; so they do here
 *
 * Called often, so that it does not take long; where a run has come to does not
 * depend on when.
 */
void oracle_follow(struct session *session, u64 ended)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct oracle *oracle = &session->oracles[slot];
		u64 done = NEVER;

		if (!oracle->runs)
			continue;
		if (!(ended & 1ULL << slot))
			done = instructions_of(session->gpu, slot);
		while (oracle->runs &&
		       instructions_of(oracle->gpu, slot) < done)
			run_to(oracle, (gpu_now(oracle->gpu) / ORACLE_STEP + 1) *
				       ORACLE_STEP);
	}
}

/* oracle_cycles() - private cycles of the present epoch; 0 without a run */
u64 oracle_cycles(const struct session *session, u32 slot)
{
	const struct oracle *oracle = &session->oracles[slot];

	return oracle->gpu ? gpu_now(oracle->gpu) - oracle->epoch_start : 0;
}

/* oracle_epoch_begin() - count from here */
void oracle_epoch_begin(struct session *session, u32 slot)
{
	struct oracle *oracle = &session->oracles[slot];

	if (oracle->gpu)
		oracle->epoch_start = gpu_now(oracle->gpu);
}
