// SPDX-License-Identifier: GPL-2.0
/* Running experiments in the process: shared runs and private ones. */
#include "internal.h"
#include "run.h"

/* Device cycles between two reports of progress. */
#define PROGRESS_CYCLES	20000

int offline_load_trace(const void *bytes, size_t count,
		       struct trace_error *error, struct trace **out)
{
	u64 memory_bytes;
	void *memory;
	int ret;

	ret = trace_check(bytes, count, &memory_bytes, error);
	if (ret)
		return ret;
	memory = port_alloc(memory_bytes);
	if (!memory)
		return -ENOMEM;
	*out = trace_decode(bytes, memory);
	return 0;
}

/* A decoded trace lies at the start of its memory. */
void offline_free_trace(struct trace *trace)
{
	port_free(trace);
}

const char *offline_error(int error)
{
	switch (error) {
	case -E2BIG:
		return "a thread block does not fit on an SM";
	case -ENOSPC:
		return "a trace's footprint is larger than the GPU's memory";
	case -EOPNOTSUPP:
		return "the GPU has no memory for managed pages (managed_mb), or its time is sampled, or requests that come by themselves would have to make memory managed";
	case -ELOOP:
		return "a kernel of a trace has no end, and nothing ends the run: give --cycles, or --timeout-cycles";
	case -ETIMEDOUT:
		return "the model took more than a second of the processor for an answer, and has no other";
	default:
		return strerror(-error);
	}
}

u64 offline_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000ULL + (u64)now.tv_nsec;
}

static void forward_epoch(void *context, const struct session_epoch *epoch)
{
	const struct offline_observer *observer =
		((struct offline_home *)context)->observer;

	if (observer->epoch)
		observer->epoch(observer->context, epoch);
}

static void on_kernel_start(void *context, u32 slot, u32 queue, u64 sequence,
			    const struct trace *trace, u32 kernel)
{
	struct offline_home *home = context;

	home->running[slot][queue] = (struct offline_kernel) {
		.slot = slot,
		.queue = queue,
		.sequence = sequence,
		.number = kernel,
		.kernel = &trace->kernels[kernel],
		.start = session_now(home->session),
	};
}

static void on_kernel_finish(void *context, u32 slot, u32 queue, u64 sequence,
			     const struct trace *trace, u32 kernel, u64 ended)
{
	struct offline_home *home = context;
	struct offline_kernel *running = &home->running[slot][queue];

	running->end = ended;
	running->ended = true;
	home->observer->kernel(home->observer->context, running);
	running->kernel = NULL;
}

/* A kernel was killed, or its launch begins again. */
static void on_kernel_drop(void *context, u32 slot, u32 queue, u64 sequence,
			   const struct trace *trace, u32 kernel)
{
	struct offline_home *home = context;
	struct offline_kernel *running = &home->running[slot][queue];

	running->end = session_now(home->session);
	home->observer->kernel(home->observer->context, running);
	running->kernel = NULL;
}

static void on_preempt(void *context, u32 sm, u32 from, u32 to, u32 how)
{
	const struct offline_home *home = context;

	home->observer->preempt(home->observer->context,
				session_now(home->session), sm, from, to, how);
}

static void on_leap(void *context, u64 cycles)
{
	const struct offline_home *home = context;
	u64 now = session_now(home->session);

	home->observer->leap(home->observer->context, now - cycles, now);
}

static void on_passed(void *context, u32 slot, u64 sequence, u64 start, u64 end)
{
	const struct offline_home *home = context;

	home->observer->passed(home->observer->context, slot, sequence, start, end);
}

static void on_note(void *context, const struct session_note *note)
{
	const struct offline_home *home = context;

	home->observer->note(home->observer->context, note);
}

static void look(const struct offline_home *home)
{
	const struct offline_observer *observer = home->observer;

	if (observer->look_cycles)
		observer->look(observer->context, session_now(home->session),
			       session_gpu(home->session));
}

void offline_tell_running(struct offline_home *home, u32 slot)
{
	u32 queue;

	for (queue = 0; queue < SESSION_QUEUES_MAX; queue++) {
		struct offline_kernel *running = &home->running[slot][queue];

		if (!running->kernel)
			continue;
		running->end = session_now(home->session);
		home->observer->kernel(home->observer->context, running);
		running->kernel = NULL;
	}
}

void offline_tell_end(struct offline_home *home)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		offline_tell_running(home, slot);
	look(home);
}

void offline_count_draining(struct session *session,
			    u32 draining[SESSION_SLOTS_MAX])
{
	u32 sms = session_options(session)->config.sms, sm;
	struct gpu_sm_status status;

	for (sm = 0; sm < sms; sm++) {
		gpu_sm_status(session_gpu(session), sm, &status);
		if (status.owner < SESSION_SLOTS_MAX &&
		    status.owner != status.next_owner)
			draining[status.owner]++;
	}
}

static int on_predict(void *context, const struct simgpu_model *model,
		      const struct simgpu_snapshot *snapshot,
		      const void *constants, void *state,
		      struct simgpu_prediction *prediction)
{
	struct offline_home *home = context;
	int ret;

	watch_predict(home->watch, snapshot);
	/* One that did not come back is not called again. */
	if (home->model_is_slow)
		return -ETIMEDOUT;
	ret = limit_predict(home->observer->stop, model, snapshot, constants, state,
			    prediction);
	home->model_is_slow = ret == -ETIMEDOUT;
	return ret;
}

static int on_decide(void *context, const struct simgpu_policy *policy,
		     const struct simgpu_snapshot *snapshot, void *state,
		     struct simgpu_proposal *proposal)
{
	const struct offline_home *home = context;

	return limit_decide(home->observer->stop, policy, snapshot, state, proposal);
}

static int on_place(void *context, const struct simgpu_memory_policy *policy,
		    const struct simgpu_place *place, void *state,
		    struct simgpu_placement *placement)
{
	const struct offline_home *home = context;

	return limit_place(home->observer->stop, policy, place, state, placement);
}

static int on_rank(void *context, const struct simgpu_memory_policy *policy, u32 event,
		   const struct simgpu_chunk *chunk, void *state, u64 *rank)
{
	const struct offline_home *home = context;

	return limit_rank(home->observer->stop, policy, event, chunk, state, rank);
}

static void on_fell_back(void *context, const struct session_refusal *why)
{
	((struct offline_home *)context)->replaced = *why;
}

const struct session_refusal *offline_refusal(const struct offline_home *home)
{
	return home->replaced.kind != SESSION_REFUSED_NOTHING ? &home->replaced :
	       session_last_refusal(home->session);
}

static void on_counted(void *context, u32 slot,
		       const struct session_counted *counted)
{
	watch_counted(((struct offline_home *)context)->watch, slot, counted);
}

static void run_threads(void *context, struct gpu *gpu, u64 until, bool may_pause)
{
	threads_run(((struct offline_home *)context)->threads, gpu, until);
}

int offline_open(struct offline_home *home,
		 const struct session_options *options,
		 const struct offline_observer *observer, u32 threads)
{
	const struct session_hooks hooks = {
		.context = home,
		.epoch = forward_epoch,
		.kernel_start = observer->kernel ? on_kernel_start : NULL,
		.kernel_finish = observer->kernel ? on_kernel_finish : NULL,
		.kernel_drop = observer->kernel ? on_kernel_drop : NULL,
		.preempt = observer->preempt ? on_preempt : NULL,
		.leap = observer->leap ? on_leap : NULL,
		.passed = observer->passed ? on_passed : NULL,
		.note = observer->note ? on_note : NULL,
		.decide = on_decide,
		.predict = on_predict,
		.place = on_place,
		.rank = on_rank,
		.counted = on_counted,
		.fell_back = on_fell_back,
		.run_gpu = threads > 1 ? run_threads : NULL,
	};
	int ret;

	*home = (struct offline_home) { .observer = observer };
	ret = session_create(&home->session, options, &hooks);
	if (!ret && threads > 1)
		ret = threads_create(&home->threads, &options->config, threads);
	if (ret)
		offline_close(home);
	return ret;
}

void offline_close(struct offline_home *home)
{
	if (home->session)
		session_destroy(home->session);
	threads_destroy(home->threads);
	watch_destroy(home->watch);
	*home = (struct offline_home) { .session = NULL };
}

bool offline_run_until(struct offline_home *home, u64 cycle)
{
	const struct offline_observer *observer = home->observer;
	struct session *session = home->session;
	u64 most = PROGRESS_CYCLES, now;

	if (observer->look_cycles && observer->look_cycles < most)
		most = observer->look_cycles;
	while ((now = session_now(session)) < cycle) {
		u64 step = cycle - now;

		if (step > most)
			step = most;
		look(home);
		if (session_run(session, step) != SESSION_RUNNING)
			break;
		if (observer->progress)
			observer->progress(observer->context,
					   session_now(session));
		if (home->model_is_slow || (observer->stop && observer->stop()))
			return true;
	}
	return false;
}

void offline_announce(const struct offline_observer *observer, u32 slot,
		      const struct session_tenant_options *options,
		      const struct trace *trace)
{
	if (observer->tenant)
		observer->tenant(observer->context, slot, options, trace);
}

u32 offline_queues_order(const struct offline_queues *queues,
			 u8 order[SESSION_QUEUES_MAX])
{
	u32 most = queues->count ? queues->count : 1, made = 0, count = 0, queue;

	for (queue = 0; queue < most; queue++) {
		if (made >> queue & 1 || queues->waits[queue] & ~made)
			continue;
		order[count++] = (u8)queue;
		made |= 1U << queue;
		queue = U32_MAX;
	}
	return count;
}

/* The launches for which a launch waits, among those that were made. */
static void set_waits(struct session_launch_options *launch, u32 queues,
		      const u64 *sequences)
{
	u32 i = 0;

	for (; queues && i < SESSION_WAITS_MAX; queues &= queues - 1)
		launch->wait[i++] = sequences[__builtin_ctz(queues)];
}

/* Make a launch in each of a tenant's queues; @alone: at once and without masks. */
static int launch_all(struct session *session, u32 slot,
		      const struct offline_tenant *tenant, bool alone)
{
	const struct offline_queues *queues = &tenant->queues;
	u8 order[SESSION_QUEUES_MAX];
	u32 count = offline_queues_order(queues, order), i;
	u64 sequences[SESSION_QUEUES_MAX];
	int ret = 0;

	for (i = 0; !ret && i < count; i++) {
		struct session_launch_options launch = {
			.trace = tenant->trace,
			.repeats = 1,
			.queue = order[i],
			.more = i + 1 < count,
			.idempotent = queues->idempotent,
			.managed = tenant->managed,
		};

		set_waits(&launch, queues->waits[order[i]], sequences);
		if (!alone) {
			launch.not_before = tenant->start_cycle;
			memcpy(launch.sms, queues->sms[order[i]],
			       sizeof(launch.sms));
		}
		ret = session_set_queue(session, slot, order[i],
					queues->priority[order[i]]);
		ret = ret ? ret : session_launch_with(session, slot, &launch,
						      &sequences[order[i]]);
	}
	return ret;
}

/* Requests to a service that batches so many come at once, one a cycle. */
static int come_at_once(struct session *session, u32 slot, const struct trace *trace,
			u64 requests, u32 batching)
{
	const struct arrivals_plan plan = {
		.kind = ARRIVALS_EVERY, .every_cycles = 1, .launches = 1,
		.requests = requests, .batching = batching,
	};
	u64 sequence;

	return session_arrivals(session, slot, trace, &plan, &sequence);
}

/* Have a tenant alone at work, without end where launches are launched again. */
static int work_alone(struct session *session, u32 slot, const struct offline_tenant *tenant)
{
	u32 batching = tenant->arrivals.batching;

	/* Of a run that was recorded the plan is not at hand: as many as there are steps for. */
	if (tenant->trace->batch_most)
		return come_at_once(session, slot, tenant->trace, ARRIVALS_REQUESTS_MAX,
				    batching ? batching : tenant->trace->batch_most);
	return launch_all(session, slot, tenant, true);
}

/* Requests that come by themselves have no flag for managed memory, as launches have. */
static int manage(struct session *session, u32 slot, const struct offline_tenant *tenant)
{
	return tenant->managed && tenant->arrives ?
	       session_manage(session, slot, tenant->trace->footprint_bytes) : 0;
}

/* Launch a tenant's work, or let its requests come. */
static int begin(struct session *session, u32 slot, const struct offline_tenant *tenant)
{
	u64 bytes = max_t(u64, tenant->trace->footprint_bytes, 1), sequence;
	int ret = tenant->arrives ?
		  session_arrivals(session, slot, tenant->trace, &tenant->arrivals,
				   &sequence) :
		  launch_all(session, slot, tenant, false);

	if (!ret && tenant->advice)
		ret = session_advise(session, slot, tenant->advice, 0, bytes);
	return ret || !tenant->prefetch ? ret : session_prefetch(session, slot, 0, bytes);
}

static int join_all(struct session *session,
		    const struct offline_experiment *experiment,
		    const struct offline_observer *observer)
{
	u32 slot;
	int ret;

	for (slot = 0; slot < experiment->count; slot++) {
		const struct offline_tenant *tenant = &experiment->tenants[slot];

		ret = session_join(session, slot, &tenant->options);
		if (ret < 0)
			return ret;
		ret = session_set_masks(session, slot, &tenant->masks);
		ret = ret ? ret : manage(session, slot, tenant);
		if (ret)
			return ret;
		offline_announce(observer, slot, &tenant->options,
				 tenant->trace);
	}
	for (slot = 0; slot < experiment->count; slot++) {
		ret = begin(session, slot, &experiment->tenants[slot]);
		if (ret)
			return ret;
	}
	return 0;
}

static void report_watched(const struct offline_experiment *experiment,
			   const struct watch *watch,
			   struct offline_result *result)
{
	u32 i, slot;

	for (i = 0; i < experiment->watched_count; i++)
		for (slot = 0; slot < experiment->count; slot++)
			watch_report(watch, i, slot, &result->watched[i][slot]);
}

/* Whether a run has no end: a kernel spins, and neither a cycle nor a timeout ends it. */
static bool is_endless(const struct session_options *options, const struct trace *trace)
{
	return trace->spins && !options->stop_cycle && !options->timeout_cycles;
}

static int check_ends(const struct offline_experiment *experiment)
{
	u32 slot;

	for (slot = 0; slot < experiment->count; slot++)
		if (is_endless(&experiment->options, experiment->tenants[slot].trace))
			return -ELOOP;
	return 0;
}

int offline_run(const struct offline_experiment *experiment,
		const struct offline_observer *observer,
		struct offline_result *result)
{
	struct session_options options = experiment->options;
	struct offline_home home;
	struct session *session;
	struct watch *watch;
	u64 start_ns;
	u32 slot;
	int ret;

	memset(result, 0, sizeof(*result));
	options.gang_size = experiment->count;
	ret = check_ends(experiment);
	ret = ret ? ret : watch_create(&options, experiment->watched,
				       experiment->watched_count, &watch);
	if (ret)
		return ret;
	ret = offline_open(&home, &options, observer, experiment->threads);
	if (ret) {
		watch_destroy(watch);
		return ret;
	}
	home.watch = watch;
	session = home.session;
	ret = session_inject_all(session, experiment->injections,
				 experiment->injection_count);
	ret = ret ? ret : join_all(session, experiment, observer);
	if (!ret) {
		start_ns = offline_wall_ns();
		result->stopped = offline_run_until(&home, U64_MAX);
		offline_tell_end(&home);
		offline_count_draining(session, result->draining);
		result->wall_ns = offline_wall_ns() - start_ns;
		result->cycle = session_end_cycle(session);
		result->state_hash = session_state_hash(session);
		session_sampling(session, &result->sampling);
		session_memory_report(session, &result->memory);
		session_failure_times(session, &result->failures);
		session_power_so_far(session, &result->power);
		result->refusal = *offline_refusal(&home);
		result->quota_checks =
			session_quota_checks(session, &result->quota_overruns);
		for (slot = 0; slot < experiment->count; slot++)
			session_tenant_report(session, slot,
					      &result->reports[slot]);
		report_watched(experiment, home.watch, result);
		if (home.model_is_slow)
			ret = -ETIMEDOUT;
	}
	offline_close(&home);
	return ret;
}

int offline_run_one(const struct session_options *options,
		    const struct offline_tenant *tenant, u32 threads,
		    const struct offline_observer *observer,
		    struct session_tenant_report *report, u64 *wall_ns)
{
	struct offline_experiment *experiment = calloc(1, sizeof(*experiment));
	struct offline_result *result = calloc(1, sizeof(*result));
	int ret = -ENOMEM;

	if (experiment && result) {
		experiment->options = *options;
		experiment->threads = threads;
		experiment->count = 1;
		experiment->tenants[0] = *tenant;
		ret = offline_run(experiment, observer, result);
		*report = result->reports[0];
		*wall_ns = result->wall_ns;
	}
	free(experiment);
	free(result);
	return ret;
}

/* --- truth --- */

static u64 instructions_done(struct session *session, u32 slot)
{
	struct session_tenant_report report;

	session_tenant_report(session, slot, &report);
	return report.counters.thread_instructions;
}

static int run_to_count(struct session *session, u32 slot, u64 target,
			const struct offline_observer *observer)
{
	u64 peak = gpu_peak_ipc(&session_options(session)->config);
	u64 done;

	while ((done = instructions_done(session, slot)) < target) {
		u64 step = (target - done) / peak;

		if (step > PROGRESS_CYCLES)
			step = PROGRESS_CYCLES;
		if (session_run(session, step ? step : 1) != SESSION_RUNNING &&
		    instructions_done(session, slot) < target)
			return -ENODATA;
		if (observer->progress)
			observer->progress(observer->context, done);
		if (observer->stop && observer->stop())
			return -EINTR;
	}
	return 0;
}

static void read_mark(struct session *session, u32 slot,
		      struct offline_mark *mark)
{
	struct session_tenant_report report;

	session_tenant_report(session, slot, &report);
	mark->cycles = session_now(session);
	mark->class = report.class;
	mark->figures = report.figures;
}

/*
 * The last instruction is issued some hundred cycles before its kernel ends, which
 * happens when the last store arrives. If no instruction is left, the run is counted to
 * its end, like a first run in shared mode.
 */
static void count_to_end(struct session *session, u32 slot,
			 struct offline_mark *mark)
{
	u64 done = instructions_done(session, slot);
	int state = SESSION_RUNNING;

	while (state == SESSION_RUNNING &&
	       instructions_done(session, slot) == done)
		state = session_run(session, 1);
	if (state == SESSION_RUNNING)
		return;
	read_mark(session, slot, mark);
	mark->cycles = mark->figures.cycles;
}

/* Options without a gang: a tenant has its slot, and waits for no other member. */
static struct session_options alone(const struct session_options *options)
{
	struct session_options out = *options;

	out.gang_size = 0;
	out.stop_cycle = 0;
	out.relaunch = false;
	out.sms_most = 0;
	/* Nothing is injected, and what takes long is no failure. */
	out.timeout_cycles = 0;
	/* NP is what a tenant has of the whole GPU, with the highest clock. */
	out.clock_limit = 0;
	out.power_cap = 0;
	out.policy = &policy_even;
	return out;
}

int offline_alone_window(const struct session_options *options, u32 slot,
			 const struct offline_tenant *tenant, u64 cycles,
			 u32 threads, const struct offline_observer *observer,
			 struct session_figures *figures)
{
	const struct session_tenant_options anybody = { .name = "alone",
							.weight = 1 };
	struct session_options own = alone(options);
	struct session_tenant_report report;
	struct offline_home home;
	int ret;

	own.stop_cycle = cycles;
	own.relaunch = true;
	ret = offline_open(&home, &own, observer, threads);
	if (ret)
		return ret;
	ret = session_join(home.session, slot, &anybody);
	if (ret >= 0)
		ret = manage(home.session, slot, tenant);
	if (!ret)
		ret = work_alone(home.session, slot, tenant);
	if (!ret && offline_run_until(&home, cycles))
		ret = home.model_is_slow ? -ETIMEDOUT : -EINTR;
	if (!ret) {
		session_tenant_report(home.session, slot, &report);
		session_figures(home.session, &report.counters, cycles,
				figures);
	}
	offline_close(&home);
	return ret;
}

int offline_alone_cycles(const struct session_options *options,
			 const struct trace *trace, u64 launches, u32 threads,
			 const struct offline_observer *observer, u64 *cycles)
{
	const struct session_tenant_options anybody = { .name = "alone",
							.weight = 1 };
	const struct session_options own = alone(options);
	/* Of a trace with requests each run does another one: all of them have a mean. */
	const u64 requests = trace->batch_most ? trace_requests(trace) :
			     trace->request_count ? trace->request_count : 1;
	struct offline_home home;
	u64 sequence;
	int ret;

	if (is_endless(&own, trace))
		return -ELOOP;
	ret = offline_open(&home, &own, observer, threads);
	if (ret)
		return ret;
	ret = session_join(home.session, 0, &anybody);
	if (ret >= 0)
		ret = trace->batch_most ? come_at_once(home.session, 0, trace, requests, 1) :
		      session_launch(home.session, 0, trace, launches * requests, 0,
				     &sequence);
	if (!ret && offline_run_until(&home, U64_MAX))
		ret = home.model_is_slow ? -ETIMEDOUT : -EINTR;
	if (!ret)
		*cycles = session_end_cycle(home.session) / requests;
	offline_close(&home);
	return ret;
}

int offline_private_run(const struct offline_experiment *experiment, u32 slot,
			struct offline_mark *marks, u32 count,
			const struct offline_observer *observer)
{
	const struct offline_tenant *tenant = &experiment->tenants[slot];
	struct session_options options = alone(&experiment->options);
	struct offline_home home;
	u32 i;
	int ret;

	/* A queue that is done starts again while the first run of others goes on. */
	if (experiment->options.relaunch && tenant->queues.count > 1) {
		options.relaunch = true;
		options.stop_cycle = U64_MAX;
	}

	ret = offline_open(&home, &options, observer, experiment->threads);
	if (ret)
		return ret;
	ret = session_join(home.session, slot, &tenant->options);
	if (ret >= 0)
		ret = manage(home.session, slot, tenant);
	if (!ret)
		ret = work_alone(home.session, slot, tenant);
	for (i = 0; !ret && i < count; i++) {
		ret = run_to_count(home.session, slot, marks[i].instructions,
				   observer);
		if (ret)
			break;
		read_mark(home.session, slot, &marks[i]);
		/* If the next mark lies in the same cycle, it is counted there. */
		if (i + 1 == count || marks[i + 1].instructions >
				      instructions_done(home.session, slot))
			count_to_end(home.session, slot, &marks[i]);
	}
	offline_close(&home);
	return ret;
}
