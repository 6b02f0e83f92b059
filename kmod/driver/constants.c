// SPDX-License-Identifier: GPL-2.0
/*
 * The file model_constants of a device: the constants of the model in force,
 * header and payload. They come in parts of up to a page, in order from offset
 * 0, and take effect with the last.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "change.h"
#include "constants.h"
#include "device.h"
#include "turn.h"

/* Drop the parts that have come so far. */
static void simgpu_constants_forget(struct simgpu_device *device)
{
	lockdep_assert_held(&device->constants_lock);
	port_free(device->constants);
	device->constants = NULL;
	device->constants_bytes = 0;
}

/* Whether all parts have come, or the header is invalid and the rest does not matter. */
static bool simgpu_constants_complete(const void *constants, u32 bytes)
{
	struct simgpu_constants_header header;

	if (bytes < sizeof(header))
		return false;
	memcpy(&header, constants, sizeof(header));
	return header.magic != SIMGPU_CONSTANTS_MAGIC ||
	       header.length > SIMGPU_CONSTANTS_BYTES_MAX ||
	       bytes >= header.length;
}

static int simgpu_constants_add(struct simgpu_device *device, const char *part,
				u64 offset, size_t bytes)
{
	lockdep_assert_held(&device->constants_lock);
	if (!offset)
		simgpu_constants_forget(device);
	if (offset != device->constants_bytes ||
	    bytes > SIMGPU_CONSTANTS_BYTES_MAX - offset)
		return -EINVAL;
	if (!device->constants)
		device->constants = port_alloc(SIMGPU_CONSTANTS_BYTES_MAX);
	if (!device->constants)
		return -ENOMEM;
	memcpy(device->constants + offset, part, bytes);
	device->constants_bytes += bytes;
	return 0;
}

static ssize_t simgpu_constants_write(struct file *file, struct kobject *kobj,
				      struct bin_attribute *attr, char *buf,
				      loff_t offset, size_t count)
{
	struct simgpu_device *device = simgpu_device_of(kobj_to_dev(kobj));
	struct simgpu_device_change change = {};
	int ret;

	mutex_lock(&device->constants_lock);
	ret = simgpu_constants_add(device, buf, offset, count);
	if (!ret && simgpu_constants_complete(device->constants,
					      device->constants_bytes)) {
		change.constants = device->constants;
		change.constants_bytes = device->constants_bytes;
		ret = simgpu_device_change(device, &change);
		simgpu_constants_forget(device);
	} else if (ret) {
		simgpu_constants_forget(device);
	}
	mutex_unlock(&device->constants_lock);
	return ret ?: count;
}

static ssize_t simgpu_constants_read(struct file *file, struct kobject *kobj,
				     struct bin_attribute *attr, char *buf,
				     loff_t offset, size_t count)
{
	struct simgpu_device *device = simgpu_device_of(kobj_to_dev(kobj));
	const void *constants;
	ssize_t ret;
	u32 bytes;

	ret = simgpu_device_lock(device);
	if (ret)
		return ret;
	if (device->left) {
		constants = device->defaults.constants;
		bytes = device->defaults.constants_bytes;
	} else {
		constants = session_constants(device->session, &bytes);
	}
	ret = !constants ? 0 : memory_read_from_buffer(buf, count, &offset,
						       constants, bytes);
	simgpu_device_unlock(device);
	return ret;
}

struct bin_attribute simgpu_constants_attr =
	__BIN_ATTR(model_constants, 0600, simgpu_constants_read,
		   simgpu_constants_write, SIMGPU_CONSTANTS_BYTES_MAX);
