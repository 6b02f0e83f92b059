// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the policy, the model and the memory policy in force: their published
 * values, and their directories in sysfs, policy_params, model_params and memory_params, with
 * a file each.
 *
 * The directories follow what is published, but later: removing a file
 * waits for its readers and writers, who may wait for the device's lock. So a work
 * item does it, and a change of policy or model waits for that without the lock.
 */
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "change.h"
#include "deciders.h"
#include "device.h"
#include "sysfs_params.h"
#include "observe.h"
#include "ppm.h"
#include "turn.h"

/**
 * struct simgpu_param_file - the file of a parameter
 * @attr: the file; its name is @name
 * @whose: whose parameter it is
 * @name: name of the parameter
 */
struct simgpu_param_file {
	struct device_attribute attr;
	enum session_param_owner whose;
	char name[SIMGPU_NAME_MAX];
};

/**
 * struct simgpu_param_files - the files in a directory
 * @count: number of files
 * @files: the files
 */
struct simgpu_param_files {
	u32 count;
	struct simgpu_param_file files[];
};

/* The directories are always there; their files come and go. */
static struct attribute *simgpu_params_none[] = { NULL };

const struct attribute_group simgpu_policy_params_group = {
	.name = "policy_params",
	.attrs = simgpu_params_none,
};

const struct attribute_group simgpu_model_params_group = {
	.name = "model_params",
	.attrs = simgpu_params_none,
};

const struct attribute_group simgpu_memory_params_group = {
	.name = "memory_params",
	.attrs = simgpu_params_none,
};

static const char *simgpu_params_folder(enum session_param_owner whose)
{
	switch (whose) {
	case SESSION_POLICY_PARAMS:
		return simgpu_policy_params_group.name;
	case SESSION_MEMORY_PARAMS:
		return simgpu_memory_params_group.name;
	default:
		return simgpu_model_params_group.name;
	}
}

/* Finds a published parameter by its name; false: another policy may have come. */
static bool simgpu_param_find(struct device *dev,
			      const struct simgpu_param_file *file, u32 *unit,
			     u64 *value)
{
	struct simgpu_device *device = simgpu_device_of(dev);
	const struct simgpu_params *params = &device->params[file->whose];
	bool found = false;
	u32 i;

	spin_lock(&device->publish_lock);
	for (i = 0; i < params->count && !found; i++) {
		found = !strcmp(params->at[i].name, file->name);
		*unit = params->at[i].unit;
		*value = params->at[i].value;
	}
	spin_unlock(&device->publish_lock);
	return found;
}

static ssize_t simgpu_param_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct simgpu_param_file *file =
		container_of(attr, struct simgpu_param_file, attr);
	u64 value;
	u32 unit;

	if (!simgpu_param_find(dev, file, &unit, &value))
		return -ENODEV;
	if (unit == SIMGPU_UNIT_RATIO)
		return simgpu_emit_ppm(buf, value);
	return sysfs_emit(buf, "%llu\n", value);
}

/* A text that is no number is refused like a value out of range. */
static void simgpu_param_refuse_text(struct simgpu_device *device,
				     const char *name)
{
	struct session_refusal why = {
		.kind = SESSION_REFUSED_PARAM,
		.code = -EINVAL,
		.slot = SESSION_NOWHERE,
		.sm = SESSION_NOWHERE,
		.reason = "the value is not a number",
	};

	if (simgpu_device_lock(device))
		return;
	strscpy(why.field, name, sizeof(why.field));
	simgpu_device_refused(device, &why);
	simgpu_device_unlock(device);
}

static ssize_t simgpu_param_store(struct device *dev,
				  struct device_attribute *attr,
				 const char *buf, size_t count)
{
	struct simgpu_param_file *file =
		container_of(attr, struct simgpu_param_file, attr);
	struct simgpu_param_change param = {
		.whose = file->whose,
		.name = file->name,
	};
	const struct simgpu_device_change change = {
		.params = &param,
		.param_count = 1,
	};
	u64 before;
	u32 unit;
	int ret;

	if (!simgpu_param_find(dev, file, &unit, &before))
		return -ENODEV;
	ret = unit == SIMGPU_UNIT_RATIO ? simgpu_parse_ppm(buf, &param.value) :
					  kstrtou64(buf, 10, &param.value);
	if (ret) {
		simgpu_param_refuse_text(simgpu_device_of(dev), file->name);
		return -EINVAL;
	}
	ret = simgpu_device_change(simgpu_device_of(dev), &change);
	return ret ?: count;
}

/* The directories. */

static struct simgpu_param_files *
simgpu_param_files_make(const struct simgpu_params *params,
			enum session_param_owner whose)
{
	struct simgpu_param_files *files;
	u32 i;

	files = kzalloc(struct_size(files, files, params->count), GFP_KERNEL);
	if (!files)
		return NULL;
	files->count = params->count;
	for (i = 0; i < params->count; i++) {
		struct simgpu_param_file *file = &files->files[i];

		strscpy(file->name, params->at[i].name, sizeof(file->name));
		file->whose = whose;
		sysfs_attr_init(&file->attr.attr);
		file->attr.attr.name = file->name;
		file->attr.attr.mode = 0644;
		file->attr.show = simgpu_param_show;
		file->attr.store = simgpu_param_store;
	}
	return files;
}

static void simgpu_param_files_remove(struct simgpu_device *device,
				      enum session_param_owner whose)
{
	struct simgpu_param_files *files = device->param_files[whose];
	u32 i;

	for (i = 0; files && i < files->count; i++)
		sysfs_remove_file_from_group(&device->dev.kobj,
					     &files->files[i].attr.attr,
					     simgpu_params_folder(whose));
	kfree(files);
	device->param_files[whose] = NULL;
}

static bool simgpu_param_files_are(const struct simgpu_param_files *files,
				   const struct simgpu_params *params)
{
	u32 i;

	if (!files || files->count != params->count)
		return false;
	for (i = 0; i < params->count; i++)
		if (strcmp(files->files[i].name, params->at[i].name))
			return false;
	return true;
}

/* Makes files for the published parameters; a file that cannot be made is missing. */
static void simgpu_params_show(struct simgpu_device *device,
			       enum session_param_owner whose)
{
	struct simgpu_param_files *files;
	struct simgpu_params params;
	u32 i;

	simgpu_params_read(device, whose, &params);
	if (simgpu_param_files_are(device->param_files[whose], &params))
		return;
	simgpu_param_files_remove(device, whose);
	files = simgpu_param_files_make(&params, whose);
	if (!files)
		return;
	for (i = 0; i < files->count; i++)
		if (sysfs_add_file_to_group(&device->dev.kobj,
					    &files->files[i].attr.attr,
					    simgpu_params_folder(whose)))
			break;
	if (i < files->count)
		dev_warn(&device->dev, "no file for the param %s\n",
			 files->files[i].name);
	files->count = i;
	device->param_files[whose] = files;
}

static void simgpu_params_work(struct work_struct *work)
{
	struct simgpu_device *device =
		container_of(work, struct simgpu_device, params_work);

	enum session_param_owner whose;

	for (whose = 0; whose < SESSION_PARAM_OWNERS; whose++)
		simgpu_params_show(device, whose);
}

/* The set of parameters in force has changed. */
static void simgpu_params_changed(struct simgpu_device *device)
{
	/* Pairs with simgpu_params_add(). */
	if (smp_load_acquire(&device->params_shown))
		schedule_work(&device->params_work);
}

/* Waits until the directories show the parameters in force, after a change. */
static void simgpu_params_settle(struct simgpu_device *device)
{
	/* Pairs with simgpu_params_add(). */
	if (smp_load_acquire(&device->params_shown))
		flush_work(&device->params_work);
}

static void simgpu_params_add(struct simgpu_device *device)
{
	INIT_WORK(&device->params_work, simgpu_params_work);
	/* From now on others may use the work item. */
	smp_store_release(&device->params_shown, true);
	schedule_work(&device->params_work);
	flush_work(&device->params_work);
}

/* The device is off, so nothing changes its session any more. */
static void simgpu_params_remove(struct simgpu_device *device)
{
	enum session_param_owner whose;

	WRITE_ONCE(device->params_shown, false);
	cancel_work_sync(&device->params_work);
	for (whose = 0; whose < SESSION_PARAM_OWNERS; whose++)
		simgpu_param_files_remove(device, whose);
}

const struct simgpu_observer simgpu_params_observer = {
	.add = simgpu_params_add,
	.remove = simgpu_params_remove,
	.params = simgpu_params_changed,
	.deciders = simgpu_params_settle,
};
