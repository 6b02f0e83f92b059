// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/config/simgpu: further devices. mkdir makes an item; its
 * configuration may be written until it is live, and reads as a whole; rmdir
 * removes the device if it is still there.
 */
#include <linux/configfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "configfs.h"
#include "device.h"

/**
 * struct simgpu_item - a folder in configfs
 * @item: its directory
 * @lock: protects what follows; taken before any lock of a device
 * @config: configuration of the device
 * @device: the device while it is live, else NULL
 */
struct simgpu_item {
	struct config_item item;
	struct mutex lock;	/* serializes what follows */
	struct gpu_config config;
	struct simgpu_device *device;
};

static struct simgpu_item *simgpu_item_of(struct config_item *item)
{
	return container_of(item, struct simgpu_item, item);
}

static ssize_t simgpu_item_config_show(struct config_item *config_item,
				       char *page)
{
	struct simgpu_item *item = simgpu_item_of(config_item);
	size_t length;

	mutex_lock(&item->lock);
	length = gpu_config_print(&item->config, page, PAGE_SIZE);
	mutex_unlock(&item->lock);
	return length < PAGE_SIZE ? length : -EFBIG;
}

static ssize_t simgpu_item_config_store(struct config_item *config_item,
					const char *page, size_t count)
{
	struct simgpu_item *item = simgpu_item_of(config_item);
	struct config_error error = {};
	struct gpu_config config;
	int ret;

	ret = gpu_config_parse(page, count, &config, &error);
	if (ret) {
		pr_info("simgpu: %s: line %u: %s %s\n",
			config_item_name(config_item), error.line, error.field,
			error.reason);
		return ret;
	}
	mutex_lock(&item->lock);
	if (item->device)
		ret = -EBUSY;
	else
		item->config = config;
	mutex_unlock(&item->lock);
	return ret ?: count;
}

CONFIGFS_ATTR(simgpu_item_, config);

static ssize_t simgpu_item_live_show(struct config_item *config_item,
				     char *page)
{
	struct simgpu_item *item = simgpu_item_of(config_item);

	return sysfs_emit(page, "%d\n", !!READ_ONCE(item->device));
}

static int simgpu_item_set_live(struct simgpu_item *item, bool live)
{
	struct simgpu_device *device;

	lockdep_assert_held(&item->lock);
	if (live == !!item->device)
		return 0;
	if (!live) {
		simgpu_device_unplug(item->device);
		item->device = NULL;
		return 0;
	}
	device = simgpu_device_plug(&item->config);
	if (IS_ERR(device))
		return PTR_ERR(device);
	item->device = device;
	return 0;
}

static ssize_t simgpu_item_live_store(struct config_item *config_item,
				      const char *page, size_t count)
{
	struct simgpu_item *item = simgpu_item_of(config_item);
	bool live;
	int ret;

	ret = kstrtobool(page, &live);
	if (ret)
		return ret;
	mutex_lock(&item->lock);
	ret = simgpu_item_set_live(item, live);
	mutex_unlock(&item->lock);
	return ret ?: count;
}

CONFIGFS_ATTR(simgpu_item_, live);

static ssize_t simgpu_item_device_show(struct config_item *config_item,
				       char *page)
{
	struct simgpu_item *item = simgpu_item_of(config_item);
	ssize_t ret = -ENODEV;

	mutex_lock(&item->lock);
	if (item->device)
		ret = sysfs_emit(page, "simgpu%u\n", item->device->index);
	mutex_unlock(&item->lock);
	return ret;
}

CONFIGFS_ATTR_RO(simgpu_item_, device);

static struct configfs_attribute *simgpu_item_attrs[] = {
	&simgpu_item_attr_config,
	&simgpu_item_attr_live,
	&simgpu_item_attr_device,
	NULL
};

static void simgpu_item_release(struct config_item *config_item)
{
	kfree(simgpu_item_of(config_item));
}

static struct configfs_item_operations simgpu_item_ops = {
	.release = simgpu_item_release,
};

static const struct config_item_type simgpu_item_type = {
	.ct_item_ops = &simgpu_item_ops,
	.ct_attrs = simgpu_item_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_item *simgpu_group_make_item(struct config_group *group,
						  const char *name)
{
	struct simgpu_item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return ERR_PTR(-ENOMEM);
	mutex_init(&item->lock);
	item->config = *gpu_config_at(0);
	config_item_init_type_name(&item->item, name, &simgpu_item_type);
	return &item->item;
}

static void simgpu_group_drop_item(struct config_group *group,
				   struct config_item *config_item)
{
	struct simgpu_item *item = simgpu_item_of(config_item);

	mutex_lock(&item->lock);
	simgpu_item_set_live(item, false);
	mutex_unlock(&item->lock);
	config_item_put(config_item);
}

static struct configfs_group_operations simgpu_group_ops = {
	.make_item = simgpu_group_make_item,
	.drop_item = simgpu_group_drop_item,
};

static const struct config_item_type simgpu_group_type = {
	.ct_group_ops = &simgpu_group_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem simgpu_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "simgpu",
			.ci_type = &simgpu_group_type,
		},
	},
};

/**
 * simgpu_configfs_init() - make the module's folder
 *
 * Return: 0 or a negative errno.
 */
int simgpu_configfs_init(void)
{
	config_group_init(&simgpu_subsystem.su_group);
	mutex_init(&simgpu_subsystem.su_mutex);
	return configfs_register_subsystem(&simgpu_subsystem);
}

/**
 * simgpu_configfs_exit() - remove the folder; it is empty, since items hold the module
 */
void simgpu_configfs_exit(void)
{
	configfs_unregister_subsystem(&simgpu_subsystem);
}
