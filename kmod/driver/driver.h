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

/* Module parameters, constant once the module is loaded. */
extern bool simgpu_counters_public;

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

long simgpu_ioctl_dispatch(struct file *file, struct simgpu_device *device,
			   unsigned int cmd, unsigned long arg,
			   const struct simgpu_ioctl_op *ops,
			   unsigned int base, unsigned int count);
int simgpu_ucmd_respond(struct simgpu_ucmd *ucmd);

/* What they want to be told; struct simgpu_observer is in device.h. */
extern const struct simgpu_observer simgpu_threads_observer;
extern const struct simgpu_observer simgpu_knobs_observer;
extern const struct simgpu_observer simgpu_tenant_observer;
extern const struct simgpu_observer simgpu_launch_observer;
extern const struct simgpu_observer simgpu_upload_observer;
extern const struct simgpu_observer simgpu_gang_observer;
extern const struct simgpu_observer simgpu_trace_observer;
extern const struct simgpu_observer simgpu_netlink_observer;
extern const struct simgpu_observer simgpu_debugfs_observer;

/* Sysfs (sysfs.c, sysfs_tenant.c). */
extern const struct attribute_group *simgpu_device_groups[];
void simgpu_sysfs_init(void);
const struct kobj_type *simgpu_tenant_sysfs_init(void);
ssize_t simgpu_emit_ppm(char *buf, u64 value_ppm);
int simgpu_parse_ppm(const char *buf, u64 *value_ppm);

/*
 * Of the device's sysfs: directories of knobs (knobs.c), rules for cgroups
 * (cgroups.c), energy (device_energy.c), constants (constants.c).
 */
extern const struct attribute_group simgpu_policy_params_group;
extern const struct attribute_group simgpu_model_params_group;
extern const struct attribute_group simgpu_cgroups_group;
extern const struct attribute_group simgpu_figures_group;
void simgpu_figures_init(void);
extern struct bin_attribute simgpu_constants_attr;

/* Debugfs (debugfs.c). */
void simgpu_debugfs_init(void);
void simgpu_debugfs_exit(void);

/* Models and policies (plugins.c). */
const struct simgpu_policy *simgpu_policy_get(const char *name);
const struct simgpu_model *simgpu_model_get(const char *name);
void simgpu_plugin_hold(const void *policy_or_model);
void simgpu_plugin_put(const void *policy_or_model);
ssize_t simgpu_plugins_emit(char *buf, bool policies);
ssize_t simgpu_plugins_emit_bpf(char *buf);
void simgpu_plugins_describe(struct seq_file *seq);
bool simgpu_plugin_name_valid(const char *name);
bool simgpu_policy_is_gone(const struct simgpu_policy *policy);
int simgpu_bpf_policy_add(const struct simgpu_policy *policy,
			  void (*release)(const struct simgpu_policy *policy));
int simgpu_bpf_policy_replace(const struct simgpu_policy *old,
			      const struct simgpu_policy *new);

/* Policies that are BPF programs (bpf.c); without BPF there are none. */
void simgpu_bpf_init(void);
bool simgpu_bpf_is_there(void);
int simgpu_bpf_decide(const struct simgpu_policy *policy,
		      const struct simgpu_snapshot *snapshot, void *state,
		      struct simgpu_proposal *proposal);

/* Knobs and constants of the UAPI (param_values.c). */
int simgpu_params_apply(const struct simgpu_param_array *array,
			struct session_options *options,
			struct session_refusal *why);
int simgpu_constants_apply(u64 address, u32 bytes,
			   struct session_options *options,
			   struct session_refusal *why);

/* Configfs (configfs.c). */
int simgpu_configfs_init(void);
void simgpu_configfs_exit(void);

/* Generic netlink (netlink.c). */
int simgpu_netlink_init(void);
void simgpu_netlink_exit(void);

#endif /* SIMGPU_DRIVER_H */
