// SPDX-License-Identifier: GPL-2.0
/*
 * The settings of a device: those of its sessions, and its own, with the limits for users
 * without privilege (which rights.c, charge.c and gang.c apply). One index counts both:
 * changes and published values are arrays by it.
 */
#include <linux/simgpu_netlink.h>

#include "device.h"
#include "device_settings.h"

#define OWN(_field)							\
	.offset = offsetof(struct simgpu_device, _field),		\
	.bytes = sizeof_field(struct simgpu_device, _field)

static const char * const simgpu_gang_makers[] = { "privileged", "everybody" };

static const struct session_setting simgpu_own_settings[] = {
	{
		OWN(pace_ppm), .name = "pace", .unit = SIMGPU_UNIT_RATIO,
		.netlink = SIMGPU_A_DEVICE_PACE_PPM,
		.flags = SESSION_SETTING_CHANGES, .most = SIMGPU_PACE_MAX_PPM,
	},
	{
		OWN(cpu_percent), .name = "cpu_percent",
		.netlink = SIMGPU_A_DEVICE_CPU_PERCENT,
		.flags = SESSION_SETTING_CHANGES, .least = 1,
		.most = SIMGPU_CPU_PERCENT_MAX, .initial = SIMGPU_CPU_PERCENT_MAX,
	},
	{
		OWN(limits.weight), .name = "weight_limit",
		.flags = SESSION_SETTING_CHANGES, .least = SIMGPU_WEIGHT_MIN,
		.most = SIMGPU_WEIGHT_MAX, .initial = SIMGPU_WEIGHT_MIN,
	},
	{
		OWN(limits.target_ppm), .name = "target_limit",
		.flags = SESSION_SETTING_CHANGES, .unit = SIMGPU_UNIT_RATIO,
		.most = SIMGPU_PPM,
	},
	{
		OWN(limits.gangs), .name = "gang_makers",
		.flags = SESSION_SETTING_CHANGES, .most = true,
		.words = simgpu_gang_makers,
	},
	{
		OWN(limits.gang_wait_seconds), .name = "gang_wait_seconds",
		.flags = SESSION_SETTING_CHANGES, .least = 1,
		.most = SIMGPU_GANG_WAIT_SECONDS_MAX,
		.initial = SIMGPU_GANG_WAIT_SECONDS,
	},
	{
		OWN(limits.device_mib), .name = "device_mib",
		.flags = SESSION_SETTING_CHANGES, .least = 1, .most = U32_MAX,
		.initial = SIMGPU_DEVICE_MIB,
	},
	{
		OWN(limits.journal_events), .name = "journal_events",
		.flags = SESSION_SETTING_CHANGES, .least = 1, .most = U32_MAX,
		.initial = SIMGPU_JOURNAL_EVENTS,
	},
};

static_assert(SESSION_SETTINGS_MAX + ARRAY_SIZE(simgpu_own_settings) <=
	      SIMGPU_SETTINGS_MAX);

/**
 * simgpu_setting() - a setting by its index
 * @index: from 0
 *
 * Return: its row, or NULL behind the last one.
 */
const struct session_setting *simgpu_setting(u32 index)
{
	if (index < session_settings_count)
		return &session_settings[index];
	index -= session_settings_count;
	return index < ARRAY_SIZE(simgpu_own_settings) ?
	       &simgpu_own_settings[index] : NULL;
}

/**
 * simgpu_setting_is_file() - whether a device has a file for a setting
 * @index: of the setting
 *
 * Return: true for settings that netlink has, too, and for the device's own.
 */
bool simgpu_setting_is_file(u32 index)
{
	return index >= session_settings_count || session_settings[index].netlink;
}

/* The address of the value with which a device's next session begins. */
static void *simgpu_setting_base(struct simgpu_device *device, u32 index)
{
	return index < session_settings_count ? (void *)&device->defaults :
						(void *)device;
}

/**
 * simgpu_settings_begin() - set the initial values of a new device
 * @device: the device
 */
void simgpu_settings_begin(struct simgpu_device *device)
{
	session_settings_begin(session_settings, session_settings_count,
			       &device->defaults);
	session_settings_begin(simgpu_own_settings,
			       ARRAY_SIZE(simgpu_own_settings), device);
}

/**
 * simgpu_settings_publish() - publish the settings in force
 * @device: the device; its publish lock is held
 * @shown: options of the session that is shown
 *
 * A setting that a running session does not take over is shown as for the next session.
 */
void simgpu_settings_publish(struct simgpu_device *device,
			     const struct session_options *shown)
{
	const struct session_setting *setting;
	u32 i;

	for (i = 0; (setting = simgpu_setting(i)); i++) {
		bool later = setting->flags & SESSION_SETTING_CHANGES &&
			     !setting->set;

		device->published.settings[i] =
			session_setting_get(setting, later ?
					    simgpu_setting_base(device, i) :
					    shown);
	}
}

/**
 * simgpu_settings_fit() - whether each value of a change is in its range
 * @change: the change
 *
 * Return: true if the settings of the change are valid.
 */
bool simgpu_settings_fit(const struct simgpu_device_change *change)
{
	const struct session_setting *setting;
	u32 i;

	for (i = 0; (setting = simgpu_setting(i)); i++)
		if (change->given & BIT(i) &&
		    (change->settings[i] < setting->least ||
		     change->settings[i] > setting->most))
			return false;
	return true;
}

/**
 * simgpu_settings_prepare() - take the memory that a change needs in the session
 * @device: the device, whose locks are held
 * @change: the change, which has been checked, and is applied next
 *
 * Return: 0; or -ENOMEM, with nothing changed.
 */
int simgpu_settings_prepare(struct simgpu_device *device,
			    const struct simgpu_device_change *change)
{
	const struct session_setting *setting;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&device->lock);
	for (i = 0; !ret && (setting = simgpu_setting(i)); i++)
		if (change->given & BIT(i) && setting->prepare && !device->left)
			ret = setting->prepare(device->session,
					       change->settings[i]);
	return ret;
}

/**
 * simgpu_settings_apply() - make the settings of a change, which has been prepared
 * @device: the device, whose locks are held
 * @change: the change
 */
void simgpu_settings_apply(struct simgpu_device *device,
			   const struct simgpu_device_change *change)
{
	const struct session_setting *setting;
	u32 i;

	lockdep_assert_held(&device->lock);
	for (i = 0; (setting = simgpu_setting(i)); i++) {
		u64 value = change->settings[i];

		if (!(change->given & BIT(i)))
			continue;
		if (setting->set && !device->left)
			WARN_ON_ONCE(setting->set(device->session, value));
		session_setting_set(setting, simgpu_setting_base(device, i),
				    value);
		spin_lock(&device->publish_lock);
		device->published.settings[i] = value;
		spin_unlock(&device->publish_lock);
	}
	/* The worker may sleep until the end of a pace that is no longer valid. */
	if (change->given)
		wake_up(&device->worker_wait);
}
