// SPDX-License-Identifier: GPL-2.0
/* Values of sysfs as JSON; see sysfs.h. */
#include "json.h"
#include "output.h"
#include "queue_rows.h"
#include "report_fields.h"
#include "sysfs.h"

/* Whether a text is digits with at most one point; only whole numbers may be below 0. */
static bool is_decimal(const char *text, bool *whole)
{
	size_t digits;

	text += *text == '-';
	digits = strspn(text, "0123456789");

	*whole = !text[digits];
	if (!digits)
		return false;
	if (text[digits] != '.')
		return *whole;
	text += digits + 1;
	digits = strspn(text, "0123456789");
	return digits && !text[digits];
}

static struct json_object *queues_value(const char *text)
{
	struct simgpu_queue_report queues[SIMGPU_TENANT_QUEUES_MAX];

	return queues_json(queues, queues_from_text(text, queues));
}

/* Whether a file has text: names and lists of SMs may look like numbers. */
static bool is_text(const char *file)
{
	const struct figure *figure = report_field_find(file);

	return !strcmp(file, "name") || (figure && report_field_is_list(figure));
}

/* Whether a file says that it has no value. */
static bool is_nothing(const char *file, const char *text)
{
	if (!strcmp(file, "goal") || !strcmp(file, "last_refusal"))
		return !strcmp(text, "none");
	if (!strcmp(file, "target") || !strcmp(file, "share"))
		return !strtod(text, NULL);
	if (!strcmp(file, "memory_max") || !strcmp(file, "p99_cycles"))
		return !strcmp(text, "0");
	return false;
}

struct json_object *sysfs_value(const char *file, const char *text)
{
	bool whole;

	if (is_nothing(file, text))
		return NULL;
	if (!strcmp(file, "queues"))
		return queues_value(text);
	if (is_text(file) || !is_decimal(text, &whole))
		return json_object_new_string(text);
	if (whole && *text == '-')
		return json_object_new_int64(strtoll(text, NULL, 10));
	if (whole)
		return json_u64(strtoull(text, NULL, 10));
	return json_object_new_double_s(strtod(text, NULL), text);
}

void sysfs_device_values(struct json_object *object, unsigned int device,
			 const char *const *files)
{
	char value[SIMGPU_VALUE_BYTES];

	for (; *files; files++)
		json_set(object, *files,
			 simgpu_read_device_value(device, *files, value,
						  sizeof(value)) ?
			 NULL : sysfs_value(*files, value));
}

struct json_object *sysfs_params(unsigned int device, const char *folder)
{
	struct json_object *object = json_object_new_object();
	char names[SIMGPU_PARAMS_MAX][SIMGPU_NAME_MAX];
	char path[2 * SIMGPU_NAME_MAX], value[SIMGPU_VALUE_BYTES];
	int count = simgpu_list_params(device, folder, names,
				       SIMGPU_PARAMS_MAX), i;

	for (i = 0; i < count && i < SIMGPU_PARAMS_MAX; i++) {
		snprintf(path, sizeof(path), "%s/%.*s", folder,
			 SIMGPU_NAME_MAX - 1, names[i]);
		/* The file disappears if the policy is replaced now. */
		if (!simgpu_read_device_value(device, path, value,
					      sizeof(value)))
			json_set(object, names[i], sysfs_value(path, value));
	}
	return object;
}

/* Returns NULL for a tenant that has gone since it was listed. */
static struct json_object *tenant_json(unsigned int device, u64 id,
				       const char *const *files)
{
	struct json_object *object = json_object_new_object();
	char value[SIMGPU_VALUE_BYTES];

	json_set(object, "id", json_u64(id));
	for (; *files; files++) {
		int ret = simgpu_read_tenant_value(device, id, *files, value,
						   sizeof(value));

		if (ret == -ENOENT || ret == -ENODEV) {
			json_object_put(object);
			return NULL;
		}
		json_set(object, *files, ret ? NULL : sysfs_value(*files, value));
	}
	return object;
}

struct json_object *sysfs_tenants(unsigned int device, const char *const *files)
{
	struct json_object *array = json_object_new_array(), *tenant;
	int room = simgpu_list_tenants(device, NULL, 0), count, i;
	uint64_t *ids;

	if (room <= 0)
		return array;
	ids = calloc((size_t)room, sizeof(*ids));
	count = ids ? simgpu_list_tenants(device, ids, (size_t)room) : 0;
	for (i = 0; i < count && i < room; i++) {
		tenant = tenant_json(device, ids[i], files);
		if (tenant)
			json_object_array_add(array, tenant);
	}
	free(ids);
	return array;
}

const char *sysfs_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	return value ? json_object_get_string(value) : "-";
}
