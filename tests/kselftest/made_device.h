/* SPDX-License-Identifier: GPL-2.0 */
/* A device that a test makes by configfs and removes at its end. No expectations here. */
#ifndef MADE_DEVICE_H
#define MADE_DEVICE_H

#include <sys/stat.h>

#include "calls.h"

/*
 * struct made_device - a device
 * @item: its folder in configfs
 * @name: of its node, and of its folder in sysfs
 */
struct made_device {
	char item[96];
	char name[64];
};

static inline int write_item(const struct made_device *device, const char *file,
			     const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", device->item, file);
	return write_text(path, text);
}

/* Make the device @item of a configuration's text; 0 or a negative errno. */
static inline int make_device(struct made_device *device, const char *item,
			      const char *config)
{
	char path[160];

	snprintf(device->item, sizeof(device->item), CONFIGFS "%s", item);
	snprintf(path, sizeof(path), "%s/device", device->item);
	return (mkdir(device->item, 0755) ? -errno : 0) ?:
	       write_item(device, "config", config) ?:
	       write_item(device, "live", "1\n") ?:
	       read_text(path, device->name, sizeof(device->name));
}

static inline int remove_device(const struct made_device *device)
{
	return rmdir(device->item) ? -errno : 0;
}

static inline int open_made(const struct made_device *device)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", device->name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The path of one of its files in sysfs */
static inline const char *made_path(const struct made_device *device, const char *file)
{
	static char path[192];

	snprintf(path, sizeof(path), "/sys/class/simgpu/%s/%s", device->name, file);
	return path;
}

#endif /* MADE_DEVICE_H */
