// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu policy load and unload. A file in the BPF file system keeps a loaded policy in
 * the kernel; removing that file unloads it.
 */
#include <libgen.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "bpf_object.h"
#include "../command.h"
#include "policy_load.h"
#include "policy_maps.h"

#define BPF_FS		"/sys/fs/bpf"
#define BPF_FS_IS	0xcafe4a11
#define FOLDER		BPF_FS "/simgpu"
#define DEVICES_MAX	64
#define SUFFIX		".bpf.o"

/* The first device: all devices can use the same policies. */
static int first_device(unsigned int *device)
{
	char text[SIMGPU_VALUE_BYTES];

	for (*device = 0; *device < DEVICES_MAX; (*device)++)
		if (!simgpu_read_device_value(*device, "policy", text,
					      sizeof(text)))
			return STATUS_OK;
	return fail("there is no device: is simgpu.ko loaded?");
}

static int check_module(void)
{
	char text[SIMGPU_VALUE_BYTES];
	unsigned int device;
	int ret = first_device(&device);

	if (ret)
		return ret;
	ret = simgpu_read_device_value(device, "policies_bpf", text,
				       sizeof(text));
	if (ret == -EOPNOTSUPP)
		return fail("simgpu.ko takes no BPF policies: the kernel is older than 6.12, or the module was built without pahole or without the vmlinux of the kernel's headers");
	return ret ? fail("simgpu%u: %s", device, device_error(ret)) : STATUS_OK;
}

static int make_folder(void)
{
	struct statfs about;

	if (statfs(BPF_FS, &about))
		return fail(BPF_FS ": %s", strerror(errno));
	if (about.f_type != BPF_FS_IS &&
	    mount("bpf", BPF_FS, "bpf", 0, "mode=0700"))
		return fail("no BPF file system can be mounted on " BPF_FS ": %s",
			    strerror(errno));
	if (mkdir(FOLDER, 0700) && errno != EEXIST)
		return fail(FOLDER ": %s", strerror(errno));
	return STATUS_OK;
}

/* --- which file ---------------------------------------------------------- */

/* Folders of shipped policies, relative to the program's: in a build, and installed. */
static const char *const shipped[] = { "policies", "../lib/simgpu/policies" };

static bool is_file(const char *text)
{
	size_t length = strlen(text);

	return strchr(text, '/') || (length > strlen(SUFFIX) &&
	       !strcmp(text + length - strlen(SUFFIX), SUFFIX));
}

/* Find a policy by its name, or by its name with underscores, as C files have. */
static bool find_in(const char *folder, const char *name, char *path, size_t room)
{
	char *at;

	if ((size_t)snprintf(path, room, "%s/%s" SUFFIX, folder, name) >= room)
		return false;
	if (!access(path, F_OK))
		return true;
	for (at = strrchr(path, '/'); *at; at++)
		if (*at == '-')
			*at = '_';
	return !access(path, F_OK);
}

static int find_shipped(const char *name, char *path, size_t room)
{
	char self[PATH_MAX], folders[ARRAY_SIZE(shipped)][PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *base;
	size_t i;

	if (length < 0)
		return fail("/proc/self/exe: %s", strerror(errno));
	self[length] = '\0';
	base = dirname(self);
	for (i = 0; i < ARRAY_SIZE(shipped); i++) {
		snprintf(folders[i], sizeof(folders[i]), "%s/%s", base, shipped[i]);
		if (find_in(folders[i], name, path, room))
			return STATUS_OK;
	}
	return fail("there is no file of a policy \"%s\" in %s or %s; a file's name has a '/' or ends in " SUFFIX,
		    name, folders[0], folders[1]);
}

int policy_load(const char *word, bool replace)
{
	char found[PATH_MAX * 2];
	const char *path = is_file(word) ? word : found;
	int ret = path == word ? STATUS_OK :
				 find_shipped(word, found, sizeof(found));

	if (ret)
		return ret;
	if (access(path, R_OK))
		return fail("%s: %s", path, strerror(errno));
	ret = check_module();
	if (!ret)
		ret = make_folder();
	return ret ?: bpf_object_load(path, FOLDER, replace);
}

/* Refuse to unload a policy that some device uses; the message names the device. */
static int check_unused(const char *name)
{
	char text[SIMGPU_VALUE_BYTES];
	unsigned int device;

	for (device = 0; device < DEVICES_MAX; device++) {
		if (!simgpu_read_device_value(device, "policy", text,
					      sizeof(text)) &&
		    !strcmp(text, name))
			return fail("simgpu%u has the policy \"%s\"; set another one, or --force puts even in its place",
				    device, name);
		if (!simgpu_read_device_value(device, "memory_policy", text,
					      sizeof(text)) &&
		    !strcmp(text, name))
			return fail("simgpu%u has the memory policy \"%s\"; set another one, or --force puts uvm in its place",
				    device, name);
	}
	return STATUS_OK;
}

int policy_unload(const char *name, bool force)
{
	char path[PATH_MAX];
	struct stat about;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	if (strchr(name, '/') || *name == '.' || stat(path, &about)) {
		if (errno == EACCES)
			return fail("%s: %s", path, strerror(errno));
		return fail("there is no loaded policy \"%s\"", name);
	}
	if (!force && check_unused(name))
		return STATUS_FAILED;
	if (bpf_object_unload(path))
		return STATUS_FAILED;
	policy_maps_remove(name);
	return STATUS_OK;
}
