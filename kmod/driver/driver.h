/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of the driver: the ioctl call frame, the module's
 * parameters, and functions of sysfs and debugfs. Devices,
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
 * struct simgpu_ucmd - an ioctl that is being executed
 * @file: file on which it was called
 * @ubuffer: the caller's argument struct
 * @user_size: size of the caller's struct
 * @size: size of the kernel's struct
 * @cmd: the kernel's copy; members that the caller does not know are zero
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
 * @size: size of the argument struct
 * @min_size: size of its first version
 * @execute: executes the call; answers with simgpu_ucmd_respond()
 * @heavy: whether it is SIMGPU_CALL_HEAVY (&enum simgpu_call_kind)
 */
struct simgpu_ioctl_op {
	u32 size;
	u32 min_size;
	int (*execute)(struct simgpu_ucmd *ucmd);
	bool heavy;
};

/* Room for an argument struct in the dispatcher. */
#define SIMGPU_UCMD_BYTES_MAX	960

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
