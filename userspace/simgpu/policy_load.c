// SPDX-License-Identifier: GPL-2.0
/*
 * simgpu policy load and unload. A file in the BPF file system keeps a loaded policy in
 * the kernel; to take that away is to unload it.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "bpf_object.h"
#include "command.h"
#include "policy_load.h"

#define BPF_FS		"/sys/fs/bpf"
#define BPF_FS_IS	0xcafe4a11
#define FOLDER		BPF_FS "/simgpu"
#define DEVICES_MAX	64

/* The first device there is: what it can, all can. */
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

int policy_load(const char *path, bool replace)
{
	int ret = 0;

	if (access(path, R_OK))
		return fail("%s: %s", path, strerror(errno));
	ret = check_module();
	if (!ret)
		ret = make_folder();
	return ret ?: bpf_object_load(path, FOLDER, replace);
}

/* Says which device has a policy, if any does. */
static int check_unused(const char *name)
{
	char text[SIMGPU_VALUE_BYTES];
	unsigned int device;

	for (device = 0; device < DEVICES_MAX; device++)
		if (!simgpu_read_device_value(device, "policy", text,
					      sizeof(text)) &&
		    !strcmp(text, name))
			return fail("simgpu%u has the policy \"%s\"; set another one, or --force puts even in its place",
				    device, name);
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
	return bpf_object_unload(path);
}
