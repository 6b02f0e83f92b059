// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: making and removing them, finding and locking them, and their
 * sessions. worker.c has the worker that lets time pass, observe.c reports and
 * publishes, change.c changes settings.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "by_thread.h"
#include "compat.h"
#include "deciders.h"
#include "device.h"
#include "device_settings.h"
#include "observe.h"
#include "observers.h"
#include "plugins.h"
#include "turn.h"
#include "worker.h"

static dev_t simgpu_devt;
static struct workqueue_struct *simgpu_remove_queue;
/* Protects the table; a leaf. A tenant that is stopped holds no mutex for which others wait. */
static DEFINE_SPINLOCK(simgpu_devices_lock);
static DECLARE_BITMAP(simgpu_devices_used, SIMGPU_DEVICES_MAX);
static const struct file_operations *simgpu_devices_fops;
static const struct attribute_group **simgpu_devices_groups;
static struct simgpu_device *simgpu_devices[SIMGPU_DEVICES_MAX];

static char *__maybe_unused
simgpu_devnode_const(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0660;
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
 * simgpu_device_replace_session() - put another session on the device
 * @device: the device, without work
 * @session: the new one, cold
 * @options: the options with which it was made
 *
 * All tenants lose their slots.
 *
 * Return: the old session, to which nothing refers; the caller destroys it.
 */
struct session *
simgpu_device_replace_session(struct simgpu_device *device,
			      struct session *session,
			      const struct session_options *options)
{
	struct session *old = device->session;

	lockdep_assert_held(&device->lock);
	simgpu_tell(session_end, device);
	device->session = session;
	WRITE_ONCE(device->sessions, device->sessions + 1);
	simgpu_plugin_hold(options->policy);
	simgpu_plugin_hold(options->model);
	simgpu_plugin_hold(options->memory_policy);
	simgpu_plugin_put(device->start.policy);
	simgpu_plugin_put(device->start.model);
	simgpu_plugin_put(device->start.memory_policy);
	device->start = *options;
	device->start.constants = NULL;
	device->decisions = (struct simgpu_decisions) {};
	device->predictions = (struct simgpu_decisions) {};
	device->placements = (struct simgpu_decisions) {};
	device->ranks = (struct simgpu_decisions) {};
	device->refusals = (struct simgpu_refusals) {};
	device->start_constants = !options->constants ? 0 :
		port_crc32(0, options->constants, options->constants_bytes);
	simgpu_device_use(device, options->policy, options->model);
	simgpu_device_use_memory(device, options->memory_policy);
	WRITE_ONCE(device->private_runs, session_private_bytes(options));
	device->ending = (struct simgpu_ending) {};
	device->left = false;
	device->refusal = (struct session_refusal) {};
	device->session_refusal = device->refusal;
	simgpu_device_publish_start(device);
	/* The policy may have gone while the session was made. */
	if (simgpu_policy_is_gone(device->policy)) {
		session_policy_is_gone(session);
		simgpu_device_fell_back(device, session_last_refusal(session));
	}
	if (simgpu_policy_is_gone(device->memory_policy)) {
		session_memory_policy_is_gone(session);
		simgpu_device_memory_fell_back(device, session_last_refusal(session));
	}
	return old;
}

/* With @renew_lock held, so that settings do not change; a thread does it for a caller. */
static int simgpu_device_renew_locked(struct simgpu_device *device)
{
	struct session_options options;
	struct session *session;
	int ret;

	lockdep_assert_held(&device->renew_lock);
	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	ret = -EALREADY;
	if (simgpu_device_is_stale(device))
		ret = simgpu_device_options(device, &options);
	simgpu_device_unlock(device);
	if (ret)
		return ret == -EALREADY ? 0 : ret;
	ret = simgpu_device_session_create(device, &options, &session);
	if (ret)
		goto out;
	ret = simgpu_device_lock(device);
	if (!ret) {
		if (simgpu_device_is_stale(device))
			session = simgpu_device_replace_session(device, session,
								&options);
		simgpu_device_unlock(device);
	}
	session_destroy(session);
out:
	simgpu_options_put(&options);
	return ret;
}

static int simgpu_renew(void *arg)
{
	struct simgpu_device *device = arg;
	int ret;

	mutex_lock(&device->renew_lock);
	ret = simgpu_device_renew_locked(device);
	mutex_unlock(&device->renew_lock);
	return ret;
}

/**
 * simgpu_device_renew() - replace the session of a gang that has ended by a cold one
 * @device: the device
 *
 * A gang's session stays on the device after its end, so that users can look at it.
 * Sessions are made and destroyed without the device's lock, so a new gang may come
 * first; the caller checks again.
 *
 * Return: 0; -ENODEV, -ENOMEM.
 */
int simgpu_device_renew(struct simgpu_device *device)
{
	return simgpu_by_thread(system_unbound_wq, simgpu_renew, device);
}

static void simgpu_device_release(struct device *dev)
{
	struct simgpu_device *device = simgpu_device_of(dev);

	simgpu_plugin_put(device->defaults.policy);
	simgpu_plugin_put(device->defaults.model);
	simgpu_plugin_put(device->defaults.memory_policy);
	port_free((void *)device->defaults.constants);
	port_free(device->constants);
	port_free(device->journal_spare);
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
	INIT_LIST_HEAD(&device->line);
	device->index = index;
	device->defaults.config = *config;
	simgpu_settings_begin(device);
	/* HSM 4.2; a gang sets its own. */
	device->defaults.preemption = SESSION_PREEMPTION_ADAPTIVE;
	device->defaults.model = &model_hsm;
	device->defaults.policy = &policy_even;
	device->defaults.memory_policy = registry_memory_policy_at(0);
	session_default_params(&device->defaults);
	mutex_init(&device->gang_lock);
	mutex_init(&device->renew_lock);
	mutex_init(&device->lock);
	mutex_init(&device->constants_lock);
	mutex_init(&device->open_lock);
	spin_lock_init(&device->publish_lock);
	init_waitqueue_head(&device->worker_wait);
	simgpu_turn_init(device);

	device_initialize(&device->dev);
	device->dev.class = &simgpu_class;
	device->dev.groups = simgpu_devices_groups;
	device->dev.devt = MKDEV(MAJOR(simgpu_devt), index);
	device->dev.release = simgpu_device_release;
	dev_set_uevent_suppress(&device->dev, true);
	return device;
}

/* Make the session, and what needs nothing but it. */
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

	ret = simgpu_worker_start(device);
	if (ret) {
		device->session = NULL;
		session_destroy(session);
	}
	return ret;
}

/* From now on all open files get -ENODEV. */
static void simgpu_device_power_off(struct simgpu_device *device)
{
	struct session *session;

	mutex_lock(&device->open_lock);
	WRITE_ONCE(device->gone, true);
	mutex_unlock(&device->open_lock);
	simgpu_worker_stop(device);
	mutex_lock(&device->lock);
	simgpu_tell(session_end, device);
	session = device->session;
	device->session = NULL;
	simgpu_device_use(device, NULL, NULL);
	simgpu_device_use_memory(device, NULL);
	simgpu_plugin_put(device->start.policy);
	simgpu_plugin_put(device->start.model);
	simgpu_plugin_put(device->start.memory_policy);
	device->start.policy = NULL;
	device->start.model = NULL;
	device->start.memory_policy = NULL;
	mutex_unlock(&device->lock);
	session_destroy(session);
	simgpu_tell(gone, device);
}

/* Add the entries in sysfs and /dev; the last one makes the device usable. */
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
	simgpu_tell(add, device);
	cdev_init(&device->cdev, fops);
	device->cdev.owner = THIS_MODULE;
	cdev_set_parent(&device->cdev, &device->dev.kobj);
	ret = cdev_add(&device->cdev, device->dev.devt, 1);
	if (ret)
		goto err_entries;
	return 0;

err_entries:
	simgpu_tell(remove, device);
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

static int simgpu_remove(void *arg)
{
	struct simgpu_device *device = arg;

	cdev_del(&device->cdev);
	simgpu_device_power_off(device);
	simgpu_tell(remove, device);
	kobject_del(device->tenants_dir);
	device_del(&device->dev);
	put_device(&device->dev);
	return 0;
}

/*
 * A kernel thread of the highest priority removes the device: beside busy processes the
 * caller would wait for a processor again and again.
 */
static void simgpu_device_remove(struct simgpu_device *device)
{
	simgpu_by_thread(simgpu_remove_queue, simgpu_remove, device);
}

/* Take the device off the table, so that it is not found any more; NULL if there was none. */
static struct simgpu_device *simgpu_device_take(u32 index)
{
	struct simgpu_device *device;

	spin_lock(&simgpu_devices_lock);
	device = simgpu_devices[index];
	simgpu_devices[index] = NULL;
	spin_unlock(&simgpu_devices_lock);
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
	spin_lock(&simgpu_devices_lock);
	device = simgpu_devices[index];
	if (device)
		get_device(&device->dev);
	spin_unlock(&simgpu_devices_lock);
	return device;
}

/* A number that no device has, or -ENOSPC. */
static int simgpu_device_reserve(void)
{
	unsigned int index;

	spin_lock(&simgpu_devices_lock);
	index = find_first_zero_bit(simgpu_devices_used, SIMGPU_DEVICES_MAX);
	if (index < SIMGPU_DEVICES_MAX)
		__set_bit(index, simgpu_devices_used);
	spin_unlock(&simgpu_devices_lock);
	return index < SIMGPU_DEVICES_MAX ? index : -ENOSPC;
}

static void simgpu_device_unreserve(unsigned int index)
{
	spin_lock(&simgpu_devices_lock);
	simgpu_devices[index] = NULL;
	__clear_bit(index, simgpu_devices_used);
	spin_unlock(&simgpu_devices_lock);
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
	spin_lock(&simgpu_devices_lock);
	simgpu_devices[index] = device;
	spin_unlock(&simgpu_devices_lock);
	/* A listener to the event may look for the device at once. */
	dev_set_uevent_suppress(&device->dev, false);
	kobject_uevent(&device->dev.kobj, KOBJ_ADD);
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
 * @count: number of devices
 * @config: name of their configuration
 * @fops: operations of their files
 * @groups: their entries in sysfs
 * @observers: told what happens on devices; the table ends with NULL
 *
 * Return: 0 or a negative errno; then nothing is left.
 */
int simgpu_devices_init(unsigned int count, const char *config,
			const struct file_operations *fops,
			const struct attribute_group **groups,
			const struct simgpu_observer *const *observers)
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
	ret = -ENOMEM;
	simgpu_remove_queue = alloc_workqueue("simgpu_remove", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!simgpu_remove_queue)
		goto err_region;
	ret = simgpu_turns_start();
	if (ret)
		goto err_queue;
	ret = class_register(&simgpu_class);
	if (ret)
		goto err_turns;
	simgpu_devices_fops = fops;
	simgpu_devices_groups = groups;
	simgpu_observers = observers;
	ret = simgpu_devices_create(count, found);
	if (ret)
		goto err_class;
	return 0;

err_class:
	class_unregister(&simgpu_class);
err_turns:
	simgpu_turns_stop();
err_queue:
	destroy_workqueue(simgpu_remove_queue);
err_region:
	unregister_chrdev_region(simgpu_devt, SIMGPU_DEVICES_MAX);
	return ret;
}

/**
 * simgpu_devices_exit() - remove all devices, whose files are all closed
 */
void simgpu_devices_exit(void)
{
	simgpu_devices_remove();
	simgpu_turns_stop();
	class_unregister(&simgpu_class);
	destroy_workqueue(simgpu_remove_queue);
	unregister_chrdev_region(simgpu_devt, SIMGPU_DEVICES_MAX);
}
