/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modules of policies and models for the tests. They lie in the folder "extra"
 * beside simgpu.ko, which SIMGPU_MODULE names.
 */
#ifndef MODULES_H
#define MODULES_H

#include <sys/syscall.h>

#include "calls.h"

static inline int load(const char *name)
{
	const char *module = getenv("SIMGPU_MODULE");
	char path[512];
	int fd, ret;

	if (!module || !strrchr(module, '/'))
		return -ENOENT;
	snprintf(path, sizeof(path), "%.*s/extra/%s.ko",
		 (int)(strrchr(module, '/') - module), module, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static inline int unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static inline int wait_for_policy(const char *name)
{
	char text[64];
	int tries;

	for (tries = 0; tries < 3000; tries++) {
		if (!read_text(SYSFS "policy", text, sizeof(text)) &&
		    !strcmp(text, name))
			return 0;
		sleep_ms(10);
	}
	return -ETIMEDOUT;
}

#endif /* MODULES_H */
