// SPDX-License-Identifier: GPL-2.0
/*
 * Which tenants have the session's slots. There are SIMGPU_TENANTS_MAX slots. A tenant
 * that launches while all are taken waits in a line, in the order of launches, until a
 * tenant without launches gives up its slot. While tenants wait, a slot is held for a
 * turn: a tenant whose turn is over joins the line at its next launch. So a tenant that
 * never stops launching cannot keep the others waiting for ever.
 */
#include <linux/fs.h>

#include "cgroups.h"
#include "charge.h"
#include "device.h"
#include "masks.h"
#include "observers.h"
#include "seats.h"
#include "tenant.h"
#include "tenant_live.h"
#include "turn.h"

static struct simgpu_tenant *simgpu_line_first(struct simgpu_device *device)
{
	return list_first_entry_or_null(&device->line, struct simgpu_tenant,
					in_line);
}

static bool simgpu_has_launches(const struct simgpu_tenant *tenant)
{
	u32 i;

	for (i = 0; i < SIMGPU_PENDING_MAX; i++)
		if (tenant->pending[i].trace)
			return true;
	return false;
}

/* The tenant without launches whose turn began first, or NULL if all have launches */
static struct simgpu_tenant *simgpu_seat_idle(struct simgpu_device *device)
{
	struct simgpu_tenant *found = NULL;
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++) {
		struct simgpu_tenant *tenant = device->slots[slot];

		if (simgpu_has_launches(tenant) ||
		    (found && found->turn_cycle <= tenant->turn_cycle))
			continue;
		found = tenant;
	}
	return found;
}

static bool simgpu_seats_are_taken(const struct simgpu_device *device)
{
	u32 slot;

	for (slot = 0; slot < SESSION_SLOTS_MAX; slot++)
		if (!device->slots[slot])
			return false;
	return true;
}

/**
 * simgpu_seats_call() - let the first tenant in the line try again, if a slot is there
 * @device: the device; a slot, or the reason that a tenant keeps one, may be gone
 */
void simgpu_seats_call(struct simgpu_device *device)
{
	struct simgpu_tenant *tenant = simgpu_line_first(device);

	lockdep_assert_held(&device->lock);
	if (!tenant || tenant->called ||
	    (tenant->slot == SIMGPU_NO_SLOT && simgpu_seats_are_taken(device) &&
	     !simgpu_seat_idle(device)))
		return;
	WRITE_ONCE(tenant->called, true);
	wake_up_interruptible(&tenant->line_wait);
}

/* Whether another tenant gets a slot before this one */
static bool simgpu_seat_is_others(const struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	const struct simgpu_tenant *first = simgpu_line_first(device);

	if (!first || first == tenant)
		return false;
	return tenant->slot == SIMGPU_NO_SLOT ||
	       session_now(device->session) - tenant->turn_cycle >=
		       SIMGPU_TURN_EPOCHS * device->defaults.epoch_cycles;
}

/**
 * simgpu_tenant_uses() - set the GPU on which a tenant's time is spent from now on
 * @tenant: the tenant
 * @config: the GPU
 */
void simgpu_tenant_uses(struct simgpu_tenant *tenant,
			const struct gpu_config *config)
{
	tenant->usage.sms = config->sms;
	tenant->usage.core_mhz = config->core_mhz;
}

/**
 * simgpu_tenant_seat() - record that the session gave a tenant a slot
 * @tenant: the tenant
 * @slot: the slot
 */
void simgpu_tenant_seat(struct simgpu_tenant *tenant, u32 slot)
{
	struct simgpu_device *device = tenant->device;
	u32 i;

	lockdep_assert_held(&device->lock);
	tenant->slot = slot;
	tenant->weight = tenant->options.weight;
	tenant->was_seated = true;
	tenant->sequence_base = tenant->launched;
	for (i = 0; i < SESSION_QUEUES_MAX; i++) {
		session_set_queue(device->session, slot, i,
				  tenant->priority[i]);
		/* Where device time leaps there are none. */
		session_set_timeout(device->session, slot, i, tenant->timeout[i]);
	}
	simgpu_masks_seat(tenant);
	spin_lock(&device->publish_lock);
	device->slots[slot] = tenant;
	tenant->published.slot = slot;
	tenant->published.had_slot = false;
	simgpu_tenant_uses(tenant, &device->start.config);
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
	simgpu_cgroups_weigh(device);
}

/**
 * simgpu_sm_ns() - convert SM cycles to time
 * @tenant: the tenant that used them
 * @sm_cycles: cycles on the GPU that the tenant uses
 *
 * Return: nanoseconds of the device's time.
 */
u64 simgpu_sm_ns(const struct simgpu_tenant *tenant, u64 sm_cycles)
{
	return mul_u64_u32_div(sm_cycles, 1000, tenant->usage.core_mhz);
}

/* A tenant leaves its slot. The device keeps its energy and instructions. */
static void simgpu_energy_leave(struct simgpu_device *device,
				const struct session_tenant_report *report)
{
	struct simgpu_energy *energy = &device->energy;

	lockdep_assert_held(&device->publish_lock);
	energy->left_pj = fixed_add(energy->left_pj, report->energy_pj);
	energy->left_instructions =
		fixed_add(energy->left_instructions,
			  report->counters.thread_instructions);
}

/**
 * simgpu_tenant_unseat() - end a tenant's work and take its slot
 * @tenant: a tenant with a slot
 *
 * The caller settles the device, unless it replaces the session.
 */
void simgpu_tenant_unseat(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct session_tenant_report report;
	u32 i;

	lockdep_assert_held(&device->lock);
	session_tenant_report(device->session, tenant->slot, &report);
	/* What a tenant did in a gang, an experiment of its maker's, does not count elsewhere. */
	if (!device->start.gang_size)
		tenant->strikes = (u32)report.failures.strikes;
	simgpu_tell(leave, device, tenant->slot);
	session_leave(device->session, tenant->slot);
	for (i = 0; i < SIMGPU_PENDING_MAX; i++)
		WARN_ON_ONCE(tenant->pending[i].trace);
	tenant->in_gang = false;
	/* The session has freed them. */
	if (tenant->tables_bytes)
		simgpu_tenant_uncharge(tenant, tenant->tables_bytes);
	tenant->tables_bytes = 0;
	spin_lock(&device->publish_lock);
	device->slots[tenant->slot] = NULL;
	tenant->slot = SIMGPU_NO_SLOT;
	tenant->published = (struct simgpu_tenant_published) {
		.options = tenant->options,
		.slot = SIMGPU_NO_SLOT,
		.in_line = tenant->waiters,
	};
	simgpu_energy_leave(device, &report);
	tenant->usage.sm_ns += simgpu_sm_ns(tenant, report.counters.sm_cycles);
	tenant->usage.sm_cycles += report.counters.sm_cycles;
	simgpu_tenant_uses(tenant, &device->defaults.config);
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
	simgpu_seats_call(device);
}

/* Take a tenant's slot. Its last figures can still be read. */
static void simgpu_seat_give_up(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;
	struct simgpu_tenant_published last = tenant->published;

	simgpu_tenant_unseat(tenant);
	spin_lock(&device->publish_lock);
	tenant->published.had_slot = true;
	tenant->published.report = last.report;
	tenant->published.report.flags = 0;
	tenant->published.counters = last.counters;
	simgpu_tenant_publish_live(tenant);
	spin_unlock(&device->publish_lock);
	simgpu_cgroups_weigh(device);
}

/* Give a slot to a tenant that has none; see simgpu_seat_take() for what it returns. */
static int simgpu_seat_join(struct simgpu_tenant *tenant, struct private_run *run)
{
	struct simgpu_device *device = tenant->device;
	struct session_tenant_options options;
	struct simgpu_tenant *idle;
	int slot, ret;

	if (tenant->banned)
		return -EIO;
	ret = simgpu_cgroups_admit(tenant);
	if (ret)
		return ret;
	if (simgpu_seats_are_taken(device)) {
		idle = simgpu_seat_idle(device);
		if (!idle)
			return -EXFULL;
		simgpu_seat_give_up(idle);
	}
	options = simgpu_tenant_session_options(tenant);
	/* With all of them it would be banned. */
	options.strikes = min_t(u32, tenant->strikes + simgpu_cgroup_strikes(tenant),
				SESSION_STRIKES_MAX - 1);
	slot = session_join_with(device->session, SESSION_ANY_SLOT, &options,
				 run);
	if (slot < 0)
		return slot;
	simgpu_cgroup_forget_strike(tenant);
	simgpu_tenant_seat(tenant, slot);
	return 0;
}

/**
 * simgpu_seat_take() - give a slot to a tenant that launches
 * @tenant: a tenant that is in no gang
 * @run: from simgpu_tenant_private_make()
 *
 * Return: 0; -EXFULL: the tenant has to wait in the line; -EBUSY: its cgroups have no slot
 * for it; -EIO: it is banned; another negative errno of session_join_with().
 */
int simgpu_seat_take(struct simgpu_tenant *tenant, struct private_run *run)
{
	int ret;

	lockdep_assert_held(&tenant->device->lock);
	if (simgpu_seat_is_others(tenant))
		return -EXFULL;
	if (tenant->slot == SIMGPU_NO_SLOT) {
		ret = simgpu_seat_join(tenant, run);
		if (ret)
			return ret;
	} else if (!tenant->waiters) {
		return 0;
	}
	tenant->turn_cycle = session_now(tenant->device->session);
	return 0;
}

static void simgpu_line_publish(struct simgpu_tenant *tenant)
{
	struct simgpu_device *device = tenant->device;

	spin_lock(&device->publish_lock);
	tenant->published.in_line = tenant->waiters;
	spin_unlock(&device->publish_lock);
}

/**
 * struct simgpu_in_line - a launch that may wait in the line
 * @tenant: its tenant
 * @joined: whether it waits there already
 */
struct simgpu_in_line {
	struct simgpu_tenant *tenant;
	bool joined;
};

static int simgpu_line_join(void *arg)
{
	const struct simgpu_in_line *launch = arg;
	struct simgpu_tenant *tenant = launch->tenant;
	struct simgpu_device *device = tenant->device;

	if (!launch->joined && !tenant->waiters++) {
		list_add_tail(&tenant->in_line, &device->line);
		simgpu_line_publish(tenant);
	}
	WRITE_ONCE(tenant->called, false);
	simgpu_seats_call(device);
	return 0;
}

/* Wait until the tenant is called. A tenant that waits again keeps its first place. */
static int simgpu_line_wait(struct simgpu_tenant *tenant, bool *in_line)
{
	struct simgpu_in_line launch = { tenant, *in_line };
	struct simgpu_device *device = tenant->device;
	int ret = simgpu_device_call(device, simgpu_line_join, &launch);

	if (ret)
		return ret;
	*in_line = true;
	ret = wait_event_interruptible_exclusive(tenant->line_wait,
						 READ_ONCE(tenant->called) ||
						 READ_ONCE(device->gone));
	return ret ?: READ_ONCE(device->gone) ? -ENODEV : 0;
}

static int simgpu_line_leave(void *arg)
{
	struct simgpu_tenant *tenant = arg;
	struct simgpu_device *device = tenant->device;

	if (!--tenant->waiters) {
		list_del_init(&tenant->in_line);
		WRITE_ONCE(tenant->called, false);
		simgpu_line_publish(tenant);
		simgpu_seats_call(device);
	} else if (tenant->called || READ_ONCE(device->gone)) {
		/* The next call of the tenant; only one was woken. */
		wake_up_interruptible(&tenant->line_wait);
	}
	return 0;
}

/**
 * simgpu_launch_again() - whether a launch that failed is to be tried again
 * @file: the tenant's file
 * @in_line: whether this call waits in the line; the caller sets it to false at first
 * @ret: result of the last try; if it is not tried again, set to the final result
 *
 * -ESTALE: renew the device, then try again. -EXFULL: wait for a slot; with O_NONBLOCK it
 * becomes -EBUSY instead.
 *
 * Return: whether to try again.
 */
bool simgpu_launch_again(struct file *file, bool *in_line, int *ret)
{
	struct simgpu_tenant *tenant = file->private_data;

	if (*ret == -ESTALE)
		*ret = simgpu_device_renew(tenant->device);
	else if (*ret == -EXFULL && file->f_flags & O_NONBLOCK)
		*ret = -EBUSY;
	else if (*ret == -EXFULL)
		*ret = simgpu_line_wait(tenant, in_line);
	else
		goto done;
	if (!*ret)
		return true;
done:
	if (*in_line)
		simgpu_device_call_closing(tenant->device, simgpu_line_leave, tenant);
	*in_line = false;
	return false;
}
