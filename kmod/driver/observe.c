// SPDX-License-Identifier: GPL-2.0
/*
 * The session's hooks, which pass events on to the observers, and
 * publishing what sysfs and netlink read.
 */
#include <linux/ktime.h>

#include "bpf_call.h"
#include "deciders.h"
#include "device.h"
#include "device_settings.h"
#include "journal_room.h"
#include "observe.h"
#include "observers.h"
#include "threads.h"

/*
 * A policy that takes longer than this is replaced. It is host time, so other processes
 * may have had the processor: it is a thousand times what a policy takes for 64 tenants.
 */
#define SIMGPU_POLICY_NS		(1 * NSEC_PER_SEC)

/* A host that was suspended meanwhile did not publish for so long. */
#define SIMGPU_PUBLISHING_NS_MAX	(10 * NSEC_PER_MSEC)

static bool simgpu_epoch_is_predicted(const struct session_epoch *epoch)
{
	u32 i;

	for (i = 0; i < epoch->tenant_count; i++)
		if (epoch->tenants[i].class != SIMGPU_CLASS_UNKNOWN)
			return true;
	return false;
}

/**
 * simgpu_device_refused() - record a refusal of the session, or of a write
 * @device: the device
 * @why: the refusal; of a write, without its cycle
 *
 * It is shown until the next refusal, or until the session is replaced.
 */
void simgpu_device_refused(struct simgpu_device *device,
			   const struct session_refusal *why)
{
	lockdep_assert_held(&device->lock);
	device->refusal = *why;
	if (!why->cycle)
		device->refusal.cycle = session_now(device->session);
	spin_lock(&device->publish_lock);
	device->published.refusal = device->refusal;
	spin_unlock(&device->publish_lock);
}

/* The session's fell_back hook. */
static void simgpu_device_fell_back_hook(void *context,
					 const struct session_refusal *why)
{
	simgpu_device_fell_back(context, why);
}

/* The session's epoch hook. */
static void simgpu_device_epoch(void *context, const struct session_epoch *epoch)
{
	struct simgpu_device *device = context;

	lockdep_assert_held(&device->lock);
	spin_lock(&device->publish_lock);
	device->published.cycle = epoch->end_cycle;
	device->published.epochs = epoch->index + 1;
	if (simgpu_epoch_is_predicted(epoch)) {
		device->published.metrics = epoch->metrics;
		device->published.np_doubts = epoch->np_doubts;
		device->published.metrics_valid = true;
	}
	device->gauge_count = epoch->gauge_count;
	memcpy(device->gauges, epoch->gauges, sizeof(device->gauges));
	simgpu_tell(publish_epoch, device, epoch);
	spin_unlock(&device->publish_lock);
	simgpu_tell(epoch, device, epoch);
}

static void simgpu_took(struct simgpu_decisions *decisions, u64 took_ns)
{
	decisions->calls++;
	decisions->ns += took_ns;
	decisions->longest_ns = max(decisions->longest_ns, took_ns);
}

static void simgpu_decision_took(struct simgpu_device *device, u64 took_ns)
{
	lockdep_assert_held(&device->lock);
	simgpu_took(&device->decisions, took_ns);
	if (took_ns > SIMGPU_POLICY_NS)
		device->slow = true;
}

/* The session's decide hook: a policy that is too slow is replaced between two quanta. */
static int simgpu_device_decide(void *context,
				const struct simgpu_policy *policy,
				const struct simgpu_snapshot *snapshot,
				void *state, struct simgpu_proposal *proposal)
{
	struct simgpu_device *device = context;
	u64 start_ns = ktime_get_ns();
	int ret;

	if (policy->source >= SIMGPU_SOURCE_BPF)
		ret = simgpu_bpf_decide(policy, snapshot, state, proposal);
	else
		ret = policy->decide(snapshot, state, proposal);
	simgpu_decision_took(device, ktime_get_ns() - start_ns);
	return ret;
}

/* The same for calls of the memory policy. A built-in one is not slow by itself. */
static void simgpu_memory_took(struct simgpu_device *device,
			       const struct simgpu_memory_policy *policy,
			       struct simgpu_decisions *calls, u64 took_ns)
{
	lockdep_assert_held(&device->lock);
	simgpu_took(calls, took_ns);
	if (took_ns > SIMGPU_POLICY_NS && policy->source != SIMGPU_SOURCE_BUILT_IN)
		device->memory_slow = true;
}

/* The session's place hook. */
static int simgpu_device_place(void *context, const struct simgpu_memory_policy *policy,
			       const struct simgpu_place *place, void *state,
			       struct simgpu_placement *placement)
{
	struct simgpu_device *device = context;
	u64 start_ns = ktime_get_ns();
	int ret;

	if (policy->source >= SIMGPU_SOURCE_BPF)
		ret = simgpu_bpf_place(policy, place, state, placement);
	else
		ret = policy->place(place, state, placement);
	simgpu_memory_took(device, policy, &device->placements,
			   ktime_get_ns() - start_ns);
	return ret;
}

/* The session's rank hook. */
static int simgpu_device_rank(void *context, const struct simgpu_memory_policy *policy,
			      u32 event, const struct simgpu_chunk *chunk, void *state,
			      u64 *rank)
{
	struct simgpu_device *device = context;
	u64 start_ns = ktime_get_ns();
	int ret = 0;

	if (policy->source >= SIMGPU_SOURCE_BPF)
		ret = simgpu_bpf_rank(policy, event, chunk, state, rank);
	else
		*rank = policy->rank(event, chunk, state);
	simgpu_memory_took(device, policy, &device->ranks, ktime_get_ns() - start_ns);
	return ret;
}

/* The session's memory_fell_back hook. */
static void simgpu_device_memory_fell_back_hook(void *context,
						const struct session_refusal *why)
{
	simgpu_device_memory_fell_back(context, why);
}

/* The session's predict hook. */
static int simgpu_device_predict(void *context,
				 const struct simgpu_model *model,
				 const struct simgpu_snapshot *snapshot,
				 const void *constants, void *state,
				 struct simgpu_prediction *prediction)
{
	struct simgpu_device *device = context;
	u64 start_ns = ktime_get_ns();
	int ret;

	lockdep_assert_held(&device->lock);
	ret = model->predict(snapshot, constants, state, prediction);
	simgpu_took(&device->predictions, ktime_get_ns() - start_ns);
	return ret;
}

/* The session's kernel_start hook. */
static void simgpu_device_kernel_start(void *context, u32 slot, u32 queue,
				       u64 sequence, const struct trace *trace,
				       u32 kernel)
{
	struct simgpu_device *device = context;

	simgpu_tell(kernel_start, device, slot, queue, sequence, kernel);
}

/* The session's kernel_finish hook. */
static void simgpu_device_kernel_finish(void *context, u32 slot, u32 queue,
					u64 sequence, const struct trace *trace,
					u32 kernel, u64 ended)
{
	struct simgpu_device *device = context;

	simgpu_tell(kernel_finish, device, slot, queue, sequence, kernel);
}

/* The session's repartition hook. */
static void simgpu_device_repartition(void *context)
{
	struct simgpu_device *device = context;

	simgpu_tell(repartition, device);
}

/* The session's preempt hook. */
static void simgpu_device_preempt(void *context, u32 sm, u32 from, u32 to,
				  u32 how)
{
	struct simgpu_device *device = context;

	simgpu_tell(preempt, device, sm, from, to, how);
}

/* The session's faults_taken hook. */
static void simgpu_device_faults_taken(void *context, u64 cycle, u32 faults, u32 blocks)
{
	struct simgpu_device *device = context;

	simgpu_tell(faults_taken, device, cycle, faults, blocks);
}

/* The session's evicted hook. */
static void simgpu_device_evicted(void *context, u64 cycle, u32 slot, u32 block)
{
	struct simgpu_device *device = context;

	simgpu_tell(evicted, device, cycle, slot, block);
}

/* The session's failed hook. */
static void simgpu_device_failed(void *context, const struct session_failed *failed)
{
	struct simgpu_device *device = context;

	simgpu_tell(failed, device, failed);
}

/* The session's acted hook. */
static void simgpu_device_acted(void *context, const struct session_acted *acted)
{
	struct simgpu_device *device = context;

	simgpu_tell(acted, device, acted);
}

/* The session's banned hook. */
static void simgpu_device_banned(void *context, u32 slot)
{
	struct simgpu_device *device = context;

	simgpu_tell(banned, device, slot);
}

/* The session's note hook. */
static void simgpu_device_note(void *context, const struct session_note *note)
{
	struct simgpu_device *device = context;

	simgpu_tell(note, device, note);
}

/* The session's launch_done hook. */
static void simgpu_device_launch_done(void *context, u32 slot, u32 queue,
				      u64 sequence, const struct trace *trace,
				      int status)
{
	struct simgpu_device *device = context;

	lockdep_assert_held(&device->lock);
	simgpu_tell(launch_done, device, slot, queue, sequence, status);
}

/**
 * struct simgpu_creation - a session that is being made
 * @work: makes it
 * @options: options of the session
 * @hooks: hooks of the session
 * @session: set on success
 * @ret: the result
 */
struct simgpu_creation {
	struct work_struct work;
	const struct session_options *options;
	const struct session_hooks *hooks;
	struct session *session;
	int ret;
};

static void simgpu_creation_work(struct work_struct *work)
{
	struct simgpu_creation *creation =
		container_of(work, struct simgpu_creation, work);

	creation->ret = session_create(&creation->session, creation->options,
				       creation->hooks);
}

/* The session's time_is_over hook. */
static bool simgpu_device_time_is_over(void *context)
{
	return simgpu_quantum_is_over(context);
}

/**
 * simgpu_device_session_create() - make a session that reports to a device
 * @device: the device
 * @options: options of the session
 * @session: set on success
 *
 * The device is not changed; simgpu_device_replace_session() puts the session there. A
 * kernel thread makes it, because a session belongs to the device: its memory must not be
 * charged to whichever caller happens to need it first.
 *
 * Return: see session_create().
 */
int simgpu_device_session_create(struct simgpu_device *device,
				 const struct session_options *options,
				 struct session **session)
{
	const struct session_hooks hooks = {
		.context = device,
		.epoch = simgpu_device_epoch,
		.launch_done = simgpu_device_launch_done,
		.kernel_start = simgpu_device_kernel_start,
		.kernel_finish = simgpu_device_kernel_finish,
		.repartition = simgpu_device_repartition,
		.preempt = simgpu_device_preempt,
		.faults_taken = simgpu_device_faults_taken,
		.evicted = simgpu_device_evicted,
		.failed = simgpu_device_failed,
		.acted = simgpu_device_acted,
		.note = simgpu_device_note,
		.banned = simgpu_device_banned,
		.decide = simgpu_device_decide,
		.predict = simgpu_device_predict,
		.fell_back = simgpu_device_fell_back_hook,
		.place = simgpu_device_place,
		.rank = simgpu_device_rank,
		.memory_fell_back = simgpu_device_memory_fell_back_hook,
		.run_gpu = simgpu_threads_run,
		.time_is_over = simgpu_device_time_is_over,
		.journal_chunk = simgpu_journal_chunk,
	};
	struct simgpu_creation creation = {
		.options = options,
		.hooks = &hooks,
	};

	INIT_WORK_ONSTACK(&creation.work, simgpu_creation_work);
	queue_work(system_unbound_wq, &creation.work);
	flush_work(&creation.work);
	destroy_work_on_stack(&creation.work);
	if (!creation.ret)
		*session = creation.session;
	return creation.ret;
}

/* The energy of a session starts at its cold start. */
static void simgpu_energy_start(struct simgpu_device *device)
{
	lockdep_assert_held(&device->publish_lock);
	device->energy = (struct simgpu_energy) {
		.table = energy_find(device->start.config.name),
		.core_mhz = device->start.config.core_mhz,
	};
}

/**
 * simgpu_device_publish_start() - publish a session's state at its cold start
 * @device: the device, with the session and its @start in place
 */
void simgpu_device_publish_start(struct simgpu_device *device)
{
	const struct session_options *start = &device->start;

	spin_lock(&device->publish_lock);
	device->published = (struct simgpu_published) {
		.state = session_state(device->session),
		.sms = start->config.sms,
		.schedulers_per_sm = start->config.schedulers_per_sm,
		.core_mhz = start->config.core_mhz,
		.memory_mhz = start->config.memory_mhz,
		.channels = start->config.channels,
	};
	simgpu_settings_publish(device, start);
	strscpy(device->published.config, start->config.name, SIMGPU_NAME_MAX);
	strscpy(device->published.policy, start->policy->name, SIMGPU_NAME_MAX);
	strscpy(device->published.model, start->model->name, SIMGPU_NAME_MAX);
	strscpy(device->published.memory_policy, start->memory_policy->name,
		SIMGPU_NAME_MAX);
	simgpu_energy_start(device);
	device->measured_count = 0;
	device->last_epoch->valid = false;
	spin_unlock(&device->publish_lock);
	simgpu_params_publish(device);
}

/**
 * simgpu_device_leave() - a gang leaves, but its session stays for now
 * @device: the device, whose own settings are shown again
 */
void simgpu_device_leave(struct simgpu_device *device)
{
	const struct session_options *own = &device->defaults;
	struct simgpu_published *published = &device->published;

	lockdep_assert_held(&device->lock);
	device->left = true;
	spin_lock(&device->publish_lock);
	simgpu_settings_publish(device, own);
	published->sms = own->config.sms;
	published->schedulers_per_sm = own->config.schedulers_per_sm;
	published->core_mhz = own->config.core_mhz;
	published->memory_mhz = own->config.memory_mhz;
	published->channels = own->config.channels;
	strscpy(published->config, own->config.name, SIMGPU_NAME_MAX);
	strscpy(published->policy, own->policy->name, SIMGPU_NAME_MAX);
	strscpy(published->model, own->model->name, SIMGPU_NAME_MAX);
	strscpy(published->memory_policy, own->memory_policy->name, SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	simgpu_params_publish(device);
}

/* The state; a gang whose file was closed before its start shows as waiting for ever. */
static enum session_state simgpu_device_state(struct simgpu_device *device)
{
	enum session_state state = session_state(device->session);

	if (state == SESSION_WAITING && device->ending.over)
		return SESSION_CANCELED;
	return state;
}

/* Record a refusal that the session itself has reported since the last call. */
static void simgpu_device_see_refusal(struct simgpu_device *device)
{
	const struct session_refusal *last =
		session_last_refusal(device->session);

	if (!memcmp(last, &device->session_refusal, sizeof(*last)))
		return;
	device->session_refusal = *last;
	simgpu_device_refused(device, last);
}

static void simgpu_device_publish_counters(struct simgpu_device *device)
{
	u64 start_ns = ktime_get_ns();

	simgpu_tell(publish_counters, device);
	device->counters_ns = ktime_get_ns();
	device->publishing_ns = min_t(u64, device->counters_ns - start_ns,
				      SIMGPU_PUBLISHING_NS_MAX);
	WRITE_ONCE(device->behind, false);
}

/**
 * simgpu_device_publish() - publish what every quantum and every call may have
 *	changed
 * @device: the device
 * @counters: the tenants' counters and figures, too
 *
 * The cycle is published first and the state last, so that a reader who sees that the
 * device has come to rest finds the final figures.
 */
void simgpu_device_publish(struct simgpu_device *device, bool counters)
{
	enum session_state state = simgpu_device_state(device);

	lockdep_assert_held(&device->lock);
	simgpu_device_see_refusal(device);
	spin_lock(&device->publish_lock);
	device->published.cycle = session_now(device->session);
	session_sampling(device->session, &device->published.sampling);
	session_failure_times(device->session, &device->published.failures);
	session_power(device->session, &device->published.power);
	device->published.chunks =
		session_memory_chunks(device->session,
				      &device->published.chunks_used);
	if (!device->left)
		strscpy(device->published.memory_policy, device->memory_policy->name,
			SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	if (counters)
		simgpu_device_publish_counters(device);
	simgpu_tell(state, device, state);
	spin_lock(&device->publish_lock);
	device->published.state = state;
	spin_unlock(&device->publish_lock);
	WRITE_ONCE(device->runnable, state == SESSION_RUNNING);
}

/**
 * simgpu_device_settle() - finish a call into the session
 * @device: the device
 *
 * Reports the state, publishes, and wakes the worker.
 */
void simgpu_device_settle(struct simgpu_device *device)
{
	simgpu_device_publish(device, true);
	if (device->runnable)
		wake_up(&device->worker_wait);
}

/**
 * simgpu_device_settle_one() - finish a call that changes the caller's tenant alone
 * @device: the device
 *
 * As simgpu_device_settle(), but publishes no tenant: the caller has published its own.
 * With 62 tenants to publish them all takes longer than a quantum.
 */
void simgpu_device_settle_one(struct simgpu_device *device)
{
	simgpu_device_publish(device, false);
	if (device->runnable)
		wake_up(&device->worker_wait);
}

/**
 * simgpu_device_settle_later() - finish a call that changes other tenants, too
 * @device: the device
 *
 * While quanta follow one another the worker publishes the tenants at the end of the
 * next one, however many calls there were.
 */
void simgpu_device_settle_later(struct simgpu_device *device)
{
	simgpu_device_settle_one(device);
	WRITE_ONCE(device->behind, true);
	/* Pairs with simgpu_device_catch_up(): the worker sees one change, or we the other. */
	smp_mb();
	if (!READ_ONCE(device->stepping) || !device->runnable)
		simgpu_device_publish(device, true);
}

/**
 * simgpu_device_catch_up() - publish what was left to the worker, which is going to sleep
 * @device: the device, not @stepping any more
 */
void simgpu_device_catch_up(struct simgpu_device *device)
{
	/* Pairs with simgpu_device_settle_later(). */
	smp_mb();
	if (!READ_ONCE(device->behind))
		return;
	mutex_lock(&device->lock);
	if (device->behind)
		simgpu_device_publish(device, true);
	mutex_unlock(&device->lock);
}

/**
 * simgpu_device_published() - what is published of a device
 * @device: the device
 *
 * Takes no lock that is held for long.
 *
 * Return: a copy.
 */
struct simgpu_published simgpu_device_published(struct simgpu_device *device)
{
	struct simgpu_published published;

	spin_lock(&device->publish_lock);
	published = device->published;
	spin_unlock(&device->publish_lock);
	return published;
}
