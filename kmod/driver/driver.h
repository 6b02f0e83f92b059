/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the driver share: the ioctl call frame, the module's
 * parameters, and the parts of sysfs and debugfs that others call. Devices,
 * tenants and gangs have headers of their own.
 */
#ifndef SIMGPU_DRIVER_H
#define SIMGPU_DRIVER_H

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/types.h>
#include <linux/simgpu.h>

#include "../policy/registry.h"
#include "../session/rows.h"
#include "../session/session.h"
#include "../session/settings.h"

/* Weights that a tenant may have. */
#define SIMGPU_WEIGHT_MIN	1
#define SIMGPU_WEIGHT_MAX	SESSION_WEIGHT_MAX

struct seq_file;
struct simgpu_observer;
struct simgpu_device;
struct simgpu_tenant;
struct simgpu_gang;

/**
 * struct simgpu_ucmd - an ioctl under way
 * @file: that it was called on
 * @ubuffer: the caller's argument struct
 * @user_size: size of that
 * @size: size of ours
 * @cmd: our copy of it; what the caller does not know is zero
 */
struct simgpu_ucmd {
	struct file *file;
	void __user *ubuffer;
	u32 user_size;
	u32 size;
	void *cmd;
};

/**
 * struct simgpu_ioctl_op - a row of an ioctl table
 * @size: of the argument struct
 * @min_size: of its first version
 * @execute: does it; answers with simgpu_ucmd_respond()
 * @heavy: it is held up with those that make things (&enum simgpu_call_kind)
 */
struct simgpu_ioctl_op {
	u32 size;
	u32 min_size;
	int (*execute)(struct simgpu_ucmd *ucmd);
	bool heavy;
};

/* Bytes that the dispatcher has for an argument struct. */
#define SIMGPU_UCMD_BYTES_MAX	512

#define SIMGPU_IOCTL_OP(_base, _ioctl, _fn, _struct, _last, ...)	\
	[_IOC_NR(_ioctl) - (_base)] = {					\
		.size = sizeof(_struct) +				\
			BUILD_BUG_ON_ZERO(sizeof(_struct) >		\
					  SIMGPU_UCMD_BYTES_MAX),	\
		.min_size = offsetofend(_struct, _last),		\
		.execute = _fn,						\
		__VA_ARGS__						\
	}

#endif /* SIMGPU_DRIVER_H */
