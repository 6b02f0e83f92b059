/* SPDX-License-Identifier: GPL-2.0 */
/* Values of sysfs as JSON: numbers stay as the kernel printed them. */
#ifndef SIMGPU_SYSFS_H
#define SIMGPU_SYSFS_H

#include <json-c/json.h>

/* The contents of a file of a device or a tenant; NULL if they mean that there is no value. */
struct json_object *sysfs_value(const char *file, const char *text);

/* The parameters in a folder of a device, "policy_params" or "model_params". */
struct json_object *sysfs_params(unsigned int device, const char *folder);

/* Adds a device's files to @object, by their names; null: no value now. */
void sysfs_device_values(struct json_object *object, unsigned int device,
			 const char *const *files);
/* An array of a device's tenants: each has "id", and the files. */
struct json_object *sysfs_tenants(unsigned int device,
				  const char *const *files);
/* A member as text for people; "-" if there is no value. */
const char *sysfs_text(struct json_object *object, const char *key);

#endif /* SIMGPU_SYSFS_H */
