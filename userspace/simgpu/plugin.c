// SPDX-License-Identifier: GPL-2.0
/* Loads policies and models from shared objects; see plugin.h. */
#include <dlfcn.h>
#include <zlib.h>

#include <simgpu/plugin.h>

#include "plugin.h"

#define PLUGINS_MAX	16

/**
 * struct loaded - a shared object; what it has are copies with their source set
 * @policy: without a name if it has none
 * @model: without a name if it has none
 * @memory_policy: without a name if it has none
 */
static struct loaded {
	const char *path;
	struct simgpu_policy policy;
	struct simgpu_model model;
	struct simgpu_memory_policy memory_policy;
} loaded[PLUGINS_MAX];
static u32 loaded_count;

bool plugin_is_file(const char *text)
{
	return strchr(text, '/');
}

static bool name_is_good(const char *name)
{
	return *name && memchr(name, '\0', SIMGPU_NAME_BYTES);
}

static int check_policy(const char *path, const struct simgpu_policy *policy)
{
	if (!name_is_good(policy->name) || !policy_is_good(policy))
		return fail("%s: its policy has no name, no decide(), unknown events or needs, or a gauge whose name or unit is not as it must be",
			    path);
	if (plugin_find_policy(policy->name))
		return fail("%s: there is a policy \"%s\" already", path,
			    policy->name);
	return STATUS_OK;
}

static int check_model(const char *path, const struct simgpu_model *model)
{
	if (!name_is_good(model->name) || !model_is_good(model))
		return fail("%s: its model has no name, no predict(), or unknown events or needs",
			    path);
	if (plugin_find_model(model->name))
		return fail("%s: there is a model \"%s\" already", path,
			    model->name);
	return STATUS_OK;
}

static int check_memory_policy(const char *path,
			       const struct simgpu_memory_policy *policy)
{
	if (!name_is_good(policy->name) || !memory_policy_is_good(policy))
		return fail("%s: its memory policy has no name, no place(), no rank() that it lists, or unknown events",
			    path);
	if (plugin_find_memory_policy(policy->name))
		return fail("%s: there is a memory policy \"%s\" already", path,
			    policy->name);
	return STATUS_OK;
}

static int check(const char *path, const struct simgpu_plugin *plugin)
{
	if (!plugin)
		return fail("%s: it has no SIMGPU_POLICY_PLUGIN(), SIMGPU_MODEL_PLUGIN() or SIMGPU_MEMORY_POLICY_PLUGIN()",
			    path);
	if (plugin->snapshot_version != SIMGPU_SNAPSHOT_VERSION)
		return fail("%s: it was built with version %u of the snapshot, this is %u; build it again",
			    path, plugin->snapshot_version,
			    SIMGPU_SNAPSHOT_VERSION);
	if (plugin->policy && check_policy(path, plugin->policy))
		return STATUS_FAILED;
	if (plugin->model && check_model(path, plugin->model))
		return STATUS_FAILED;
	if (plugin->memory_policy && check_memory_policy(path, plugin->memory_policy))
		return STATUS_FAILED;
	if (!plugin->policy && !plugin->model && !plugin->memory_policy)
		return fail("%s: its plug-in is empty", path);
	return STATUS_OK;
}

static void keep(struct loaded *entry, const struct simgpu_plugin *plugin)
{
	if (plugin->policy) {
		entry->policy = *plugin->policy;
		entry->policy.source = SIMGPU_SOURCE_PLUGIN;
		entry->policy.checksum = plugin->checksum;
	}
	if (plugin->model) {
		entry->model = *plugin->model;
		entry->model.source = SIMGPU_SOURCE_PLUGIN;
		entry->model.checksum = plugin->checksum;
	}
	if (plugin->memory_policy) {
		entry->memory_policy = *plugin->memory_policy;
		entry->memory_policy.source = SIMGPU_SOURCE_PLUGIN;
		entry->memory_policy.checksum = plugin->checksum;
	}
}

/* The entry of a file; loads the file unless it is already loaded. */
static const struct loaded *load(const char *path)
{
	const struct simgpu_plugin *plugin;
	void *object;
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (!strcmp(loaded[i].path, path))
			return &loaded[i];
	if (loaded_count == PLUGINS_MAX) {
		fail("%s: there can be %d plug-ins", path, PLUGINS_MAX);
		return NULL;
	}
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		fail("%s", dlerror());
		return NULL;
	}
	plugin = dlsym(object, "simgpu_plugin");
	if (check(path, plugin)) {
		dlclose(object);
		return NULL;
	}
	loaded[loaded_count].path = path;
	keep(&loaded[loaded_count], plugin);
	return &loaded[loaded_count++];
}

const struct simgpu_policy *plugin_load(const char *path)
{
	const struct loaded *entry = load(path);

	if (entry && !*entry->policy.name) {
		fail("%s: it has no policy", path);
		return NULL;
	}
	return entry ? &entry->policy : NULL;
}

const struct simgpu_model *plugin_load_model(const char *path)
{
	const struct loaded *entry = load(path);

	if (entry && !*entry->model.name) {
		fail("%s: it has no model", path);
		return NULL;
	}
	return entry ? &entry->model : NULL;
}

const struct simgpu_memory_policy *plugin_load_memory_policy(const char *path)
{
	const struct loaded *entry = load(path);

	if (entry && !*entry->memory_policy.name) {
		fail("%s: it has no memory policy", path);
		return NULL;
	}
	return entry ? &entry->memory_policy : NULL;
}

int plugin_load_any(const char *path, const struct simgpu_policy **policy,
		    const struct simgpu_model **model,
		    const struct simgpu_memory_policy **memory_policy)
{
	const struct loaded *entry = load(path);

	if (!entry)
		return STATUS_FAILED;
	*policy = *entry->policy.name ? &entry->policy : NULL;
	*model = *entry->model.name ? &entry->model : NULL;
	*memory_policy = *entry->memory_policy.name ? &entry->memory_policy : NULL;
	return STATUS_OK;
}

const struct simgpu_policy *plugin_find_policy(const char *name)
{
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (*name && !strcmp(loaded[i].policy.name, name))
			return &loaded[i].policy;
	return registry_policy_find(name);
}

const struct simgpu_model *plugin_find_model(const char *name)
{
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (*name && !strcmp(loaded[i].model.name, name))
			return &loaded[i].model;
	return registry_model_find(name);
}

const struct simgpu_memory_policy *plugin_find_memory_policy(const char *name)
{
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (*name && !strcmp(loaded[i].memory_policy.name, name))
			return &loaded[i].memory_policy;
	return registry_memory_policy_find(name);
}

int checksum_file(const char *path, u32 *checksum)
{
	unsigned char bytes[1 << 16];
	uLong sum = *checksum;
	FILE *file = fopen(path, "r");
	size_t got;

	if (!file)
		return fail("%s: %s", path, strerror(errno));
	while ((got = fread(bytes, 1, sizeof(bytes), file)))
		sum = crc32(sum, bytes, (uInt)got);
	fclose(file);
	*checksum = (u32)sum;
	return STATUS_OK;
}

int plugin_checksum(u32 *checksum)
{
	int ret = STATUS_OK;
	u32 i;

	for (i = 0; !ret && i < loaded_count; i++)
		ret = checksum_file(loaded[i].path, checksum);
	return ret;
}
