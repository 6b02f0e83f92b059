// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: their life, tenants, the gang, and a run of the hardware from one decision to
 * the next. Launches, epochs, decisions, snapshots, parameters and the journal have files
 * of their own.
 */
#include "../policy/registry.h"
#include "apply.h"
#include "batching.h"
#include "copies.h"
#include "decide.h"
#include "epoch.h"
#include "failures.h"
#include "goal.h"
#include "hints.h"
#include "internal.h"
#include "launch.h"
#include "launch_turn.h"
#include "managed.h"
#include "pager_events.h"
#include "pager_parts.h"
#include "params.h"
#include "power.h"
#include "private_run.h"
#include "quotas.h"
#include "recovery.h"
#include "registers.h"
#include "sampling.h"
#include "sampling_leap.h"
#include "sampling_stretch.h"
#include "settings.h"
#include "shares.h"
#include "sight.h"
#include "snapshot.h"

/* --- life ------------------------------------------------------------------------ */

static bool params_are_good(const struct simgpu_param *params, const u64 *values)
{
	u32 i;

	for (i = 0; params && i < SIMGPU_PARAMS_MAX && params[i].name; i++)
		if (values[i] < params[i].least || values[i] > params[i].most)
			return false;
	return true;
}

static bool constants_are_good(const struct session_options *options)
{
	struct session_refusal unused = { 0 };

	return !options->constants ||
	       !constants_check(options->model, options->config.name,
				options->constants, options->constants_bytes,
				&unused);
}

bool policy_is_good(const struct simgpu_policy *policy)
{
	return policy->decide && !(policy->events & ~SIMGPU_ON_KNOWN) &&
	       !(policy->needs & ~SIMGPU_NEEDS_KNOWN) && !policy->reserved &&
	       policy->state_bytes <= SIMGPU_STATE_BYTES_MAX &&
	       session_gauges_are_good(policy->gauges);
}

bool memory_policy_is_good(const struct simgpu_memory_policy *policy)
{
	const u32 ranks = SIMGPU_RANK_ON_ARRIVAL | SIMGPU_RANK_ON_USE;

	return policy->place && !(policy->events & ~SIMGPU_MEMORY_EVENTS) &&
	       (policy->rank || !(policy->events & ranks)) &&
	       policy->state_bytes <= SIMGPU_STATE_BYTES_MAX;
}

bool model_is_good(const struct simgpu_model *model)
{
	const u64 most = SIMGPU_CONSTANTS_BYTES_MAX -
			 sizeof(struct simgpu_constants_header);

	const u32 events = SIMGPU_ON_WAKE | SIMGPU_ON_KERNEL_END;

	return model->predict && !(model->events & ~events) &&
	       !(model->needs & ~SIMGPU_NEEDS_KNOWN) &&
	       model->state_bytes <= SIMGPU_STATE_BYTES_MAX &&
	       model->constants_bytes <= most;
}

static bool deciders_are_good(const struct session_options *options)
{
	return options->model && model_is_good(options->model) &&
	       options->policy && policy_is_good(options->policy) &&
	       params_are_good(options->model->params, options->model_params) &&
	       params_are_good(options->policy->params,
			       options->policy_params) &&
	       params_memory_are_good(options) &&
	       constants_are_good(options);
}

static bool options_are_good(const struct session_options *options)
{
	const char *field;

	return !gpu_config_check(&options->config, &field) &&
	       session_settings_fit(options) &&
	       !(options->managed_mib % (GPU_CHUNK_BYTES >> 20)) &&
	       (options->stop_cycle || !options->relaunch) &&
	       !(options->sampled && options->timeout_cycles) &&
	       deciders_are_good(options);
}

/*
 * Give a valid configuration auxiliary tags. A large cache gets them for fewer sets, so
 * that the configuration stays valid.
 */
static void provide_tags(struct gpu_config *config)
{
	const char *field;

	config->atd_sampling = SESSION_ATD_SAMPLING;
	while (gpu_config_check(config, &field))
		config->atd_sampling *= 2;
}

/* Give tags to all sets, or to as many as the configuration can have. */
static void provide_all_tags(struct gpu_config *config)
{
	const char *field;

	config->atd_sampling = 1;
	while (gpu_config_check(config, &field) &&
	       config->atd_sampling < SESSION_ATD_SAMPLING)
		config->atd_sampling++;
	if (gpu_config_check(config, &field))
		provide_tags(config);
}

/* Add mirrors. If they would be too large, the model has to do without them. */
static void provide_mirrors(struct gpu_config *config)
{
	const char *field;

	config->mirrors = 1;
	if (gpu_config_check(config, &field))
		config->mirrors = 0;
}

u32 session_all_tags_sampling(const struct gpu_config *config)
{
	struct gpu_config copy = *config;

	if (!copy.atd_sampling)
		provide_all_tags(&copy);
	return copy.atd_sampling;
}

/* Provide what model and policy need, even if the configuration does not ask for it. */
static void provide_needs(struct session_options *options)
{
	u32 needs = options->model->needs | options->policy->needs;

	if (needs & SIMGPU_NEEDS_ALL_TAGS && !options->config.atd_sampling)
		provide_all_tags(&options->config);
	else if (needs & SIMGPU_NEEDS_TAGS && !options->config.atd_sampling)
		provide_tags(&options->config);
	if (needs & SIMGPU_NEEDS_MIRRORS)
		provide_mirrors(&options->config);
}

static int alloc_sampling(struct session *session)
{
	const struct gpu_config *config = &session->initial.config;
	struct services *services = port_alloc(services_bytes(config));

	session->sampling = port_alloc(sampling_bytes(config));
	if (!session->sampling || !services) {
		port_free(session->sampling);
		port_free(services);
		session->sampling = NULL;
		return -ENOMEM;
	}
	session->services = services;
	session->bytes += sampling_bytes(config) + services_bytes(config);
	return 0;
}

/* States and constants are stored one after another. */
static int alloc_memory(struct session *session)
{
	const struct gpu_config *config = &session->initial.config;
	const size_t states = 2 * SIMGPU_STATE_BYTES_MAX +
			      SIMGPU_CONSTANTS_BYTES_MAX;
	size_t gpu_size = gpu_bytes(config) + GPU_ALIGNMENT +
			  registers_bytes(config);
	size_t past_size = sight_bytes(&session->initial);

	session->gpu_memory = port_alloc(gpu_size);
	session->policy_state = port_alloc(states);
	if (past_size)
		session->past = port_alloc(past_size);
	if (!session->gpu_memory || !session->policy_state ||
	    (past_size && !session->past))
		return -ENOMEM;
	session->model_state = (char *)session->policy_state +
			       SIMGPU_STATE_BYTES_MAX;
	session->constants = (char *)session->model_state +
			     SIMGPU_STATE_BYTES_MAX;
	session->bytes = sizeof(*session) + gpu_size + states + past_size;
	return session->initial.sampled ? alloc_sampling(session) : 0;
}

static void free_memory(struct session *session)
{
	port_free(session->gpu_memory);
	port_free(session->policy_state);
	port_free(session->past);
	port_free(session->sampling);
	port_free(session->services);
	managed_end(session);
	copies_end_session(session);
	journal_free(session);
	port_free(session);
}

static void begin_memory_params(struct session *session)
{
	const struct session_options *options = &session->initial;
	const struct simgpu_memory_policy *policy = options->memory_policy;
	u32 i;

	params_begin_memory(session, policy);
	for (i = 0; i < SIMGPU_PARAMS_MAX; i++)
		if (options->memory_params_set >> i & 1)
			session->memory_params[i] = options->memory_params[i];
}

/* Start the model and policy of the options, with the parameters set there. */
static void begin_deciders(struct session *session)
{
	const struct session_options *options = &session->initial;

	session->policy = options->policy;
	use_model(session, options->model);
	use_policy(session, options->policy);
	memcpy(session->model_params, options->model_params,
	       sizeof(session->model_params));
	memcpy(session->policy_params, options->policy_params,
	       sizeof(session->policy_params));
	begin_memory_params(session);
	if (options->constants) {
		memcpy(session->constants, options->constants,
		       options->constants_bytes);
		session->constants_bytes = options->constants_bytes;
	}
	session->initial.constants = NULL;
}

static void note_handover(void *context, u32 slot, u64 cycles)
{
	struct session *session = context;

	times_add(&session->tenants[slot].handovers, cycles);
}

int session_create(struct session **out, const struct session_options *options,
		   const struct session_hooks *hooks)
{
	const struct gpu_config *config;
	struct session *session;

	if (!options_are_good(options))
		return -EINVAL;
	session = port_alloc(sizeof(*session));
	if (!session)
		return -ENOMEM;
	session->initial = *options;
	provide_needs(&session->initial);
	session_settings_complete(&session->initial);
	config = &session->initial.config;
	if (managed_begin(session) || alloc_memory(session) || journal_init(session)) {
		free_memory(session);
		return -ENOMEM;
	}
	session->gpu = gpu_init(align_gpu(session->gpu_memory), config,
				options->seed);
	gpu_set_handover_hook(session->gpu, note_handover, session);
	session->registers = (void *)((char *)session->gpu + gpu_bytes(config));
	session->hooks = *hooks;
	session->epoch_cycles = options->epoch_cycles;
	session->sampled = options->sampled;
	session->watch_cycle = session->initial.hold_cycles / 8;
	session->last_slot = SESSION_SLOTS_MAX - 1;
	sampling_begin(session);
	begin_deciders(session);
	snapshot_begin(session);
	proposal_begin(session);
	power_begin(session);
	*out = session;
	return 0;
}

size_t session_bytes(const struct session *session)
{
	return session->bytes;
}

const struct session_options *session_options(const struct session *session)
{
	return &session->initial;
}

u64 session_now(const struct session *session)
{
	return gpu_now(session->gpu) + sampling_leapt(session);
}

/* The cycle in which the last thread block of a queue ended */
u64 session_kernel_end(const struct session *session, u32 slot, u32 queue)
{
	struct gpu_kernel_status status;

	gpu_queue_status(session->gpu, slot, queue, &status);
	return status.ended_at + sampling_leapt(session);
}

/* The cycle in which the last thread block of a queue ended, or its last command */
static u64 queue_end(const struct session *session, u32 slot, u32 queue)
{
	return max(session_kernel_end(session, slot, queue),
		   session->tenants[slot].part[queue].ended);
}

u64 session_end_cycle(const struct session *session)
{
	u32 slot, queue;
	u64 end = 0;

	if (session_state(session) != SESSION_IDLE)
		return session_now(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		for (queue = 0; queue < SESSION_QUEUES_MAX; queue++)
			end = max(end, queue_end(session, slot, queue));
	return end ? end : session_now(session);
}

const struct gpu *session_gpu(const struct session *session)
{
	return session->gpu;
}

void session_destroy(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		launch_drop_all(session, slot, -ECANCELED);
		private_run_leave(session, slot);
	}
	free_memory(session);
}

/* --- what happens between two runs of the hardware ------------------------------------ */

/* Whether two kernels seem to do the same: name and sizes are equal. */
static bool same_kernel(const struct trace_kernel *a, const struct trace_kernel *b)
{
	return !strcmp(a->name, b->name) && a->blocks == b->blocks &&
	       a->block_threads == b->block_threads;
}

/* Whether a tenant runs out of work and the policy does not handle that event */
static bool some_depart(const struct session *session, const struct ended *ended)
{
	u64 slots = ended->slots;

	if (lists(session, SIMGPU_ON_DEPARTURE))
		return false;
	for (; slots; slots &= slots - 1)
		if (launch_departs(session, ended,
				   (u32)__builtin_ctzll(slots)))
			return true;
	return false;
}

/* Advance a queue to its next kernel. @changed: set if that is a different kernel. */
static u32 advance(struct session *session, u32 slot, u32 number, bool *changed)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct queue *queue = &tenant->queue[number];
	struct trace_kernel ended = *present_kernel(queue);
	u32 events = launch_advance(session, slot, number);

	*changed |= working_queues(tenant) >> number & 1 &&
		    !same_kernel(&ended, present_kernel(queue));
	return events;
}

/* Advance all queues that ended. @changed: whether some queue has a different kernel. */
static u32 advance_all(struct session *session, const struct ended *ended,
		       bool *changed)
{
	u64 slots = ended->slots;
	u32 events = 0, queues;

	*changed = false;
	for (; slots; slots &= slots - 1) {
		u32 slot = (u32)__builtin_ctzll(slots);

		goal_account(session, slot);
		for (queues = ended->queues[slot]; queues; queues &= queues - 1)
			events |= advance(session, slot,
					  (u32)__builtin_ctz(queues), changed);
	}
	return events;
}

/*
 * Kernels have ended. The policy decides what happens then if it handles the event;
 * otherwise the session's kernel_end does. A tenant without work never keeps SMs
 * (docs/glossary.md, Tenants).
 */
static void kernels_ended(struct session *session, const struct ended *ended)
{
	enum session_kernel_end way = session->initial.kernel_end;
	bool listed = lists(session, SIMGPU_ON_KERNEL_END);
	bool even = way == SESSION_KERNEL_END_EVEN && !listed;
	bool departs = some_depart(session, ended), changed;
	u32 events;

	decide_kernel_end(session);
	/* The epoch before ends first. */
	if (even || departs)
		epoch_end(session, false);
	events = decide_events(session, advance_all(session, ended, &changed));
	/* If two launches end at once, one of the next ones may take the memory of both. */
	departs |= !!(events & SIMGPU_ON_DEPARTURE);
	if (way == SESSION_KERNEL_END_CHANGED && !listed)
		even |= changed;
	if (even || departs)
		split_even_now(session);
}

/*
 * Start the launches whose cycle has come. If they bring a tenant work and the policy does
 * not handle that event, the epoch ends and an even split begins.
 */
static void start_due(struct session *session)
{
	u32 events;

	if (launch_next_start(session) > session_now(session))
		return;
	if (!lists(session, SIMGPU_ON_ARRIVAL) && launch_brings_work(session))
		epoch_end(session, false);
	events = decide_events(session, launch_start_due(session));
	if (events & SIMGPU_ON_ARRIVAL) {
		split_even_now(session);
		epoch_begin(session);
	}
}

static bool somebody_has_work(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (has_work(&session->tenants[slot]))
			return true;
	return false;
}

/* Report the state of a tenant's queues. */
static void fill_queue_reports(struct session *session, u32 slot,
			       struct session_queue_report *rows)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	u32 i;

	for (i = 0; i < tenant->queues; i++) {
		const struct queue *queue = &tenant->queue[i];
		struct session_queue_report *row = &rows[i];

		memset(row, 0, sizeof(*row));
		row->priority = queue->priority;
		row->waiting = launch_waiting(session, slot, i);
		row->held = is_held(session, slot, i);
		if (!(tenant->pending >> i & 1))
			continue;
		row->sequence = present_launch(queue)->sequence;
		row->state = tenant->running >> i & 1 ? SESSION_QUEUE_RUNNING :
			     working_queues(tenant) >> i & 1 ?
			     SESSION_QUEUE_READY : SESSION_QUEUE_WAITING;
		row->kernel = queue->kernel;
	}
}

/* Whether a tenant has work and no SM, and the policy does not hold it */
static bool waits_for_sms(const struct session *session, u32 slot)
{
	u32 sm;

	if (!has_work(&session->tenants[slot]) ||
	    session->controls.hold >> slot & 1 || sms_assigned(session, slot) ||
	    sms_shared(session, slot))
		return false;
	for (sm = 0; sm < session->initial.config.sms; sm++)
		if (gpu_sm_blocks(session->gpu, sm, slot))
			return false;
	return true;
}

static void stop(struct session *session)
{
	u32 slot;

	epoch_end(session, false);
	session->stopped = true;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		session->tenants[slot].waiting =
			launch_waiting_all(session, slot);
		session->tenants[slot].waits_for_memory =
			launch_lacks_memory(session, slot);
		session->tenants[slot].waits_for_sms =
			waits_for_sms(session, slot);
		fill_queue_reports(session, slot,
				   session->tenants[slot].stopped);
		shares_fill(session, slot, &session->tenants[slot].shares);
		copies_fill_stopped(session, slot);
	}
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		gpu_tenant_counters(session->gpu, slot, &tenant->last);
		launch_drop_all(session, slot, 0);
	}
}

enum session_state session_state(const struct session *session)
{
	u32 slot;

	if (session->canceled)
		return SESSION_CANCELED;
	if (session->stopped)
		return SESSION_STOPPED;
	if (session->initial.gang_size && !session->gang_started)
		return SESSION_WAITING;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].pending)
			return SESSION_RUNNING;
	return SESSION_IDLE;
}

/* Take the kernels whose end the device reports. */
static void take_ended(struct session *session, struct ended *out)
{
	u64 rest;

	memset(out, 0, sizeof(*out));
	out->slots = gpu_take_finished(session->gpu);
	for (rest = out->slots; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		out->queues[slot] = (u8)gpu_take_queues(session->gpu, slot);
	}
}

/* Record what the hardware and the pager tell of tenants, as events for the policy. */
static void hear_of_tenants(struct session *session)
{
	u64 sliced = gpu_take_slices(session->gpu), rest;
	u64 out = gpu_take_quotas_out(session->gpu);
	u32 queues;

	for (rest = sliced; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);
		struct session_tenant *tenant = &session->tenants[slot];

		queues = gpu_take_sliced_queues(session->gpu, slot);
		tenant->events |= SIMGPU_ON_SLICE_END;
		for (; queues; queues &= queues - 1)
			tenant->queue[__builtin_ctz(queues)].events |=
				SIMGPU_ON_SLICE_END;
	}
	for (rest = out; rest; rest &= rest - 1)
		session->tenants[__builtin_ctzll(rest)].events |=
			SIMGPU_ON_QUOTA_OUT;
	decide_events(session, (sliced ? SIMGPU_ON_SLICE_END : 0) |
			       (out ? SIMGPU_ON_QUOTA_OUT : 0) | pager_hear(session));
}

/*
 * Let time pass up to @until. The hardware is run up to @limit at most; a leap is whole, so
 * that it does not depend on that.
 */
static void pass_time(struct session *session, u64 until, u64 limit)
{
	if (sampling_leaps(session)) {
		sampling_leap(session, until);
		return;
	}
	until = min(until, min(limit, sampling_next_look(session)));
	run_gpu(session, session->gpu, until - sampling_leapt(session), true);
}

/*
 * Whether the epoch ends now. While nobody has work it goes on until a launch comes: its end
 * must not depend on where the owner pauses in between.
 */
static bool epoch_is_over(const struct session *session)
{
	return session_now(session) >= session->epoch_start + session->epoch_cycles &&
	       (somebody_has_work(session) ||
		launch_next_start(session) <= session_now(session));
}

/* Run the hardware until the next decision or @limit, then decide. */
static void run_once(struct session *session, u64 limit)
{
	u64 epoch_over = NEVER, until;
	struct ended ended;

	if (services_leap(session))
		return;
	recovery_turn_away(session);
	start_due(session);
	/* The last launch may have ended with a command other than a kernel. */
	if (session_state(session) != SESSION_RUNNING)
		return;
	launch_launched(session);
	hints_due(session);
	/* If a write has shortened the present epoch, it may have to end now. */
	if (somebody_has_work(session))
		epoch_over = session->epoch_start + session->epoch_cycles;
	until = min(epoch_over,
		    min(decide_next(session), launch_next_start(session)));
	until = min(until, launch_next_launched(session));
	until = min(until, recovery_next(session));
	until = min(until, hints_next(session));
	until = min(until, power_next(session));
	if (session->initial.stop_cycle)
		until = min(until, session->initial.stop_cycle);
	pass_time(session, max(until, session_now(session)), limit);
	copies_hear(session);
	take_ended(session, &ended);
	private_run_follow(session, &ended);
	sampling_kernels_ended(session, &ended);
	if (ended.slots)
		kernels_ended(session, &ended);
	hear_of_tenants(session);
	recovery_find(session);
	decide_apply(session);
	if (session->initial.stop_cycle &&
	    session_now(session) == session->initial.stop_cycle) {
		stop(session);
		return;
	}
	if (epoch_is_over(session))
		epoch_end(session, true);
	decide_due(session);
	recovery_act(session);
	power_due(session);
	if (ended.slots)
		services_look(session);
	sampling_look(session, ended.slots);
}

u64 session_empty_cycles(struct session *session)
{
	u64 next;

	if (session_state(session) != SESSION_RUNNING ||
	    somebody_has_work(session) || pager_is_busy(session) ||
	    copies_fly(session) || launch_copies_wait(session))
		return 0;
	next = min(launch_next_start(session), recovery_next(session));
	return fixed_above(next, session_now(session));
}

static bool time_is_over(const struct session *session)
{
	const struct session_hooks *hooks = &session->hooks;

	return hooks->time_is_over && hooks->time_is_over(hooks->context);
}

enum session_state session_run(struct session *session, u64 cycles)
{
	u64 limit = fixed_add(session_now(session), cycles);

	while (session_state(session) == SESSION_RUNNING &&
	       session_now(session) < limit) {
		run_once(session, limit);
		if (time_is_over(session))
			break;
	}
	return session_state(session);
}

/* --- tenants --------------------------------------------------------------------------- */

bool session_tenant_options_are_good(const struct gpu_config *config,
				     const struct session_tenant_options *options)
{
	if (!options->weight || options->weight > SESSION_WEIGHT_MAX ||
	    options->strikes >= SESSION_STRIKES_MAX ||
	    options->share_ppm > SIMGPU_PPM ||
	    options->p99_cycles > SESSION_P99_MAX || !limits_are_good(&options->memory) ||
	    !goal_is_good(config, options))
		return false;
	if (options->service == SIMGPU_QOS)
		return (options->target_ppm || options->goal_kind) &&
		       options->target_ppm <= SIMGPU_PPM;
	return options->service == SIMGPU_BEST_EFFORT && !options->target_ppm;
}

/*
 * Find a free slot, beginning after the slot that was given out last. So a slot stays free
 * as long as possible, and nothing of its last tenant is in the hardware any more.
 */
static u32 free_slot(const struct session *session)
{
	u32 i;

	for (i = 1; i <= SESSION_SLOTS_MAX; i++) {
		u32 slot = (session->last_slot + i) % SESSION_SLOTS_MAX;

		if (!is_member(session, slot))
			return slot;
	}
	return SESSION_ANY_SLOT;
}

int session_join(struct session *session, u32 slot,
		 const struct session_tenant_options *options)
{
	return session_join_with(session, slot, options, NULL);
}

int session_join_with(struct session *session, u32 slot,
		      const struct session_tenant_options *options,
		      struct private_run *run)
{
	u32 gang_size = session->initial.gang_size;
	struct session_tenant *tenant;
	int ret;

	if (!session_tenant_options_are_good(&session->initial.config,
					     options) ||
	    (gang_size ? slot >= gang_size : slot != SESSION_ANY_SLOT &&
	     slot >= SESSION_SLOTS_MAX))
		return -EINVAL;
	if (gang_size && (session->gang_started || session->canceled))
		return -EBUSY;
	if (slot == SESSION_ANY_SLOT)
		slot = free_slot(session);
	if (slot == SESSION_ANY_SLOT || is_member(session, slot))
		return -EBUSY;
	ret = private_run_join(session, slot, run);
	if (ret)
		return ret;
	journal_add(session, JOURNAL_JOIN, slot)->tenant = *options;
	/* The slots of a gang are named, and no tenant joins it later. */
	if (!gang_size)
		session->last_slot = slot;
	power_join(session, slot);
	tenant = &session->tenants[slot];
	memset(tenant, 0, sizeof(*tenant));
	tenant->joined = true;
	tenant->options = *options;
	tenant->next_sequence = 1;
	tenant->queues = 1;
	failures_join(session, slot, options->strikes);
	remarks_forget(session, slot);
	gpu_tenant_reset_counters(session->gpu, slot);
	registers_clear(session, slot);
	sight_forget(session, slot);
	return (int)slot;
}

static bool same_options(const struct session_tenant_options *a,
			 const struct session_tenant_options *b)
{
	return !strcmp(a->name, b->name) && a->service == b->service &&
	       a->weight == b->weight && a->target_ppm == b->target_ppm &&
	       a->cgroup == b->cgroup && a->share_ppm == b->share_ppm &&
	       a->goal_kind == b->goal_kind && a->goal == b->goal &&
	       a->p99_cycles == b->p99_cycles &&
	       !memcmp(&a->memory, &b->memory, sizeof(a->memory));
}

/* The pager goes by limits at once, so no later event takes the place of one with others. */
static void note_options(struct session *session, u32 slot,
			 const struct session_tenant_options *options)
{
	struct session_tenant *tenant = &session->tenants[slot];
	bool limits = memcmp(&tenant->options.memory, &options->memory,
			     sizeof(options->memory));

	if (limits)
		tenant->unseen = NULL;
	journal_tenant(session, slot, options);
	if (limits)
		tenant->unseen = NULL;
}

int session_set_tenant(struct session *session, u32 slot,
		       const struct session_tenant_options *options)
{
	if (!session_tenant_options_are_good(&session->initial.config,
					     options) ||
	    !is_member(session, slot))
		return -EINVAL;
	if (same_options(&session->tenants[slot].options, options))
		return 0;
	note_options(session, slot, options);
	session->tenants[slot].options = *options;
	return 0;
}

/* End all that a slot does, and free what it has of managed memory. */
static void end_slot(struct session *session, u32 slot)
{
	launch_end_all(session, slot, -ECANCELED);
	pager_forget(session, slot);
}

/* Free the managed memory of a slot whose launches have ended with the session. */
static void forget_memory(struct session *session, u32 slot)
{
	gpu_tenant_drop(session->gpu, slot);
	pager_forget(session, slot);
}

static void cancel_gang(struct session *session)
{
	u32 slot;

	session->canceled = true;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (is_member(session, slot))
			end_slot(session, slot);
}

void session_leave(struct session *session, u32 slot)
{
	struct session_tenant *tenant;
	bool had_work;

	if (!is_member(session, slot))
		return;
	tenant = &session->tenants[slot];
	had_work = has_work(tenant);
	journal_add(session, JOURNAL_LEAVE, slot);
	if (had_work && !lists(session, SIMGPU_ON_DEPARTURE))
		epoch_end(session, false);
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	power_leave(session, slot);
	if (session->initial.gang_size && !session->gang_started &&
	    !session->canceled)
		cancel_gang(session);
	if (!session->stopped)
		end_slot(session, slot);
	else if (managed_is(session, slot))
		forget_memory(session, slot);
	controls_forget(session, slot);
	if (session->apply_cycle != NEVER)
		proposal_forget(session, slot);
	private_run_leave(session, slot);
	tenant->hint = (struct session_hint) { 0 };
	tenant->left = true;
	if (!had_work)
		return;
	tenant->events |= SIMGPU_ON_DEPARTURE;
	if (decide_events(session, SIMGPU_ON_DEPARTURE)) {
		split_even_now(session);
		epoch_begin(session);
	}
}

void session_tenant_report(struct session *session, u32 slot,
			   struct session_tenant_report *out)
{
	struct session_tenant *tenant = &session->tenants[slot];

	memset(out, 0, sizeof(*out));
	if (!tenant->joined)
		return;
	if (!tenant->left)
		gpu_tenant_counters(session->gpu, slot, &tenant->last);
	out->present = true;
	out->left = tenant->left;
	out->active = has_work(tenant);
	out->options = tenant->options;
	out->shared_sms = sms_shared(session, slot);
	out->sms = sms_assigned(session, slot) + out->shared_sms;
	out->held = session->controls.hold >> slot & 1;
	out->waits_for_memory = session->stopped ?
				tenant->waits_for_memory :
				launch_lacks_memory(session, slot);
	out->waits_for_sms = session->stopped ? tenant->waits_for_sms :
						waits_for_sms(session, slot);
	out->class = tenant->predicted.class;
	out->np_ppm = tenant->predicted.np_ppm;
	out->np_doubts = tenant->np_doubts;
	out->np_run_doubts = tenant->np_run_doubts;
	session_np_figures(&tenant->np_run, &out->np_run);
	out->first_run_done = tenant->first_run_done;
	out->counters = tenant->last;
	out->leapt_error_ppm = 2 * sampling_error_ppm(session, slot);
	goal_figures(session, slot, &out->goal);
	quotas_figures(tenant, &out->quota);
	if (session->stopped)
		out->shares = tenant->shares;
	else
		shares_fill(session, slot, &out->shares);
	out->masks = tenant->masks;
	out->energy_known = energy_find(session->initial.config.name);
	out->energy_pj = power_slot_pj(session, slot);
	out->latency = *latency_figures(&tenant->latency,
					session->initial.config.core_mhz);
	out->first_tokens = *times_figures(&tenant->first_tokens,
					   session->initial.config.core_mhz);
	out->tokens = *times_figures(&tenant->tokens, session->initial.config.core_mhz);
	out->batch_ppm = batching_mean_ppm(tenant);
	out->preemption = *times_figures(&tenant->handovers,
					 session->initial.config.core_mhz);
	copies_report(session, slot, &out->copies);
	services_figures(session, slot, &out->passed);
	pager_figures(session, slot, &out->managed_bytes, &out->resident_bytes);
	failures_report(session, slot, &out->failures);
	out->waiting = session->stopped ? tenant->waiting :
					  launch_waiting_all(session, slot);
	out->queue_count = tenant->queues;
	if (session->stopped)
		memcpy(out->queue, tenant->stopped, sizeof(out->queue));
	else
		fill_queue_reports(session, slot, out->queue);
	if (tenant->first_run_done)
		out->figures = tenant->first_run;
	else if (tenant->started)
		figures_compute(session->gpu, &tenant->last,
				session_now(session) - tenant->start_cycle,
				&out->figures);
}

/* --- parameters -------------------------------------------------------------------------- */

void session_set_policy(struct session *session,
			const struct simgpu_policy *policy)
{
	struct journal_event *event = journal_add(session, JOURNAL_POLICY, 0);

	journal_name(event, policy->name, policy->source, policy->checksum);
	use_policy(session, policy);
	if (somebody_has_work(session))
		split_even_now(session);
}

/* A replay cannot find this out by itself, so the journal has it as a change of policy. */
static void end_policy(struct session *session, enum session_refusal_kind kind,
		       s32 code, const char *reason)
{
	struct session_refusal *why = &session->refusal;

	refusal_say(why, "", SESSION_NOWHERE, SESSION_NOWHERE, reason);
	why->kind = kind;
	why->code = code;
	why->cycle = session_now(session);
	session_set_policy(session, &policy_even);
}

void session_policy_is_slow(struct session *session)
{
	end_policy(session, SESSION_REFUSED_SLOW, -ETIMEDOUT,
		   "the policy took too long");
}

void session_policy_is_gone(struct session *session)
{
	end_policy(session, SESSION_REFUSED_GONE, -ENOENT,
		   "the policy was unloaded");
}

void session_set_model(struct session *session, const struct simgpu_model *model)
{
	struct journal_event *event = journal_add(session, JOURNAL_MODEL, 0);

	journal_name(event, model->name, model->source, model->checksum);
	use_model(session, model);
}

const struct session_refusal *session_last_refusal(const struct session *session)
{
	return &session->refusal;
}

int session_set_epoch_cycles(struct session *session, u64 epoch_cycles)
{
	if (epoch_cycles < SESSION_EPOCH_CYCLES_MIN ||
	    epoch_cycles > SESSION_EPOCH_CYCLES_MAX)
		return -EINVAL;
	journal_add(session, JOURNAL_EPOCH_CYCLES, 0)->epoch_cycles =
		epoch_cycles;
	session->epoch_cycles = epoch_cycles;
	controls_idle_samples(session);
	return 0;
}

int session_prepare_sampled(struct session *session, u64 percent)
{
	/* Time cannot leap over faults and failures: nobody knows how many a stretch would have. */
	if (percent > SESSION_SAMPLED_MAX ||
	    (percent && (session->pager || failures_may_come(session))))
		return -EINVAL;
	return percent && !session->sampling ? alloc_sampling(session) : 0;
}

int session_set_sampled(struct session *session, u64 percent)
{
	int ret = session_prepare_sampled(session, percent);

	if (ret || percent == session->sampled)
		return ret;
	journal_add(session, JOURNAL_SAMPLED, 0)->sampled = percent;
	session->sampled = (u8)percent;
	sampling_begin(session);
	services_begin(session);
	return 0;
}
