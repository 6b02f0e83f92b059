// SPDX-License-Identifier: GPL-2.0
/* Loads policies from shared objects; see plugin.h. */
#include <dlfcn.h>
#include <zlib.h>

#include <simgpu/plugin.h>

#include "plugin.h"

#define PLUGINS_MAX	16

static struct {
	const char *path;
	const struct simgpu_policy *policy;
} loaded[PLUGINS_MAX];
static u32 loaded_count;

bool plugin_is_file(const char *text)
{
	return strchr(text, '/');
}

static int check(const char *path, const struct simgpu_plugin *plugin)
{
	const char *name;

	if (!plugin)
		return fail("%s: it has no SIMGPU_POLICY_PLUGIN()", path);
	if (plugin->snapshot_version != SIMGPU_SNAPSHOT_VERSION)
		return fail("%s: it was built with version %u of the snapshot, this is %u; build it again",
			    path, plugin->snapshot_version,
			    SIMGPU_SNAPSHOT_VERSION);
	name = plugin->policy->name;
	if (!*name || !memchr(name, '\0', SIMGPU_NAME_BYTES) ||
	    !plugin->policy->propose)
		return fail("%s: its policy has no name or no propose()", path);
	if (plugin_find_policy(name))
		return fail("%s: there is a policy \"%s\" already", path, name);
	return STATUS_OK;
}

const struct simgpu_policy *plugin_load(const char *path)
{
	const struct simgpu_plugin *plugin;
	void *object;
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (!strcmp(loaded[i].path, path))
			return loaded[i].policy;
	if (loaded_count == PLUGINS_MAX) {
		fail("%s: there can be %d policies from files", path,
		     PLUGINS_MAX);
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
	loaded[loaded_count++].policy = plugin->policy;
	return plugin->policy;
}

const struct simgpu_policy *plugin_find_policy(const char *name)
{
	u32 i;

	for (i = 0; i < loaded_count; i++)
		if (!strcmp(loaded[i].policy->name, name))
			return loaded[i].policy;
	return registry_policy_find(name);
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
