// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: tenants and their launches, epochs, the gang. What one run of the
 * hardware between two decisions is, and what is decided there. Snapshots,
 * proposals and the journal have files of their own.
 */
#include "core.h"

/* --- life ------------------------------------------------------------------------ */

static bool options_are_good(const struct session_options *options)
{
	const char *field;

	return !gpu_config_check(&options->config, &field) &&
	       options->epoch_cycles >= SESSION_EPOCH_CYCLES_MIN &&
	       options->epoch_cycles <= SESSION_EPOCH_CYCLES_MAX &&
	       options->kernel_end <= SESSION_KERNEL_END_CARRY &&
	       options->preemption <= SESSION_PREEMPTION_ADAPTIVE &&
	       options->gang_size <= SESSION_SLOTS_MAX && options->model &&
	       options->policy && (options->stop_cycle || !options->relaunch);
}

/*
 * Auxiliary tags of a good configuration that has none: in a large cache of
 * fewer sets, so that it stays a good one.
 */
static void provide_tags(struct gpu_config *config)
{
	const char *field;

	config->atd_sampling = SESSION_ATD_SAMPLING;
	while (gpu_config_check(config, &field))
		config->atd_sampling *= 2;
}

/* Likewise mirrors; where they would be too large the model does without. */
static void provide_mirrors(struct gpu_config *config)
{
	const char *field;

	config->mirrors = 1;
	if (gpu_config_check(config, &field))
		config->mirrors = 0;
}

/* What the model reads must be there, whatever the configuration says. */
static void provide_for_model(struct session_options *options)
{
	if (options->model->flags & SIMGPU_MODEL_ATD &&
	    !options->config.atd_sampling)
		provide_tags(&options->config);
	if (options->model->flags & SIMGPU_MODEL_MIRROR)
		provide_mirrors(&options->config);
}

int session_create(struct session **out, const struct session_options *options,
		   const struct session_hooks *hooks)
{
	const struct gpu_config *config;
	struct session *session;
	size_t gpu_size;

	if (!options_are_good(options))
		return -EINVAL;
	session = port_alloc(sizeof(*session));
	if (!session)
		return -ENOMEM;
	session->initial = *options;
	provide_for_model(&session->initial);
	config = &session->initial.config;
	gpu_size = gpu_bytes(config) + GPU_ALIGNMENT + registers_bytes(config);
	session->gpu_memory = port_alloc(gpu_size);
	if (!session->gpu_memory) {
		port_free(session);
		return -ENOMEM;
	}
	session->gpu = gpu_init(align_gpu(session->gpu_memory), config,
				options->seed);
	session->registers = (void *)((char *)session->gpu + gpu_bytes(config));
	session->bytes = sizeof(*session) + gpu_size;
	session->hooks = *hooks;
	session->policy = options->policy;
	session->model = options->model;
	session->tunables = options->tunables;
	session->epoch_cycles = options->epoch_cycles;
	session->apply_cycle = NEVER;
	session->last_slot = SESSION_SLOTS_MAX - 1;
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
	return gpu_now(session->gpu);
}

u64 session_state_hash(struct session *session)
{
	return gpu_state_hash(session->gpu);
}

const struct gpu *session_gpu(const struct session *session)
{
	return session->gpu;
}

/* --- launches --------------------------------------------------------------------- */

static bool is_member(const struct session *session, u32 slot)
{
	return slot < SESSION_SLOTS_MAX && session->tenants[slot].joined &&
	       !session->tenants[slot].left;
}

static struct launch *present_launch(struct session_tenant *tenant)
{
	return tenant->launches ? &tenant->launch[tenant->head] : NULL;
}

static void end_launch(struct session *session, u32 slot, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch launch = tenant->launch[tenant->head];

	tenant->head = (tenant->head + 1) % SESSION_LAUNCHES_MAX;
	tenant->launches--;
	if (session->hooks.launch_done)
		session->hooks.launch_done(session->hooks.context, slot,
					   launch.sequence, launch.trace,
					   status);
}

/* Launches that have not ended do so now; what runs is dropped. */
static void end_all_launches(struct session *session, u32 slot, int status)
{
	struct session_tenant *tenant = &session->tenants[slot];

	gpu_tenant_drop(session->gpu, slot);
	tenant->running = false;
	while (tenant->launches)
		end_launch(session, slot, status);
}

void session_destroy(struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		while (session->tenants[slot].launches)
			end_launch(session, slot, -ECANCELED);
		oracle_leave(session, slot);
	}
	port_free(session->gpu_memory);
	port_free(session);
}

static void start_kernel(struct session *session, u32 slot, u32 kernel)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (!tenant->started) {
		tenant->started = true;
		tenant->start_cycle = session_now(session);
	}
	tenant->running = true;
	tenant->kernel = kernel;
	gpu_kernel_start(session->gpu, slot, present_launch(tenant)->trace,
			 kernel);
	oracle_start(session, slot, present_launch(tenant)->trace, kernel);
	if (session->hooks.kernel_start)
		session->hooks.kernel_start(session->hooks.context, slot,
					    present_launch(tenant)->sequence,
					    kernel);
}

static void end_first_run(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];

	if (tenant->first_run_done)
		return;
	tenant->first_run_done = true;
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	figures_compute(session->gpu, &tenant->last,
			session_now(session) - tenant->start_cycle,
			&tenant->first_run);
}

/* A kernel has ended: the next of its trace, the next run, or the launch's end. */
static void advance_tenant(struct session *session, u32 slot)
{
	struct session_tenant *tenant = &session->tenants[slot];
	struct launch *launch = present_launch(tenant);

	if (session->hooks.kernel_finish)
		session->hooks.kernel_finish(session->hooks.context, slot,
					     launch->sequence, tenant->kernel);
	if (tenant->kernel + 1 < launch->trace->kernel_count) {
		start_kernel(session, slot, tenant->kernel + 1);
		return;
	}
	end_first_run(session, slot);
	launch->repeats_left--;
	if (!launch->repeats_left && session->initial.relaunch &&
	    tenant->launches == 1)
		launch->repeats_left = 1;
	if (launch->repeats_left) {
		start_kernel(session, slot, 0);
		return;
	}
	tenant->running = false;
	end_launch(session, slot, 0);
	launch = present_launch(tenant);
	if (launch && launch->not_before <= session_now(session))
		start_kernel(session, slot, 0);
}

/* --- epochs ------------------------------------------------------------------------- */

/* Another epoch is over: what each SM finished in it decides how it is left. */
static void count_finished_blocks(struct session *session)
{
	struct simgpu_counters counters;
	u32 sm;

	for (sm = 0; sm < session->initial.config.sms; sm++) {
		gpu_sm_counters(session->gpu, sm, &counters);
		session->sm_finished[sm] = counters.blocks_finished -
					   session->sm_base[sm];
		session->sm_base[sm] = counters.blocks_finished;
	}
}

static void epoch_begin(struct session *session)
{
	u32 slot;

	if (session_now(session) > session->epoch_start)
		count_finished_blocks(session);
	session->epoch_start = session_now(session);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!is_member(session, slot))
			continue;
		gpu_tenant_counters(session->gpu, slot,
				    &session->tenants[slot].epoch_base);
		registers_clear(session, slot);
		oracle_epoch_begin(session, slot);
	}
}

/* Give each tenant with work an equal share, at once. */
static void split_even_now(struct session *session)
{
	snapshot_fill(session);
	policy_split_even(&session->snapshot, &session->proposal);
	proposal_limit(&session->proposal, session->initial.sms_most);
	proposal_apply(session);
	session->apply_cycle = NEVER;
}

static void predict(struct session *session)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;
	u32 slot;

	memset(&session->prediction, 0, sizeof(session->prediction));
	if (session->model->predict(snapshot, &session->prediction))
		return;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];
		struct simgpu_prediction_tenant *said =
			&session->prediction.tenants[slot];

		if (!snapshot->tenants[slot].active)
			continue;
		if (said->class == SIMGPU_CLASS_COMPUTE ||
		    said->class == SIMGPU_CLASS_MEMORY) {
			tenant->class = said->class;
			tenant->np_ppm = said->np_ppm < SIMGPU_PPM ?
					 said->np_ppm : SIMGPU_PPM;
		}
		snapshot->tenants[slot].class = tenant->class;
		snapshot->tenants[slot].np_ppm = tenant->np_ppm;
		if (tenant->class == SIMGPU_CLASS_UNKNOWN ||
		    tenant->first_run_done)
			continue;
		tenant->np_sum = fixed_add(tenant->np_sum,
					   fixed_mul(tenant->np_ppm,
						     snapshot->epoch_cycles));
		tenant->np_cycles += snapshot->epoch_cycles;
	}
}

static int propose(struct session *session)
{
	const struct session_hooks *hooks = &session->hooks;

	if (hooks->propose)
		return hooks->propose(hooks->context, session->policy,
				      &session->snapshot, &session->proposal);
	return session->policy->propose(&session->snapshot, &session->proposal);
}

/* Ask the policy; what it proposes takes effect after the prediction's time. */
static bool ask_policy(struct session *session)
{
	struct simgpu_snapshot *snapshot = &session->snapshot;
	bool sound;

	proposal_present(snapshot, &session->proposal);
	sound = !propose(session) &&
		proposal_is_sound(snapshot, &session->proposal);
	if (!sound)
		policy_split_even(snapshot, &session->proposal);
	proposal_limit(&session->proposal, session->initial.sms_most);
	session->apply_cycle = session_now(session) +
			       (u64)session->model->latency_cycles *
			       snapshot->tenants_active;
	return sound;
}

static void fill_epoch_tenant(struct session *session, u32 slot, bool decided,
			      struct session_epoch_tenant *out)
{
	const struct session_tenant *tenant = &session->tenants[slot];
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	u64 cycles = snapshot->epoch_cycles;

	out->slot = slot;
	/* In full, whatever registers the model saw. */
	counters_subtract(&tenant->last, &tenant->epoch_base, &out->counters);
	out->sms = (out->counters.sm_cycles + cycles / 2) / cycles;
	out->sms_next = decided ? proposal_count(snapshot, &session->proposal,
						 slot) :
				  snapshot->tenants[slot].sms;
	out->class = tenant->class;
	out->np_ppm = tenant->np_ppm;
	out->first_run = !tenant->first_run_done;
	figures_compute(session->gpu, &out->counters, cycles, &out->figures);
}

/* Tell the owner what the epoch was. @decided: a proposal waits or is applied. */
static void publish_epoch(struct session *session, bool predicted, bool decided,
			  bool sound)
{
	const struct simgpu_snapshot *snapshot = &session->snapshot;
	struct session_epoch *epoch = &session->epoch;
	u64 nps[SESSION_SLOTS_MAX];
	u32 known = 0, slot;

	epoch->index = session->epochs;
	epoch->start_cycle = session->epoch_start;
	epoch->end_cycle = snapshot->cycle;
	epoch->predicted = predicted;
	epoch->fell_back = decided && !sound;
	epoch->tenant_count = 0;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!snapshot->tenants[slot].active)
			continue;
		fill_epoch_tenant(session, slot, decided,
				  &epoch->tenants[epoch->tenant_count++]);
		if (session->tenants[slot].class != SIMGPU_CLASS_UNKNOWN)
			nps[known++] = session->tenants[slot].np_ppm;
	}
	metrics_compute(nps, known, &epoch->metrics);
	if (session->hooks.epoch)
		session->hooks.epoch(session->hooks.context, epoch);
}

/*
 * epoch_end() - the present epoch is over
 * @ask: whether the policy is asked for the next one's assignment
 *
 * Model and policy run only on epochs of a fifth of the set length or more.
 */
static void epoch_end(struct session *session, bool ask)
{
	u64 cycles = session_now(session) - session->epoch_start;
	bool predicted = cycles >= session->epoch_cycles / 5;
	bool decided = predicted && ask, sound = true;

	if (!cycles)
		return;
	snapshot_fill(session);
	if (!session->snapshot.tenants_active) {
		epoch_begin(session);
		return;
	}
	if (predicted)
		predict(session);
	if (decided)
		sound = ask_policy(session);
	publish_epoch(session, predicted, decided, sound);
	session->epochs++;
	epoch_begin(session);
}

/* --- what happens between two runs of the hardware ------------------------------------ */

/* Kernels have ended: so has the epoch (HSM 4.2). */
static void kernels_ended(struct session *session, u64 slots)
{
	bool carry = session->initial.kernel_end == SESSION_KERNEL_END_CARRY;
	bool lost_work = false;
	u64 rest;

	epoch_end(session, carry);
	for (rest = slots; rest; rest &= rest - 1) {
		u32 slot = (u32)__builtin_ctzll(rest);

		advance_tenant(session, slot);
		lost_work |= !session->tenants[slot].running;
	}
	/* A tenant without work keeps no SMs, whatever carries on. */
	if (!carry || lost_work)
		split_even_now(session);
}

/* Start launches whose cycle has come; a new tenant begins an even split. */
static void start_due(struct session *session)
{
	bool started = false;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];
		struct launch *launch = present_launch(tenant);

		if (!launch || tenant->running ||
		    launch->not_before > session_now(session))
			continue;
		if (!started)
			epoch_end(session, false);
		started = true;
		start_kernel(session, slot, 0);
	}
	if (started) {
		split_even_now(session);
		epoch_begin(session);
	}
}

/* The next cycle at which a waiting launch starts; NEVER: none does. */
static u64 next_start(struct session *session)
{
	u64 next = NEVER;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];
		struct launch *launch = present_launch(tenant);

		if (launch && !tenant->running && launch->not_before < next)
			next = launch->not_before;
	}
	return next;
}

static bool somebody_runs(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (session->tenants[slot].running)
			return true;
	return false;
}

static void stop(struct session *session)
{
	u32 slot;

	epoch_end(session, false);
	session->stopped = true;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct session_tenant *tenant = &session->tenants[slot];

		gpu_tenant_counters(session->gpu, slot, &tenant->last);
		while (tenant->launches)
			end_launch(session, slot, 0);
		tenant->running = false;
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
		if (session->tenants[slot].launches)
			return SESSION_RUNNING;
	return SESSION_IDLE;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Let the hardware run to the next decision or @limit, and decide. */
static void run_once(struct session *session, u64 limit)
{
	u64 epoch_over = NEVER, until, ended;

	start_due(session);
	/* An epoch that was cut shorter by a write to its length ends now. */
	if (somebody_runs(session))
		epoch_over = session->epoch_start + session->epoch_cycles;
	until = least(least(limit, epoch_over),
		      least(session->apply_cycle, next_start(session)));
	if (session->initial.stop_cycle)
		until = least(until, session->initial.stop_cycle);
	if (until < session_now(session))
		until = session_now(session);
	gpu_run(session->gpu, until);
	ended = gpu_take_finished(session->gpu);
	oracle_follow(session, ended);
	if (ended)
		kernels_ended(session, ended);
	if (session_now(session) >= session->apply_cycle) {
		proposal_apply(session);
		session->apply_cycle = NEVER;
	}
	if (session->initial.stop_cycle &&
	    session_now(session) == session->initial.stop_cycle)
		stop(session);
	else if (session_now(session) >= session->epoch_start +
					 session->epoch_cycles)
		epoch_end(session, true);
}

enum session_state session_run(struct session *session, u64 cycles)
{
	u64 limit = fixed_add(session_now(session), cycles);

	while (session_state(session) == SESSION_RUNNING &&
	       session_now(session) < limit)
		run_once(session, limit);
	return session_state(session);
}

/* --- tenants --------------------------------------------------------------------------- */

static bool tenant_options_are_good(const struct session_tenant_options *options)
{
	if (!options->weight || options->weight > 1000)
		return false;
	if (options->service == SIMGPU_QOS)
		return options->target_ppm && options->target_ppm <= SIMGPU_PPM;
	return options->service == SIMGPU_BEST_EFFORT && !options->target_ppm;
}

/*
 * A free slot, the one after the last that was given out first: a slot rests
 * as long as it can, so that nothing of its last tenant is still on its way.
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
	u32 gang_size = session->initial.gang_size;
	struct session_tenant *tenant;
	int ret;

	if (!tenant_options_are_good(options) ||
	    (gang_size ? slot >= gang_size : slot != SESSION_ANY_SLOT &&
	     slot >= SESSION_SLOTS_MAX))
		return -EINVAL;
	if (gang_size && (session->gang_started || session->canceled))
		return -EBUSY;
	if (slot == SESSION_ANY_SLOT)
		slot = free_slot(session);
	if (slot == SESSION_ANY_SLOT || is_member(session, slot))
		return -EBUSY;
	ret = oracle_join(session, slot);
	if (ret)
		return ret;
	journal_add(session, JOURNAL_JOIN, slot)->tenant = *options;
	session->last_slot = slot;
	tenant = &session->tenants[slot];
	memset(tenant, 0, sizeof(*tenant));
	tenant->joined = true;
	tenant->options = *options;
	tenant->next_sequence = 1;
	gpu_tenant_reset_counters(session->gpu, slot);
	registers_clear(session, slot);
	return (int)slot;
}

int session_set_tenant(struct session *session, u32 slot,
		       const struct session_tenant_options *options)
{
	if (!tenant_options_are_good(options) || !is_member(session, slot))
		return -EINVAL;
	journal_add(session, JOURNAL_TENANT, slot)->tenant = *options;
	session->tenants[slot].options = *options;
	return 0;
}

static bool gang_is_ready(const struct session *session)
{
	u32 slot;

	for (slot = 0; slot < session->initial.gang_size; slot++)
		if (!session->tenants[slot].launches)
			return false;
	return true;
}

static int launch_is_possible(const struct session *session, u32 slot,
			      const struct trace *trace, u64 repeats)
{
	u32 i;

	if (!is_member(session, slot) || !repeats)
		return -EINVAL;
	if (session->stopped || session->canceled)
		return -ECANCELED;
	if (session->tenants[slot].launches == SESSION_LAUNCHES_MAX)
		return -EAGAIN;
	for (i = 0; i < trace->kernel_count; i++)
		if (!gpu_kernel_fits(&session->initial.config,
				     &trace->kernels[i]))
			return -E2BIG;
	return 0;
}

int session_launch(struct session *session, u32 slot, const struct trace *trace,
		   u64 repeats, u64 not_before, u64 *sequence)
{
	int ret = launch_is_possible(session, slot, trace, repeats);
	struct session_tenant *tenant = &session->tenants[slot];
	struct journal_event *event;
	struct launch *launch;

	if (ret)
		return ret;
	launch = &tenant->launch[(tenant->head + tenant->launches) %
				 SESSION_LAUNCHES_MAX];
	tenant->launches++;
	launch->trace = trace;
	launch->sequence = tenant->next_sequence++;
	launch->repeats_left = repeats;
	launch->not_before = not_before;
	*sequence = launch->sequence;
	event = journal_add(session, JOURNAL_LAUNCH, slot);
	event->launch.sequence = launch->sequence;
	event->launch.checksum = trace->checksum;
	event->launch.trace_bytes = trace->bytes;
	event->launch.repeats = repeats;
	event->launch.not_before = not_before;
	if (session->initial.gang_size && !session->gang_started)
		session->gang_started = gang_is_ready(session);
	return 0;
}

static void cancel_gang(struct session *session)
{
	u32 slot;

	session->canceled = true;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (is_member(session, slot))
			end_all_launches(session, slot, -ECANCELED);
}

void session_leave(struct session *session, u32 slot)
{
	struct session_tenant *tenant;
	bool had_work;

	if (!is_member(session, slot))
		return;
	tenant = &session->tenants[slot];
	had_work = tenant->running;
	journal_add(session, JOURNAL_LEAVE, slot);
	if (had_work)
		epoch_end(session, false);
	gpu_tenant_counters(session->gpu, slot, &tenant->last);
	if (session->initial.gang_size && !session->gang_started &&
	    !session->canceled)
		cancel_gang(session);
	if (!session->stopped)
		end_all_launches(session, slot, -ECANCELED);
	oracle_leave(session, slot);
	tenant->left = true;
	if (had_work) {
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
	out->active = tenant->running;
	out->options = tenant->options;
	out->sms = sms_assigned(session->gpu, slot);
	out->class = tenant->class;
	out->np_ppm = tenant->np_ppm;
	out->np_run_ppm = tenant->np_cycles ? tenant->np_sum / tenant->np_cycles
					    : 0;
	out->first_run_done = tenant->first_run_done;
	out->counters = tenant->last;
	if (tenant->first_run_done)
		out->figures = tenant->first_run;
	else if (tenant->started)
		figures_compute(session->gpu, &tenant->last,
				session_now(session) - tenant->start_cycle,
				&out->figures);
}

/* --- knobs ------------------------------------------------------------------------------- */

void session_set_policy(struct session *session,
			const struct simgpu_policy *policy)
{
	struct journal_event *event = journal_add(session, JOURNAL_POLICY, 0);

	memcpy(event->name, policy->name, sizeof(event->name));
	session->policy = policy;
}

void session_set_model(struct session *session, const struct simgpu_model *model)
{
	struct journal_event *event = journal_add(session, JOURNAL_MODEL, 0);

	memcpy(event->name, model->name, sizeof(event->name));
	session->model = model;
}

int session_set_tunables(struct session *session,
			 const struct simgpu_tunables *tunables)
{
	struct simgpu_tunables copy = *tunables;
	const struct tunable *tunable;

	for (tunable = tunables_list; tunable->name; tunable++)
		if (*tunable_of(&copy, tunable) > SIMGPU_PPM)
			return -EINVAL;
	journal_add(session, JOURNAL_TUNABLES, 0)->tunables = copy;
	session->tunables = copy;
	return 0;
}

int session_set_epoch_cycles(struct session *session, u64 epoch_cycles)
{
	if (epoch_cycles < SESSION_EPOCH_CYCLES_MIN ||
	    epoch_cycles > SESSION_EPOCH_CYCLES_MAX)
		return -EINVAL;
	journal_add(session, JOURNAL_EPOCH_CYCLES, 0)->epoch_cycles =
		epoch_cycles;
	session->epoch_cycles = epoch_cycles;
	return 0;
}
