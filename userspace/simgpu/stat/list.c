// SPDX-License-Identifier: GPL-2.0
/* simgpu list: the devices of this machine and their tenants, from sysfs. */
#include "../json.h"
#include "../output.h"
#include "../sysfs.h"
#include "../table.h"

static const char about[] =
	"List the devices of this machine and their tenants.\v"
	"Examples:\n"
	"  simgpu list\n"
	"  simgpu list --json | jq '.devices[].policy'\n"
	"\n"
	"Exit status: 0, also without any device; 1 if reading failed; 2 for "
	"wrong usage.";

static const struct argp argp = {
	.options = json_options,
	.parser = parse_json_option,
	.doc = about,
};

static const char *const device_files[] = { "config", "policy", "model",
					    "state", NULL };
static const char *const tenant_files[] = { "name", "pid", "slot", "service",
					    "sms", "cgroup", NULL };

static struct json_object *device_json(unsigned int device)
{
	struct json_object *object = json_object_new_object();
	char name[SIMGPU_NAME_MAX];

	snprintf(name, sizeof(name), "simgpu%u", device);
	json_set_string(object, "device", name);
	sysfs_device_values(object, device, device_files);
	json_set(object, "tenants", sysfs_tenants(device, tenant_files));
	return object;
}

static void print_device(struct json_object *device)
{
	struct json_object *tenants = json_object_object_get(device, "tenants");
	struct table *table;
	size_t i;

	printf("%s: %s, policy %s, model %s, %s\n",
	       sysfs_text(device, "device"), sysfs_text(device, "config"),
	       sysfs_text(device, "policy"), sysfs_text(device, "model"),
	       sysfs_text(device, "state"));
	if (!json_object_array_length(tenants))
		return;
	table = table_new("  TENANT|NAME|>PID|>SLOT|SERVICE|>SMS");
	for (i = 0; i < json_object_array_length(tenants); i++) {
		struct json_object *tenant =
			json_object_array_get_idx(tenants, i);

		table_cell(table, "  %s", sysfs_text(tenant, "id"));
		table_cell(table, "%s", sysfs_text(tenant, "name"));
		table_cell(table, "%s", sysfs_text(tenant, "pid"));
		table_cell(table, "%s", sysfs_text(tenant, "slot"));
		table_cell(table, "%s", sysfs_text(tenant, "service"));
		table_cell(table, "%s", sysfs_text(tenant, "sms"));
	}
	table_print(table);
}

int list_command(int argc, char **argv)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	unsigned int devices[SIMGPU_DEVICES_MAX];
	bool json = false;
	int count, i;

	parse_arguments(&argp, argc, argv, 0, &json);
	count = simgpu_list_devices(devices, SIMGPU_DEVICES_MAX);
	if (count < 0)
		return fail("the devices cannot be listed: %s",
			    strerror(-count));
	for (i = 0; i < count; i++)
		json_object_array_add(array, device_json(devices[i]));
	json_set(object, "devices", array);
	if (json)
		return json_print(object);
	if (!count)
		puts("There is no device; the module may not be loaded.");
	for (i = 0; i < count; i++)
		print_device(json_object_array_get_idx(array, (size_t)i));
	json_object_put(object);
	return STATUS_OK;
}
