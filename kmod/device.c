// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: making and removing them, the worker that lets device time pass,
 * what the session tells of itself, and changes of the running session.
 * Tenants and gangs come and go in tenant.c and gang.c.
 */
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "compat.h"
#include "device.h"
#include "gang.h"
#include "tenant.h"
#include "trace_events.h"

/*
 * How long the worker simulates with the lock held: what a system call may have
 * to wait for the device. How many device cycles that is depends on the host
 * and on the kernels (a hundredfold between a memory-bound one in an emulated
 * machine and a compute-bound one on bare metal), so it is found by doubling
 * and halving. Results do not depend on it.
 */
#define SIMGPU_QUANTUM_NS		(1 * NSEC_PER_MSEC)
#define SIMGPU_QUANTUM_CYCLES_START	2000
#define SIMGPU_QUANTUM_CYCLES_MIN	125
#define SIMGPU_QUANTUM_CYCLES_MAX	128000

/* How old the counters that are published may become while the device runs. */
#define SIMGPU_COUNTERS_NS		(10 * NSEC_PER_MSEC)

/*
 * What a policy may take before it is replaced. It is host time, so others may
 * have had the processor: a thousand times what it takes for 64 tenants.
 */
#define SIMGPU_POLICY_NS		(1 * NSEC_PER_SEC)

static dev_t simgpu_devt;
/* Protects the table; never held while the device's lock is taken. */
static DEFINE_MUTEX(simgpu_devices_lock);
static DECLARE_BITMAP(simgpu_devices_used, SIMGPU_DEVICES_MAX);
static const struct file_operations *simgpu_devices_fops;
static struct simgpu_device *simgpu_devices[SIMGPU_DEVICES_MAX];

static char *__maybe_unused
simgpu_devnode_const(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return NULL;
}

static char *__maybe_unused
simgpu_devnode_plain(struct device *dev, umode_t *mode)
{
	return simgpu_devnode_const(dev, mode);
}

static struct class simgpu_class = {
	.name = "simgpu",
	.devnode = compat_pick(struct class, devnode, simgpu_devnode),
};

/**
 * simgpu_device_lock_closing() - take the lock of a device that may be gone
 * @device: the device
 *
 * The worker gives way within two quanta: a mutex is handed over to a waiter
 * that was woken once in vain. Niced as it is, it might hardly run for these
 * beside busy processes, so who waits lends it the usual priority until its
 * quantum is over.
 */
void simgpu_device_lock_closing(struct simgpu_device *device)
{
	if (mutex_trylock(&device->lock))
		return;
	set_user_nice(device->worker, 0);
	mutex_lock(&device->lock);
}

/**
 * simgpu_device_lock() - take the device's lock
 * @device: the device
 *
 * Return: 0 with the lock held; -ENODEV without it.
 */
int simgpu_device_lock(struct simgpu_device *device)
{
	simgpu_device_lock_closing(device);
	if (!device->session) {
		mutex_unlock(&device->lock);
		return -ENODEV;
	}
	return 0;
}

/**
 * simgpu_device_unlock() - release the device's lock
 * @device: the device
 */
void simgpu_device_unlock(struct simgpu_device *device)
{
	mutex_unlock(&device->lock);
}

static void simgpu_publish_epoch_tenant(struct simgpu_device *device,
					const struct session_epoch *epoch,
					const struct session_epoch_tenant *row)
{
	struct simgpu_tenant *tenant = device->slots[row->slot];

	if (WARN_ON_ONCE(!tenant))
		return;
	trace_simgpu_epoch(tenant, epoch, row);
	tenant->published.class = row->class;
	tenant->published.np_ppm = row->np_ppm;
	tenant->published.figures_valid = true;
	tenant->published.figures = row->figures;
	simgpu_tenant_publish_live(tenant);
}

/* For those who ask for the last epoch. */
static void simgpu_keep_epoch(struct simgpu_device *device,
			      const struct session_epoch *epoch)
{
	struct simgpu_epoch *last = device->last_epoch;
	u32 i;

	last->epoch = *epoch;
	for (i = 0; i < epoch->tenant_count; i++)
		last->tenants[i] = device->slots[epoch->tenants[i].slot]->id;
	last->valid = true;
}

/* The session's epoch hook. */
static void simgpu_device_epoch(void *context, const struct session_epoch *epoch)
{
	struct simgpu_device *device = context;
	bool predicted = false;
	u32 i;

	lockdep_assert_held(&device->lock);
	if (device->gang && !device->gang->over)
		simgpu_gang_epoch(device->gang, epoch);

	spin_lock(&device->publish_lock);
	device->published.cycle = epoch->end_cycle;
	device->published.epochs = epoch->index + 1;
	for (i = 0; i < epoch->tenant_count; i++) {
		simgpu_publish_epoch_tenant(device, epoch, &epoch->tenants[i]);
		if (epoch->tenants[i].class != SIMGPU_CLASS_UNKNOWN)
			predicted = true;
	}
	if (predicted) {
		device->published.metrics = epoch->metrics;
		device->published.metrics_valid = true;
	}
	simgpu_keep_epoch(device, epoch);
	if (epoch->fell_back && !device->failure)
		device->failure = "proposed what cannot be done";
	spin_unlock(&device->publish_lock);
	simgpu_netlink_epoch(device);
}

/* The session's propose hook: what is wrong is acted upon between two quanta. */
static int simgpu_device_propose(void *context,
				 const struct simgpu_policy *policy,
				 const struct simgpu_snapshot *snapshot,
				 struct simgpu_proposal *proposal)
{
	struct simgpu_device *device = context;
	u64 start_ns = ktime_get_ns();
	int ret = policy->propose(snapshot, proposal);

	if (ret)
		device->failure = "returned an error";
	else if (ktime_get_ns() - start_ns > SIMGPU_POLICY_NS)
		device->failure = "took too long";
	return ret;
}

/* The session's kernel_start hook. */
static void simgpu_device_kernel_start(void *context, u32 slot, u64 sequence,
				       u32 kernel)
{
	struct simgpu_device *device = context;

	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_kernel_start(device->slots[slot],
					  session_now(device->session),
					  sequence, kernel);
}

/* The session's kernel_finish hook. */
static void simgpu_device_kernel_finish(void *context, u32 slot, u64 sequence,
					u32 kernel)
{
	struct simgpu_device *device = context;

	if (!WARN_ON_ONCE(!device->slots[slot]))
		trace_simgpu_kernel_finish(device->slots[slot],
					   session_now(device->session),
					   sequence, kernel);
}

/* The session's repartition hook. */
static void simgpu_device_repartition(void *context)
{
	struct simgpu_device *device = context;
	struct session_tenant_report report;
	u32 slot;

	if (!trace_simgpu_repartition_enabled())
		return;
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		if (!device->slots[slot])
			continue;
		session_tenant_report(device->session, slot, &report);
		trace_simgpu_repartition(device->slots[slot],
					 session_now(device->session),
					 report.sms);
	}
}

/* The session's preempt hook. */
static void simgpu_device_preempt(void *context, u32 sm, u32 from, u32 to,
				  bool save)
{
	struct simgpu_device *device = context;

	trace_simgpu_preempt(device->index, session_now(device->session), sm,
			     from, to, save);
}

/* The session's launch_done hook. */
static void simgpu_device_launch_done(void *context, u32 slot, u64 sequence,
				      const struct trace *trace, int status)
{
	struct simgpu_device *device = context;

	lockdep_assert_held(&device->lock);
	if (WARN_ON_ONCE(!device->slots[slot]))
		return;
	simgpu_tenant_launch_done(device->slots[slot], sequence, status);
}

/**
 * simgpu_device_session_create() - a session that reports to a device
 * @device: the device
 * @options: of the session
 * @session: set on success
 *
 * It does not touch the device; simgpu_device_replace_session() puts it there.
 *
 * Return: as session_create().
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
		.propose = simgpu_device_propose,
	};

	return session_create(session, options, &hooks);
}

static void simgpu_publish_start(struct simgpu_device *device)
{
	const struct session_options *start = &device->start;

	spin_lock(&device->publish_lock);
	device->published = (struct simgpu_published) {
		.seed = start->seed,
		.epoch_cycles = start->epoch_cycles,
		.state = session_state(device->session),
		.tunables = start->tunables,
	};
	strscpy(device->published.config, start->config.name, SIMGPU_NAME_MAX);
	strscpy(device->published.policy, start->policy->name, SIMGPU_NAME_MAX);
	strscpy(device->published.model, start->model->name, SIMGPU_NAME_MAX);
	device->last_epoch->valid = false;
	spin_unlock(&device->publish_lock);
}

/* The session on the device asks these from now on. */
static void simgpu_device_use(struct simgpu_device *device,
			      const struct simgpu_policy *policy,
			      const struct simgpu_model *model)
{
	const struct simgpu_policy *old_policy = device->policy;
	const struct simgpu_model *old_model = device->model;

	lockdep_assert_held(&device->lock);
	if (policy)
		simgpu_plugin_hold(policy);
	if (model)
		simgpu_plugin_hold(model);
	device->policy = policy;
	device->model = model;
	device->failure = NULL;
	simgpu_plugin_put(old_policy);
	simgpu_plugin_put(old_model);
}

/**
 * simgpu_device_replace_session() - put another session on the device
 * @device: the device, without work
 * @session: the new one, cold
 * @options: that it was made with
 *
 * All tenants lose their slots.
 *
 * Return: the old session, which nothing refers to; the caller destroys it.
 */
struct session *
simgpu_device_replace_session(struct simgpu_device *device,
			      struct session *session,
			      const struct session_options *options)
{
	struct session *old = device->session;
	u32 slot;

	lockdep_assert_held(&device->lock);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_unseat(device->slots[slot]);
	device->session = session;
	simgpu_plugin_hold(options->policy);
	simgpu_plugin_hold(options->model);
	simgpu_plugin_put(device->start.policy);
	simgpu_plugin_put(device->start.model);
	device->start = *options;
	simgpu_device_use(device, options->policy, options->model);
	device->gang = NULL;
	device->ending = (struct simgpu_ending) {};
	simgpu_publish_start(device);
	return old;
}

/**
 * simgpu_device_free_of_gang() - make sure that the session is no gang's
 * @device: the device
 *
 * A gang's session stays on the device after its end, to be looked at; this
 * puts a cold one of the device's own in its place.
 *
 * Return: 0; -EBUSY while a gang is on the device; -ENOMEM.
 */
int simgpu_device_free_of_gang(struct simgpu_device *device)
{
	struct session *session;
	int ret;

	lockdep_assert_held(&device->lock);
	if (device->gang && !device->gang->over)
		return -EBUSY;
	if (!device->start.gang_size)
		return 0;
	ret = simgpu_device_session_create(device, &device->defaults, &session);
	if (ret)
		return ret;
	session_destroy(simgpu_device_replace_session(device, session,
						      &device->defaults));
	return 0;
}

/* A gang whose file was closed before it began waits for ever. */
static enum session_state simgpu_device_state(struct simgpu_device *device)
{
	enum session_state state = session_state(device->session);

	if (state == SESSION_WAITING && device->ending.over)
		return SESSION_CANCELED;
	return state;
}

static void simgpu_device_end_gang(struct simgpu_device *device,
				   enum session_state state)
{
	if (!device->gang || device->gang->over)
		return;
	if (state == SESSION_CANCELED)
		simgpu_gang_end(device->gang, SIMGPU_GANG_CANCELED);
	else if (state == SESSION_IDLE || state == SESSION_STOPPED)
		simgpu_gang_end(device->gang, SIMGPU_GANG_DONE);
}

static void simgpu_publish_tenants(struct simgpu_device *device)
{
	struct session_tenant_report report;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct simgpu_tenant *tenant = device->slots[slot];

		if (!tenant)
			continue;
		session_tenant_report(device->session, slot, &report);
		spin_lock(&device->publish_lock);
		tenant->published.sms = report.sms;
		tenant->published.counters = report.counters;
		simgpu_tenant_publish_live(tenant);
		spin_unlock(&device->publish_lock);
	}
	device->counters_ns = ktime_get_ns();
}

/* What every quantum and every call may have changed. */
static void simgpu_device_publish(struct simgpu_device *device)
{
	enum session_state state = simgpu_device_state(device);

	simgpu_device_end_gang(device, state);
	spin_lock(&device->publish_lock);
	device->published.cycle = session_now(device->session);
	device->published.state = state;
	spin_unlock(&device->publish_lock);
	WRITE_ONCE(device->runnable, state == SESSION_RUNNING);
}

/**
 * simgpu_device_settle() - draw the consequences of a call into the session
 * @device: the device
 *
 * Ends a gang that has ended, publishes, and wakes the worker.
 */
void simgpu_device_settle(struct simgpu_device *device)
{
	lockdep_assert_held(&device->lock);
	simgpu_device_publish(device);
	simgpu_publish_tenants(device);
	if (device->runnable)
		wake_up(&device->worker_wait);
}

static void simgpu_device_adapt_quantum(struct simgpu_device *device,
					u64 took_ns)
{
	if (took_ns > SIMGPU_QUANTUM_NS &&
	    device->quantum_cycles > SIMGPU_QUANTUM_CYCLES_MIN)
		device->quantum_cycles /= 2;
	else if (took_ns < SIMGPU_QUANTUM_NS / 4 &&
		 device->quantum_cycles < SIMGPU_QUANTUM_CYCLES_MAX)
		device->quantum_cycles *= 2;
}

/* A policy that has failed is replaced, for good and in the journal. */
static void simgpu_device_fall_back(struct simgpu_device *device)
{
	lockdep_assert_held(&device->lock);
	if (!device->failure || device->policy == &policy_even)
		return;
	dev_warn(&device->dev, "policy %s %s before cycle %llu: even takes its place\n",
		 device->policy->name, device->failure,
		 session_now(device->session));
	session_set_policy(device->session, &policy_even);
	trace_simgpu_policy(device->index, session_now(device->session),
			    policy_even.name, true);
	simgpu_plugin_put(device->defaults.policy);
	device->defaults.policy = &policy_even;
	spin_lock(&device->publish_lock);
	strscpy(device->published.policy, policy_even.name, SIMGPU_NAME_MAX);
	spin_unlock(&device->publish_lock);
	simgpu_device_use(device, &policy_even, device->model);
	simgpu_netlink_device_changed(device);
}

static void simgpu_device_step(struct simgpu_device *device)
{
	u64 epochs = device->published.epochs;
	struct simgpu_gang *gang = device->gang;
	u64 start_ns = ktime_get_ns();
	u64 took_ns, now_ns;

	lockdep_assert_held(&device->lock);
	session_run(device->session, device->quantum_cycles);
	now_ns = ktime_get_ns();
	took_ns = now_ns - start_ns;
	simgpu_device_fall_back(device);
	simgpu_device_adapt_quantum(device, took_ns);
	if (gang && !gang->over)
		gang->wall_ns += took_ns;
	simgpu_device_publish(device);
	if (device->published.epochs != epochs ||
	    now_ns - device->counters_ns > SIMGPU_COUNTERS_NS)
		simgpu_publish_tenants(device);
}

/* Host time at which device time, at its pace, is where it is; 0: now. */
static u64 simgpu_pace_due(struct simgpu_device *device, u64 pace_ppm)
{
	u64 cycle, device_ns, now_ns = ktime_get_ns();

	spin_lock(&device->publish_lock);
	cycle = device->published.cycle;
	spin_unlock(&device->publish_lock);
	if (!device->pace_ns || cycle < device->pace_cycle) {
		device->pace_cycle = cycle;
		device->pace_ns = now_ns;
	}
	device_ns = mul_u64_u32_div(cycle - device->pace_cycle, 1000,
				    device->defaults.config.core_mhz);
	return device->pace_ns + fixed_mul_div(device_ns, SIMGPU_PPM, pace_ppm);
}

/* Waits until the host's time has come up with the device's. */
static void simgpu_device_pace(struct simgpu_device *device)
{
	u64 pace_ppm = READ_ONCE(device->pace_ppm), due_ns, now_ns;

	if (!pace_ppm) {
		device->pace_ns = 0;
		return;
	}
	due_ns = simgpu_pace_due(device, pace_ppm);
	now_ns = ktime_get_ns();
	/* Behind by much: do not make up for it. */
	if (now_ns > due_ns + NSEC_PER_SEC)
		device->pace_ns = 0;
	if (now_ns < due_ns)
		wait_event_idle_timeout(device->worker_wait,
					kthread_should_stop() ||
					READ_ONCE(device->pace_ppm) != pace_ppm,
					nsecs_to_jiffies(due_ns - now_ns) + 1);
	if (READ_ONCE(device->pace_ppm) != pace_ppm)
		device->pace_ns = 0;
}

static int simgpu_worker(void *data)
{
	struct simgpu_device *device = data;

	set_user_nice(current, MAX_NICE);
	while (!kthread_should_stop()) {
		wait_event_idle(device->worker_wait,
				READ_ONCE(device->runnable) ||
				kthread_should_stop());
		simgpu_device_pace(device);
		mutex_lock(&device->lock);
		if (device->runnable)
			simgpu_device_step(device);
		mutex_unlock(&device->lock);
		/* Nothing if nobody had to wait. */
		set_user_nice(current, MAX_NICE);
		cond_resched();
	}
	return 0;
}

static bool simgpu_change_possible(const struct simgpu_device_change *change,
				   const struct simgpu_tunables *tunables)
{
	const struct tunable *tunable;
	struct simgpu_tunables copy = *tunables;

	if (change->epoch_cycles &&
	    (change->epoch_cycles < SESSION_EPOCH_CYCLES_MIN ||
	     change->epoch_cycles > SESSION_EPOCH_CYCLES_MAX))
		return false;
	if (change->pace_ppm && *change->pace_ppm > SIMGPU_PACE_MAX_PPM)
		return false;
	for (tunable = tunables_list; tunable->name; tunable++)
		if (*tunable_of(&copy, tunable) > SIMGPU_PPM)
			return false;
	return true;
}

/* The device's tunables with those that change. */
static struct simgpu_tunables
simgpu_changed_tunables(struct simgpu_device *device,
			const struct simgpu_device_change *change)
{
	struct simgpu_tunables tunables = device->defaults.tunables;
	const struct tunable *tunable;

	for (tunable = tunables_list; tunable->name; tunable++)
		if (change->tunables_set & SIMGPU_TUNABLE_BIT(tunable->offset))
			*(u64 *)((char *)&tunables + tunable->offset) =
				*(u64 *)((char *)&change->tunables +
					 tunable->offset);
	return tunables;
}

/*
 * Everything has been checked: nothing of this can fail. Takes over the
 * references to @policy and @model.
 */
static void simgpu_device_apply(struct simgpu_device *device,
				const struct simgpu_device_change *change,
				const struct simgpu_policy *policy,
				const struct simgpu_model *model,
				const struct simgpu_tunables *tunables)
{
	struct session_options *defaults = &device->defaults;
	struct simgpu_published *published = &device->published;

	simgpu_device_use(device, policy ?: device->policy,
			  model ?: device->model);
	if (change->policy) {
		session_set_policy(device->session, policy);
		trace_simgpu_policy(device->index, session_now(device->session),
				    policy->name, false);
		simgpu_plugin_put(defaults->policy);
		defaults->policy = policy;
	}
	if (change->model) {
		session_set_model(device->session, model);
		simgpu_plugin_put(defaults->model);
		defaults->model = model;
	}
	if (change->tunables_set) {
		session_set_tunables(device->session, tunables);
		defaults->tunables = *tunables;
	}
	if (change->epoch_cycles) {
		session_set_epoch_cycles(device->session, change->epoch_cycles);
		defaults->epoch_cycles = change->epoch_cycles;
	}
	if (change->pace_ppm) {
		WRITE_ONCE(device->pace_ppm, *change->pace_ppm);
		wake_up(&device->worker_wait);
	}
	spin_lock(&device->publish_lock);
	if (change->policy)
		strscpy(published->policy, policy->name, SIMGPU_NAME_MAX);
	if (change->model)
		strscpy(published->model, model->name, SIMGPU_NAME_MAX);
	if (change->tunables_set)
		published->tunables = *tunables;
	if (change->epoch_cycles)
		published->epoch_cycles = change->epoch_cycles;
	spin_unlock(&device->publish_lock);
	simgpu_device_settle(device);
}

/**
 * simgpu_device_change() - change settings, from the next epoch's end on; the
 *	pace at once
 * @device: the device
 * @change: what to change
 *
 * Return: 0; or with nothing changed -EINVAL for an unknown name or a value out
 * of range, -ENODEV.
 */
int simgpu_device_change(struct simgpu_device *device,
			 const struct simgpu_device_change *change)
{
	const struct simgpu_policy *policy = NULL;
	const struct simgpu_model *model = NULL;
	struct simgpu_tunables tunables;
	int ret = -EINVAL;

	if (change->policy)
		policy = simgpu_policy_get(change->policy);
	if (change->model)
		model = simgpu_model_get(change->model);
	if ((change->policy && !policy) || (change->model && !model))
		goto err_put;
	ret = simgpu_device_lock(device);
	if (ret)
		goto err_put;
	tunables = simgpu_changed_tunables(device, change);
	if (!simgpu_change_possible(change, &tunables)) {
		simgpu_device_unlock(device);
		ret = -EINVAL;
		goto err_put;
	}
	simgpu_device_apply(device, change, policy, model, &tunables);
	simgpu_device_unlock(device);
	simgpu_netlink_device_changed(device);
	return 0;

err_put:
	simgpu_plugin_put(policy);
	simgpu_plugin_put(model);
	return ret;
}

/**
 * simgpu_device_published() - what a device shows of itself
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

static void simgpu_device_release(struct device *dev)
{
	struct simgpu_device *device = simgpu_device_of(dev);

	simgpu_plugin_put(device->defaults.policy);
	simgpu_plugin_put(device->defaults.model);
	if (device->worker)
		put_task_struct(device->worker);
	kobject_put(device->tenants_dir);
	xa_destroy(&device->tenants);
	port_free(device->last_epoch);
	kfree(device);
}

static struct simgpu_device *simgpu_device_alloc(unsigned int index,
						 const struct gpu_config *config)
{
	struct simgpu_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return NULL;
	device->last_epoch = port_alloc(sizeof(*device->last_epoch));
	if (!device->last_epoch) {
		kfree(device);
		return NULL;
	}
	xa_init_flags(&device->tenants, XA_FLAGS_ACCOUNT);
	device->index = index;
	device->quantum_cycles = SIMGPU_QUANTUM_CYCLES_START;
	device->defaults.config = *config;
	device->defaults.seed = 1;
	device->defaults.epoch_cycles = SESSION_EPOCH_CYCLES_DEFAULT;
	/* HSM 4.2; a gang says itself what it wants. */
	device->defaults.preemption = SESSION_PREEMPTION_ADAPTIVE;
	device->defaults.model = &model_hsm;
	device->defaults.policy = &policy_even;
	device->defaults.tunables = registry_tunables(config->name);
	mutex_init(&device->lock);
	mutex_init(&device->open_lock);
	spin_lock_init(&device->publish_lock);
	init_waitqueue_head(&device->worker_wait);

	device_initialize(&device->dev);
	device->dev.class = &simgpu_class;
	device->dev.groups = simgpu_device_groups;
	device->dev.devt = MKDEV(MAJOR(simgpu_devt), index);
	device->dev.release = simgpu_device_release;
	dev_set_uevent_suppress(&device->dev, true);
	return device;
}

/* The session, and what needs nothing but it. */
static int simgpu_device_power_on(struct simgpu_device *device)
{
	struct session *session;
	int ret;

	ret = simgpu_device_session_create(device, &device->defaults, &session);
	if (ret)
		return ret;
	mutex_lock(&device->lock);
	simgpu_device_replace_session(device, session, &device->defaults);
	mutex_unlock(&device->lock);

	device->worker = kthread_run(simgpu_worker, device, "simgpu%u",
				     device->index);
	if (IS_ERR(device->worker)) {
		ret = PTR_ERR(device->worker);
		device->worker = NULL;
		device->session = NULL;
		session_destroy(session);
		return ret;
	}
	/* For those who wait for the lock, even after its end. */
	get_task_struct(device->worker);
	return 0;
}

/* Every file that is still open gets -ENODEV from now on. */
static void simgpu_device_power_off(struct simgpu_device *device)
{
	struct simgpu_tenant *tenant;
	struct session *session;
	unsigned long id;
	u32 slot;

	mutex_lock(&device->open_lock);
	WRITE_ONCE(device->gone, true);
	mutex_unlock(&device->open_lock);
	kthread_stop(device->worker);
	mutex_lock(&device->lock);
	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (device->slots[slot])
			simgpu_tenant_unseat(device->slots[slot]);
	if (device->gang && !device->gang->over)
		simgpu_gang_end(device->gang, SIMGPU_GANG_CANCELED);
	device->gang = NULL;
	session = device->session;
	device->session = NULL;
	simgpu_device_use(device, NULL, NULL);
	simgpu_plugin_put(device->start.policy);
	simgpu_plugin_put(device->start.model);
	device->start.policy = NULL;
	device->start.model = NULL;
	mutex_unlock(&device->lock);
	session_destroy(session);
	xa_lock(&device->tenants);
	xa_for_each(&device->tenants, id, tenant)
		wake_up_all(&tenant->settle_wait);
	xa_unlock(&device->tenants);
}

/* Its entries in sysfs, debugfs and /dev; the last makes it usable. */
static int simgpu_device_add(struct simgpu_device *device,
			     const struct file_operations *fops)
{
	int ret;

	ret = device_add(&device->dev);
	if (ret)
		return ret;
	ret = -ENOMEM;
	device->tenants_dir = kobject_create_and_add("tenants",
						     &device->dev.kobj);
	if (!device->tenants_dir)
		goto err_device;
	simgpu_debugfs_add(device);
	cdev_init(&device->cdev, fops);
	device->cdev.owner = THIS_MODULE;
	cdev_set_parent(&device->cdev, &device->dev.kobj);
	ret = cdev_add(&device->cdev, device->dev.devt, 1);
	if (ret)
		goto err_entries;
	dev_set_uevent_suppress(&device->dev, false);
	kobject_uevent(&device->dev.kobj, KOBJ_ADD);
	return 0;

err_entries:
	simgpu_debugfs_remove(device);
	kobject_del(device->tenants_dir);
err_device:
	device_del(&device->dev);
	return ret;
}

static struct simgpu_device *
simgpu_device_create(unsigned int index, const struct gpu_config *config,
		     const struct file_operations *fops)
{
	struct simgpu_device *device;
	int ret;

	device = simgpu_device_alloc(index, config);
	if (!device)
		return ERR_PTR(-ENOMEM);
	ret = dev_set_name(&device->dev, "simgpu%u", index);
	if (ret)
		goto err_put;
	ret = simgpu_device_power_on(device);
	if (ret)
		goto err_put;
	ret = simgpu_device_add(device, fops);
	if (ret)
		goto err_power;
	return device;

err_power:
	simgpu_device_power_off(device);
err_put:
	put_device(&device->dev);
	return ERR_PTR(ret);
}

static void simgpu_device_remove(struct simgpu_device *device)
{
	cdev_del(&device->cdev);
	simgpu_device_power_off(device);
	simgpu_debugfs_remove(device);
	kobject_del(device->tenants_dir);
	device_del(&device->dev);
	put_device(&device->dev);
}

/* From now on nobody finds the device; NULL if there was none. */
static struct simgpu_device *simgpu_device_take(u32 index)
{
	struct simgpu_device *device;

	mutex_lock(&simgpu_devices_lock);
	device = simgpu_devices[index];
	simgpu_devices[index] = NULL;
	mutex_unlock(&simgpu_devices_lock);
	return device;
}

static void simgpu_devices_remove(void)
{
	struct simgpu_device *device;
	unsigned int i;

	for (i = 0; i < SIMGPU_DEVICES_MAX; i++) {
		device = simgpu_device_take(i);
		if (device)
			simgpu_device_remove(device);
	}
}

/**
 * simgpu_device_find() - look up a device
 * @index: its number
 *
 * Return: the device with a reference that put_device() gives up, or NULL.
 */
struct simgpu_device *simgpu_device_find(u32 index)
{
	struct simgpu_device *device;

	if (index >= SIMGPU_DEVICES_MAX)
		return NULL;
	index = array_index_nospec(index, SIMGPU_DEVICES_MAX);
	mutex_lock(&simgpu_devices_lock);
	device = simgpu_devices[index];
	if (device)
		get_device(&device->dev);
	mutex_unlock(&simgpu_devices_lock);
	return device;
}

/* A number that no device has, or -ENOSPC. */
static int simgpu_device_reserve(void)
{
	unsigned int index;

	mutex_lock(&simgpu_devices_lock);
	index = find_first_zero_bit(simgpu_devices_used, SIMGPU_DEVICES_MAX);
	if (index < SIMGPU_DEVICES_MAX)
		__set_bit(index, simgpu_devices_used);
	mutex_unlock(&simgpu_devices_lock);
	return index < SIMGPU_DEVICES_MAX ? index : -ENOSPC;
}

static void simgpu_device_unreserve(unsigned int index)
{
	mutex_lock(&simgpu_devices_lock);
	simgpu_devices[index] = NULL;
	__clear_bit(index, simgpu_devices_used);
	mutex_unlock(&simgpu_devices_lock);
}

/**
 * simgpu_device_plug() - make a device
 * @config: its configuration, checked
 *
 * Return: the device, or an ERR_PTR(); -ENOSPC beyond SIMGPU_DEVICES_MAX.
 */
struct simgpu_device *simgpu_device_plug(const struct gpu_config *config)
{
	struct simgpu_device *device;
	int index = simgpu_device_reserve();

	if (index < 0)
		return ERR_PTR(index);
	device = simgpu_device_create(index, config, simgpu_devices_fops);
	if (IS_ERR(device)) {
		simgpu_device_unreserve(index);
		return device;
	}
	mutex_lock(&simgpu_devices_lock);
	simgpu_devices[index] = device;
	mutex_unlock(&simgpu_devices_lock);
	return device;
}

/**
 * simgpu_device_unplug() - remove a device; files of it that are open get
 *	-ENODEV from now on
 * @device: from simgpu_device_plug()
 */
void simgpu_device_unplug(struct simgpu_device *device)
{
	unsigned int index = device->index;

	simgpu_device_take(index);
	simgpu_device_remove(device);
	simgpu_device_unreserve(index);
}

static int simgpu_devices_create(unsigned int count,
				 const struct gpu_config *config)
{
	struct simgpu_device *device;
	unsigned int i;

	for (i = 0; i < count; i++) {
		device = simgpu_device_plug(config);
		if (IS_ERR(device)) {
			simgpu_devices_remove();
			return PTR_ERR(device);
		}
	}
	return 0;
}

/**
 * simgpu_devices_init() - make the module's devices
 * @count: how many
 * @config: name of their configuration
 * @fops: of their files
 *
 * Return: 0 or a negative errno; then nothing is left.
 */
int simgpu_devices_init(unsigned int count, const char *config,
			const struct file_operations *fops)
{
	const struct gpu_config *found = gpu_config_find(config);
	int ret;

	if (!found) {
		pr_err("simgpu: no configuration '%s'\n", config);
		return -EINVAL;
	}
	if (!count || count > SIMGPU_DEVICES_MAX) {
		pr_err("simgpu: devices=%u is not in 1 to %u\n", count,
		       SIMGPU_DEVICES_MAX);
		return -EINVAL;
	}
	ret = alloc_chrdev_region(&simgpu_devt, 0, SIMGPU_DEVICES_MAX,
				  "simgpu");
	if (ret)
		return ret;
	ret = class_register(&simgpu_class);
	if (ret)
		goto err_region;
	simgpu_devices_fops = fops;
	ret = simgpu_devices_create(count, found);
	if (ret)
		goto err_class;
	return 0;

err_class:
	class_unregister(&simgpu_class);
err_region:
	unregister_chrdev_region(simgpu_devt, SIMGPU_DEVICES_MAX);
	return ret;
}

/**
 * simgpu_devices_exit() - remove all devices; no file of them is open
 */
void simgpu_devices_exit(void)
{
	simgpu_devices_remove();
	class_unregister(&simgpu_class);
	unregister_chrdev_region(simgpu_devt, SIMGPU_DEVICES_MAX);
}
