// SPDX-License-Identifier: GPL-2.0
/*
 * Private runs for the model oracle: beside the device, each tenant has a GPU
 * of its own, on which the same kernels run on all SMs. A private run never goes further
 * than the tenant has come on the device. So its clock is the time that the same
 * instructions take alone: the truth that other models predict. Each tenant's private run
 * takes as much time and memory as the device.
 */
#include "internal.h"
#include "private_run.h"

/* Private clocks stop at multiples of this, which limits the accuracy of an epoch's cycles. */
#define PRIVATE_STEP	256

/* The configuration of a tenant's own GPU, which needs neither tags nor mirrors. */
static struct gpu_config config_alone(const struct session_options *options)
{
	struct gpu_config config = options->config;

	config.atd_sampling = 0;
	config.mirrors = 0;
	return config;
}

static int make(struct private_run *run, const struct session_options *options)
{
	struct gpu_config config = config_alone(options);

	run->bytes = gpu_bytes(&config) + GPU_ALIGNMENT;
	run->memory = port_alloc(run->bytes);
	if (!run->memory)
		return -ENOMEM;
	run->gpu = gpu_init(align_gpu(run->memory), &config, options->seed);
	run->seed = options->seed;
	return 0;
}

/* Whether a run is what make() would make. */
static bool fits(const struct private_run *run,
		 const struct session_options *options)
{
	struct gpu_config config = config_alone(options);

	return run->seed == options->seed &&
	       !memcmp(gpu_config(run->gpu), &config, sizeof(config));
}

size_t session_private_bytes(const struct session_options *options)
{
	struct gpu_config config = config_alone(options);

	return !((options->model->needs | options->policy->needs) &
		 SIMGPU_NEEDS_PRIVATE_RUNS) ? 0 :
	       sizeof(struct private_run) + gpu_bytes(&config) + GPU_ALIGNMENT;
}

struct private_run *session_private_make(const struct session_options *options)
{
	struct private_run *run = port_alloc(sizeof(*run));

	if (!run || !make(run, options))
		return run;
	port_free(run);
	return NULL;
}

size_t session_private_size(const struct private_run *run)
{
	return sizeof(*run) + run->bytes;
}

void session_private_free(struct private_run *run)
{
	if (run)
		port_free(run->memory);
	port_free(run);
}

/*
 * private_run_join() - give a new tenant a GPU, if the session has private runs
 * @made: taken over if it fits, or NULL
 */
int private_run_join(struct session *session, u32 slot, struct private_run *made)
{
	struct private_run *run = &session->private_runs[slot];
	u32 sm;

	if (!session_private_bytes(&session->initial))
		return 0;
	if (made && fits(made, &session->initial)) {
		*run = *made;
		made->memory = NULL;
	} else if (make(run, &session->initial)) {
		return -ENOMEM;
	}
	session->bytes += run->bytes;
	for (sm = 0; sm < session->initial.config.sms; sm++)
		gpu_sm_assign(run->gpu, sm, slot, GPU_PREEMPT_DRAIN);
	return 0;
}

/* private_run_leave() - a tenant has left: free its private run */
void private_run_leave(struct session *session, u32 slot)
{
	struct private_run *run = &session->private_runs[slot];

	if (!run->gpu)
		return;
	session->bytes -= run->bytes;
	port_free(run->memory);
	memset(run, 0, sizeof(*run));
}

/* private_run_start() - a kernel has begun on the device: begin it in the private run */
void private_run_start(struct session *session, u32 slot, u32 queue,
		       const struct trace *trace, u32 kernel)
{
	struct private_run *run = &session->private_runs[slot];

	if (!run->gpu)
		return;
	gpu_queue_set_priority(run->gpu, slot, queue,
			       session->tenants[slot].queue[queue].priority);
	gpu_queue_start(run->gpu, slot, queue, trace, kernel);
	run->runs |= 1U << queue;
}

/* private_run_drop() - kernels of some queues were killed on the device: so they are here */
void private_run_drop(struct session *session, u32 slot, u32 queues)
{
	struct private_run *run = &session->private_runs[slot];

	if (!run->gpu)
		return;
	run->runs &= ~queues;
	for (; queues; queues &= queues - 1)
		gpu_queue_drop(run->gpu, slot, (u32)__builtin_ctz(queues));
}

static void run_on(struct session *session, struct private_run *run, u32 slot)
{
	run_gpu(session, run->gpu,
		(gpu_now(run->gpu) / PRIVATE_STEP + 1) * PRIVATE_STEP, false);
	if (gpu_take_finished(run->gpu))
		run->runs &= ~gpu_take_queues(run->gpu, slot);
}

static u64 instructions_of(struct gpu *gpu, u32 slot)
{
	struct simgpu_counters counters;

	gpu_tenant_counters(gpu, slot, &counters);
	return counters.thread_instructions;
}

/*
 * private_run_follow() - advance private runs to where their tenants are
 * @ended: kernels that have ended on the device, which end in the private run, too
 *
 * Called often, so that each call is short. The point that a run reaches does not
 * depend on when.
 */
void private_run_follow(struct session *session, const struct ended *ended)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct private_run *run = &session->private_runs[slot];
		u64 done;

		if (!run->runs)
			continue;
		while (run->runs & ended->queues[slot])
			run_on(session, run, slot);
		done = instructions_of(session->gpu, slot);
		while (run->runs &&
		       instructions_of(run->gpu, slot) < done)
			run_on(session, run, slot);
	}
}

/* private_run_cycles() - private cycles of the present epoch; 0 without a run */
u64 private_run_cycles(const struct session *session, u32 slot)
{
	const struct private_run *run = &session->private_runs[slot];

	return run->gpu ? gpu_now(run->gpu) - run->epoch_start : 0;
}

/* private_run_epoch_begin() - count private cycles from here */
void private_run_epoch_begin(struct session *session, u32 slot)
{
	struct private_run *run = &session->private_runs[slot];

	if (run->gpu)
		run->epoch_start = gpu_now(run->gpu);
}
